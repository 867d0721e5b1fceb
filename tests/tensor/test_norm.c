/* Operator norms: never below a slow search's, and exactly 1 where they are known. */
#include <math.h>

#include "check.h"
#include "samples.h"
#include "tensor/blas/norm.h"

/* Power iteration on A^T A in double precision, many rounds: from below. */
static double by_power(const sotto_matrix *a, sotto_i_random *random) {
  double v[64], w[64], norm = 0;
  for (size_t j = 0; j < a->cols; j++) v[j] = sotto_i_random_normal(random);
  for (int round = 0; round < 3000; round++) {
    double length = 0;
    for (size_t j = 0; j < a->cols; j++) length += v[j] * v[j];
    for (size_t j = 0; j < a->cols; j++) v[j] /= sqrt(length);
    norm = 0;
    for (size_t i = 0; i < a->rows; i++) {
      w[i] = 0;
      for (size_t j = 0; j < a->cols; j++) w[i] += (double)a->data[i * a->cols + j] * v[j];
      norm += w[i] * w[i];
    }
    for (size_t j = 0; j < a->cols; j++) v[j] = 0;
    for (size_t i = 0; i < a->rows; i++)
      for (size_t j = 0; j < a->cols; j++) v[j] += (double)a->data[i * a->cols + j] * w[i];
  }
  return sqrt(norm);
}

static void the_bound_is_above_the_norm_and_near_it(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (size_t rows = 1; rows <= 40; rows += 13)
    for (size_t cols = 1; cols <= 64; cols += 21) {
      sotto_matrix a;
      double bound;
      CHECK_OK(sotto_matrix_new(&a, rows, cols, &err));
      for (size_t i = 0; i < rows * cols; i++) a.data[i] = (float)(3 * sotto_i_random_normal(&random));
      CHECK_OK(sotto_i_operator_norm(&bound, &a, &err));
      double found = by_power(&a, &random);
      assert_true(bound >= found * (1 - 1e-14) && bound <= found * (1 + 1e-3));
      CHECK_OK(sotto_i_to_unit_operator(&a, &err));
      double after = by_power(&a, &random);
      assert_true(after <= 1 && after > fmin(found, 1) - 1e-2);
      sotto_matrix_free(&a);
    }
}

/* One round of power iteration from an unlucky start, as spectral normalisation has it, sees nothing of the
 * large direction: diag(5, 1) from (0, 1) says 1. */
static void one_power_iteration_can_be_blind_where_the_bound_is_not(void **state) {
  (void)state;
  float values[4] = {5, 0, 0, 1};
  sotto_matrix a = {values, 2, 2};
  const double start[2] = {0, 1};
  double seen = hypot((double)values[0] * start[0], (double)values[3] * start[1]), bound;
  CHECK_NEAR(seen, 1, 1e-12);
  CHECK_OK(sotto_i_operator_norm(&bound, &a, &err));
  assert_true(bound >= 5 && bound < 5 * (1 + 1e-11));
  CHECK_OK(sotto_i_to_unit_operator(&a, &err));
  assert_true(values[0] <= 1.0F && values[0] > 0.999F);
}

static void what_is_small_stays_and_what_is_not_finite_is_refused(void **state) {
  (void)state;
  float small[2] = {0.5F, 0.25F}, bad[2] = {1, NAN};
  sotto_matrix a = {small, 1, 2}, b = {bad, 2, 1};
  CHECK_OK(sotto_i_to_unit_operator(&a, &err));
  assert_true(small[0] == 0.5F && small[1] == 0.25F);
  CHECK_FAILS(SOTTO_NUMERIC, "not finite", sotto_i_to_unit_operator(&b, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_bound_is_above_the_norm_and_near_it),
      cmocka_unit_test(one_power_iteration_can_be_blind_where_the_bound_is_not),
      cmocka_unit_test(what_is_small_stays_and_what_is_not_finite_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
