/* The graphs of a collection, prepared for comparison. */
#ifndef SOTTO_SRC_GW_COLLECTION_H
#define SOTTO_SRC_GW_COLLECTION_H

#include "gw/solve/side.h"

typedef struct sotto_i_gw_collection {
  size_t count;
  sotto_graph *graph; /* node ids from 0 in each graph */
  /* points; nodes with equal distances to all others are one point with their total weight */
  sotto_gw_space *space;
  sotto_i_gw_side *side; /* the same, preprocessed for pairs; NULL by kernel and edits, which need none */
  sotto_matrix *rows;    /* embeddings or features of the nodes of each graph, borrowed; d may be 0 */
  void *memory[5];
} sotto_i_gw_collection;

/* Errors: INVALID, RANGE, NUMERIC, NOMEM, naming the graph. */
sotto_status sotto_i_gw_collection_new(sotto_i_gw_collection *out, const sotto_dataset *data,
                                       const sotto_gw_plan *plan, sotto_error *err);
void sotto_i_gw_collection_free(sotto_i_gw_collection *collection);

/* sotto_gw_cluster by paths, features or embeddings (cluster.c). Without `prune` no distance to a centre is
 * left out by its lower bound; the result is the same. *measured: distances to centres that were measured. */
sotto_status sotto_i_gw_cluster(sotto_gw_clusters *out, const sotto_dataset *data, const sotto_gw_plan *plan,
                                uint32_t clusters, uint32_t rounds, const sotto_key *key, bool prune,
                                uint64_t *measured, const sotto_observer *observer, sotto_error *err);

/* Measures of a pair other than Gromov-Wasserstein. Nodes have equal labels when their features are equal.
 *
 * Shortest-path kernel k(x, y): the number of pairs of paths, one of x and one of y, with equal length and
 * equal labels at their ends. O(n^2 log n + m^2 log m). Errors: NOMEM. */
sotto_status sotto_i_gw_path_kernel(double *out, const sotto_i_gw_collection *c, size_t x, size_t y,
                                    sotto_error *err);
/* Edit distance: the smallest number of insertions and deletions of nodes and edges and changes of labels
 * that turn x into y. Branch and bound over images of nodes: exponential time. When `seconds` run out,
 * *bound is set and the value is the smallest found. Both graphs have at most 32 nodes. */
double sotto_i_gw_edits(const sotto_i_gw_collection *c, size_t x, size_t y, double seconds, bool *bound);

#endif
