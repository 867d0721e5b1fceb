/* Operators, cuts and parts of graphs: what other rooms call, and no program outside does. */
#ifndef SOTTO_INSIDE_GRAPH_H
#define SOTTO_INSIDE_GRAPH_H

#include "sotto/graph.h"
#include "sotto/split.h"

/* Checks every promise above; reverses of entries by random numbers first, so that a graph with a fault there
 * passes with probability below 2^-102. Errors: CORRUPT, naming the node and the entry; NOMEM. O(nodes +
 * entries); of a graph at fault O(nodes + entries log degree). */
sotto_status sotto_graph_check(const sotto_graph *graph, sotto_error *err);
/* Errors: RANGE, naming the first node with more than `most` neighbours. */
sotto_status sotto_graph_check_degrees(const sotto_graph *graph, uint64_t most, sotto_error *err);
/* A copy in which no node has more than `most` neighbours (at least 1): edges are taken in a random order of
 * (key, generate) and kept while both ends have room. Not stable: one edge more can change which others are
 * kept, so no sensitivity holds across this step (docs/privacy.md). Free with sotto_graph_free. Errors: RANGE
 * (most), INVALID (an empty key), NOMEM. */
sotto_status sotto_graph_cut_degrees(sotto_graph *out, const sotto_graph *graph, uint64_t most,
                                     const sotto_key *key, sotto_error *err);
/* Two graphs over the same nodes: each edge goes to `second` with probability `share` (0 to 1), else to
 * `first`, by streams of (key, generate). Free both with sotto_graph_free. Errors: RANGE, INVALID (an empty
 * key), NOMEM. */
sotto_status sotto_graph_part(sotto_graph *first, sotto_graph *second, const sotto_graph *graph, double share,
                              const sotto_key *key, sotto_error *err);
/* Communities by the Louvain method (Blondel et al. 2008): community[nodes], numbers below *count in the
 * order of their first nodes. Nodes are visited in an order drawn from (key, generate), so the same key gives
 * the same communities. A node without edges is a community of its own. Time is near linear in entries.
 * Errors: INVALID (an empty key), NOMEM. */
sotto_status sotto_graph_communities(uint32_t *community, uint32_t *count, const sotto_graph *graph,
                                     const sotto_key *key, sotto_error *err);
/* y = S x, and y = S^T x. x and y are nodes x d, and do not overlap. Deterministic for any number of threads.
 * Memory traffic: entries * d * 4 bytes read (mostly from cache), nodes * d * 4 written. Errors: INVALID
 * (shapes). */
sotto_status sotto_operator_apply(const sotto_operator *op, sotto_matrix *y, const sotto_matrix *x,
                                  sotto_error *err);
sotto_status sotto_operator_apply_transposed(const sotto_operator *op, sotto_matrix *y, const sotto_matrix *x,
                                             sotto_error *err);
/* Attention on a tape, with its gradient: y_v = sum of w_vu x_u over v and its neighbours, w_v the softmax of
 * reach tanh(own_v + other_u); x is nodes x d, own and other are nodes x 1. A weight is at most e^(2 reach) /
 * (e^(2 reach) + degree of v). The graph is borrowed until the tape's next reset; entries * d operations.
 * The tape fails with INVALID on other shapes, or a reach outside [0, 100]. Source: Velickovic et al. 2018,
 * with bounded scores. */
sotto_var sotto_attention_var(const sotto_graph *graph, double reach, sotto_tape *tape, sotto_var x,
                              sotto_var own, sotto_var other);

/* As sotto_split_random. public: the dataset's own (NOT_FOUND when it has none). k-fold: the labelled nodes
 * are shuffled once and split into `folds` (at least 3, else RANGE); fold `index` is the test part, the next
 * one validation. */
sotto_status sotto_split_public(sotto_split *out, const sotto_dataset *data, sotto_error *err);
sotto_status sotto_split_kfold(sotto_split *out, const sotto_dataset *data, uint32_t folds, uint32_t index,
                               const sotto_key *key, sotto_error *err);
/* Nodes items[0..count) and the edges among them, or those graphs of a collection; ascending. Errors: RANGE,
 * NOMEM. */
sotto_status sotto_dataset_take(sotto_dataset *out, const sotto_dataset *data, const uint32_t *items,
                                size_t count, const char *name, sotto_error *err);

/* The kinds of sotto_partition, one function each (sotto_deal). First:
 * shuffled and assigned in turn. Errors: RANGE (clients: 2 to the items), INVALID (an empty key), NOMEM. */
sotto_status sotto_deal_iid(uint32_t *owner, const sotto_dataset *data, uint32_t clients,
                            const sotto_key *key, sotto_error *err);
/* The members of each class by shares drawn from the symmetric Dirichlet distribution with concentration
 * `alpha` (1e-3 to 1e6; Hsu, Qi and Brown 2019), drawn again while a client has nothing. Errors: also
 * NOT_FOUND (no labels), RANGE (some client had nothing every time). */
sotto_status sotto_deal_dirichlet(uint32_t *owner, const sotto_dataset *data, uint32_t clients, double alpha,
                                  const sotto_key *key, sotto_error *err);
/* From a file with a line for each item: its client's number, from 1. Errors: NOT_FOUND, IO, PARSE, RANGE,
 * naming the line. */
sotto_status sotto_deal_list(uint32_t *owner, uint32_t *clients, const sotto_dataset *data, const char *path,
                             sotto_error *err);
/* Whole communities of the graph, so that few edges are lost: those that are larger than nodes /
 * clients are split into pieces of nodes near one another; then the largest remaining piece goes to
 * the client with the fewest nodes, so no client has more than twice its share. Errors: RANGE, INVALID (an
 * empty key), UNSUPPORTED (a collection), NOMEM. */
sotto_status sotto_deal_communities(uint32_t *owner, const sotto_dataset *data, uint32_t clients,
                                    const sotto_key *key, sotto_error *err);
/* Parts of one size with few edges between them, by a multilevel method (Karypis and Kumar 1998): no client
 * has more than nodes / clients, rounded up, or 5% above nodes / clients. Communities are divided where sizes
 * demand it. Time: edges log nodes, and 20 clients squared. Errors: as sotto_deal_communities. */
sotto_status sotto_deal_cut(uint32_t *owner, const sotto_dataset *data, uint32_t clients,
                            const sotto_key *key, sotto_error *err);

#endif
