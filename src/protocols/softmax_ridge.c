/* Softmax regression by gradient descent; both products of a step are dense ones. */
#include "softmax_ridge.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "tensor/kernels.h"
#include "tensor/product.h"

enum { most_steps = 300 };
/* Steps end where no weight moves by more: the losses that are compared differ by 0.01 and more. */
static const float still = 1e-5F;
static const float memory = 0.9F; /* of momentum */

static sotto_i_product scores_of(const sotto_i_softmax_ridge *r) {
  return (sotto_i_product){.a = &r->x, .b = &r->weights, .transpose_b = true, .alpha = 1};
}

static sotto_i_product slopes_of(const sotto_i_softmax_ridge *r) {
  return (sotto_i_product){
      .a = &r->chances, .b = &r->x, .transpose_a = true, .alpha = 1 / (float)r->x.rows, .beta = 1};
}

sotto_status sotto_i_softmax_ridge_new(sotto_i_softmax_ridge *r, size_t rows, size_t columns,
                                       sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&r->x, rows, columns, err));
  SOTTO_TRY(sotto_matrix_new(&r->weights, r->classes, columns, err));
  SOTTO_TRY(sotto_matrix_new(&r->momentum, r->classes, columns, err));
  SOTTO_TRY(sotto_matrix_new(&r->gradient, r->classes, columns, err));
  SOTTO_TRY(sotto_matrix_new(&r->chances, rows, r->classes, err));
  SOTTO_TRY(sotto_i_new_raw(&r->room, rows, sizeof *r->room, err));
  const sotto_i_product scores = scores_of(r), slopes = slopes_of(r);
  const size_t one = sotto_i_gemm_scratch(&scores), other = sotto_i_gemm_scratch(&slopes);
  if (one + other > 0)
    SOTTO_TRY(sotto_i_new_raw(&r->scratch, one > other ? one : other, sizeof *r->scratch, err));
done:
  return status;
}

void sotto_i_softmax_ridge_free(sotto_i_softmax_ridge *r) {
  sotto_matrix_free(&r->x);
  sotto_matrix_free(&r->weights);
  sotto_matrix_free(&r->momentum);
  sotto_matrix_free(&r->gradient);
  sotto_matrix_free(&r->chances);
  sotto_i_free(r->room);
  sotto_i_free(r->scratch);
  r->room = NULL;
  r->scratch = NULL;
}

static void predict(sotto_i_softmax_ridge *r) {
  const sotto_i_product scores = scores_of(r);
  sotto_i_gemm(&r->chances, &scores, r->scratch);
  sotto_i_kernels()->softmax(r->chances.data, r->room, r->x.rows, r->classes);
}

/* The chances minus 1 at the label; 0 in rows that are left out. */
static void to_residuals(sotto_i_softmax_ridge *r, size_t fifth) {
  for (size_t i = 0; i < r->x.rows; i++) {
    float *row = r->chances.data + i * r->classes;
    row[r->labels[i]] -= 1;
    if (i % SOTTO_I_FIFTHS == fifth) memset(row, 0, r->classes * sizeof *row);
  }
}

/* Returns how far the weight that moves most moves. */
static float move(sotto_i_softmax_ridge *r, float rate) {
  float most = 0;
  for (size_t k = 0; k < r->classes * r->x.cols; k++) {
    float *step = r->momentum.data + k;
    *step = memory * *step - rate * r->gradient.data[k];
    r->weights.data[k] += *step;
    most = fmaxf(most, fabsf(*step));
  }
  return most;
}

/* Columns have variance 1, so the curvature is at most about half their number. */
void sotto_i_softmax_ridge_fit(sotto_i_softmax_ridge *r, size_t fifth) {
  const size_t size = r->classes * r->x.cols;
  const float rate = 1 / (1 + 0.5F * (float)r->x.cols), rows = (float)r->x.rows;
  const sotto_i_product slopes = slopes_of(r);
  memset(r->momentum.data, 0, size * sizeof(float));
  for (int step = 0; step < most_steps; step++) {
    predict(r);
    to_residuals(r, fifth);
    for (size_t k = 0; k < size; k++)
      r->gradient.data[k] = (k % r->x.cols < r->from ? r->pull : r->pull_from) / rows * r->weights.data[k];
    sotto_i_gemm(&r->gradient, &slopes, r->scratch);
    if (move(r, rate) < still) break;
  }
}

/* A fifth's fit begins where the one before it ended, which saw most of the same rows. */
void sotto_i_softmax_ridge_losses(double *losses, sotto_i_softmax_ridge *r, double sign) {
  for (size_t fifth = 0; fifth < SOTTO_I_FIFTHS; fifth++) {
    sotto_i_softmax_ridge_fit(r, fifth);
    predict(r);
    for (size_t i = fifth; i < r->x.rows; i += SOTTO_I_FIFTHS)
      losses[i] -= sign * log(fmax((double)r->chances.data[i * r->classes + (size_t)r->labels[i]], 1e-9));
  }
}
