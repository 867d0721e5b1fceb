/* The layers of VESPER as published (Wu et al. 2023, algorithms 1 to 3): batches of roots with sampled
 * neighbours, spectral normalisation, noise; each on a tape. */
#ifndef SOTTO_SRC_METHODS_VESPER_AS_PUBLISHED_VESPER_PAPER_LAYERS_H
#define SOTTO_SRC_METHODS_VESPER_AS_PUBLISHED_VESPER_PAPER_LAYERS_H

#include "inside/dp.h"
#include "run/method/method.h"

enum { SOTTO_I_PAPER_LAYERS = 3 };

/* One layer of a batch: row i of its outputs is a weighted sum over entries offsets[i] .. offsets[i + 1] of
 * its inputs. The first `rows` inputs are the same nodes as its outputs. */
typedef struct sotto_i_paper_block {
  size_t rows, inputs;
  uint64_t *offsets;
  uint32_t *source;
  float *weight;
  bool *low; /* GCN: the row's degree is below the least degree, and it gets no message (algorithm 2) */
} sotto_i_paper_block;

/* The sampled neighbourhoods of a batch of roots. list[0..count) are the nodes whose features are used. */
typedef struct sotto_i_sampler {
  const sotto_graph *graph;
  uint32_t cap;
  uint32_t layers; /* that a batch passes through: those of the options, or 1 for a layer alone */
  bool gcn;
  uint64_t least; /* D_min of algorithm 2; GCN alone */
  uint32_t *list, *place;
  uint32_t *own; /* 0, 1, 2, ...: positions of the own rows */
  size_t count;
  sotto_i_paper_block block[SOTTO_I_PAPER_LAYERS]; /* block[0] is the first layer */
} sotto_i_sampler;

sotto_status sotto_i_sampler_new(sotto_i_sampler *out, const sotto_options *options, const sotto_graph *graph,
                                 sotto_error *err);
void sotto_i_sampler_free(sotto_i_sampler *sampler);
/* Draws at most `cap` neighbours of each node for each layer, from roots[0..count), all different. Weights:
 * GIN 1 for the own row and each neighbour; GCN those of eq. 33 with degrees capped at `cap`. */
sotto_status sotto_i_sampler_draw(sotto_i_sampler *sampler, const uint32_t *roots, size_t count,
                                  const sotto_key *key, sotto_error *err);
sotto_var sotto_i_block_var(const sotto_i_paper_block *block, sotto_tape *tape, sotto_var x);

/* W / (u' W v), with u and v as constants (Miyato et al. 2018). One step of power iteration updates u,
 * which persists over steps. The result's norm is near 1, and at least 1 (so this is no bound). A weight
 * without a norm above 0 stays as it is: it depends on private edges, and an error would show that. */
typedef struct sotto_i_spectral {
  double *u, *v;
  size_t rows, cols;
} sotto_i_spectral;
sotto_status sotto_i_spectral_new(sotto_i_spectral *out, size_t rows, size_t cols, const sotto_key *key,
                                  sotto_error *err);
void sotto_i_spectral_free(sotto_i_spectral *spectral);
/* Forgets the steps so far. */
void sotto_i_spectral_restart(sotto_i_spectral *spectral, const sotto_key *key);
void sotto_i_spectral_step(sotto_i_spectral *spectral, const sotto_matrix *weight);
sotto_var sotto_i_spectral_var(const sotto_i_spectral *spectral, sotto_tape *tape, sotto_var weight);

/* Clips rows to norm `clip`, then adds noise on the grid; the gradient passes unchanged. clip 0, sigma 0: it
 * does not. Before noise a row that is not finite counts as zero: whether it is may depend on an edge. */
typedef struct sotto_i_noising {
  sotto_grid grid;
  double clip;
  sotto_key key;
  uint32_t layer;
} sotto_i_noising;
sotto_var sotto_i_noising_var(const sotto_i_noising *noising, sotto_tape *tape, sotto_var x);

#endif
