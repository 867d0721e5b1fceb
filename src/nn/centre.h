/* Centred rows for a release: the part that all nodes have in common is subtracted first. */
#ifndef SOTTO_SRC_NN_CENTRE_H
#define SOTTO_SRC_NN_CENTRE_H

#include "nn/fit.h"
#include "ranks/ranks.h"

/* out (fresh): rows of `from` minus the medians of its columns, scaled to norm 1. A row that equals the
 * medians up to rounding becomes 0. The inputs must be public, as embeddings of features are at edge
 * level. */
sotto_status sotto_i_centred_rows(sotto_matrix *out, const sotto_matrix *from, sotto_error *err);
/* The same in place. */
sotto_status sotto_i_centre_rows(sotto_matrix *x, sotto_error *err);
/* The same in two steps: first the medians (1 x columns; element rows / 2 of the sorted values, counted digit
 * by digit in four passes over the rows), then rows minus given medians. */
sotto_status sotto_i_column_medians(sotto_matrix *out, const sotto_matrix *from, sotto_error *err);
/* The medians of rows at several ranks, `rows` in all. */
sotto_status sotto_i_column_medians_ranks(sotto_matrix *out, const sotto_matrix *own, uint64_t rows,
                                          sotto_ranks *ranks, sotto_error *err);
sotto_status sotto_i_centred_by(sotto_matrix *out, const sotto_matrix *from, const sotto_matrix *medians,
                                sotto_error *err);
void sotto_i_centre_rows_by(sotto_matrix *x, const sotto_matrix *medians);
/* out (fresh): normalised rows of `from`; a zero row stays zero. Then the same in place. */
sotto_status sotto_i_unit_rows(sotto_matrix *out, const sotto_matrix *from, sotto_error *err);
void sotto_i_rows_to_unit(sotto_matrix *x);

#endif
