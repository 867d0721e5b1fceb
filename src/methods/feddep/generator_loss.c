/* Losses of the generator of missing neighbours, with their gradients. */
#include "generator_loss.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "inside/tensor.h"

static sotto_status smooth_forward(const void *context, sotto_matrix *y, const sotto_matrix *x,
                                   sotto_error *err) {
  const sotto_i_smooth_l1 *c = context;
  double total = 0;
  (void)err;
  for (size_t i = 0; i < c->count; i++) {
    double gap = fabs((double)x->data[c->rows[i]] - c->wanted[c->rows[i]]);
    total += gap < 1 ? gap * gap / 2 : gap - 0.5;
  }
  y->data[0] = c->count > 0 ? (float)(total / (double)c->count) : 0;
  return SOTTO_OK;
}

static sotto_status smooth_backward(const void *context, sotto_matrix *dx, const sotto_matrix *dy,
                                    const sotto_matrix *x, const sotto_matrix *y, sotto_error *err) {
  const sotto_i_smooth_l1 *c = context;
  (void)y, (void)err;
  for (size_t i = 0; i < c->count; i++) {
    float gap = x->data[c->rows[i]] - c->wanted[c->rows[i]];
    dx->data[c->rows[i]] += dy->data[0] * fmaxf(-1, fminf(1, gap)) / (float)c->count;
  }
  return SOTTO_OK;
}

sotto_var sotto_i_smooth_l1_var(const sotto_i_smooth_l1 *context, sotto_tape *tape, sotto_var x) {
  static const sotto_tape_op op = {"smooth l1", smooth_forward, smooth_backward};
  return sotto_tape_custom(tape, x, 1, 1, &op, context);
}

static double squared_distance(const float *a, const float *b, size_t width) {
  enum { lanes = 16 };
  float part[lanes] = {0}, total = 0;
  size_t j = 0;
  for (; j + lanes <= width; j += lanes)
    for (size_t k = 0; k < lanes; k++) part[k] += (a[j + k] - b[j + k]) * (a[j + k] - b[j + k]);
  for (; j < width; j++) total += (a[j] - b[j]) * (a[j] - b[j]);
  for (size_t k = 0; k < lanes; k++) total += part[k];
  return total;
}

/* The nearest candidate of one group, the first of equal ones; UINT32_MAX in an empty group. */
static uint32_t find_nearest(double *distance, const sotto_i_nearest_row *c, size_t group, const float *row) {
  uint32_t best = UINT32_MAX;
  *distance = 0;
  for (size_t k = c->begin[group]; k < c->begin[group + 1]; k++) {
    double here = squared_distance(row, c->candidates->data + c->list[k] * c->width, c->width);
    if (best != UINT32_MAX && here >= *distance) continue;
    *distance = here;
    best = c->list[k];
  }
  return best;
}

static size_t group_of(const sotto_i_nearest_row *c, size_t i, size_t g) {
  if (c->shared) return g;
  return c->group_of != NULL ? c->group_of[c->rows[i]] : i;
}

static size_t groups_of(const sotto_i_nearest_row *c) {
  return c->shared ? c->groups : 1;
}

static sotto_status nearest_forward(const void *context, sotto_matrix *y, const sotto_matrix *x,
                                    sotto_error *err) {
  const sotto_i_nearest_row *c = context;
  size_t groups = groups_of(c);
  double total = 0;
  if (x->cols != c->most * c->width)
    return sotto_i_fail(err, SOTTO_INVALID, "nearest: %zu columns for %zu rows of %zu", x->cols, c->most,
                        c->width);
  for (size_t i = 0; i < c->count; i++) {
    uint32_t v = c->rows[i];
    for (size_t p = 0; p < c->made[v]; p++)
      for (size_t g = 0; g < groups; g++) {
        double distance;
        const float *row = x->data + v * x->cols + p * c->width;
        c->nearest[(i * c->most + p) * groups + g] = find_nearest(&distance, c, group_of(c, i, g), row);
        total += distance / c->made[v];
      }
  }
  y->data[0] = c->count > 0 ? (float)(total / (double)c->count) : 0;
  return SOTTO_OK;
}

static sotto_status nearest_backward(const void *context, sotto_matrix *dx, const sotto_matrix *dy,
                                     const sotto_matrix *x, const sotto_matrix *y, sotto_error *err) {
  const sotto_i_nearest_row *c = context;
  size_t groups = groups_of(c);
  (void)y, (void)err;
  for (size_t i = 0; i < c->count; i++) {
    uint32_t v = c->rows[i];
    for (size_t p = 0; p < c->made[v]; p++)
      for (size_t g = 0; g < groups; g++) {
        uint32_t best = c->nearest[(i * c->most + p) * groups + g];
        size_t at = v * x->cols + p * c->width;
        float scale = 2 * dy->data[0] / ((float)c->made[v] * (float)c->count);
        if (best == UINT32_MAX) continue;
        const float *target = c->candidates->data + best * c->width;
        for (size_t j = 0; j < c->width; j++) dx->data[at + j] += scale * (x->data[at + j] - target[j]);
      }
  }
  return SOTTO_OK;
}

sotto_var sotto_i_nearest_row_var(const sotto_i_nearest_row *context, sotto_tape *tape, sotto_var x) {
  static const sotto_tape_op op = {"distance to the nearest", nearest_forward, nearest_backward};
  return sotto_tape_custom(tape, x, 1, 1, &op, context);
}

static sotto_status mean_forward(const void *context, sotto_matrix *y, const sotto_matrix *x,
                                 sotto_error *err) {
  const sotto_i_made_mean *c = context;
  (void)err;
  memset(y->data, 0, y->rows * y->cols * sizeof *y->data);
  for (size_t v = 0; v < x->rows; v++)
    for (size_t p = 0; p < c->made[v]; p++)
      for (size_t j = 0; j < c->width; j++)
        y->data[v * c->width + j] += x->data[v * x->cols + p * c->width + j] / (float)c->made[v];
  return SOTTO_OK;
}

static sotto_status mean_backward(const void *context, sotto_matrix *dx, const sotto_matrix *dy,
                                  const sotto_matrix *x, const sotto_matrix *y, sotto_error *err) {
  const sotto_i_made_mean *c = context;
  (void)x, (void)y, (void)err;
  for (size_t v = 0; v < dx->rows; v++)
    for (size_t p = 0; p < c->made[v]; p++)
      for (size_t j = 0; j < c->width; j++)
        dx->data[v * dx->cols + p * c->width + j] += dy->data[v * c->width + j] / (float)c->made[v];
  return SOTTO_OK;
}

sotto_var sotto_i_made_mean_var(const sotto_i_made_mean *context, sotto_tape *tape, sotto_var x) {
  static const sotto_tape_op op = {"mean of what is made", mean_forward, mean_backward};
  return sotto_tape_custom(tape, x, sotto_tape_value(tape, x).rows, context->width, &op, context);
}
