/* Secret batches and the subsampled Gaussian sum. */
#include <math.h>

#include "check.h"
#include "chi_square.h"
#include "dp/noise/noise.h"
#include "inside/dp.h"

static void poisson_batches_have_the_stated_rate(void **state) {
  (void)state;
  enum { population = 200, rounds = 3000 };
  sotto_i_random random = check_random();
  sotto_key key;
  sotto_key_insecure(&key, sotto_i_random_u64(&random));
  const sotto_sampling sampling = {.population = population, .rate = 0.1};
  uint32_t rows[population];
  uint64_t sizes[population + 1] = {0}, joined[population] = {0};
  double expected[population + 1], each[population];
  for (uint32_t round = 0; round < rounds; round++) {
    size_t count;
    CHECK_OK(sotto_sampling_draw(rows, &count, &sampling, &key, round, &err));
    sizes[count]++;
    for (size_t i = 0; i < count; i++) {
      joined[rows[i]]++;
      assert_true(rows[i] < population && (i == 0 || rows[i] > rows[i - 1]));
    }
  }
  for (int k = 0; k <= population; k++)
    expected[k] = rounds * exp(lgamma(population + 1) - lgamma(k + 1) - lgamma(population - k + 1) +
                               k * log(0.1) + (population - k) * log(0.9));
  for (int i = 0; i < population; i++) each[i] = rounds * 0.1;
  assert_true(chi_square_z(sizes, expected, population + 1) < CHI_SQUARE_LIMIT);
  assert_true(chi_square_z(joined, each, population) < CHI_SQUARE_LIMIT);
}

static void fixed_batches_hold_every_set_alike(void **state) {
  (void)state;
  enum { population = 6, batch = 3, sets = 20, rounds = 8000 };
  sotto_i_random random = check_random();
  sotto_key key;
  sotto_key_insecure(&key, sotto_i_random_u64(&random));
  const sotto_sampling sampling = {.population = population, .batch = batch};
  uint64_t by_mask[1 << population] = {0}, seen[sets];
  double expected[sets];
  for (uint32_t round = 0; round < rounds; round++) {
    uint32_t rows[batch];
    size_t count;
    CHECK_OK(sotto_sampling_draw(rows, &count, &sampling, &key, round, &err));
    assert_int_equal(count, batch);
    by_mask[1U << rows[0] | 1U << rows[1] | 1U << rows[2]]++;
  }
  size_t found = 0;
  for (unsigned mask = 0; mask < 1U << population; mask++)
    if (by_mask[mask] > 0) {
      assert_true(found < sets);
      expected[found] = rounds / (double)sets;
      seen[found++] = by_mask[mask];
    }
  assert_int_equal(found, sets);
  assert_true(chi_square_z(seen, expected, sets) < CHI_SQUARE_LIMIT);
}

/* Everybody joins, little noise: the sum of cut rows, by the slow way. */
static void the_sum_is_that_of_cut_rows(void **state) {
  (void)state;
  enum { rows = 400, cols = 7 };
  static float data[rows * cols];
  sotto_i_random random = check_random();
  for (int i = 0; i < rows * cols; i++) data[i] = (float)(sotto_i_random_normal(&random) * (i % 3));
  for (int j = 0; j < cols; j++) data[j] = 0;
  sotto_matrix x = {data, rows, cols};
  float sums[cols];
  sotto_matrix sum = {sums, 1, cols};
  sotto_grid grid;
  sotto_key key;
  sotto_key_insecure(&key, sotto_i_random_u64(&random));
  CHECK_OK(sotto_grid_new(&grid, 0.02, &err));
  const sotto_sampling everybody = {.population = rows, .rate = 1};
  CHECK_OK(sotto_sampled_gaussian_sum(&sum, &x, 1.5, &everybody, &grid, &key, 0, &err));
  int32_t noise[cols];
  sotto_i_noise_steps(noise, cols, grid.sigma / grid.step, &key, 0, 0);
  for (int j = 0; j < cols; j++) {
    double total = 0;
    for (int i = 0; i < rows; i++) {
      double norm = 0;
      for (int k = 0; k < cols; k++) norm += pow(data[i * cols + k], 2);
      total += data[i * cols + j] * (norm > 1.5 * 1.5 ? 1.5 / sqrt(norm) : 1);
    }
    assert_true(fabs(sums[j] - noise[j] * grid.step - total) <= 0.51 * grid.step + rows * 1.5 * 0x1p-24);
  }
}

static void descriptions_carry_what_runs(void **state) {
  (void)state;
  sotto_grid grid;
  CHECK_OK(sotto_grid_new(&grid, 3, &err));
  const sotto_sampling poisson = {.population = 100, .rate = 0.25}, fixed = {.population = 100, .batch = 25};
  sotto_mechanism a = sotto_sampled_gaussian_mechanism(&poisson, &grid, 1, 16);
  sotto_mechanism b = sotto_sampled_gaussian_mechanism(&fixed, &grid, 1, 16);
  CHECK_OK(sotto_mechanism_check(&a, &err));
  CHECK_OK(sotto_mechanism_check(&b, &err));
  assert_true(a.rate == 0.25 && a.noise == 3 && b.population == 100 && b.batch == 25);
  CHECK_NEAR(a.sensitivity, 1 + 4 * grid.step, 1e-6);
  CHECK_NEAR(b.sensitivity, 2 + 4 * grid.step, 1e-6);
}

static void wrong_sampling_is_refused(void **state) {
  (void)state;
  const struct {
    sotto_sampling sampling;
    sotto_status status;
  } cases[] = {{{.population = 0, .rate = 1}, SOTTO_RANGE},
               {{.population = 9}, SOTTO_INVALID},
               {{9, 0.5, 3}, SOTTO_INVALID},
               {{.population = 9, .rate = 1.5}, SOTTO_RANGE},
               {{.population = 9, .rate = NAN}, SOTTO_RANGE},
               {{.population = 9, .batch = 10}, SOTTO_RANGE}};
  uint32_t rows[9];
  size_t count;
  sotto_key key;
  sotto_key_system(&key);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    CHECK_FAILS(cases[i].status, "", sotto_sampling_draw(rows, &count, &cases[i].sampling, &key, 0, &err));
  const sotto_sampling good = {.population = 9, .rate = 0.5};
  float data[9] = {1, 2, INFINITY}, one[1];
  sotto_matrix x = {data, 9, 1}, sum = {one, 1, 1}, wide = {data, 1, 2};
  sotto_grid grid;
  CHECK_OK(sotto_grid_new(&grid, 1, &err));
  CHECK_FAILS(SOTTO_NUMERIC, "row 2", sotto_sampled_gaussian_sum(&sum, &x, 1, &good, &grid, &key, 0, &err));
  CHECK_FAILS(SOTTO_INVALID, "1 x 2", sotto_sampled_gaussian_sum(&wide, &x, 1, &good, &grid, &key, 0, &err));
  CHECK_FAILS(SOTTO_RANGE, "norm", sotto_sampled_gaussian_sum(&sum, &x, 0, &good, &grid, &key, 0, &err));
  sotto_key_public(&key, 1);
  CHECK_FAILS(SOTTO_INVALID, "public", sotto_sampling_draw(rows, &count, &good, &key, 0, &err));
}

static void every_allocation_of_a_sum_may_fail(void **state) {
  (void)state;
  float data[12] = {1}, sums[3];
  sotto_matrix x = {data, 4, 3}, sum = {sums, 1, 3};
  const sotto_sampling sampling = {.population = 4, .rate = 0.5};
  sotto_grid grid;
  sotto_key key;
  sotto_key_system(&key);
  CHECK_OK(sotto_grid_new(&grid, 1, &err));
  sotto_status status = SOTTO_NOMEM;
  for (uint64_t nth = 1; status == SOTTO_NOMEM; nth++) {
    (void)sotto_i_memory_fail_at(nth);
    status = sotto_sampled_gaussian_sum(&sum, &x, 1, &sampling, &grid, &key, 0, NULL);
    assert_true(nth < 10);
  }
  (void)sotto_i_memory_fail_at(0);
  assert_int_equal(status, SOTTO_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(poisson_batches_have_the_stated_rate),
      cmocka_unit_test(fixed_batches_hold_every_set_alike),
      cmocka_unit_test(the_sum_is_that_of_cut_rows),
      cmocka_unit_test(descriptions_carry_what_runs),
      cmocka_unit_test(wrong_sampling_is_refused),
      cmocka_unit_test(every_allocation_of_a_sum_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
