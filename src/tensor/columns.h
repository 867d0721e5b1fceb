/* Rows and columns of a table: normalise, standardise, take, softmax. */
#ifndef SOTTO_SRC_TENSOR_COLUMNS_H
#define SOTTO_SRC_TENSOR_COLUMNS_H

#include "sotto/tensor.h"

/* Scales rows to unit norm, in place; zero rows stay zero. */
void sotto_i_rows_to_unit_norm(sotto_matrix *x);
/* Softmax of each row, in place: scores become class probabilities. */
void sotto_i_rows_to_softmax(sotto_matrix *x);
/* Sets rows with a value that is not finite to zero, and returns how many. Where a peer chose the numbers
 * that rows depend on, an error would reveal whose data overflow. */
size_t sotto_i_rows_to_finite(sotto_matrix *x);
/* Standardises columns to mean 0 and standard deviation 1; a constant column becomes 0. */
sotto_status sotto_i_columns_to_standard(sotto_matrix *x, sotto_error *err);
/* The same in two steps: means and variances of the columns (fresh, 2 x columns), and their use. */
sotto_status sotto_i_column_moments(double **moments, const sotto_matrix *x, sotto_error *err);
/* Adds some of `rows` rows to moments that start at zero. First add all rows for the means, then all rows
 * again for the variances (`squares`), both times in order. */
void sotto_i_column_moments_add(double *moments, const sotto_matrix *x, double rows, bool squares);
void sotto_i_columns_by_moments(sotto_matrix *x, const double *moments);
/* Copies columns [begin, end) of `from` into a fresh matrix. */
sotto_status sotto_i_take_columns(sotto_matrix *out, const sotto_matrix *from, size_t begin, size_t end,
                                  sotto_error *err);
/* Copies rows[0..count) of `from` into a fresh matrix. */
sotto_status sotto_i_take_rows(sotto_matrix *out, const sotto_matrix *from, const uint32_t *rows,
                               size_t count, sotto_error *err);

#endif
