/* Cached input scales of the corrections, so that they can answer about one node at a time. */
#ifndef SOTTO_SRC_PROTOCOLS_CORRECTION_SCALE_H
#define SOTTO_SRC_PROTOCOLS_CORRECTION_SCALE_H

#include "sotto/base.h"

/* By the nodes of the run: what the columns of first inputs are scaled by, and which nodes counts are
 * released of. Kept in the seed's folder as correction.json. */
typedef struct sotto_i_correction_scale {
  double *moments; /* owned: 2 x classes (tensor/columns.h), of log-probabilities less their mean */
  size_t classes;
  bool chosen;   /* with noise: counts are released of some nodes; else of all */
  double surest; /* of those whose chance to be wrong is above this */
  bool training; /* of no training node by that rule, so that all of them have counts */
} sotto_i_correction_scale;
sotto_status sotto_i_correction_scale_save(const sotto_i_correction_scale *scale, const char *folder,
                                           sotto_error *err);
/* Errors: NOT_FOUND (the folder does not have it), CORRUPT. */
sotto_status sotto_i_correction_scale_load(sotto_i_correction_scale *out, const char *folder, size_t classes,
                                           sotto_error *err);
void sotto_i_correction_scale_free(sotto_i_correction_scale *scale);

#endif
