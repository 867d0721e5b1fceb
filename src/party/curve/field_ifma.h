/* Arithmetic modulo p = 2^255 - 19 on eight values at once, with the 52-bit multiply-add of AVX-512 IFMA.
 *
 * A value is five limbs in radix 2^52; one register has one limb of eight values. "Reduced" limbs are below
 * 2^52, the last one below 2^47 + 2^12, so that the value is below 2^255 + 2^220; functions take and return
 * these. "Wide" limbs are products before their carries: below 2^61.4, the last one below 2^56. Sums of a few
 * wide values need only one pass of carries. No time and no address depends on a value. Included by *_ifma.c
 * files only. */
#ifndef SOTTO_SRC_PARTY_CURVE_FIELD_IFMA_H
#define SOTTO_SRC_PARTY_CURVE_FIELD_IFMA_H

#include <immintrin.h>
#include <stdint.h>

#include "inline.h"

enum { lanes = 8 };

typedef struct fe {
  __m512i v[5];
} fe;
typedef fe wide_fe;
typedef struct constant {
  uint64_t v[5];
} constant;
typedef __mmask8 lane_mask;
typedef __m512i integers; /* a small one in each lane */

INLINE __m512i splat(uint64_t x) {
  return _mm512_set1_epi64((long long)x);
}

INLINE lane_mask no_lanes(void) {
  return 0;
}

/* Bit i belongs to lane i. */
INLINE unsigned lane_bits(lane_mask mask) {
  return mask;
}

INLINE integers integers_splat(int8_t x) {
  return _mm512_set1_epi64(x);
}

INLINE lane_mask integers_negative(integers x) {
  return _mm512_movepi64_mask(x);
}

INLINE integers integers_abs(integers x) {
  return _mm512_abs_epi64(x);
}

INLINE lane_mask integers_equal(integers x, int y) {
  return _mm512_cmpeq_epi64_mask(x, splat((uint64_t)y));
}

INLINE fe fe_constant(const constant *c) {
  fe r;
  for (int i = 0; i < 5; i++) r.v[i] = splat(c->v[i]);
  return r;
}

INLINE fe fe_zero(void) {
  fe r;
  for (int i = 0; i < 5; i++) r.v[i] = _mm512_setzero_si512();
  return r;
}

/* Carries from limb `from` of `v` up to limb `to`. */
INLINE void ripple(__m512i *v, int from, int to) {
  const __m512i mask = splat(((uint64_t)1 << 52) - 1);
  for (int i = from; i < to; i++) {
    v[i + 1] = _mm512_add_epi64(v[i + 1], _mm512_srli_epi64(v[i], 52));
    v[i] = _mm512_and_si512(v[i], mask);
  }
}

/* Reduces limbs below 2^64 - 2^22: first the part above 2^255 is folded back, as 2^255 = 19. */
INLINE fe fe_carry(fe a) {
  a.v[0] = _mm512_madd52lo_epu64(a.v[0], _mm512_srli_epi64(a.v[4], 47), splat(19));
  a.v[4] = _mm512_and_si512(a.v[4], splat(((uint64_t)1 << 47) - 1));
  ripple(a.v, 0, 4);
  return a;
}

/* Limb by limb, without carries. */
INLINE fe wide_add(fe a, fe b) {
  for (int i = 0; i < 5; i++) a.v[i] = _mm512_add_epi64(a.v[i], b.v[i]);
  return a;
}

/* a + times p - b, limb by limb. `times` is a power of two; the limbs of `times` p are above those of b. */
INLINE fe subtract_from_multiple(fe a, fe b, uint64_t times) {
  for (int i = 0; i < 5; i++) {
    const uint64_t limb = ((uint64_t)1 << (i < 4 ? 52 : 47)) - (i == 0 ? 19 : 1);
    a.v[i] = _mm512_sub_epi64(_mm512_add_epi64(a.v[i], splat(times * limb)), b.v[i]);
  }
  return a;
}

/* For wide b: 1024 p has limbs of about 2^62, the last of 2^57. */
INLINE fe wide_sub(fe a, fe b) {
  return subtract_from_multiple(a, b, 1024);
}

INLINE fe fe_add(fe a, fe b) {
  return fe_carry(wide_add(a, b));
}

INLINE fe fe_sub(fe a, fe b) {
  return fe_carry(subtract_from_multiple(a, b, 4));
}

INLINE fe fe_neg(fe a) {
  return fe_sub(fe_zero(), a);
}

/* b in the lanes of the mask, else a. */
INLINE fe fe_select(lane_mask mask, fe a, fe b) {
  fe r;
  for (int i = 0; i < 5; i++) r.v[i] = _mm512_mask_mov_epi64(a.v[i], mask, b.v[i]);
  return r;
}

/* A selection of one of several values in each lane: the first value, then each further one. */
INLINE fe fe_first(lane_mask mask, fe a) {
  (void)mask;
  return a;
}

INLINE fe fe_or(lane_mask mask, fe a, fe b) {
  return fe_select(mask, a, b);
}

/* Folds ten columns of weight 2^(52 k), each a sum of at most nine products' halves, into five, with 2^260 =
 * 608 for the upper half. Column 5 is below 7.1 2^52 and 6 below 5.1 2^52, so the carry out of 5 keeps the
 * products in 64 bits; with those out of 6 and 7 the result is wide. */
INLINE fe fold(__m512i z[10], int wide) {
  fe r;
  __m512i by = splat(608);
  __asm__("" : "+v"(by)); /* otherwise GCC uses shifts and additions, which are slower */
  ripple(z, 5, wide ? 8 : 6);
  for (int k = 0; k < 5; k++) r.v[k] = _mm512_add_epi64(z[k], _mm512_mullo_epi64(z[k + 5], by));
  return r;
}

INLINE fe multiply(fe a, fe b, int wide) {
  __m512i z[10];
  for (int k = 0; k < 10; k++) z[k] = _mm512_setzero_si512();
#pragma GCC unroll 5
  for (int i = 0; i < 5; i++)
#pragma GCC unroll 5
    for (int j = 0; j < 5; j++) {
      z[i + j] = _mm512_madd52lo_epu64(z[i + j], a.v[i], b.v[j]);
      z[i + j + 1] = _mm512_madd52hi_epu64(z[i + j + 1], a.v[i], b.v[j]);
    }
  return fold(z, wide);
}

/* Products of two different limbs are computed once and doubled. */
INLINE fe square(fe a, int wide) {
  __m512i z[10];
  for (int k = 0; k < 10; k++) z[k] = _mm512_setzero_si512();
#pragma GCC unroll 5
  for (int i = 0; i < 5; i++)
#pragma GCC unroll 5
    for (int j = i + 1; j < 5; j++) {
      z[i + j] = _mm512_madd52lo_epu64(z[i + j], a.v[i], a.v[j]);
      z[i + j + 1] = _mm512_madd52hi_epu64(z[i + j + 1], a.v[i], a.v[j]);
    }
  for (int k = 1; k < 9; k++) z[k] = _mm512_add_epi64(z[k], z[k]);
#pragma GCC unroll 5
  for (int i = 0; i < 5; i++) {
    z[2 * i] = _mm512_madd52lo_epu64(z[2 * i], a.v[i], a.v[i]);
    z[2 * i + 1] = _mm512_madd52hi_epu64(z[2 * i + 1], a.v[i], a.v[i]);
  }
  return fold(z, wide);
}

INLINE fe wide_mul(fe a, fe b) {
  return multiply(a, b, 1);
}

INLINE fe wide_square(fe a) {
  return square(a, 1);
}

INLINE fe fe_mul(fe a, fe b) {
  return fe_carry(multiply(a, b, 0));
}

INLINE fe fe_square(fe a) {
  return fe_carry(square(a, 0));
}

/* The unique representative below p: the part above 2^255 is folded back, and p is subtracted when the value
 * reaches it. */
INLINE fe fe_canonical(fe a) {
  a = fe_carry(a);
  __m512i c = _mm512_srli_epi64(_mm512_add_epi64(a.v[0], splat(19)), 52); /* becomes 1 if a + 19 >= 2^255 */
  for (int i = 1; i < 5; i++) c = _mm512_srli_epi64(_mm512_add_epi64(a.v[i], c), i < 4 ? 52 : 47);
  a.v[0] = _mm512_madd52lo_epu64(a.v[0], c, splat(19));
  ripple(a.v, 0, 4);
  a.v[4] = _mm512_and_si512(a.v[4], splat(((uint64_t)1 << 47) - 1));
  return a;
}

static inline lane_mask fe_equal(fe a, fe b) {
  fe x = fe_canonical(a), y = fe_canonical(b);
  __mmask8 same = 0xFF;
  for (int i = 0; i < 5; i++) same &= _mm512_cmpeq_epi64_mask(x.v[i], y.v[i]);
  return same;
}

/* Is it odd? RFC 9496 calls such values negative. */
static inline lane_mask fe_is_negative(fe a) {
  return _mm512_test_epi64_mask(fe_canonical(a).v[0], splat(1));
}

/* Loads eight values of 32 bytes, `stride` apart, without their highest bit. Only the first `count` are read;
 * the first replaces the others. `raw`: the lanes with canonical values. */
static inline fe fe_load(const uint8_t *bytes, size_t stride, size_t count, lane_mask *raw) {
  uint64_t word[4][lanes] __attribute__((aligned(64)));
  for (size_t lane = 0; lane < lanes; lane++)
    for (size_t w = 0; w < 4; w++)
      __builtin_memcpy(&word[w][lane], bytes + stride * (lane < count ? lane : 0) + 8 * w, 8);
  __m512i w[4];
  fe r;
  for (int i = 0; i < 4; i++) w[i] = _mm512_load_si512(word[i]);
  r.v[0] = w[0];
  r.v[1] = _mm512_or_si512(_mm512_srli_epi64(w[0], 52), _mm512_slli_epi64(w[1], 12));
  r.v[2] = _mm512_or_si512(_mm512_srli_epi64(w[1], 40), _mm512_slli_epi64(w[2], 24));
  r.v[3] = _mm512_or_si512(_mm512_srli_epi64(w[2], 28), _mm512_slli_epi64(w[3], 36));
  r.v[4] = _mm512_srli_epi64(w[3], 16);
  for (int i = 0; i < 5; i++)
    r.v[i] = _mm512_and_si512(r.v[i], splat(((uint64_t)1 << (i < 4 ? 52 : 47)) - 1));
  fe same = fe_canonical(r);
  *raw = 0xFF;
  for (int i = 0; i < 5; i++) *raw &= _mm512_cmpeq_epi64_mask(r.v[i], same.v[i]);
  return r;
}

/* Stores the first `count` values, 32 bytes each. */
static inline void fe_store(uint8_t *bytes, size_t count, fe a) {
  uint64_t word[4][lanes] __attribute__((aligned(64)));
  a = fe_canonical(a);
  _mm512_store_si512(word[0], _mm512_or_si512(a.v[0], _mm512_slli_epi64(a.v[1], 52)));
  _mm512_store_si512(word[1], _mm512_or_si512(_mm512_srli_epi64(a.v[1], 12), _mm512_slli_epi64(a.v[2], 40)));
  _mm512_store_si512(word[2], _mm512_or_si512(_mm512_srli_epi64(a.v[2], 24), _mm512_slli_epi64(a.v[3], 28)));
  _mm512_store_si512(word[3], _mm512_or_si512(_mm512_srli_epi64(a.v[3], 36), _mm512_slli_epi64(a.v[4], 16)));
  for (size_t lane = 0; lane < count; lane++)
    for (size_t w = 0; w < 4; w++) __builtin_memcpy(bytes + 32 * lane + 8 * w, &word[w][lane], 8);
}

/* The lanes of the first `count` values, `stride` apart, whose highest bit is set. */
static inline lane_mask highest_bits(const uint8_t *bytes, size_t stride, size_t count) {
  unsigned bits = 0;
  for (size_t lane = 0; lane < count; lane++) bits |= (unsigned)(bytes[stride * lane + 31] >> 7) << lane;
  return (__mmask8)bits;
}

#include "powers_body.h"
#endif
