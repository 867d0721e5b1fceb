/* Arithmetic modulo p = 2^255 - 19 on four values at once, with multiply-adds of doubles (AVX2 and FMA).
 *
 * A value is five signed limbs in radix 2^51, integers in doubles; one register has one limb of four values.
 * A product of two limbs has up to 102 bits, which two multiply-adds split without error (Emmart, Zheng and
 * Weems 2018). The first adds it to 1.5 2^103, where doubles are 2^51 apart, so that the lowest bits of the
 * sum are the product's upper half. The second adds the remainder to 1.5 2^52.
 *
 * Bounds on the size of limbs. "Reduced": at most 2^50 + 2^17; functions take and return these. "Wide":
 * products before their carries, signed 64-bit integers: below 2^57, and below 2^60 for sums of up to eight.
 * A double holds integers up to 2^53 without error, and none here is subnormal, infinite or NaN: no time and
 * no address depends on a value. The processor must round to the nearest, see exact_rounding. Included by
 * *_avx2.c files only. */
#ifndef SOTTO_SRC_PARTY_CURVE_FIELD_AVX2_H
#define SOTTO_SRC_PARTY_CURVE_FIELD_AVX2_H

#include "limbs_avx2.h"

/* The constant's limbs of 51 bits, then reduced to at most 2^50 in size. */
INLINE fe fe_constant(const constant *c) {
  const uint64_t *v = c->v;
  int64_t limb[5], carry = 0;
  fe r;
  EACH_LIMB {
    const uint64_t lower = i > 0 ? v[i - 1] >> (52 - i) : 0;
    const int64_t x = (int64_t)((lower | v[i] << i) & LIMB) + carry;
    carry = (x + ((int64_t)1 << 50)) >> 51;
    limb[i] = x - carry * ((int64_t)1 << 51);
  }
  limb[0] += 19 * carry;
  EACH_LIMB r.v[i] = _mm256_set1_pd((double)limb[i]);
  return r;
}

INLINE fe fe_zero(void) {
  fe r;
  EACH_LIMB r.v[i] = _mm256_setzero_pd();
  return r;
}

/* Reduces values below 2^53: to at most 2^50 + 4, the lowest limb to at most 2^50 + 76. */
INLINE fe reduce_limbs(fe a) {
  const __m256d round = _mm256_set1_pd(ABOVE);
  __m256d carry[5];
  EACH_LIMB {
    carry[i] = _mm256_sub_pd(_mm256_add_pd(a.v[i], round), round);
    a.v[i] = _mm256_sub_pd(a.v[i], carry[i]);
  }
  EACH_LIMB
  a.v[i] = _mm256_fmadd_pd(carry[(i + 4) % 5], _mm256_set1_pd(i == 0 ? 19 * 0x1p-51 : 0x1p-51), a.v[i]);
  return a;
}

INLINE fe fe_add(fe a, fe b) {
  EACH_LIMB a.v[i] = _mm256_add_pd(a.v[i], b.v[i]);
  return reduce_limbs(a);
}

INLINE fe fe_sub(fe a, fe b) {
  EACH_LIMB a.v[i] = _mm256_sub_pd(a.v[i], b.v[i]);
  return reduce_limbs(a);
}

INLINE fe fe_neg(fe a) {
  EACH_LIMB a.v[i] = _mm256_sub_pd(_mm256_setzero_pd(), a.v[i]);
  return a;
}

/* b in the lanes of the mask, else a. */
INLINE fe fe_select(lane_mask mask, fe a, fe b) {
  fe r;
  EACH_LIMB r.v[i] = _mm256_blendv_pd(a.v[i], b.v[i], _mm256_castsi256_pd(mask));
  return r;
}

/* A selection of one of several values in each lane: the first value, then each further one, which costs less
 * than fe_select. */
INLINE fe fe_first(lane_mask mask, fe a) {
  EACH_LIMB a.v[i] = _mm256_and_pd(_mm256_castsi256_pd(mask), a.v[i]);
  return a;
}

INLINE fe fe_or(lane_mask mask, fe a, fe b) {
  EACH_LIMB a.v[i] = _mm256_or_pd(a.v[i], _mm256_and_pd(_mm256_castsi256_pd(mask), b.v[i]));
  return a;
}

INLINE wide_fe wide_add(wide_fe a, wide_fe b) {
  EACH_LIMB a.v[i] = _mm256_add_epi64(a.v[i], b.v[i]);
  return a;
}

INLINE wide_fe wide_sub(wide_fe a, wide_fe b) {
  EACH_LIMB a.v[i] = _mm256_sub_epi64(a.v[i], b.v[i]);
  return a;
}

/* Reduces a wide value with its bias: from -2^50 to 2^50 + 2^12, the lowest limb to 2^50 + 19 2^12. */
INLINE fe carry_biased(wide_fe a) {
  const struct factors *f = factors();
  __m256i carry[5];
  fe r;
  EACH_LIMB carry[i] = _mm256_srli_epi64(a.v[i], 51);
  carry[4] = _mm256_mul_epu32(carry[4], at(f->nineteen));
  EACH_LIMB {
    const __m256i bits = _mm256_or_si256(_mm256_and_si256(a.v[i], at(f->limb)), at(f->fifty_two));
    r.v[i] = _mm256_sub_pd(_mm256_castsi256_pd(_mm256_add_epi64(bits, carry[(i + 4) % 5])),
                           _mm256_load_pd(f->centre));
  }
  return r;
}

INLINE fe fe_carry(wide_fe a) {
  const struct factors *f = factors();
  EACH_LIMB a.v[i] = _mm256_add_epi64(a.v[i], at(f->bias[i]));
  return carry_biased(a);
}

/* Adds the upper half of a b, at most 2^49 + 2^18 in size, and the lower half, at most 2^50. Each sum also
 * contains the bits of ABOVE or BELOW. */
INLINE void add_product(__m256i *high, __m256i *low, __m256d a, __m256d b, const struct factors *f) {
  const __m256d upper = _mm256_fmadd_pd(a, b, _mm256_load_pd(f->above));
  const __m256d lower = _mm256_fmadd_pd(a, b, _mm256_sub_pd(_mm256_load_pd(f->both), upper));
  *high = _mm256_add_epi64(*high, _mm256_castpd_si256(upper));
  *low = _mm256_add_epi64(*low, _mm256_castpd_si256(lower));
  __asm__(""
          : "+x"(*high), "+x"(*low)); /* otherwise compilers make trees of sums that exceed the registers */
}

/* Adds a b + c d, one after the other, with the bits of one addition. */
INLINE void add_pair(__m256i *high, __m256i *low, __m256d a, __m256d b, __m256d c, __m256d d,
                     const struct factors *f) {
  const __m256d first = _mm256_fmadd_pd(a, b, _mm256_load_pd(f->above)),
                second = _mm256_fmadd_pd(c, d, first);
  const __m256d lower = _mm256_fmadd_pd(a, b, _mm256_sub_pd(_mm256_load_pd(f->both), first));
  const __m256d rest = _mm256_fmadd_pd(c, d, _mm256_sub_pd(first, second));
  *high = _mm256_add_epi64(*high, _mm256_castpd_si256(second));
  *low = _mm256_add_epi64(*low, _mm256_castpd_si256(_mm256_add_pd(lower, rest)));
  __asm__("" : "+x"(*high), "+x"(*low));
}

/* Folds ten columns of weight 2^(51 k) into five, with 2^255 = 19 for the upper half; `added` subtracts the
 * extra bits. A column is below 7 2^50 in size, and the largest limb is one plus 19 times one. */
INLINE wide_fe fold(const __m256i z[10], const uint64_t added[5][4]) {
  wide_fe r;
  EACH_LIMB {
    const __m256i x = z[i + 5], x9 = _mm256_add_epi64(_mm256_slli_epi64(x, 3), x);
    r.v[i] =
        _mm256_add_epi64(_mm256_add_epi64(z[i], at(added[i])), _mm256_add_epi64(_mm256_add_epi64(x9, x9), x));
  }
  return r;
}

INLINE wide_fe multiply(fe a, fe b, int biased) {
  const struct factors *f = factors();
  __m256i z[10];
  EACH(k, 0, 10) z[k] = _mm256_setzero_si256();
  EACH(k, 0, 9) {
    const int from = k < 5 ? 0 : k - 4, to = k - from, pairs = (to - from + 1) / 2;
    if ((to - from) % 2 == 0) add_product(&z[k + 1], &z[k], a.v[to], b.v[from], f);
#pragma GCC unroll 2
    for (int i = from; i < from + 2 * pairs; i += 2)
      add_pair(&z[k + 1], &z[k], a.v[i], b.v[k - i], a.v[i + 1], b.v[k - i - 1], f);
  }
  return fold(z, f->product[biased]);
}

/* Products of two different limbs are computed once and doubled. */
INLINE wide_fe square(fe a, int biased) {
  const struct factors *f = factors();
  __m256i z[10];
  EACH(k, 0, 10) z[k] = _mm256_setzero_si256();
  EACH(k, 1, 8) {
    const int i = k < 5 ? 0 : k - 4;
    if (k > 2 && k < 6)
      add_pair(&z[k + 1], &z[k], a.v[i], a.v[k - i], a.v[i + 1], a.v[k - i - 1], f);
    else
      add_product(&z[k + 1], &z[k], a.v[i], a.v[k - i], f);
  }
  EACH(k, 1, 9) z[k] = _mm256_add_epi64(z[k], z[k]);
  EACH_LIMB add_product(&z[2 * i + 1], &z[2 * i], a.v[i], a.v[i], f);
  return fold(z, f->square[biased]);
}

INLINE wide_fe wide_mul(fe a, fe b) {
  return multiply(a, b, 0);
}

INLINE wide_fe wide_square(fe a) {
  return square(a, 0);
}

INLINE fe fe_mul(fe a, fe b) {
  return carry_biased(multiply(a, b, 1));
}

INLINE fe fe_square(fe a) {
  return carry_biased(square(a, 1));
}

/* Carries from limb 0 to limb 4. */
INLINE void ripple(wide_fe *a) {
  EACH(i, 0, 4) {
    a->v[i + 1] = _mm256_add_epi64(a->v[i + 1], _mm256_srli_epi64(a->v[i], 51));
    a->v[i] = _mm256_and_si256(a->v[i], splat(LIMB));
  }
}

/* The unique representative below p, in limbs from 0 to 2^51 - 1. Adding p makes limbs positive, the part
 * above 2^255 is folded back, and p is subtracted when the value reaches it. */
INLINE wide_fe canonical(fe a) {
  const __m256i bits = splat(BELOW_BITS);
  wide_fe r;
  EACH_LIMB {
    const __m256i x = _mm256_castpd_si256(_mm256_add_pd(a.v[i], _mm256_set1_pd(BELOW)));
    r.v[i] = _mm256_add_epi64(_mm256_sub_epi64(x, bits), splat(LIMB_OF_P(i)));
  }
  ripple(&r);
  r.v[0] = _mm256_add_epi64(r.v[0], _mm256_mul_epu32(_mm256_srli_epi64(r.v[4], 51), splat(19)));
  r.v[4] = _mm256_and_si256(r.v[4], splat(LIMB));
  __m256i c = splat(19); /* becomes 1 if a + 19 >= 2^255 */
  EACH_LIMB c = _mm256_srli_epi64(_mm256_add_epi64(r.v[i], c), 51);
  r.v[0] = _mm256_add_epi64(r.v[0], _mm256_mul_epu32(c, splat(19)));
  ripple(&r);
  r.v[4] = _mm256_and_si256(r.v[4], splat(LIMB));
  return r;
}

INLINE lane_mask same_limbs(wide_fe a, wide_fe b) {
  __m256i same = _mm256_cmpeq_epi64(a.v[0], b.v[0]);
  EACH(i, 1, 5) same = _mm256_and_si256(same, _mm256_cmpeq_epi64(a.v[i], b.v[i]));
  return same;
}

static inline lane_mask fe_equal(fe a, fe b) {
  return same_limbs(canonical(a), canonical(b));
}

/* Is it odd? RFC 9496 calls such values negative. */
static inline lane_mask fe_is_negative(fe a) {
  return _mm256_cmpeq_epi64(_mm256_and_si256(canonical(a).v[0], splat(1)), splat(1));
}

/* Loads four values of 32 bytes, `stride` apart, without their highest bit. Only the first `count` are read;
 * the first replaces the others. `raw`: the lanes with canonical values. */
static inline fe fe_load(const uint8_t *bytes, size_t stride, size_t count, lane_mask *raw) {
  uint64_t word[4][lanes] __attribute__((aligned(32)));
  for (size_t lane = 0; lane < lanes; lane++)
    for (size_t w = 0; w < 4; w++)
      __builtin_memcpy(&word[w][lane], bytes + stride * (lane < count ? lane : 0) + 8 * w, 8);
  wide_fe limb;
  fe r;
  EACH_LIMB {
    __m256i x = _mm256_setzero_si256();
    if (i < 4) x = _mm256_slli_epi64(_mm256_load_si256((const __m256i *)word[i < 4 ? i : 0]), 13 * i);
    if (i > 0)
      x = _mm256_or_si256(x, _mm256_srli_epi64(_mm256_load_si256((const __m256i *)word[i - 1]), 64 - 13 * i));
    limb.v[i] = _mm256_and_si256(x, splat(LIMB));
    x = _mm256_or_si256(limb.v[i], splat(FIFTY_TWO));
    r.v[i] = _mm256_sub_pd(_mm256_castsi256_pd(x), _mm256_set1_pd(0x1p52));
  }
  r = reduce_limbs(r);
  *raw = same_limbs(limb, canonical(r));
  return r;
}

/* Stores the first `count` values, 32 bytes each. */
static inline void fe_store(uint8_t *bytes, size_t count, fe a) {
  uint64_t word[4][lanes] __attribute__((aligned(32)));
  const wide_fe limb = canonical(a);
  EACH(i, 0, 4) {
    const __m256i upper = _mm256_slli_epi64(limb.v[i + 1], 51 - 13 * i);
    _mm256_store_si256((__m256i *)word[i], _mm256_or_si256(_mm256_srli_epi64(limb.v[i], 13 * i), upper));
  }
  for (size_t lane = 0; lane < count; lane++)
    for (size_t w = 0; w < 4; w++) __builtin_memcpy(bytes + 32 * lane + 8 * w, &word[w][lane], 8);
}

/* The lanes of the first `count` values, `stride` apart, whose highest bit is set. */
static inline lane_mask highest_bits(const uint8_t *bytes, size_t stride, size_t count) {
  uint64_t bits[lanes] __attribute__((aligned(32))) = {0};
  for (size_t lane = 0; lane < count; lane++) bits[lane] = 0 - (uint64_t)(bytes[stride * lane + 31] >> 7);
  return _mm256_load_si256((const __m256i *)bits);
}

/* Sets rounding to nearest, without traps or flushing, which the calling program may have changed. Returns
 * the setting before, for _mm_setcsr. Kernels are separate functions between the two calls. */
static inline unsigned exact_rounding(void) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(0x1f80);
  return before;
}

#include "powers_body.h"
#endif
