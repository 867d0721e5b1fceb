/* Sampled neighbours for mini-batches (Hamilton, Ying and Leskovec 2017): in every hop each node has a fixed
 * number of draws among its neighbours in the place of all of them. */
#ifndef SOTTO_SRC_GRAPH_KERNELS_HOPS_H
#define SOTTO_SRC_GRAPH_KERNELS_HOPS_H

#include "base/random.h"
#include "sotto/graph.h"

/* Draws of each hop. Borrows the graph. */
typedef struct sotto_i_hop {
  const sotto_graph *graph;
  size_t fan_out;
  uint32_t *drawn; /* nodes x fan_out; a node without neighbours has none */
} sotto_i_hop;
typedef struct sotto_i_hops {
  size_t count;
  sotto_i_hop *each;
} sotto_i_hops;

sotto_status sotto_i_hops_new(sotto_i_hops *out, size_t count, size_t fan_out, const sotto_graph *graph,
                              sotto_error *err);
void sotto_i_hops_free(sotto_i_hops *hops);
/* Draws anew for all hops, by the stream (key, neighbour, hop, step): without replacement where a node has
 * more neighbours than fan_out, with it where it has no more (as in Zhang et al. 2024, lemma 2). step is
 * below 2^63. */
void sotto_i_hops_draw(sotto_i_hops *hops, const sotto_key *key, uint64_t step);
/* y_v = (x_v + (degree / fan_out) sum over draws of x_u) / (degree + 1): an estimate without bias of the mean
 * over the closed neighbourhood, which is the operator MEAN with own rows. Borrowed until the tape's reset.
 */
sotto_var sotto_i_hop_var(const sotto_i_hop *hop, sotto_tape *tape, sotto_var x);

/* The graph as it is when all edges of hidden nodes are taken away. Free with sotto_graph_free. */
sotto_status sotto_i_graph_hide(sotto_graph *out, const sotto_graph *graph, const bool *hidden,
                                sotto_error *err);

#endif
