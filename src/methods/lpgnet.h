/* LPGNet: what its levels share. */
#ifndef SOTTO_SRC_METHODS_LPGNET_H
#define SOTTO_SRC_METHODS_LPGNET_H

#include "method.h"

/* How one stack's degrees are released: the noise (sigma 0 scale: none), and the job's cost item. */
typedef struct sotto_i_degrees {
  const sotto_i_job *job;
  const sotto_matrix *scores;      /* the cluster of a node is the largest of its row */
  const sotto_laplace_grid *noise; /* NULL: none */
  uint32_t stack;
  size_t item;
} sotto_i_degrees;

/* Releases how many neighbours of each node lie in each cluster, pays for it, and puts it, rows at norm 1,
 * beside the table. */
SOTTO_MUST_USE sotto_status sotto_i_lpgnet_widen(sotto_matrix *table, const sotto_i_degrees *degrees,
                                                 sotto_error *err);

#endif
