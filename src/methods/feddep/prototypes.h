/* Prototypes: centres of a client's embeddings by k-means (nn/kmeans.h), sent once. */
#ifndef SOTTO_SRC_METHODS_FEDDEP_PROTOTYPES_H
#define SOTTO_SRC_METHODS_FEDDEP_PROTOTYPES_H

#include "sotto/tensor.h"

/* Only zeros: no prototype stands there. */
bool sotto_i_is_empty_row(const sotto_matrix *x, size_t row);
/* The scale of embeddings that all who have the same prototypes have in common. */
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
