/* Rows of prototypes, and the scale of embeddings that they give. */
#include "prototypes.h"

#include <math.h>

#include "base/memory.h"

static const double least_deviation = 1e-6; /* of the mean: less is rounding */

bool sotto_i_is_empty_row(const sotto_matrix *x, size_t row) {
  for (size_t j = 0; j < x->cols; j++)
    if (x->data[row * x->cols + j] != 0) return false;
  return true;
}

void sotto_i_scale_free(sotto_i_scale *scale) {
  sotto_i_free(scale->mean);
  sotto_i_free(scale->deviation);
  *scale = (sotto_i_scale){.mean = NULL};
}

sotto_status sotto_i_scale_new(sotto_i_scale *out, const sotto_matrix *prototypes, sotto_error *err) {
  const sotto_matrix *p = prototypes;
  sotto_status status;
  *out = (sotto_i_scale){.cols = p->cols};
  SOTTO_TRY(sotto_i_new(&out->mean, p->cols, sizeof *out->mean, err));
  SOTTO_TRY(sotto_i_new(&out->deviation, p->cols, sizeof *out->deviation, err));
  for (size_t i = 0; i < p->rows * p->cols; i++) out->mean[i % p->cols] += p->data[i] / (double)p->rows;
  for (size_t i = 0; i < p->rows * p->cols; i++)
    out->deviation[i % p->cols] += pow(p->data[i] - out->mean[i % p->cols], 2) / (double)p->rows;
  for (size_t j = 0; j < p->cols; j++) {
    out->deviation[j] = sqrt(out->deviation[j]);
    if (out->deviation[j] < least_deviation * fabs(out->mean[j])) out->deviation[j] = 0;
  }
done:
  if (status != SOTTO_OK) sotto_i_scale_free(out);
  return status;
}

void sotto_i_scale_rows(sotto_matrix *x, const sotto_i_scale *scale) {
  for (size_t v = 0; v < x->rows; v++) {
    float *row = x->data + v * x->cols;
    double square = 0;
    for (size_t j = 0; j < x->cols; j++) {
      double d = scale->deviation[j];
      row[j] = d > 0 ? (float)((row[j] - scale->mean[j]) / d) : 0;
      square += (double)row[j] * row[j];
    }
    for (size_t j = 0; square > 0 && j < x->cols; j++) row[j] = (float)(row[j] / sqrt(square));
  }
}
