/* The graphs of a collection, ready to be compared. */
#ifndef SOTTO_SRC_GW_COLLECTION_H
#define SOTTO_SRC_GW_COLLECTION_H

#include "gw/solve/side.h"

typedef struct sotto_i_gw_collection {
  size_t count;
  sotto_graph *graph;    /* nodes counted from 0 */
  sotto_gw_space *space; /* of points: nodes alike to all others are one point of their weight together */
  sotto_i_gw_side *side; /* the same, ready for pairs; NULL by kernel and edits, which need none */
  sotto_matrix *rows;    /* embeddings or features of each graph's nodes, borrowed; d may be 0 */
  void *memory[5];
} sotto_i_gw_collection;

/* Errors: INVALID, RANGE, NUMERIC, NOMEM, naming the graph. */
sotto_status sotto_i_gw_collection_new(sotto_i_gw_collection *out, const sotto_dataset *data,
                                       const sotto_gw_plan *plan, sotto_error *err);
void sotto_i_gw_collection_free(sotto_i_gw_collection *collection);

/* Measures of a pair other than Gromov-Wasserstein. Nodes have equal labels when their features are equal.
 *
 * k(x, y): the number of pairs of paths of x and of y, of equal length and with equal labels at their ends.
 * O(n^2 log n + m^2 log m). Errors: NOMEM. */
sotto_status sotto_i_gw_path_kernel(double *out, const sotto_i_gw_collection *c, size_t x, size_t y,
                                    sotto_error *err);
/* The least number of insertions and deletions of nodes and edges and changes of labels that turn x into y.
 * Branch and bound over the images of nodes: exponential. *bound is set when `seconds` ran out, and then the
 * value is the least found. Both graphs have at most 32 nodes. */
double sotto_i_gw_edits(const sotto_i_gw_collection *c, size_t x, size_t y, double seconds, bool *bound);

#endif
