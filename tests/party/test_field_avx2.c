/* The field of four values in doubles: field_body.h, more sums of wide values, and the caller's rounding. */
#include "base/cpu.h"
#include "check.h"

#if defined(__x86_64__)
#define SOTTO_CHECKED_FIELD /* by the address sanitizer, where there is one */
#include "party/curve/field_avx2.h"

enum { field_bits = 51, field_signed = 1 };

static int64_t field_most(int i) {
  (void)i;
  return ((int64_t)1 << 50) + (1 << 17);
}

/* Where a carry begins. */
static int64_t field_edge(int i) {
  (void)i;
  return (int64_t)1 << 50;
}

static int64_t field_limb(fe a, int i, size_t lane) {
  double limb[lanes];
  memcpy(limb, &a.v[i], sizeof limb);
  assert_true(limb[lane] == (double)(int64_t)limb[lane]);
  return (int64_t)limb[lane];
}

static fe field_of(int64_t limb[5][lanes]) {
  fe r;
  for (int i = 0; i < 5; i++) {
    double x[lanes];
    for (int lane = 0; lane < lanes; lane++) x[lane] = (double)limb[i][lane];
    r.v[i] = _mm256_loadu_pd(x);
  }
  return r;
}

#include "field_body.h"

static void many_wide_values_are_summed(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 300; round++) {
    const fe a = draw(&random, round), b = draw(&random, round);
    const wide_fe w = wide_mul(a, b), s = wide_square(a);
    const fe eight = fe_carry(
        wide_add(wide_add(wide_add(w, w), wide_add(w, w)), wide_add(wide_add(s, s), wide_add(s, s))));
    const fe apart = fe_carry(wide_sub(wide_sub(wide_sub(s, w), w), wide_add(w, w)));
    for (size_t lane = 0; lane < lanes; lane++) {
      const number x = value(a, lane), y = value(b, lane), xy = times(x, y), xx = times(x, x);
      const number two = plus(xy, xy), both = plus(xy, xx);
      check_same("4 a b + 4 a a", eight, lane, plus(plus(both, both), plus(both, both)));
      check_same("a a - 4 a b", apart, lane, less(less(xx, two), two));
    }
  }
}

/* A caller's rounding does not change results between the two calls, and is his again afterwards. */
static void rounding_of_the_caller_is_set_aside(void **state) {
  (void)state;
  const unsigned ours = _mm_getcsr();
  _mm_setcsr(ours | 0x6040); /* towards zero, subnormals as zero */
  const unsigned theirs = _mm_getcsr(), before = exact_rounding();
  assert_int_equal(before, theirs);
  assert_int_equal(_mm_getcsr(), 0x1f80);
  _mm_setcsr(ours);
}

int main(void) {
  if (sotto_i_isa() < SOTTO_I_ISA_AVX2) {
    printf("skipped: no AVX2\n");
    return 77;
  }
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(operations_are_those_of_the_reference), cmocka_unit_test(bytes_are_read_modulo_p),
      cmocka_unit_test(inverses_and_signs_are_right),          cmocka_unit_test(many_wide_values_are_summed),
      cmocka_unit_test(rounding_of_the_caller_is_set_aside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
  printf("skipped: for x86-64 alone\n");
  return 77;
}
#endif
