/* Gromov-Wasserstein functions that other rooms call and the public header does not offer. */
#ifndef SOTTO_INSIDE_GW_H
#define SOTTO_INSIDE_GW_H

#include "sotto/gw.h"

/* Mass that a plan moves from point `row` of a to point `col` of b. */
typedef struct sotto_gw_cell {
  uint32_t row, col;
  double mass;
} sotto_gw_cell;

/* sotto_gw_distance between point sets: squared Euclidean distances between the rows of x (n x d) and
 * between the rows of y (m x e), uniform weights.
 *
 * - Needs no n x n, m x m or n x m matrix: memory is O((n + m)(d + e)), since these costs have exact
 *   factors of d + 2 columns (Scetbon, Peyre and Cuturi 2022). n + m is at most 2^20.
 * - Uses loss (square), solver (conditional), starts, iterations and tolerance of the options.
 * - `plan` has room for n + m cells and receives *cells of them; NULL: not wanted.
 * - A value below 1e-12 of its terms is 0 up to rounding.
 * - A step costs O((n + m) d e) and the network simplex, which computes the rows of costs that it reads.
 *   Deterministic.
 *
 * Errors: UNSUPPORTED (another loss or solver, a feature cost), RANGE (options, sizes), NUMERIC (not
 * finite, naming the row), NOMEM. */
sotto_status sotto_gw_distance_of_points(sotto_gw_result *result, sotto_gw_cell *plan, size_t *cells,
                                         const sotto_matrix *x, const sotto_matrix *y,
                                         const sotto_gw_options *options, sotto_error *err);
/* Distances between all rows of x (n x d) and y (m x d): n x m. Exactly symmetric with a zero diagonal
 * when x and y are the same memory. Errors: INVALID (widths), NUMERIC (not finite, naming the row), NOMEM. */
sotto_status sotto_gw_costs(double *cost, const sotto_matrix *x, const sotto_matrix *y,
                            sotto_gw_metric metric, sotto_error *err);

#endif
