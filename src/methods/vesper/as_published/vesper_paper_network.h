/* The network of VESPER as published: encoder, layers between which noise is added, and decoder. */
#ifndef SOTTO_SRC_METHODS_VESPER_AS_PUBLISHED_VESPER_PAPER_NETWORK_H
#define SOTTO_SRC_METHODS_VESPER_AS_PUBLISHED_VESPER_PAPER_NETWORK_H

#include "inside/nn.h"
#include "nn/combine.h"
#include "vesper_paper_layers.h"

typedef struct sotto_i_paper_layer {
  size_t weight;
  sotto_linear low; /* GCN: for rows without messages */
  sotto_i_spectral spectral;
  sotto_matrix shown[2]; /* GCN: 1 where a row got messages; then 1 where it did not */
} sotto_i_paper_layer;

typedef struct sotto_i_paper_network {
  const sotto_i_job *job; /* borrowed */
  bool alone;             /* without edges: the decoder reads the encoder's rows */
  bool gcn;
  sotto_key key;        /* of weights and dropout */
  sotto_params *params; /* of the data party: encoder and layers */
  sotto_params *reader; /* of the label party: combiner and decoder */
  sotto_mlp encoder, decoder;
  sotto_i_combiner combiner;
  sotto_i_paper_layer layers[SOTTO_I_PAPER_LAYERS];
} sotto_i_paper_network;

/* Fresh weights by the job's seed, in a zeroed *out of which job and alone are set: those of the data party,
 * those of the label party, or both. */
sotto_status sotto_i_paper_extractor_new(sotto_i_paper_network *out, sotto_error *err);
sotto_status sotto_i_paper_reader_new(sotto_i_paper_network *out, sotto_error *err);
sotto_status sotto_i_paper_network_new(sotto_i_paper_network *out, sotto_error *err);
void sotto_i_paper_network_free(sotto_i_paper_network *network);
/* The encoder's rows of features x; of unit norm, unless the network is alone. */
sotto_var sotto_i_paper_encode(sotto_i_paper_network *network, const sotto_pass *pass, sotto_var x);
/* Layer l, from 0, of a block of sampled neighbours, before its noise. `own` is 0, 1, 2, ...; block and own
 * are borrowed until the tape's next reset. */
sotto_status sotto_i_paper_update(sotto_var *out, sotto_i_paper_network *network, sotto_tape *tape,
                                  uint32_t l, const sotto_i_paper_block *block, const uint32_t *own,
                                  sotto_var x, sotto_error *err);
/* What everybody reads of noisy rows: unit-norm rows of their positive parts. */
sotto_var sotto_i_paper_shown(sotto_tape *tape, sotto_var noisy);
/* One step: the shown rows of the first `roots` nodes of the sampler's list in each of its layers,
 * [layer 1 | layer 2 | ...], from encoded rows x of the whole list. Each layer has the noise of its entry in
 * `noising`, borrowed as blocks are. */
sotto_status sotto_i_paper_show_roots(sotto_var *joined, sotto_i_paper_network *network, sotto_tape *tape,
                                      const sotto_i_sampler *sampler, const sotto_i_noising *noising,
                                      size_t roots, sotto_var x, sotto_error *err);
/* Logits from the shown rows of all layers, [layer 1 | layer 2 | ...]; of the encoder's rows if alone. */
sotto_var sotto_i_paper_decode(sotto_i_paper_network *network, const sotto_pass *pass, sotto_var joined);
/* Makes each layer's estimate of its weight's norm a function of weights and seed alone, so that a saved
 * model computes the same as the trained one. */
void sotto_i_paper_settle(sotto_i_paper_network *network);

#endif
