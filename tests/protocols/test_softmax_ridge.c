/* Softmax regression with ridges: its weights are those of a slow descent, and a fifth that is left out does
 * not matter. */
#include "protocols/softmax_ridge.h"

#include <math.h>

#include "check.h"

enum { rows = 150, cols = 4, classes = 3, size = classes * cols };

static void fill(sotto_i_softmax_ridge *r, int32_t *labels, sotto_i_random *random) {
  CHECK_OK(sotto_i_softmax_ridge_new(r, rows, cols, &err));
  for (size_t i = 0; i < rows; i++) {
    labels[i] = (int32_t)sotto_i_random_below(random, classes);
    float *row = r->x.data + i * cols;
    row[0] = 1;
    for (size_t j = 1; j < cols; j++)
      row[j] = (float)(sotto_i_random_normal(random) + (labels[i] + 1 == (int32_t)j ? 1 : 0));
  }
  r->labels = labels;
}

static void reference_gradient(double *g, const double *w, const sotto_i_softmax_ridge *r, size_t fifth) {
  for (size_t k = 0; k < size; k++)
    g[k] = (double)(k % cols < r->from ? r->pull : r->pull_from) * w[k] / rows;
  for (size_t i = 0; i < rows; i++) {
    double chance[classes], total = 0;
    if (i % SOTTO_I_FIFTHS == fifth) continue;
    for (size_t c = 0; c < classes; c++) {
      chance[c] = 0;
      for (size_t j = 0; j < cols; j++) chance[c] += w[c * cols + j] * (double)r->x.data[i * cols + j];
      total += chance[c] = exp(chance[c]);
    }
    for (size_t k = 0; k < size; k++)
      g[k] += (chance[k / cols] / total - ((size_t)r->labels[i] == k / cols)) *
              (double)r->x.data[i * cols + k % cols] / rows;
  }
}

static void weights_are_those_of_a_slow_descent(void **state) {
  sotto_i_random random = check_random();
  int32_t labels[rows];
  (void)state;
  for (size_t fifth = 0; fifth <= SOTTO_I_FIFTHS; fifth += SOTTO_I_FIFTHS) {
    sotto_i_softmax_ridge r = {.classes = classes, .from = 3, .pull = 10, .pull_from = 100};
    double w[size] = {0}, g[size];
    fill(&r, labels, &random);
    sotto_i_softmax_ridge_fit(&r, fifth);
    for (int step = 0; step < 5000; step++) {
      reference_gradient(g, w, &r, fifth);
      for (size_t k = 0; k < size; k++) w[k] -= 0.3 * g[k];
    }
    for (size_t k = 0; k < size; k++) assert_true(fabs((double)r.weights.data[k] - w[k]) < 1e-3);
    assert_true(fabs(w[1]) > 0.05); /* it learns something */
    sotto_i_softmax_ridge_free(&r);
  }
}

/* Labels of a fifth decide nothing about the weights by which it is measured. */
static void losses_are_of_rows_that_were_not_seen(void **state) {
  sotto_i_random random = check_random();
  int32_t labels[rows];
  double losses[rows] = {0}, mean = 0;
  sotto_i_softmax_ridge r = {.classes = classes, .from = cols, .pull = 1e-3F, .pull_from = 1};
  (void)state;
  fill(&r, labels, &random);
  for (size_t i = 0; i < rows; i++) labels[i] = (int32_t)(i % SOTTO_I_FIFTHS == 2); /* a class of its own */
  sotto_i_softmax_ridge_fit(&r, 2);
  sotto_i_softmax_ridge_losses(losses, &r, 1);
  for (size_t i = 2; i < rows; i += SOTTO_I_FIFTHS) mean += losses[i] * SOTTO_I_FIFTHS / rows;
  assert_true(mean > 2); /* others have taught that it hardly ever occurs */
  sotto_i_softmax_ridge_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_are_those_of_a_slow_descent),
      cmocka_unit_test(losses_are_of_rows_that_were_not_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
