/* Products over Z_2^64 against three plain loops, and fixed point. */
#include <math.h>

#include "base/cpu.h"
#include "check.h"
#include "inside/mpc.h"
#include "mpc/ring.h"

static sotto_ring random_ring(sotto_i_random *random, size_t rows, size_t cols) {
  sotto_ring out;
  CHECK_OK(sotto_ring_new(&out, rows, cols, &err));
  for (size_t i = 0; i < rows * cols; i++) out.data[i] = sotto_i_random_u64(random);
  return out;
}

static uint64_t plain_entry(const sotto_ring *a, const sotto_ring *b, size_t i, size_t j) {
  uint64_t sum = 0;
  for (size_t k = 0; k < a->cols; k++) sum += a->data[i * a->cols + k] * b->data[k * b->cols + j];
  return sum;
}

static void check_product(const sotto_i_ring_kernel *kernel, sotto_i_random *random, const size_t *shape) {
  sotto_ring a = random_ring(random, shape[0], shape[1]), b = random_ring(random, shape[1], shape[2]);
  sotto_ring out = random_ring(random, shape[0], shape[2]), before;
  CHECK_OK(sotto_ring_new(&before, shape[0], shape[2], &err));
  for (int add = 0; add < 2; add++) {
    sotto_ring_subtract(&before, &out, &before); /* what stands there now, 0 the first time */
    if (!add) memset(before.data, 0, shape[0] * shape[2] * sizeof *before.data);
    CHECK_OK(sotto_i_ring_product_by(kernel, &out, &a, &b, add, &err));
    for (size_t i = 0; i < shape[0]; i++)
      for (size_t j = 0; j < shape[2]; j++)
        if (out.data[i * shape[2] + j] != before.data[i * shape[2] + j] + plain_entry(&a, &b, i, j))
          fail_msg("%zu x %zu x %zu, entry %zu, %zu, add %d", shape[0], shape[1], shape[2], i, j, add);
    memset(before.data, 0, shape[0] * shape[2] * sizeof *before.data);
  }
  sotto_ring_free(&a);
  sotto_ring_free(&b);
  sotto_ring_free(&out);
  sotto_ring_free(&before);
}

static void check_kernel(const sotto_i_ring_kernel *kernel) {
  static const size_t shapes[][3] = {{1, 1, 1},    {8, 128, 16}, {9, 129, 17},  {7, 127, 15},
                                     {33, 300, 5}, {70, 1, 40},  {1, 500, 33},  {0, 4, 4},
                                     {4, 0, 4},    {4, 4, 0},    {65, 257, 100}};
  sotto_i_random random = check_random();
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) check_product(kernel, &random, shapes[s]);
}

static void plain_products_are_right(void **state) {
  (void)state;
  check_kernel(&sotto_i_ring_plain);
}

static void avx2_products_are_right(void **state) {
  (void)state;
#if defined(__x86_64__)
  if (sotto_i_isa() >= SOTTO_I_ISA_AVX2) {
    check_kernel(&sotto_i_ring_avx2);
    return;
  }
#endif
  print_message("this machine has no AVX2\n");
  skip();
}

static void avx512_products_are_right(void **state) {
  (void)state;
#if defined(__x86_64__)
  if (sotto_i_isa() >= SOTTO_I_ISA_AVX512) {
    check_kernel(&sotto_i_ring_avx512);
    return;
  }
#endif
  print_message("this machine has no AVX-512\n");
  skip();
}

static void shapes_that_do_not_fit_are_refused(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_ring a = random_ring(&random, 2, 3), b = random_ring(&random, 2, 3), out = random_ring(&random, 2, 3);
  CHECK_FAILS(SOTTO_RANGE, "2 x 3 by 2 x 3", sotto_ring_product(&out, &a, &b, false, &err));
  CHECK_FAILS(SOTTO_NOMEM, "no memory", sotto_ring_new(&(sotto_ring){0}, SIZE_MAX, 2, &err));
  sotto_ring_free(&a);
  sotto_ring_free(&b);
  sotto_ring_free(&out);
}

static void fixed_point_rounds_to_half_a_step(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_matrix x, back;
  sotto_ring ring;
  CHECK_OK(sotto_matrix_new(&x, 20, 10, &err));
  CHECK_OK(sotto_matrix_new(&back, 20, 10, &err));
  CHECK_OK(sotto_ring_new(&ring, 20, 10, &err));
  for (size_t i = 0; i < 200; i++) x.data[i] = (float)(2 * sotto_i_random_double(&random) - 1);
  CHECK_OK(sotto_fixed_encode(&ring, &x, SOTTO_FIXED_BITS, 1, &err));
  sotto_fixed_decode(&back, &ring, SOTTO_FIXED_BITS);
  for (size_t i = 0; i < 200; i++) assert_true(fabs(back.data[i] - x.data[i]) <= ldexp(1, -21) + 6e-8);
  sotto_matrix_free(&x);
  sotto_matrix_free(&back);
  sotto_ring_free(&ring);
}

static void values_out_of_range_are_refused_with_their_place(void **state) {
  (void)state;
  float values[4] = {0, 0.5F, 0, 1.5F};
  const sotto_matrix x = {values, 2, 2};
  sotto_ring ring;
  CHECK_OK(sotto_ring_new(&ring, 2, 2, &err));
  CHECK_FAILS(SOTTO_RANGE, "row 1, column 1: 1.5 is beyond", sotto_fixed_encode(&ring, &x, 20, 1, &err));
  values[3] = -1.5F;
  CHECK_FAILS(SOTTO_RANGE, "-1.5 is beyond", sotto_fixed_encode(&ring, &x, 20, 1, &err));
  values[1] = NAN;
  CHECK_FAILS(SOTTO_NUMERIC, "row 0, column 1", sotto_fixed_encode(&ring, &x, 20, 1, &err));
  CHECK_FAILS(SOTTO_RANGE, "31 fraction bits", sotto_fixed_encode(&ring, &x, 31, 1, &err));
  CHECK_FAILS(SOTTO_RANGE, "not below 2^62", sotto_fixed_encode(&ring, &x, 20, 4398046511104.0, &err));
  CHECK_FAILS(SOTTO_RANGE, "not below 2^62", sotto_fixed_encode(&ring, &x, 20, NAN, &err));
  sotto_ring_free(&ring);
}

/* 2^22 products of ones with 20 bits reach 2^62: refused; one less with the rounding is refused too, 4
 * million not. */
static void products_that_may_overflow_are_refused(void **state) {
  (void)state;
  CHECK_OK(sotto_fixed_check_product(4000000, 1, 1, 20, &err));
  CHECK_FAILS(SOTTO_RANGE, "may reach 2^62", sotto_fixed_check_product((size_t)1 << 22, 1, 1, 20, &err));
  CHECK_FAILS(SOTTO_RANGE, "may reach 2^62", sotto_fixed_check_product(1, 3e9, 3e9, 20, &err));
  CHECK_FAILS(SOTTO_RANGE, "may reach 2^62", sotto_fixed_check_product(1, NAN, 1, 20, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_products_are_right),
      cmocka_unit_test(avx2_products_are_right),
      cmocka_unit_test(avx512_products_are_right),
      cmocka_unit_test(shapes_that_do_not_fit_are_refused),
      cmocka_unit_test(fixed_point_rounds_to_half_a_step),
      cmocka_unit_test(values_out_of_range_are_refused_with_their_place),
      cmocka_unit_test(products_that_may_overflow_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
