/* The transport problem: minimise <cost, T> over plans T >= 0 with given row and column sums. */
#ifndef SOTTO_SRC_GW_SOLVE_TRANSPORT_H
#define SOTTO_SRC_GW_SOLVE_TRANSPORT_H

#include "sotto/base.h"

#define SOTTO_I_NOBODY UINT32_MAX /* the parent of the root */

/* Costs of a problem: a matrix, or its factors, from which rows are computed when they are read. */
typedef struct sotto_i_transport_costs {
  const double *matrix;       /* rows x cols; NULL: cost(i, j) = sum_k left[k][i] right[k][j] */
  const double *left, *right; /* rank x rows, rank x cols */
  size_t rank;
  double *row; /* cols: the latest computed row */
} sotto_i_transport_costs;

/* A problem and its current basis: a spanning tree of rows (nodes 0 to rows - 1) and columns (the other
 * nodes). Sums are integer multiples of `unit`, so flows and ties are exact. */
typedef struct sotto_i_transport_tree {
  uint32_t rows, cols;
  double unit;
  int64_t *supply; /* one per node, in units; all positive */
  uint32_t *parent;
  /* nodes in preorder; for each node its position there, and the size of its subtree */
  uint32_t *order, *place, *size;
  int64_t *flow;     /* on the arc between each node and its parent */
  double *potential; /* cost(i, j) = potential of i + potential of j on every arc of the tree */
  uint32_t *scratch;
  void *memory;
  uint64_t pivots; /* total so far, for tests and measurements */
} sotto_i_transport_tree;

/* Weights are positive and add up to 1 on each side. NULL: uniform, represented exactly. Other weights are
 * rounded to multiples of 2^-50. The first basis is the north-west corner in index order. Errors: RANGE
 * (more than 2^20 rows and columns), NOMEM. */
sotto_status sotto_i_transport_new(sotto_i_transport_tree *out, size_t rows, size_t cols, const double *p,
                                   const double *q, sotto_error *err);
void sotto_i_transport_free(sotto_i_transport_tree *t);

/* The north-west corner basis with rows and columns in the given orders (permutations). */
void sotto_i_transport_start(sotto_i_transport_tree *t, const uint32_t *row_order, const uint32_t *col_order);

/* A nearly optimal basis: rows of the largest costs first, each to the columns whose cost is least above
 * the minimum of the column. It halves the pivots where no basis of similar costs is known. */
void sotto_i_transport_greedy(sotto_i_transport_tree *t, const sotto_i_transport_costs *costs);

/* Pivots to an optimal basis: no reduced cost is below -1e-12 times the largest |cost|. The basis stays
 * strongly feasible (Cunningham 1976), so it cannot cycle. Errors: NUMERIC (a cost is not finite; no
 * convergence because of rounding, which has not been observed). */
sotto_status sotto_i_transport_solve(sotto_i_transport_tree *t, const sotto_i_transport_costs *costs,
                                     sotto_error *err);

/* Writes the plan of the current basis, rows x cols. */
void sotto_i_transport_plan(const sotto_i_transport_tree *t, double *plan);

/* The costs of row i: from the matrix, or computed into costs->row. */
const double *sotto_i_transport_row(const sotto_i_transport_tree *t, const sotto_i_transport_costs *costs,
                                    size_t i);

/* A hash of the plan, independent of the basis; never 0. */
uint64_t sotto_i_transport_mark(const sotto_i_transport_tree *t);

#endif
