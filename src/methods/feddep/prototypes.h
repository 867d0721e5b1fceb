/* Prototypes: centres of a client's embeddings by k-means, sent once. */
#ifndef SOTTO_SRC_METHODS_FEDDEP_PROTOTYPES_H
#define SOTTO_SRC_METHODS_FEDDEP_PROTOTYPES_H

#include "base/random.h"
#include "sotto/tensor.h"

/* Fills out (C x d): centres of the rows of x (n x d, at least one row) by Lloyd's algorithm from k-means++
 * (Arthur and Vassilvitskii 2007), by the stream (key, generate). If x has fewer rows than C, rows are
 * repeated. Errors: NOMEM. */
sotto_status sotto_i_prototypes(sotto_matrix *out, const sotto_matrix *x, const sotto_key *key,
                                sotto_error *err);
/* Is the row zero? Then there is no prototype. */
bool sotto_i_is_empty_row(const sotto_matrix *x, size_t row);
/* The row of centres nearest to `row`, the first of equal ones, and its squared distance. */
size_t sotto_i_nearest_centre(double *distance, const sotto_matrix *centres, size_t count, const float *row);

/* The scale of embeddings, which is equal for all clients with the same prototypes. */
typedef struct sotto_i_scale {
  double *mean, *deviation; /* of the prototypes, a column each */
  size_t cols;
} sotto_i_scale;

/* From at least one prototype. Errors: NOMEM. */
sotto_status sotto_i_scale_new(sotto_i_scale *out, const sotto_matrix *prototypes, sotto_error *err);
void sotto_i_scale_free(sotto_i_scale *scale);
/* Standardises columns (0 for a deviation of 0), then normalises rows. */
void sotto_i_scale_rows(sotto_matrix *x, const sotto_i_scale *scale);

#endif
