/* The transport problem: the least <cost, T> over plans T >= 0 with given sums of rows and columns. */
#ifndef SOTTO_SRC_GW_SOLVE_TRANSPORT_H
#define SOTTO_SRC_GW_SOLVE_TRANSPORT_H

#include "sotto/base.h"

#define SOTTO_I_NOBODY UINT32_MAX /* the parent of the root */

/* Costs of a problem: a matrix, or factors of it, from which a row is computed when it is read. */
typedef struct sotto_i_transport_costs {
  const double *matrix;       /* rows x cols; NULL: cost(i, j) = sum_k left[k][i] right[k][j] */
  const double *left, *right; /* rank x rows, rank x cols */
  size_t rank;
  double *row; /* cols: the row that was computed last */
} sotto_i_transport_costs;

/* A problem and its current basis: a spanning tree of rows (nodes 0 .. rows) and columns (the rest). Sums are
 * whole numbers of `unit`, so flows are exact and ties are really ties. */
typedef struct sotto_i_transport_tree {
  uint32_t rows, cols;
  double unit;
  int64_t *supply; /* a node, in units; all positive */
  uint32_t *parent;
  uint32_t *order, *place, *size; /* nodes in preorder; of a node: its place there, nodes of its subtree */
  int64_t *flow;                  /* on the arc between a node and its parent */
  double *potential;              /* cost(i, j) = potential of i + potential of j on every arc of the tree */
  uint32_t *scratch;
  void *memory;
  uint64_t pivots; /* all of them so far, for tests and measurements */
} sotto_i_transport_tree;

/* Weights are positive and add up to 1 on either side; NULL is uniform, which is held exactly. Others are
 * rounded to multiples of 2^-50. The first basis is the north-west corner in the order of the indices.
 * Errors: RANGE (more than 2^20 rows and columns), NOMEM. */
sotto_status sotto_i_transport_new(sotto_i_transport_tree *out, size_t rows, size_t cols, const double *p,
                                   const double *q, sotto_error *err);
void sotto_i_transport_free(sotto_i_transport_tree *t);

/* The basis of the north-west corner with rows and columns taken in these orders (permutations). */
void sotto_i_transport_start(sotto_i_transport_tree *t, const uint32_t *row_order, const uint32_t *col_order);

/* A basis that is near an optimal one: rows of the largest costs first, each to the columns that cost it
 * least beyond the least of the column. What has not begun from a basis of like costs takes half the pivots.
 */
void sotto_i_transport_greedy(sotto_i_transport_tree *t, const sotto_i_transport_costs *costs);

/* Goes from the current basis to an optimal one: no reduced cost is below -1e-12 times the largest |cost|.
 * The basis stays strongly feasible (Cunningham 1976), so it cannot cycle. Costs are finite. Errors: NUMERIC
 * (not finite; rounding kept it from ending, which has not been seen). */
sotto_status sotto_i_transport_solve(sotto_i_transport_tree *t, const sotto_i_transport_costs *costs,
                                     sotto_error *err);

/* Writes the plan of the current basis, rows x cols. */
void sotto_i_transport_plan(const sotto_i_transport_tree *t, double *plan);

/* The costs of row i: in the matrix, or computed to costs->row. */
const double *sotto_i_transport_row(const sotto_i_transport_tree *t, const sotto_i_transport_costs *costs,
                                    size_t i);

/* A number that tells this plan from others, whatever the basis; not 0. */
uint64_t sotto_i_transport_mark(const sotto_i_transport_tree *t);

#endif
