/* Rows of neighbours' features that are added up in place of counts: layers, with the noise of counts. */
#ifndef SOTTO_SRC_PROTOCOLS_FEATURE_SUMS_H
#define SOTTO_SRC_PROTOCOLS_FEATURE_SUMS_H

#include "inside/nn.h"
#include "nn/rows/source.h"

#define SOTTO_I_DIRECTIONS_PARAMETER "directions"
/* Sums are tried where clusters hold less than this share of a feature's variance on the average. */
#define SOTTO_I_MOST_CLUSTER_SHARE 0.33
enum {
  SOTTO_I_MOST_SUM_CLASSES = 8,       /* each has a direction */
  SOTTO_I_MOST_SUM_NUMBERS = 1 << 25, /* nodes x columns: 128 MiB for the rows that are added up */
  SOTTO_I_SUM_UNITS = 256,            /* bound of a row's l1 norm */
  SOTTO_I_MOST_SUM = 1 << 23          /* bound of a sum, exact in a float */
};

/* Replaces standardised rows by whole numbers whose l1 norm is at most SOTTO_I_SUM_UNITS. Each row is clipped
 * to 3 deviations and scaled to that norm; numbers are rounded towards 0. A row that is not finite becomes 0.
 */
void sotto_i_feature_sums_rows(sotto_matrix *rows);
/* Directions of features for so many classes: 1 for two classes, else one a class. */
size_t sotto_i_sum_directions(size_t classes);
/* Adds the parameter "directions", columns x sotto_i_sum_directions zeros, to an empty set. Errors: NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_directions_new(sotto_params *out, size_t columns, size_t classes,
                                                   sotto_error *err);
/* Scales directions so that a norm of 1 is 1.5 times the root mean square l1 norm of the standardised rows
 * along them. All zero where they are, or where that is not finite. Errors: IO, NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_directions_scale(sotto_matrix *directions,
                                                     const sotto_i_row_source *standard, sotto_error *err);
/* Replaces rows along scaled directions by whole numbers whose l1 norm is at most SOTTO_I_SUM_UNITS: rows are
 * clipped to norm 1, multiplied, and rounded towards 0. A row that is not finite becomes 0. */
void sotto_i_directed_rows(sotto_matrix *rows);
/* out (fresh): standardised rows of a source, nodes x columns, as rows for sums; with `directions`, along
 * these. Errors: IO, NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_feature_sums_of(sotto_matrix *out, const sotto_i_row_source *standard,
                                                    const sotto_matrix *directions, sotto_error *err);
/* out (fresh): standardised rows along directions. Errors: NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_along_directions(sotto_matrix *out, const sotto_matrix *standard,
                                                     const sotto_matrix *directions, sotto_error *err);
/* to += times * row, each sum held within SOTTO_I_MOST_SUM. Holding is no expansion, so a row more or less
 * moves the end of any sequence by at most `times` its l1 norm. `times` is 0, 1 or 2. */
void sotto_i_feature_sums_add(float *to, const float *row, size_t cols, float times);

#endif
