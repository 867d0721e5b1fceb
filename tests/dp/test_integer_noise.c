/* Discrete Gaussian counts, Laplace noise on a grid, James-Stein shrinkage: parameters, refusals, effects. */
#include <math.h>

#include "check.h"
#include "inside/dp.h"
#include "sotto/dp.h"

static void a_discrete_gaussian_is_never_narrower_than_asked(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 10000; round++) {
    double sigma = exp2(sotto_i_random_double(&random) * 27 - 4);
    sotto_discrete_gaussian noise;
    CHECK_OK(sotto_discrete_gaussian_new(&noise, sigma, &err));
    assert_true(noise.sigma >= sigma && noise.sigma <= sigma * (1 + 0x1p-15));
    assert_true(noise.sigma == ldexp(noise.mantissa, -noise.shift));
    assert_true(noise.mantissa >= 1U << 15 && noise.mantissa < 1U << 16);
  }
}

static void counts_get_noise_of_the_stated_deviation(void **state) {
  (void)state;
  enum { count = 20000 };
  static int64_t values[count];
  for (int i = 0; i < count; i++) values[i] = 1000 + i;
  sotto_discrete_gaussian noise;
  sotto_key key;
  sotto_i_random random = check_random();
  sotto_key_insecure(&key, sotto_i_random_u64(&random));
  CHECK_OK(sotto_discrete_gaussian_new(&noise, 40, &err));
  CHECK_OK(sotto_discrete_gaussian_add(values, count, &noise, &key, 1, &err));
  double square = 0;
  for (int i = 0; i < count; i++) square += pow((double)(values[i] - 1000 - i) / 40, 2);
  assert_true(fabs(square - count) / sqrt(2.0 * count) < 5);
  sotto_mechanism mechanism = sotto_discrete_gaussian_mechanism(&noise, 2);
  CHECK_OK(sotto_mechanism_check(&mechanism, &err));
  assert_true(mechanism.noise == noise.sigma && mechanism.sensitivity == 2);
}

static void counts_saturate_and_wrong_parameters_change_nothing(void **state) {
  (void)state;
  int64_t values[2] = {INT64_MAX, INT64_MIN};
  sotto_discrete_gaussian noise;
  sotto_key key;
  sotto_key_insecure(&key, 1);
  CHECK_FAILS(SOTTO_RANGE, "2^-4", sotto_discrete_gaussian_new(&noise, 0.06, &err));
  CHECK_FAILS(SOTTO_RANGE, "2^-4", sotto_discrete_gaussian_new(&noise, NAN, &err));
  CHECK_OK(sotto_discrete_gaussian_new(&noise, 3, &err));
  CHECK_OK(sotto_discrete_gaussian_add(values, 2, &noise, &key, 0, &err));
  assert_true(values[0] > INT64_MAX / 4 && values[0] <= INT64_MAX / 2 + 1 && values[1] < INT64_MIN / 4);
  noise.sigma *= 2;
  int64_t before = values[0];
  CHECK_FAILS(SOTTO_INVALID, "_new", sotto_discrete_gaussian_add(values, 2, &noise, &key, 0, &err));
  sotto_key_public(&key, 1);
  CHECK_FAILS(SOTTO_INVALID, "public", sotto_discrete_gaussian_add(values, 2, &noise, &key, 0, &err));
  assert_true(values[0] == before);
}

static void a_laplace_grid_is_never_narrower_than_asked(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 10000; round++) {
    double scale = round == 0 ? nextafter(2, 0) : exp2(sotto_i_random_double(&random) * 60 - 30);
    sotto_laplace_grid grid;
    CHECK_OK(sotto_laplace_grid_new(&grid, scale, &err));
    assert_true(grid.scale >= scale && grid.scale <= scale * (1 + 0x1p-18));
    assert_true(scale / grid.step >= 1024 && scale / grid.step < 2048);
  }
}

static void laplace_noise_has_the_law_of_its_grid(void **state) {
  (void)state;
  enum { rows = 300, cols = 50 };
  static float data[rows * cols], again[rows * cols];
  sotto_i_random random = check_random();
  sotto_laplace_grid grid;
  sotto_key key;
  sotto_key_insecure(&key, sotto_i_random_u64(&random));
  CHECK_OK(sotto_laplace_grid_new(&grid, 0.7, &err));
  for (int i = 0; i < rows * cols; i++) data[i] = again[i] = 5;
  sotto_matrix x = {data, rows, cols}, y = {again, rows, cols};
  CHECK_OK(sotto_threads_set(1, &err));
  CHECK_OK(sotto_laplace_grid_add_noise(&x, &grid, &key, 4, &err));
  CHECK_OK(sotto_threads_set(4, &err));
  CHECK_OK(sotto_laplace_grid_add_noise(&y, &grid, &key, 4, &err));
  assert_memory_equal(data, again, sizeof data);
  double size = 0, sum = 0, n = rows * cols;
  for (int i = 0; i < rows * cols; i++) {
    assert_true(rint(data[i] / grid.step) == data[i] / grid.step);
    size += fabs(data[i] - 5.0) / 0.7; /* exponential of mean and deviation 1 */
    sum += (data[i] - 5.0) / 0.7;      /* deviation sqrt 2 */
  }
  assert_true(fabs(size - n) < 5 * sqrt(n) && fabs(sum) < 5 * sqrt(2 * n));
}

/* On whole numbers: Pr[0] = tanh(1 / 2b), E|x| = 1 / sinh(1 / b), and Pr[x] / Pr[x + 1] = exp(1 / b). */
static void laplace_noise_on_whole_numbers_has_its_law(void **state) {
  (void)state;
  enum { rows = 400, cols = 50 };
  static float data[rows * cols];
  sotto_i_random random = check_random();
  sotto_laplace_grid grid;
  sotto_key key;
  for (int round = 0; round < 10000; round++) {
    double scale = exp2(sotto_i_random_double(&random) * 29 - 13);
    CHECK_OK(sotto_laplace_grid_whole(&grid, scale, &err));
    assert_true(grid.step == 1 && grid.scale >= scale && grid.scale <= scale * (1 + 0x1p-13));
  }
  for (int i = 0; i < 3; i++) {
    const double scale = (const double[3]){0.5, 2, 200}[i], n = rows * cols;
    double zeros = 0, ones = 0, size = 0;
    sotto_matrix x = {data, rows, cols};
    sotto_key_insecure(&key, sotto_i_random_u64(&random));
    CHECK_OK(sotto_laplace_grid_whole(&grid, scale, &err));
    for (int k = 0; k < rows * cols; k++) data[k] = 7;
    CHECK_OK(sotto_laplace_grid_add_noise(&x, &grid, &key, 4, &err));
    for (int k = 0; k < rows * cols; k++) {
      assert_true(rintf(data[k]) == data[k]);
      zeros += data[k] == 7;
      ones += data[k] == 8;
      size += fabs(data[k] - 7.0);
    }
    double none = tanh(0.5 / scale), one = none * exp(-1 / scale), mean = 1 / sinh(1 / scale);
    double p = exp(-1 / scale), square = 2 * p / pow(1 - p, 2);
    assert_true(fabs(zeros - n * none) < 5 * sqrt(n * none * (1 - none)));
    assert_true(fabs(ones - n * one) < 5 * sqrt(n * one * (1 - one)));
    assert_true(fabs(size - n * mean) < 5 * sqrt(n * (square - mean * mean)));
  }
  CHECK_FAILS(SOTTO_RANGE, "whole numbers", sotto_laplace_grid_whole(&grid, 1e-5, &err));
  CHECK_FAILS(SOTTO_RANGE, "whole numbers", sotto_laplace_grid_whole(&grid, NAN, &err));
}

static void laplace_noise_refuses_what_it_cannot_hide(void **state) {
  (void)state;
  float data[2] = {1, NAN};
  sotto_matrix x = {data, 1, 2}, none = {NULL, 0, 3};
  sotto_laplace_grid grid;
  sotto_key key;
  sotto_key_system(&key);
  CHECK_FAILS(SOTTO_RANGE, "scale", sotto_laplace_grid_new(&grid, 0, &err));
  CHECK_OK(sotto_laplace_grid_new(&grid, nextafter(2, 0), &err)); /* rounds up to 2: still its own grid */
  CHECK_OK(sotto_laplace_grid_add_noise(&none, &grid, &key, 0, &err));
  CHECK_FAILS(SOTTO_NUMERIC, "column 1", sotto_laplace_grid_add_noise(&x, &grid, &key, 0, &err));
  sotto_mechanism mechanism = sotto_laplace_grid_mechanism(&grid, 1, 3);
  CHECK_OK(sotto_mechanism_check(&mechanism, &err));
  assert_true(mechanism.sensitivity >= 1 + 3 * grid.step && mechanism.noise == grid.scale);
  grid.rate++;
  CHECK_FAILS(SOTTO_INVALID, "_new", sotto_laplace_grid_add_noise(&x, &grid, &key, 0, &err));
  assert_true(data[0] == 1);
}

/* Zhou et al. 2021, theorem 3.1: the error falls by the factor 1 - (d-2)^2/d^2 s/(w+s) for rows of variance
 * w. */
static void shrinkage_lowers_the_error_as_the_theorem_says(void **state) {
  (void)state;
  enum { rows = 4000, cols = 12 };
  static float truth[rows * cols], data[rows * cols];
  sotto_i_random random = check_random();
  const double w = 1, s = 2.25;
  for (int i = 0; i < rows * cols; i++) {
    truth[i] = (float)sotto_i_random_normal(&random);
    data[i] = truth[i] + (float)(1.5 * sotto_i_random_normal(&random));
  }
  sotto_matrix x = {data, rows, cols};
  CHECK_OK(sotto_james_stein(&x, 1.5, false, &err));
  double error = 0, d = cols;
  for (int i = 0; i < rows * cols; i++) error += pow(data[i] - truth[i], 2);
  double claimed = s * (1 - (d - 2) / d * s / (w + s));
  CHECK_NEAR(error / (rows * d), claimed, 0.05);
}

static void the_positive_part_never_turns_a_row_round(void **state) {
  (void)state;
  float data[6] = {0.1F, 0.1F, 0.1F, 0, 0, 0};
  sotto_matrix x = {data, 2, 3}, thin = {data, 3, 2};
  CHECK_OK(sotto_james_stein(&x, 1, true, &err));
  assert_true(data[0] == 0 && data[3] == 0);
  CHECK_FAILS(SOTTO_RANGE, "3 on", sotto_james_stein(&thin, 1, true, &err));
  CHECK_FAILS(SOTTO_RANGE, "deviation", sotto_james_stein(&x, -1, true, &err));
  data[4] = INFINITY;
  CHECK_FAILS(SOTTO_NUMERIC, "row 1", sotto_james_stein(&x, 1, true, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_discrete_gaussian_is_never_narrower_than_asked),
      cmocka_unit_test(counts_get_noise_of_the_stated_deviation),
      cmocka_unit_test(counts_saturate_and_wrong_parameters_change_nothing),
      cmocka_unit_test(a_laplace_grid_is_never_narrower_than_asked),
      cmocka_unit_test(laplace_noise_has_the_law_of_its_grid),
      cmocka_unit_test(laplace_noise_on_whole_numbers_has_its_law),
      cmocka_unit_test(laplace_noise_refuses_what_it_cannot_hide),
      cmocka_unit_test(shrinkage_lowers_the_error_as_the_theorem_says),
      cmocka_unit_test(the_positive_part_never_turns_a_row_round),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
