/* Rows made from those of other sources as they are read, so that no copy of all rows is held. */
#ifndef SOTTO_SRC_NN_ROWS_VIEWS_H
#define SOTTO_SRC_NN_ROWS_VIEWS_H

#include "source.h"

/* Rows of a source with its columns standardised. Both stay where they are while `source` is in use. */
typedef struct sotto_i_standard_rows {
  const sotto_i_row_source *of; /* borrowed */
  double *moments;              /* owned: 2 x columns (tensor/columns.h) */
  sotto_i_row_source source;
} sotto_i_standard_rows;
/* Reads all rows twice for the moments. Free it in any case. Errors: IO, NOMEM. */
sotto_status sotto_i_standard_rows_new(sotto_i_standard_rows *out, const sotto_i_row_source *of,
                                       sotto_error *err);
void sotto_i_standard_rows_free(sotto_i_standard_rows *rows);

/* Row i of `first`, and then row i of `second`. */
typedef struct sotto_i_joined_rows {
  const sotto_i_row_source *first, *second; /* borrowed */
  sotto_i_row_source source;
} sotto_i_joined_rows;
void sotto_i_joined_rows_set(sotto_i_joined_rows *out, const sotto_i_row_source *first,
                             const sotto_i_row_source *second);

#endif
