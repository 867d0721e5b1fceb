/* A lower bound of Gromov-Wasserstein values, from two numbers of each space. */
#ifndef SOTTO_SRC_GW_BOUNDS_H
#define SOTTO_SRC_GW_BOUNDS_H

#include "sotto/gw.h"

/* Mean and standard deviation of the distances of a space, over pairs of points drawn by weight. */
typedef struct sotto_i_gw_moments {
  double mean, deviation;
} sotto_i_gw_moments;
/* O(points^2). */
sotto_i_gw_moments sotto_i_gw_moments_of(const sotto_gw_space *space);

/* No plan between the two spaces has a smaller value with the square loss and without features, nor does the
 * solver, whose values are rounded: the bound is lowered by 1e-9 of itself. */
double sotto_i_gw_lower_bound(const sotto_i_gw_moments *a, const sotto_i_gw_moments *b);

#endif
