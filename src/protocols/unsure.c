/* Nodes ordered by a perceptron's confidence. */
#include "unsure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Nodes with a larger error probability always have counts, however many are less confident: on some data a
 * perceptron is confident about hardly any node, and there the counts help most. */
static const float always_below = 1.0F / 27;

/* The error probability: 1 minus the largest of the row's probabilities. */
static float error_probability(const float *row, size_t cols) {
  float largest = row[0];
  double sum = 0;
  for (size_t j = 1; j < cols; j++) largest = row[j] > largest ? row[j] : largest;
  for (size_t j = 0; j < cols; j++) sum += exp((double)row[j] - largest);
  return (float)(1 - 1 / sum);
}

static uint8_t level_of(float chance) {
  int number = SOTTO_I_MOST_LEVEL;
  for (float bound = 1.0F / 3; number > SOTTO_I_DEAF + 1 && chance < bound; bound /= 3) number--;
  return (uint8_t)number;
}

static int larger_first(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x < y) - (x > y);
}

sotto_status sotto_i_unsure_bound(double *bound, const sotto_matrix *scores, double share, sotto_error *err) {
  const size_t nodes = scores->rows, kept = (size_t)ceil(share * (double)nodes);
  float *sorted = NULL;
  *bound = -1;
  if (kept >= nodes) return SOTTO_OK;
  sotto_status status = sotto_i_new_raw(&sorted, nodes, sizeof *sorted, err);
  if (status != SOTTO_OK) return status;
  for (size_t v = 0; v < nodes; v++)
    sorted[v] = error_probability(scores->data + v * scores->cols, scores->cols);
  qsort(sorted, nodes, sizeof *sorted, larger_first);
  *bound = fminf(sorted[kept], always_below);
  sotto_i_free(sorted);
  return SOTTO_OK;
}

sotto_status sotto_i_unsure_above(uint8_t **levels, const sotto_matrix *scores, double bound,
                                  sotto_error *err) {
  sotto_status status = sotto_i_new_raw(levels, scores->rows, sizeof **levels, err);
  for (size_t v = 0; status == SOTTO_OK && v < scores->rows; v++) {
    const float chance = error_probability(scores->data + v * scores->cols, scores->cols);
    (*levels)[v] = chance > bound ? level_of(chance) : SOTTO_I_DEAF;
  }
  return status;
}

void sotto_i_sure_of(uint8_t *levels, const uint32_t *nodes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (levels[nodes[i]] != SOTTO_I_DEAF) levels[nodes[i]] = SOTTO_I_DEAF + 1;
}

void sotto_i_levels_alike(uint8_t *levels, size_t nodes, const uint32_t *sure, size_t count) {
  memset(levels, SOTTO_I_ALIKE, nodes);
  sotto_i_sure_of(levels, sure, count);
}

bool sotto_i_some_listen(uint8_t *levels, const uint32_t *nodes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (levels[nodes[i]] != SOTTO_I_DEAF) return true;
  for (size_t i = 0; i < count; i++) levels[nodes[i]] = SOTTO_I_DEAF + 1;
  return false;
}

float sotto_i_counts_weight(uint8_t own, uint8_t other) {
  if (own == SOTTO_I_DEAF || own == SOTTO_I_SPENT || own == SOTTO_I_UNCOUNTED) return 0;
  if (other == SOTTO_I_UNCOUNTED) return 0;
  if (own == SOTTO_I_PILOT_TWICE) return other == SOTTO_I_PILOT_TWICE ? 1 : 2;
  if (own == SOTTO_I_PILOT || other == SOTTO_I_SPENT) return 1;
  if (own < other) return 0;
  return own > other ? 2 : 1;
}
