/* Neighbour sampling for mini-batches (Hamilton, Ying and Leskovec 2017): in every hop, each node uses a
 * fixed number of sampled neighbours instead of all. */
#ifndef SOTTO_SRC_GRAPH_KERNELS_HOPS_H
#define SOTTO_SRC_GRAPH_KERNELS_HOPS_H

#include "base/random.h"
#include "sotto/graph.h"

/* Samples of one hop. Borrows the graph. */
typedef struct sotto_i_hop {
  const sotto_graph *graph;
  size_t fan_out;
  uint32_t *drawn; /* nodes x fan_out; nodes without neighbours have none */
} sotto_i_hop;
typedef struct sotto_i_hops {
  size_t count;
  sotto_i_hop *each;
} sotto_i_hops;

sotto_status sotto_i_hops_new(sotto_i_hops *out, size_t count, size_t fan_out, const sotto_graph *graph,
                              sotto_error *err);
void sotto_i_hops_free(sotto_i_hops *hops);
/* Draws new samples for all hops, from the stream (key, neighbour, hop, step), step < 2^63. Without
 * replacement if a node has more than fan_out neighbours, else with replacement (as in Zhang et al. 2024,
 * lemma 2). */
void sotto_i_hops_draw(sotto_i_hops *hops, const sotto_key *key, uint64_t step);
/* y_v = (x_v + (degree / fan_out) sum over samples of x_u) / (degree + 1): an unbiased estimate of the
 * mean over the closed neighbourhood, which is the operator MEAN with own rows. Borrowed until the tape's
 * next reset. */
sotto_var sotto_i_hop_var(const sotto_i_hop *hop, sotto_tape *tape, sotto_var x);

/* The graph without the edges of hidden nodes. Free with sotto_graph_free. */
sotto_status sotto_i_graph_hide(sotto_graph *out, const sotto_graph *graph, const bool *hidden,
                                sotto_error *err);

#endif
