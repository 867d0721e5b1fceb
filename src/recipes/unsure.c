/* Nodes ordered by how sure a perceptron is of them. */
#include "unsure.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* Who is more likely wrong than this is never left out, however many are less sure: on some data a perceptron
 * is sure of hardly any node, and there the counts say the most. */
static const float sure = 1.0F / 27;

/* 1 less the largest of the row's probabilities. */
static float wrong(const float *row, size_t cols) {
  float largest = row[0];
  double sum = 0;
  for (size_t j = 1; j < cols; j++) largest = row[j] > largest ? row[j] : largest;
  for (size_t j = 0; j < cols; j++) sum += exp((double)row[j] - largest);
  return (float)(1 - 1 / sum);
}

static uint8_t level(float chance) {
  int number = SOTTO_I_MOST_LEVEL;
  for (float bound = 1.0F / 3; number > SOTTO_I_DEAF + 1 && chance < bound; bound /= 3) number--;
  return (uint8_t)number;
}

static int larger_first(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x < y) - (x > y);
}

sotto_status sotto_i_unsure_levels(uint8_t **levels, const sotto_matrix *scores, double share,
                                   sotto_error *err) {
  const size_t nodes = scores->rows, kept = (size_t)ceil(share * (double)nodes);
  sotto_status status;
  float *chance = NULL, *sorted = NULL;
  *levels = NULL;
  SOTTO_TRY(sotto_i_new_raw(&chance, nodes, sizeof *chance, err));
  SOTTO_TRY(sotto_i_new_raw(&sorted, nodes, sizeof *sorted, err));
  SOTTO_TRY(sotto_i_new_raw(levels, nodes, sizeof **levels, err));
  for (size_t v = 0; v < nodes; v++)
    sorted[v] = chance[v] = wrong(scores->data + v * scores->cols, scores->cols);
  qsort(sorted, nodes, sizeof *sorted, larger_first);
  for (size_t v = 0; v < nodes; v++)
    (*levels)[v] =
        kept >= nodes || chance[v] > sorted[kept] || chance[v] > sure ? level(chance[v]) : SOTTO_I_DEAF;
done:
  sotto_i_free(chance);
  sotto_i_free(sorted);
  return status;
}

void sotto_i_sure_of(uint8_t *levels, const uint32_t *nodes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (levels[nodes[i]] != SOTTO_I_DEAF) levels[nodes[i]] = SOTTO_I_DEAF + 1;
}

void sotto_i_some_listen(uint8_t *levels, const uint32_t *nodes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (levels[nodes[i]] != SOTTO_I_DEAF) return;
  for (size_t i = 0; i < count; i++) levels[nodes[i]] = SOTTO_I_DEAF + 1;
}
