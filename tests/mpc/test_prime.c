/* Arithmetic modulo p = 2^64 - 2^32 + 1 against sums of doublings, and each kernel against plain loops. */
#include "base/cpu.h"
#include "check.h"
#include "chi_square.h"
#include "mpc/prime.h"

static uint64_t slow_add(uint64_t a, uint64_t b) {
  return a >= SOTTO_I_PRIME - b ? a - (SOTTO_I_PRIME - b) : a + b;
}

/* By doubling and adding. */
static uint64_t slow_mul(uint64_t a, uint64_t b) {
  uint64_t out = 0;
  for (int bit = 63; bit >= 0; bit--) {
    out = slow_add(out, out);
    if (b >> bit & 1) out = slow_add(out, a);
  }
  return out;
}

static uint64_t draw(sotto_i_random *random) {
  static const uint64_t edges[] = {
      0, 1, 2, 0xFFFFFFFF, 0x100000000, 0xFFFFFFFF00000000, 0x7FFFFFFF80000000, 0x7FFFFFFF80000001,
  };
  const uint64_t which = sotto_i_random_below(random, 24);
  return which < 8 ? edges[which] : sotto_i_random_below(random, SOTTO_I_PRIME);
}

static void sums_and_products_are_right(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int i = 0; i < 20000; i++) {
    const uint64_t a = draw(&random), b = draw(&random);
    assert_true(sotto_i_prime_add(a, b) == slow_add(a, b));
    assert_true(sotto_i_prime_sub(slow_add(a, b), b) == a);
    assert_true(sotto_i_prime_mul(a, b) == slow_mul(a, b));
    if (a != 0) assert_true(slow_mul(a, sotto_i_prime_inverse(a)) == 1);
  }
}

static void signed_numbers_come_back(void **state) {
  (void)state;
  const int64_t numbers[] = {
      0, 1, -1, 1 << 30, -(1 << 30), INT64_C(0x7FFFFFFF00000000), -INT64_C(0x7FFFFFFF00000000)};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    assert_true(sotto_i_prime_signed(sotto_i_prime_of(numbers[i])) == numbers[i]);
    assert_true(sotto_i_prime_of(numbers[i]) < SOTTO_I_PRIME);
  }
}

static void roots_have_their_order(void **state) {
  (void)state;
  for (unsigned bits = 0; bits <= 32; bits++) {
    const uint64_t root = sotto_i_prime_root((uint64_t)1 << bits);
    uint64_t power = root;
    for (unsigned i = 0; i + 1 < bits; i++) power = slow_mul(power, power);
    assert_true(power == (bits == 0 ? 1 : SOTTO_I_PRIME - 1));
    if (bits < 32)
      assert_true(
          slow_mul(sotto_i_prime_root((uint64_t)2 << bits), sotto_i_prime_root((uint64_t)2 << bits)) == root);
  }
}

/* The polynomial of degree below n through values at w^m, at one point: Lagrange, term by term. */
static uint64_t slow_value(const uint64_t *values, size_t stride, size_t n, uint64_t at) {
  const uint64_t w = sotto_i_prime_root(n);
  uint64_t sum = 0;
  for (size_t m = 0; m < n; m++) {
    uint64_t term = values[m * stride];
    const uint64_t own = sotto_i_prime_power(w, m);
    for (size_t other = 0; other < n; other++) {
      if (other == m) continue;
      const uint64_t root = sotto_i_prime_power(w, other);
      term = slow_mul(term, sotto_i_prime_sub(at, root));
      term = slow_mul(term, sotto_i_prime_inverse(sotto_i_prime_sub(own, root)));
    }
    sum = slow_add(sum, term);
  }
  return sum;
}

static void check_shift(const sotto_i_prime_kernels *kernels, sotto_i_random *random, size_t n,
                        size_t width) {
  sotto_i_prime_powers powers;
  uint64_t *before, *after;
  CHECK_OK(sotto_i_prime_powers_new(&powers, n, &err));
  CHECK_OK(sotto_i_new(&before, n * width, sizeof *before, &err));
  CHECK_OK(sotto_i_new(&after, n * width, sizeof *after, &err));
  for (size_t i = 0; i < n * width; i++) before[i] = after[i] = draw(random);
  kernels->shift(after, width, &powers);
  const uint64_t v = sotto_i_prime_root(2 * (uint64_t)n);
  for (size_t m = 0; m < n; m++)
    for (size_t c = 0; c < width; c++)
      assert_true(after[m * width + c] ==
                  slow_value(before + c, width, n, sotto_i_prime_power(v, 2 * m + 1)));
  sotto_i_prime_powers_free(&powers);
  sotto_i_free(before);
  sotto_i_free(after);
}

static void check_kernels(const sotto_i_prime_kernels *kernels) {
  sotto_i_random random = check_random();
  uint64_t a[67], b[67], out[67], wanted[67];
  for (size_t count = 0; count <= 67; count++) {
    const uint64_t factor = draw(&random);
    uint64_t dot = 0;
    for (size_t i = 0; i < count; i++) {
      a[i] = draw(&random);
      b[i] = draw(&random);
      dot = slow_add(dot, slow_mul(a[i], b[i]));
    }
    assert_true(kernels->dot(a, b, count) == dot);
    for (int kernel = 0; kernel < 3; kernel++) {
      for (size_t i = 0; i < count; i++) {
        out[i] = b[i];
        wanted[i] = kernel == 0   ? slow_add(b[i], slow_mul(a[i], factor))
                    : kernel == 1 ? slow_add(b[i], a[i])
                                  : sotto_i_prime_sub(b[i], a[i]);
      }
      if (kernel == 0) kernels->add_scaled(out, a, factor, count);
      if (kernel == 1) kernels->add(out, a, count);
      if (kernel == 2) kernels->subtract(out, a, count);
      if (count > 0) assert_memory_equal(out, wanted, count * sizeof *out);
    }
  }
  static const size_t shapes[][2] = {{2, 1}, {2, 9}, {4, 3}, {8, 32}, {16, 5}};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    check_shift(kernels, &random, shapes[s][0], shapes[s][1]);
}

static void plain_kernels_are_right(void **state) {
  (void)state;
  check_kernels(&sotto_i_prime_plain);
}

static void kernels_of_this_processor_are_right(void **state) {
  (void)state;
#if defined(__x86_64__)
  if (sotto_i_isa() >= SOTTO_I_ISA_AVX2) check_kernels(&sotto_i_prime_avx2);
  if (sotto_i_isa() >= SOTTO_I_ISA_AVX512) check_kernels(&sotto_i_prime_avx512);
  if (sotto_i_isa() >= SOTTO_I_ISA_AVX2) return;
#endif
  skip();
}

static void streams_are_uniform_below_the_prime(void **state) {
  (void)state;
  enum { count = 100000, bins = 64 };
  sotto_key key;
  uint64_t *numbers, *again, seen[bins] = {0};
  double expected[bins];
  sotto_key_system(&key);
  CHECK_OK(sotto_i_new(&numbers, count, sizeof *numbers, &err));
  CHECK_OK(sotto_i_new(&again, count, sizeof *again, &err));
  sotto_i_prime_expand(numbers, count, &key, 1);
  for (size_t i = 0; i < count; i++) {
    assert_true(numbers[i] < SOTTO_I_PRIME);
    seen[numbers[i] >> 58]++;
  }
  for (size_t i = 0; i < bins; i++) expected[i] = (double)count / bins;
  assert_true(chi_square_z(seen, expected, bins) < CHI_SQUARE_LIMIT);
  sotto_i_prime_expand(again, count / 3, &key, 1); /* a shorter one is its beginning */
  assert_memory_equal(again, numbers, count / 3 * sizeof *again);
  sotto_i_prime_expand(again, count, &key, 2);
  assert_memory_not_equal(again, numbers, count * sizeof *again);
  sotto_i_free(numbers);
  sotto_i_free(again);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_and_products_are_right),
      cmocka_unit_test(signed_numbers_come_back),
      cmocka_unit_test(roots_have_their_order),
      cmocka_unit_test(plain_kernels_are_right),
      cmocka_unit_test(kernels_of_this_processor_are_right),
      cmocka_unit_test(streams_are_uniform_below_the_prime),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
