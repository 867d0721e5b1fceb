/* Samples of nodes and pairs for attacks on edges. */
#ifndef SOTTO_SRC_AUDIT_STATISTICS_PAIRS_H
#define SOTTO_SRC_AUDIT_STATISTICS_PAIRS_H

#include "base/random.h"
#include "inside/audit.h"
#include "sotto/audit.h"

sotto_status sotto_i_link_check(const sotto_link_options *options, sotto_error *err);

/* nodes (fresh): at most options->nodes nodes with the options' degrees, in random order. */
sotto_status sotto_i_sample_nodes(uint32_t **nodes, size_t *count, const sotto_graph *graph,
                                  const sotto_link_options *options, sotto_error *err);

typedef struct sotto_i_pair {
  uint32_t u, v;
} sotto_i_pair;
/* pairs (fresh): `count` edges, at most options->pairs, then as many pairs without an edge; each in random
 * order. Errors: INVALID (fewer than 20 edges, or a graph so dense that other pairs are hard to find). */
sotto_status sotto_i_sample_pairs(sotto_i_pair **pairs, size_t *count, const sotto_graph *graph,
                                  const sotto_link_options *options, sotto_error *err);

/* The eight distances of He et al. 2021 between two rows of probabilities, in the order of their names. */
void sotto_i_stealing_distances(float out[SOTTO_STEALINGS - 1], const float *x, const float *y, size_t count);

#endif
