/* Splits of a dataset into parts to train and to test on, and one dataset as several owners have it. */
#ifndef SOTTO_SPLIT_H
#define SOTTO_SPLIT_H

#include "sotto/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A split: the rows of each part, ascending; arrays are owned, free with sotto_split_free. */
typedef struct sotto_split {
  uint32_t *rows[4]; /* by sotto_part; NONE is not filled */
  size_t count[4];
} sotto_split;
/* Shuffles the labelled nodes with (key, split) and splits them at the given shares (CARIBOU: 0.7, 0.1; the
 * rest is the test part). Of a collection whose graphs are labelled, the graphs are split instead of the
 * nodes. The same key gives the same split. Errors: RANGE (shares), NOT_FOUND (no labels), INVALID (an empty
 * key), NOMEM. */
SOTTO_API sotto_status sotto_split_random(sotto_split *out, const sotto_dataset *data, double train,
                                          double validation, const sotto_key *key, sotto_error *err);
SOTTO_API void sotto_split_free(sotto_split *split);

/* One dataset as several holders have it, for experiments: the same nodes, feature columns and edges
 * partitioned out, labels and the published split at one of them. */
enum { SOTTO_MOST_HOLDERS = 16 };
typedef struct sotto_vertical {
  size_t holders;                   /* 2 to SOTTO_MOST_HOLDERS */
  double share[SOTTO_MOST_HOLDERS]; /* of each, above 0, together 1 */
  size_t label_holder;              /* from 0 */
  bool features, edges;             /* partition columns, edges; otherwise every holder has them all */
} sotto_vertical;
/* Makes out[holders], to be freed each. Columns are shuffled and split at the shares, one each at least, and
 * keep their order. Each edge is assigned independently with the shares as probabilities, from a stream of
 * (key, its two nodes), so that who has an edge says nothing about another one. Errors: RANGE, INVALID (an
 * empty key, too few columns), UNSUPPORTED (a collection), NOMEM. */
SOTTO_API sotto_status sotto_split_vertical(sotto_dataset *out, const sotto_dataset *data,
                                            const sotto_vertical *how, const sotto_key *key,
                                            sotto_error *err);
/* Reads "5:5" or "2:1:1" into shares that add up to 1. Errors: INVALID unless there are `holders` numbers,
 * PARSE, RANGE. */
SOTTO_API sotto_status sotto_vertical_proportion(double *share, size_t holders, const char *text,
                                                 sotto_error *err);

/* One dataset as several clients have it: whole nodes, or whole graphs of a collection. First it is decided
 * who owns what: owner[items], numbers below `clients`, each client with one item at least. */
SOTTO_API uint64_t sotto_deal_items(const sotto_dataset *data);
/* Shuffled and assigned in turn. Errors: RANGE (clients: 2 to the items), INVALID (an empty key), NOMEM. */
SOTTO_API sotto_status sotto_deal_iid(uint32_t *owner, const sotto_dataset *data, uint32_t clients,
                                      const sotto_key *key, sotto_error *err);
/* The members of each class by shares drawn from the symmetric Dirichlet distribution with concentration
 * `alpha` (1e-3 to 1e6; Hsu, Qi and Brown 2019), drawn again while a client has nothing. Errors: also
 * NOT_FOUND (no labels), RANGE (some client had nothing every time). */
SOTTO_API sotto_status sotto_deal_dirichlet(uint32_t *owner, const sotto_dataset *data, uint32_t clients,
                                            double alpha, const sotto_key *key, sotto_error *err);
/* From a file with a line for each item: its client's number, from 1. Errors: NOT_FOUND, IO, PARSE, RANGE,
 * naming the line. */
SOTTO_API sotto_status sotto_deal_list(uint32_t *owner, uint32_t *clients, const sotto_dataset *data,
                                       const char *path, sotto_error *err);
/* Whole communities of the graph, so that few edges are lost: those that are larger than nodes /
 * clients are split into pieces of nodes near one another; then the largest remaining piece goes to
 * the client with the fewest nodes, so no client has more than twice its share. Errors: RANGE, INVALID (an
 * empty key), UNSUPPORTED (a collection), NOMEM. */
SOTTO_API sotto_status sotto_deal_communities(uint32_t *owner, const sotto_dataset *data, uint32_t clients,
                                              const sotto_key *key, sotto_error *err);
/* Parts of one size with few edges between them, by a multilevel method (Karypis and Kumar 1998): no client
 * has more than nodes / clients, rounded up, or 5% above nodes / clients. Communities are divided where sizes
 * demand it. Time: edges log nodes, and 20 clients squared. Errors: as sotto_deal_communities. */
SOTTO_API sotto_status sotto_deal_cut(uint32_t *owner, const sotto_dataset *data, uint32_t clients,
                                      const sotto_key *key, sotto_error *err);
/* Makes out[clients], to be freed each: what each owns, and the edges within it; edges between clients are
 * nobody's. Errors: NOMEM. */
SOTTO_API sotto_status sotto_split_horizontal(sotto_dataset *out, const sotto_dataset *data,
                                              const uint32_t *owner, uint32_t clients, sotto_error *err);

/* A collection of the surroundings of `count` labelled nodes drawn by the key (0: of all): for each the nodes
 * within `hops` (1 to 100), ascending, and all edges among them, with the node's label for that of the graph.
 * Graphs may share nodes, so that one node's data stand in several of them. Errors: INVALID (a collection, no
 * labels, an empty key), RANGE (hops, count, more than 2^32 - 2 nodes), NOMEM. */
SOTTO_API sotto_status sotto_split_ego(sotto_dataset *out, const sotto_dataset *data, uint32_t hops,
                                       size_t count, const sotto_key *key, sotto_error *err);

#ifdef __cplusplus
}
#endif
#endif
