/* The field of four values in doubles: its operations against a slow reference, on random values, on values
 * near 0 and p, and on limbs at their bounds. */
#include "base/cpu.h"
#include "check.h"

#if defined(__x86_64__)
#define SOTTO_CHECKED_FIELD /* by the address sanitizer, where there is one */
#include "party/curve/field_avx2.h"

/* The reference: 256 bits as 32 bytes, the lowest first, always below p. */
typedef struct number {
  uint8_t byte[32];
} number;

static const number prime = {{0xed, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                              0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                              0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}};

static int compare(number a, number b) {
  for (int i = 31; i >= 0; i--)
    if (a.byte[i] != b.byte[i]) return a.byte[i] < b.byte[i] ? -1 : 1;
  return 0;
}

/* a - b, for a >= b. */
static number take(number a, number b) {
  int carry = 0;
  for (int i = 0; i < 32; i++) {
    carry += a.byte[i] - b.byte[i];
    a.byte[i] = (uint8_t)carry;
    carry >>= 8;
  }
  return a;
}

static number plus(number a, number b) {
  unsigned carry = 0;
  for (int i = 0; i < 32; i++) {
    carry += (unsigned)a.byte[i] + b.byte[i];
    a.byte[i] = (uint8_t)carry;
    carry >>= 8;
  }
  return compare(a, prime) >= 0 ? take(a, prime) : a;
}

static number less(number a, number b) {
  return plus(a, compare(b, (number){{0}}) == 0 ? b : take(prime, b));
}

static number times(number a, number b) {
  number r = {{0}};
  for (int i = 255; i >= 0; i--) {
    r = plus(r, r);
    if (b.byte[i / 8] >> (i % 8) & 1) r = plus(r, a);
  }
  return r;
}

/* The value of a lane's limbs, by Horner's rule. */
static number value(fe a, size_t lane) {
  number r = {{0}};
  for (int i = 4; i >= 0; i--) {
    double limb[lanes];
    memcpy(limb, &a.v[i], sizeof limb);
    const int64_t x = (int64_t)limb[lane];
    const uint64_t size = (uint64_t)(x < 0 ? -x : x);
    number add = {{0}};
    memcpy(add.byte, &size, sizeof size);
    for (int k = 0; k < 51; k++) r = plus(r, r);
    r = x < 0 ? less(r, add) : plus(r, add);
  }
  return r;
}

static number stored(fe a, size_t lane) {
  number r[lanes];
  fe_store(r[0].byte, lanes, a);
  return r[lane];
}

/* At the bound of reduced values, near it, at halves, small, or any. */
static double draw_limb(sotto_i_random *random) {
  const int64_t most = ((int64_t)1 << 50) + (1 << 17);
  const int64_t kinds[] = {most, most - 1, (int64_t)1 << 50,
                           1,    0,        (int64_t)sotto_i_random_below(random, 1U << 31)};
  const uint64_t kind = sotto_i_random_below(random, 8);
  int64_t x = kind < 6 ? kinds[kind] : (int64_t)(sotto_i_random_below(random, (uint64_t)most + 1));
  return (double)(sotto_i_random_below(random, 2) != 0 ? -x : x);
}

static fe draw(sotto_i_random *random, int round) {
  double limb[5][lanes];
  fe r;
  for (int i = 0; i < 5; i++)
    for (int lane = 0; lane < lanes; lane++)
      limb[i][lane] = round < 2 ? (round == 0 ? 1 : -1) * (0x1p50 + 0x1p17) : draw_limb(random);
  for (int i = 0; i < 5; i++) r.v[i] = _mm256_loadu_pd(limb[i]);
  return r;
}

static void check_reduced(fe a) {
  for (int i = 0; i < 5; i++) {
    double limb[lanes];
    memcpy(limb, &a.v[i], sizeof limb);
    for (int lane = 0; lane < lanes; lane++) {
      const double size = limb[lane] < 0 ? -limb[lane] : limb[lane];
      assert_true(size <= 0x1p50 + 0x1p17 && size == (double)(int64_t)size);
    }
  }
}

static void check_same(const char *what, fe got, size_t lane, number wanted) {
  const number bytes = stored(got, lane);
  check_reduced(got);
  if (compare(value(got, lane), wanted) != 0) fail_msg("%s: limbs of another value, lane %zu", what, lane);
  if (compare(bytes, wanted) != 0) fail_msg("%s: bytes of another value, lane %zu", what, lane);
}

static void operations_are_those_of_the_reference(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 300; round++) {
    const fe a = draw(&random, round), b = draw(&random, round), sum = fe_add(a, b),
             difference = fe_sub(a, b);
    const fe product = fe_mul(a, b), square_of_a = fe_square(a), negative = fe_neg(a);
    const wide_fe w = wide_mul(a, b), s = wide_square(a);
    const fe eight = fe_carry(
        wide_add(wide_add(wide_add(w, w), wide_add(w, w)), wide_add(wide_add(s, s), wide_add(s, s))));
    const fe apart = fe_carry(wide_sub(wide_sub(wide_sub(s, w), w), wide_add(w, w)));
    for (size_t lane = 0; lane < lanes; lane++) {
      const number x = value(a, lane), y = value(b, lane), xy = times(x, y), xx = times(x, x);
      const number two = plus(xy, xy), both = plus(xy, xx);
      check_same("a", a, lane, x);
      check_same("a + b", sum, lane, plus(x, y));
      check_same("a - b", difference, lane, less(x, y));
      check_same("-a", negative, lane, less((number){{0}}, x));
      check_same("a b", product, lane, xy);
      check_same("a a", square_of_a, lane, xx);
      check_same("4 a b + 4 a a", eight, lane, plus(plus(both, both), plus(both, both)));
      check_same("a a - 4 a b", apart, lane, less(less(xx, two), two));
    }
  }
}

/* Bytes from 0, p and 2^255 on, and back: canonical ones are found so, others become canonical. */
static void bytes_are_read_modulo_p(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 400; round++) {
    number in[lanes];
    lane_mask raw;
    sotto_i_random_bytes(&random, in[0].byte, sizeof in);
    for (int lane = 0; lane < lanes; lane++) {
      if (round < 80) memset(in[lane].byte, round % 2 == 0 ? 0xff : 0, 32);
      if (round < 80)
        in[lane].byte[0] = (uint8_t)(round % 2 == 0 ? 255 - round / 2 + lane : round / 2 + lane);
      in[lane].byte[31] &= 0x7f;
    }
    const fe a = fe_load(in[0].byte, 32, lanes, &raw);
    for (size_t lane = 0; lane < lanes; lane++) {
      const bool canonical_one = compare(in[lane], prime) < 0;
      assert_int_equal(lane_bits(raw) >> lane & 1, canonical_one);
      const number x = canonical_one ? in[lane] : take(in[lane], prime);
      check_same("bytes", a, lane, x);
      assert_int_equal(lane_bits(fe_is_negative(a)) >> lane & 1, x.byte[0] & 1);
      assert_int_equal(lane_bits(fe_is_zero(a)) >> lane & 1, compare(x, (number){{0}}) == 0);
    }
  }
}

static void inverses_and_signs_are_right(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 8; round++) {
    const fe2 a = {{draw(&random, round), fe_zero()}}, inverse = fe2_invert(a);
    const fe sure = fe_abs(a.v[0]);
    for (size_t lane = 0; lane < lanes; lane++) {
      const number x = value(a.v[0], lane), product = times(x, value(inverse.v[0], lane));
      assert_int_equal(compare(product, (number){{compare(x, (number){{0}}) != 0}}), 0);
      check_same("1/0", inverse.v[1], lane, (number){{0}});
      check_same("|a|", sure, lane, x.byte[0] & 1 ? less((number){{0}}, x) : x);
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
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operations_are_those_of_the_reference),
      cmocka_unit_test(bytes_are_read_modulo_p),
      cmocka_unit_test(inverses_and_signs_are_right),
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
