/* Was a node in the training set? By a shadow model, and by entropy. */
#include <math.h>
#include <stdlib.h>

#include "attack_net.h"
#include "base/memory.h"
#include "inside/audit.h"

static int descending(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x < y) - (x > y);
}

/* Posteriors in descending order: the shadow and the target may number classes differently. */
static sotto_status sorted_rows(sotto_matrix *out, const sotto_matrix *from, sotto_error *err) {
  sotto_status status = sotto_matrix_new(out, from->rows, from->cols, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < from->rows * from->cols; i++) out->data[i] = from->data[i];
  for (size_t i = 0; i < from->rows; i++)
    qsort(out->data + i * out->cols, out->cols, sizeof(float), descending);
  return SOTTO_OK;
}

static sotto_status measure(sotto_attack_result *out, const double *scores, const sotto_membership *target,
                            double delta, sotto_error *err) {
  size_t rows = target->posteriors->rows, in = 0, outside = 0;
  sotto_status status;
  double *parted = NULL;
  SOTTO_TRY(sotto_i_new_raw(&parted, 2 * rows, sizeof *parted, err));
  for (size_t i = 0; i < rows; i++) {
    if (target->members[i] != 0)
      parted[in++] = scores[i];
    else
      parted[rows + outside++] = scores[i];
  }
  SOTTO_TRY(sotto_attack_measure(out, parted, in, parted + rows, outside, delta, err));
  out->queries = 1;
done:
  sotto_i_free(parted);
  return status;
}

sotto_status sotto_attack_node_mia(sotto_attack_result *out, const sotto_membership *target,
                                   const sotto_membership *shadow, uint64_t seed, double delta,
                                   sotto_error *err) {
  sotto_status status;
  sotto_matrix known = {0}, asked = {0};
  double *scores = NULL;
  if (target->posteriors->cols != shadow->posteriors->cols)
    return sotto_i_fail(err, SOTTO_INVALID, "the shadow model has %zu classes, the target %zu",
                        shadow->posteriors->cols, target->posteriors->cols);
  SOTTO_TRY(sorted_rows(&known, shadow->posteriors, err));
  SOTTO_TRY(sorted_rows(&asked, target->posteriors, err));
  SOTTO_TRY(sotto_i_new_raw(&scores, asked.rows, sizeof *scores, err));
  SOTTO_TRY(sotto_i_attack_net(scores, &known, shadow->members, &asked, seed, err));
  SOTTO_TRY(measure(out, scores, target, delta, err));
done:
  sotto_matrix_free(&known);
  sotto_matrix_free(&asked);
  sotto_i_free(scores);
  return status;
}

sotto_status sotto_attack_entropy(sotto_attack_result *out, const sotto_membership *target, double delta,
                                  sotto_error *err) {
  const sotto_matrix *p = target->posteriors;
  double *scores = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&scores, p->rows, sizeof *scores, err));
  for (size_t i = 0; i < p->rows; i++)
    for (size_t j = 0; j < p->cols; j++) {
      double value = p->data[i * p->cols + j];
      if (value > 0) scores[i] += value * log(value);
    }
  SOTTO_TRY(measure(out, scores, target, delta, err));
done:
  sotto_i_free(scores);
  return status;
}
