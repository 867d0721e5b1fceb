/* One space of Gromov-Wasserstein problems, preprocessed for all pairs that contain it. */
#ifndef SOTTO_SRC_GW_SOLVE_SIDE_H
#define SOTTO_SRC_GW_SOLVE_SIDE_H

#include "sotto/gw.h"

enum { SOTTO_I_GW_QUANTILES = 16, SOTTO_I_GW_LOOK = 64 }; /* LOOK: floats that may be read behind a row */

/* Decomposes the loss L(x, y) = f1(x) + f2(y) - h1(x) h2(y) (Peyre et al. 2016, prop. 1). The square loss
 * has h2 = 2 h1; its factor 2 belongs to the problem, so that one side can be a or b. Read-only once made. */
typedef struct sotto_i_gw_side {
  sotto_gw_space space; /* borrowed */
  sotto_gw_loss loss;
  size_t stride;    /* of matrix and spread: whole vectors, padded with zeros */
  double *matrix;   /* h(distance), points x stride */
  double *constant; /* of each point: sum_k f(distance_ik) weight_k */
  float *spread;    /* (h_ii + h_kk - 2 h_ik) / largest, points x stride: for exchanges */
  double largest;   /* the largest |spread| before scaling; 1 when all are 0 */
  int sign; /* common sign of all nonzero entries of spread: 1, -1, 0 when all are 0, 2 when signs differ */
  uint32_t *order; /* points ascending by mean distance */
  double *profile; /* QUANTILES x stride: quantiles of each point's distances; NULL for a single start */
  double *length;  /* the squared length of each profile */
  void *memory;
} sotto_i_gw_side;

/* `first` is the side a; it matters only to the KL loss. Uses loss, solver and starts of the options.
 * O(points^2 log points). Errors: INVALID, RANGE, NUMERIC (naming the entry), NOMEM. */
sotto_status sotto_i_gw_side_new(sotto_i_gw_side *out, const sotto_gw_space *space, const char *name,
                                 const sotto_gw_options *options, bool first, sotto_error *err);
void sotto_i_gw_side_free(sotto_i_gw_side *side);

/* sotto_gw_distance between two sides of the same loss. */
sotto_status sotto_i_gw_distance(sotto_gw_result *result, double *plan, const sotto_i_gw_side *a,
                                 const sotto_i_gw_side *b, const sotto_gw_options *options, sotto_error *err);

#endif
