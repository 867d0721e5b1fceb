/* Signs, powers and inverses modulo p = 2^255 - 19, for either field; a part of field_ifma.h and
 * field_avx2.h. */
#ifndef SOTTO_SRC_PARTY_CURVE_POWERS_BODY_H
#define SOTTO_SRC_PARTY_CURVE_POWERS_BODY_H

static inline lane_mask fe_is_zero(fe a) {
  return fe_equal(a, fe_zero());
}

INLINE fe fe_abs(fe a) {
  return fe_select(fe_is_negative(a), a, fe_neg(a));
}

/* Two values at once, since each square of one waits for the one before. */
typedef struct fe2 {
  fe v[2];
} fe2;

INLINE fe2 fe2_mul(fe2 a, fe2 b) {
  return (fe2){{fe_mul(a.v[0], b.v[0]), fe_mul(a.v[1], b.v[1])}};
}

static fe2 fe2_square_times(fe2 a, int count) {
  for (int i = 0; i < count; i++) {
    a.v[0] = fe_square(a.v[0]);
    a.v[1] = fe_square(a.v[1]);
  }
  return a;
}

/* a^(2^252 - 3), the exponent (p - 5)/8. */
static fe2 fe2_power_252_3(fe2 a) {
  fe2 a2 = fe2_square_times(a, 1);
  fe2 a9 = fe2_mul(fe2_square_times(a2, 2), a);
  fe2 a11 = fe2_mul(a9, a2);
  fe2 x5 = fe2_mul(fe2_square_times(a11, 1), a9); /* xN: a^(2^N - 1) */
  fe2 x10 = fe2_mul(fe2_square_times(x5, 5), x5);
  fe2 x20 = fe2_mul(fe2_square_times(x10, 10), x10);
  fe2 x40 = fe2_mul(fe2_square_times(x20, 20), x20);
  fe2 x50 = fe2_mul(fe2_square_times(x40, 10), x10);
  fe2 x100 = fe2_mul(fe2_square_times(x50, 50), x50);
  fe2 x200 = fe2_mul(fe2_square_times(x100, 100), x100);
  fe2 x250 = fe2_mul(fe2_square_times(x200, 50), x50);
  return fe2_mul(fe2_square_times(x250, 2), a);
}

/* a^(p - 2) = 1/a, or 0 of 0; p - 2 = 8 (2^252 - 3) + 3. */
static fe2 fe2_invert(fe2 a) {
  fe2 cube = fe2_mul(fe2_square_times(a, 1), a);
  return fe2_mul(fe2_square_times(fe2_power_252_3(a), 3), cube);
}

#endif
