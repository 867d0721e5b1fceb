/* Noise on a public grid: the lattice of outputs, refusals, streams, threads. */
#include <math.h>

#include "check.h"
#include "dp/noise/noise.h"
#include "inside/dp.h"

static void fill(sotto_i_random *random, float *data, size_t count) {
  for (size_t i = 0; i < count; i++) data[i] = (float)sotto_i_random_normal(random);
}

static void the_step_is_a_power_of_two_near_sigma_over_1024(void **state) {
  (void)state;
  static const double sigmas[] = {1e-20, 1e-7, 0.3, 0.5, 1, 1.9999, 2, 31, 1e20};
  for (size_t i = 0; i < sizeof sigmas / sizeof *sigmas; i++) {
    sotto_grid grid;
    CHECK_OK(sotto_grid_new(&grid, sigmas[i], &err));
    int exponent;
    assert_true(frexp(grid.step, &exponent) == 0.5);
    assert_true(grid.sigma == sigmas[i] && sigmas[i] / grid.step >= 1024 && sigmas[i] / grid.step < 2048);
  }
}

static void a_sigma_out_of_range_is_refused(void **state) {
  (void)state;
  static const double bad[] = {0, -1, 1e-21, 1e21, INFINITY, NAN};
  sotto_grid grid;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK_FAILS(SOTTO_RANGE, "standard deviation", sotto_grid_new(&grid, bad[i], &err));
}

static void outputs_lie_on_the_grid_whatever_the_low_bits_of_the_input(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_grid grid;
  CHECK_OK(sotto_grid_new(&grid, 0.75, &err));
  enum { n = 4096 };
  static float a[n], b[n];
  fill(&random, a, n);
  for (int i = 0; i < n; i++) {
    /* Keep away from the edge where rounding itself turns over; then move by less than a step's rest. */
    a[i] = (float)((rint(a[i] / grid.step) + 0.25 * sotto_i_random_double(&random)) * grid.step);
    b[i] = nextafterf(a[i], INFINITY);
  }
  sotto_matrix first = {a, 64, 64}, second = {b, 64, 64};
  sotto_key key;
  sotto_key_insecure(&key, 7);
  CHECK_OK(sotto_grid_add_noise(&first, &grid, &key, 1, &err));
  CHECK_OK(sotto_grid_add_noise(&second, &grid, &key, 1, &err));
  for (int i = 0; i < n; i++) {
    assert_true(a[i] == b[i]);
    assert_true(rint(a[i] / grid.step) == a[i] / grid.step);
  }
}

static void every_multiple_of_the_step_can_come_out(void **state) {
  (void)state;
  sotto_grid grid;
  CHECK_OK(sotto_grid_new(&grid, 1, &err));
  enum { rows = 1000, cols = 100, reach = 512 };
  static float data[rows * cols];
  static bool seen[2 * reach + 1];
  sotto_matrix x = {data, rows, cols};
  sotto_key key;
  sotto_key_insecure(&key, 8);
  CHECK_OK(sotto_grid_add_noise(&x, &grid, &key, 0, &err));
  for (int i = 0; i < rows * cols; i++) {
    double steps = data[i] / grid.step;
    if (fabs(steps) <= reach) seen[(int)steps + reach] = true;
  }
  for (int i = 0; i <= 2 * reach; i++) assert_true(seen[i]); /* each is missed with probability 1e-15 */
}

static void outputs_are_clamped_symmetrically(void **state) {
  (void)state;
  sotto_grid grid;
  CHECK_OK(sotto_grid_new(&grid, 1, &err));
  float data[4] = {3e38F, -3e38F, 0x1p15F, -0x1p15F};
  sotto_matrix x = {data, 1, 4};
  sotto_key key;
  sotto_key_insecure(&key, 9);
  CHECK_OK(sotto_grid_add_noise(&x, &grid, &key, 0, &err));
  double top = SOTTO_I_GRID_LIMIT * grid.step;
  assert_true(data[0] == top && data[1] == -top);
  for (int i = 0; i < 4; i++) assert_true(fabs((double)data[i]) <= top);
}

static void rows_are_the_same_for_any_number_of_threads_and_one_by_one(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_grid grid;
  CHECK_OK(sotto_grid_new(&grid, 3, &err));
  enum { rows = 700, cols = 67 };
  static float start[rows * cols], one[rows * cols], four[rows * cols], each[rows * cols];
  fill(&random, start, (size_t)rows * cols);
  memcpy(one, start, sizeof start);
  memcpy(four, start, sizeof start);
  memcpy(each, start, sizeof start);
  sotto_key key;
  sotto_key_insecure(&key, 10);
  sotto_matrix x = {one, rows, cols}, y = {four, rows, cols};
  CHECK_OK(sotto_threads_set(1, &err));
  CHECK_OK(sotto_grid_add_noise(&x, &grid, &key, 5, &err));
  CHECK_OK(sotto_threads_set(4, &err));
  CHECK_OK(sotto_grid_add_noise(&y, &grid, &key, 5, &err));
  for (size_t i = 0; i < rows; i++) sotto_i_grid_add_row(&grid, each + i * cols, cols, &key, 5, i);
  assert_memory_equal(one, four, sizeof one);
  assert_memory_equal(one, each, sizeof one);
}

static void rows_made_together_are_those_made_one_by_one(void **state) {
  (void)state;
  enum { most = 150 };
  static int32_t together[most * most], one[most];
  sotto_i_random random = check_random();
  sotto_key key;
  sotto_key_insecure(&key, 13);
  for (size_t cols = 0; cols < most; cols += cols < 70 ? 1 : 13) {
    const size_t rows = (size_t)sotto_i_random_below(&random, most);
    const uint64_t first = sotto_i_random_u64(&random) >> 8;
    sotto_i_noise_steps_rows(together, rows, cols, 1500, &key, 6, first);
    for (size_t i = 0; i < rows; i++) {
      sotto_i_noise_steps(one, cols, 1500, &key, 6, first + i);
      assert_memory_equal(together + i * cols, one, cols * sizeof *one);
    }
  }
}

static void streams_differ_by_key_sub_and_row(void **state) {
  (void)state;
  enum { n = 32 };
  int32_t noise[4][n], again[n];
  sotto_key key, other;
  sotto_key_insecure(&key, 11);
  sotto_key_insecure(&other, 12);
  sotto_i_noise_steps(noise[0], n, 1500, &key, 0, 0);
  sotto_i_noise_steps(noise[1], n, 1500, &key, 1, 0);
  sotto_i_noise_steps(noise[2], n, 1500, &key, 0, 1);
  sotto_i_noise_steps(noise[3], n, 1500, &other, 0, 0);
  sotto_i_noise_steps(again, n, 1500, &key, 0, 0);
  assert_memory_equal(noise[0], again, sizeof again);
  for (int a = 0; a < 4; a++)
    for (int b = a + 1; b < 4; b++) assert_memory_not_equal(noise[a], noise[b], sizeof again);
}

static void a_repeatable_run_keeps_its_noise_from_version_to_version(void **state) {
  (void)state;
  int32_t noise[6];
  sotto_key key;
  sotto_key_insecure(&key, 2026);
  sotto_i_noise_steps(noise, 6, 1024, &key, 2, 9);
  /* Made by this library, version 0.1.0; a change here breaks every run that names its seed. */
  static const int32_t golden[6] = {878, -248, -54, 998, -11, -981};
  for (int i = 0; i < 6; i++)
    if (noise[i] != golden[i]) fail_msg("draw %d is %d, not %d", i, noise[i], golden[i]);
}

static void a_key_that_cannot_hide_is_refused_and_nothing_changes(void **state) {
  (void)state;
  sotto_grid grid;
  CHECK_OK(sotto_grid_new(&grid, 1, &err));
  float data[2] = {0.1F, 0.2F};
  sotto_matrix x = {data, 1, 2};
  sotto_key key = {0};
  CHECK_FAILS(SOTTO_INVALID, "zeroed", sotto_grid_add_noise(&x, &grid, &key, 0, &err));
  sotto_key_public(&key, 1);
  CHECK_FAILS(SOTTO_INVALID, "public", sotto_grid_add_noise(&x, &grid, &key, 0, &err));
  sotto_key_system(&key);
  CHECK_FAILS(SOTTO_RANGE, "2^24", sotto_grid_add_noise(&x, &grid, &key, 1U << 24, &err));
  grid.step *= 2;
  CHECK_FAILS(SOTTO_INVALID, "sotto_grid_new", sotto_grid_add_noise(&x, &grid, &key, 0, &err));
  assert_true(data[0] == 0.1F && data[1] == 0.2F);
}

static void a_value_that_is_not_finite_is_refused_before_anything_changes(void **state) {
  (void)state;
  sotto_grid grid;
  CHECK_OK(sotto_grid_new(&grid, 1, &err));
  static const float bad[] = {NAN, INFINITY, -INFINITY};
  sotto_key key;
  sotto_key_system(&key);
  for (int i = 0; i < 3; i++) {
    float data[6] = {1, 2, 3, 4, bad[i], 6};
    sotto_matrix x = {data, 2, 3};
    CHECK_FAILS(SOTTO_NUMERIC, "row 1, column 1", sotto_grid_add_noise(&x, &grid, &key, 0, &err));
    assert_true(data[0] == 1 && data[5] == 6);
  }
}

static void an_empty_matrix_is_fine(void **state) {
  (void)state;
  sotto_grid grid;
  CHECK_OK(sotto_grid_new(&grid, 1, &err));
  sotto_matrix none = {NULL, 0, 5}, thin = {NULL, 5, 0};
  sotto_key key;
  sotto_key_system(&key);
  CHECK_OK(sotto_grid_add_noise(&none, &grid, &key, 0, &err));
  CHECK_OK(sotto_grid_add_noise(&thin, &grid, &key, 0, &err));
}

static void rounding_never_moves_neighbours_farther_than_the_sensitivity_says(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_grid grid;
  CHECK_OK(sotto_grid_new(&grid, 0.9, &err));
  double closest = 0;
  for (int round = 0; round < 20000; round++) {
    int differing = 1 + (int)sotto_i_random_below(&random, 6);
    double before = 0, after = 0;
    for (int i = 0; i < differing; i++) {
      /* Just below and just above a turning point: the worst that can happen. */
      double a = (0.5 - 1e-6) * grid.step;
      double b = a + grid.step * (round % 2 == 0 ? 2e-6 : sotto_i_random_double(&random));
      before += (a - b) * (a - b);
      after += pow((rint(a / grid.step) - rint(b / grid.step)) * grid.step, 2);
    }
    double bound = sotto_grid_sensitivity(&grid, sqrt(before), differing);
    assert_true(sqrt(after) <= bound);
    closest = fmax(closest, sqrt(after) / bound);
  }
  assert_true(closest > 0.999); /* and the bound is met, so no smaller one would do */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_step_is_a_power_of_two_near_sigma_over_1024),
      cmocka_unit_test(a_sigma_out_of_range_is_refused),
      cmocka_unit_test(outputs_lie_on_the_grid_whatever_the_low_bits_of_the_input),
      cmocka_unit_test(every_multiple_of_the_step_can_come_out),
      cmocka_unit_test(outputs_are_clamped_symmetrically),
      cmocka_unit_test(rows_are_the_same_for_any_number_of_threads_and_one_by_one),
      cmocka_unit_test(rows_made_together_are_those_made_one_by_one),
      cmocka_unit_test(streams_differ_by_key_sub_and_row),
      cmocka_unit_test(a_repeatable_run_keeps_its_noise_from_version_to_version),
      cmocka_unit_test(a_key_that_cannot_hide_is_refused_and_nothing_changes),
      cmocka_unit_test(a_value_that_is_not_finite_is_refused_before_anything_changes),
      cmocka_unit_test(an_empty_matrix_is_fine),
      cmocka_unit_test(rounding_never_moves_neighbours_farther_than_the_sensitivity_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
