/* The row kernels of a release: every variant against one loop, bit for bit. */
#include <math.h>

#include "base/cpu.h"
#include "check.h"
#include "pmp/rows/rows.h"

enum { most_rows = 19, most_cols = 101 };

/* Those that this machine can run. */
static size_t variants(const sotto_i_row_kernels **out) {
  size_t count = 0;
  out[count++] = &sotto_i_row_kernels_plain;
#if defined(__x86_64__)
  if (sotto_i_isa() >= SOTTO_I_ISA_AVX2) out[count++] = &sotto_i_row_kernels_avx2;
  if (sotto_i_isa() >= SOTTO_I_ISA_AVX512) out[count++] = &sotto_i_row_kernels_avx512;
#endif
  return count;
}

/* Of either sign, over many powers of two, so that the order of a sum shows in its last bits. */
static void draw(float *values, size_t count, sotto_i_random *random) {
  for (size_t i = 0; i < count; i++) {
    const double value = 2 * sotto_i_random_double(random) - 1;
    values[i] = (float)ldexp(value, (int)sotto_i_random_below(random, 20) - 10);
  }
}

static void squares_are_those_of_one_sum_in_order(void **state) {
  (void)state;
  const sotto_i_row_kernels *k[3];
  const size_t count = variants(k);
  sotto_i_random random = check_random();
  static float rows[most_rows * most_cols];
  for (int round = 0; round < 400; round++) {
    const size_t n = sotto_i_random_below(&random, most_rows) + 1;
    const size_t cols = sotto_i_random_below(&random, most_cols) + 1;
    double wanted[most_rows], got[most_rows];
    draw(rows, n * cols, &random);
    for (size_t i = 0; i < n; i++) {
      volatile double sum = 0;
      for (size_t j = 0; j < cols; j++) sum = sum + (double)rows[i * cols + j] * (double)rows[i * cols + j];
      wanted[i] = sum;
    }
    for (size_t v = 0; v < count; v++) {
      k[v]->squares(got, rows, n, cols);
      assert_memory_equal(got, wanted, n * sizeof *got);
    }
  }
}

static void a_square_is_finite_just_where_its_row_is(void **state) {
  (void)state;
  const sotto_i_row_kernels *k[3];
  const size_t count = variants(k);
  const float bad[] = {NAN, INFINITY, -INFINITY};
  float rows[most_rows * 7];
  double square[most_rows];
  for (size_t v = 0; v < count; v++) {
    for (size_t at = 0; at < most_rows * 7; at++) {
      for (size_t i = 0; i < most_rows * 7; i++) rows[i] = i % 2 == 0 ? 3.4e38F : -3.4e38F;
      rows[at] = bad[at % 3];
      k[v]->squares(square, rows, most_rows, 7);
      for (size_t i = 0; i < most_rows; i++) assert_true((isfinite(square[i]) != 0) == (i != at / 7));
    }
  }
}

static void noise_and_scale_round_as_one_value_at_a_time(void **state) {
  (void)state;
  const sotto_i_row_kernels *k[3];
  const size_t count = variants(k);
  sotto_i_random random = check_random();
  for (int round = 0; round < 2000; round++) {
    const size_t cols = sotto_i_random_below(&random, most_cols) + 1;
    const double to_steps = ldexp(1 + sotto_i_random_double(&random), (int)(round % 40) - 30);
    const double step = ldexp(1, -(int)(round % 30)), factor = sotto_i_random_double(&random);
    int64_t sum[most_cols];
    int32_t noise[most_cols];
    float row[most_cols], wanted[2][most_cols], got[2][most_cols];
    draw(row, cols, &random);
    for (size_t j = 0; j < cols; j++) {
      sum[j] = (int64_t)sotto_i_random_u64(&random) >> (round % 60);
      noise[j] = (int32_t)sotto_i_random_u32(&random);
      volatile double product = (double)sum[j] * to_steps;
      volatile double steps = nearbyint(product);
      steps = steps + noise[j];
      wanted[0][j] = (float)(steps * step);
      wanted[1][j] = (float)((double)row[j] * factor);
    }
    for (size_t v = 0; v < count; v++) {
      k[v]->noisy_steps(got[0], sum, noise, to_steps, step, cols);
      k[v]->scale(got[1], row, factor, cols);
      k[v]->scale(row, row, 1, cols);
      assert_memory_equal(got[0], wanted[0], cols * sizeof(float));
      assert_memory_equal(got[1], wanted[1], cols * sizeof(float));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(squares_are_those_of_one_sum_in_order),
      cmocka_unit_test(a_square_is_finite_just_where_its_row_is),
      cmocka_unit_test(noise_and_scale_round_as_one_value_at_a_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
