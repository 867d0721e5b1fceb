/* Graph functions that other rooms call and the public headers do not offer: checks, degree bounds,
 * partitions, operators, splits. */
#ifndef SOTTO_INSIDE_GRAPH_H
#define SOTTO_INSIDE_GRAPH_H

#include "sotto/graph.h"
#include "sotto/split.h"

/* Checks every condition of sotto_graph. Reverse entries are checked by random numbers first: a faulty
 * graph passes with probability below 2^-102. O(nodes + entries); for a faulty graph O(nodes + entries log
 * degree). Errors: CORRUPT, naming the node and the entry; NOMEM. */
sotto_status sotto_graph_check(const sotto_graph *graph, sotto_error *err);
/* Fails with RANGE if a node has more than `most` neighbours, naming the first one. */
sotto_status sotto_graph_check_degrees(const sotto_graph *graph, uint64_t most, sotto_error *err);
/* A copy in which no node has more than `most` neighbours (at least 1): visits edges in a random order of
 * (key, generate) and keeps an edge while both ends have room. Not stable: one more edge can change which
 * others are kept, so no sensitivity bound holds across this step (docs/privacy.md). Free with
 * sotto_graph_free. Errors: RANGE (most), INVALID (an empty key), NOMEM. */
sotto_status sotto_graph_cut_degrees(sotto_graph *out, const sotto_graph *graph, uint64_t most,
                                     const sotto_key *key, sotto_error *err);
/* Partitions the edges into two graphs over the same nodes: each edge goes to `second` with probability
 * `share` (0 to 1), else to `first`, by streams of (key, generate). Free both with sotto_graph_free.
 * Errors: RANGE, INVALID (an empty key), NOMEM. */
sotto_status sotto_graph_part(sotto_graph *first, sotto_graph *second, const sotto_graph *graph, double share,
                              const sotto_key *key, sotto_error *err);
/* Communities by the Louvain method (Blondel et al. 2008): community[nodes], numbers below *count in the
 * order of their first nodes. Nodes are visited in an order drawn from (key, generate), so the same key
 * gives the same communities. A node without edges is its own community. Time is nearly linear in entries.
 * Errors: INVALID (an empty key), NOMEM. */
sotto_status sotto_graph_communities(uint32_t *community, uint32_t *count, const sotto_graph *graph,
                                     const sotto_key *key, sotto_error *err);
/* y = S x, for x and y of nodes x d that do not overlap. Deterministic for any number of
 * threads. Memory traffic: reads entries * d * 4 bytes (mostly from cache), writes nodes * d * 4. Errors:
 * INVALID (shapes). */
sotto_status sotto_operator_apply(const sotto_operator *op, sotto_matrix *y, const sotto_matrix *x,
                                  sotto_error *err);
/* Attention on a tape, with its gradient: y_v = sum of w_vu x_u over v and its neighbours, where w_v is
 * the softmax of reach tanh(own_v + other_u). Source: Velickovic et al. 2018, with bounded scores.
 *
 * - x is nodes x d; own and other are nodes x 1; reach is in [0, 100]. Other inputs fail the tape with
 *   INVALID.
 * - A weight is at most e^(2 reach) / (e^(2 reach) + degree of v).
 * - The graph is borrowed until the tape's next reset. O(entries * d). */
sotto_var sotto_attention_var(const sotto_graph *graph, double reach, sotto_tape *tape, sotto_var x,
                              sotto_var own, sotto_var other);

/* Other splits, as sotto_split_random. public: the dataset's published split (NOT_FOUND when it has none).
 * kfold: shuffles the labelled nodes once into `folds` folds (at least 3, else RANGE); fold `index` is the
 * test part, the next one validation. */
sotto_status sotto_split_public(sotto_split *out, const sotto_dataset *data, sotto_error *err);
sotto_status sotto_split_kfold(sotto_split *out, const sotto_dataset *data, uint32_t folds, uint32_t index,
                               const sotto_key *key, sotto_error *err);
/* A split by time: *out is what is known when the test part begins. Labelled nodes are in the order of the
 * only column of dates of the nodes: the earliest are the training part, the next are validation, the latest
 * are the test part, by these shares. Nodes of one day are in one part. This is the published split of *out,
 * which has all nodes with labels and features, and the transfers before the first day of the test part, with
 * the edges that these are of. Parts and that day follow from nodes, never from edges. It is another version
 * of the dataset for the ledger. A split of *out by the same shares gives *out again. Errors: NOT_FOUND (no
 * column of dates, no times of transfers), INVALID (several columns of dates, days that may have been
 * filled), RANGE (shares; a part would be empty), NOMEM. */
sotto_status sotto_split_time(sotto_dataset *out, const sotto_dataset *data, double train, double validation,
                              sotto_error *err);
/* The parts of sotto_split_time alone, whatever the transfers. */
sotto_status sotto_split_days(sotto_split *out, const sotto_dataset *data, double train, double validation,
                              sotto_error *err);
/* Are all transfers from before the test part of a split by time? Errors: those of sotto_split_time; INVALID
 * (they are not, or have no times). */
sotto_status sotto_split_time_check(const sotto_dataset *data, double train, double validation,
                                    sotto_error *err);
/* The subgraph of nodes items[0..count), or those graphs of a collection, in this order. Errors: RANGE (an
 * item that does not exist, or is there twice), NOMEM. */
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
