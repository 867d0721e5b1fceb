/* Cached input scales of the corrections, so that these can predict one node at a time. */
#ifndef SOTTO_SRC_PROTOCOLS_CORRECTION_SCALE_H
#define SOTTO_SRC_PROTOCOLS_CORRECTION_SCALE_H

#include "sotto/base.h"

/* Scales of the columns of the first inputs, and the rule that chooses the nodes with counts, both from the
 * run's nodes. Stored in the seed's folder as correction.json. */
typedef struct sotto_i_correction_scale {
  double *moments; /* owned: 2 x classes (tensor/columns.h), of log-probabilities minus their mean */
  size_t classes;
  bool chosen;   /* with noise: counts are released for some nodes; else for all */
  double surest; /* counts are of nodes whose error probability is above this */
  bool training; /* this rule chose no training node, so all training nodes have counts */
} sotto_i_correction_scale;
sotto_status sotto_i_correction_scale_save(const sotto_i_correction_scale *scale, const char *folder,
                                           sotto_error *err);
/* Errors: NOT_FOUND (the folder does not have it), CORRUPT. */
sotto_status sotto_i_correction_scale_load(sotto_i_correction_scale *out, const char *folder, size_t classes,
                                           sotto_error *err);
void sotto_i_correction_scale_free(sotto_i_correction_scale *scale);

#endif
