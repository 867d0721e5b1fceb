/* The fields of the curve's kernels against a slow reference, on random values, on values near 0 and p, and
 * on limbs at their bounds. Included after a field's header and after what the field's test defines:
 * field_bits, a limb's bits; field_signed, whether limbs may be negative; field_edge, limb i of a value that
 * matters; field_most, its bound. */
#ifndef SOTTO_TESTS_PARTY_FIELD_BODY_H
#define SOTTO_TESTS_PARTY_FIELD_BODY_H

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
    const int64_t x = field_limb(a, i, lane);
    const uint64_t size = (uint64_t)(x < 0 ? -x : x);
    number add = {{0}};
    memcpy(add.byte, &size, sizeof size);
    for (int k = 0; k < field_bits; k++) r = plus(r, r);
    r = x < 0 ? less(r, add) : plus(r, add);
  }
  return r;
}

static number stored(fe a, size_t lane) {
  number r[lanes];
  fe_store(r[0].byte, lanes, a);
  return r[lane];
}

/* At the bound of reduced values, near it, at an edge, small, or any. */
static int64_t draw_limb(sotto_i_random *random, int i) {
  const int64_t most = field_most(i);
  const int64_t kinds[] = {most, most - 1, field_edge(i),
                           1,    0,        (int64_t)sotto_i_random_below(random, 1U << 31)};
  const uint64_t kind = sotto_i_random_below(random, 8);
  int64_t x = kind < 6 ? kinds[kind] : (int64_t)(sotto_i_random_below(random, (uint64_t)most + 1));
  return field_signed && sotto_i_random_below(random, 2) != 0 ? -x : x;
}

/* The first two rounds are at the bounds, the second below 0 where limbs may be. */
static fe draw(sotto_i_random *random, int round) {
  int64_t limb[5][lanes];
  for (int i = 0; i < 5; i++)
    for (int lane = 0; lane < lanes; lane++)
      limb[i][lane] = round > 1                    ? draw_limb(random, i)
                      : round == 1 && field_signed ? -field_most(i)
                                                   : field_most(i);
  return field_of(limb);
}

static void check_same(const char *what, fe got, size_t lane, number wanted) {
  const number bytes = stored(got, lane);
  for (int i = 0; i < 5; i++) {
    const int64_t limb = field_limb(got, i, lane);
    assert_true(limb <= field_most(i) && limb >= (field_signed ? -field_most(i) : 0));
  }
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
    const fe apart = fe_carry(wide_add(wide_add(s, s), wide_sub(s, w))); /* the most that points sum up */
    for (size_t lane = 0; lane < lanes; lane++) {
      const number x = value(a, lane), y = value(b, lane), xy = times(x, y), xx = times(x, x);
      check_same("a", a, lane, x);
      check_same("a + b", sum, lane, plus(x, y));
      check_same("a - b", difference, lane, less(x, y));
      check_same("-a", negative, lane, less((number){{0}}, x));
      check_same("a b", product, lane, xy);
      check_same("a a", square_of_a, lane, xx);
      check_same("3 a a - a b", apart, lane, less(plus(xx, plus(xx, xx)), xy));
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

#endif
