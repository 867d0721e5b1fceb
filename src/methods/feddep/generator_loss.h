/* The losses of a generator of missing neighbours: the number of missing ones, and the distance of
 * generated rows to the nearest of some rows. Also the mean of the generated rows, which is fused into
 * convolutions (Zhang et al. 2024). */
#ifndef SOTTO_SRC_METHODS_FEDDEP_GENERATOR_LOSS_H
#define SOTTO_SRC_METHODS_FEDDEP_GENERATOR_LOSS_H

#include "sotto/tensor.h"

/* The mean over rows[0..count) of the smooth l1 distance of x (n x 1) from wanted[row]: 1 x 1, 0 without
 * rows. */
typedef struct sotto_i_smooth_l1 {
  const float *wanted;
  const uint32_t *rows;
  size_t count;
} sotto_i_smooth_l1;
sotto_var sotto_i_smooth_l1_var(const sotto_i_smooth_l1 *context, sotto_tape *tape, sotto_var x);

/* x is n x (most * width): what is made for each node, `most` rows of `width` one after the other, of which
 * the first made[v] are looked at. Groups of candidates are ranges of `list`, rows of `candidates`:
 *   own     group i belongs to rows[i] alone; with `group_of`, rows[i] asks group group_of[rows[i]]
 *   shared  all `groups` are asked by every row
 * The value is the mean over rows of the mean over made rows of the sum over groups of the squared distance
 * to the nearest candidate: 1 x 1. Empty groups and rows without made rows count 0. `nearest` has count *
 * most * (shared ? groups : 1) places, and is filled by the forward pass. */
typedef struct sotto_i_nearest_row {
  const uint32_t *rows, *made;
  size_t count, most, width, groups;
  bool shared;
  const uint32_t *group_of; /* own: for each node; NULL: group i is that of rows[i] */
  const size_t *begin;      /* groups + 1 (own without group_of: count + 1) */
  const uint32_t *list;
  const sotto_matrix *candidates;
  uint32_t *nearest;
} sotto_i_nearest_row;
sotto_var sotto_i_nearest_row_var(const sotto_i_nearest_row *context, sotto_tape *tape, sotto_var x);

/* n x width: the mean of the first made[v] rows of each node; zeros for none. */
typedef struct sotto_i_made_mean {
  const uint32_t *made;
  size_t most, width;
} sotto_i_made_mean;
sotto_var sotto_i_made_mean_var(const sotto_i_made_mean *context, sotto_tape *tape, sotto_var x);

#endif
