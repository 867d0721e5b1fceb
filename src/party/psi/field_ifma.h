/* Arithmetic modulo p = 2^255 - 19 on eight values at once, with the 52-bit multiply-add of AVX-512 IFMA.
 *
 * A value is five limbs of 51 bits in radix 2^51, one limb of eight values in each register. "Reduced" limbs
 * are below 2^51 + 2^14; every function takes and gives reduced limbs, so all fit the 52 bits that a product
 * reads. No time and no address depends on a value. Included by *_ifma.c files only. */
#ifndef SOTTO_SRC_PARTY_PSI_FIELD_IFMA_H
#define SOTTO_SRC_PARTY_PSI_FIELD_IFMA_H

#include <immintrin.h>
#include <stdint.h>

enum { lanes = 8 };

typedef struct fe {
  __m512i v[5];
} fe;
typedef struct constant {
  uint64_t v[5];
} constant;

static inline __m512i splat(uint64_t x) {
  return _mm512_set1_epi64((long long)x);
}

static inline __attribute__((always_inline)) fe fe_constant(const constant *c) {
  fe r;
  for (int i = 0; i < 5; i++) r.v[i] = splat(c->v[i]);
  return r;
}

static inline __m512i times19(__m512i x) {
  __m512i nineteen = splat(19);
  __asm__("" : "+v"(nineteen)); /* else GCC makes shifts and additions of it, which take longer */
  return _mm512_mullo_epi64(x, nineteen);
}

/* Limbs below 2^60.5 become reduced: the carries, below 2^9.5 (2^13.8 around the end), are added once. */
static inline __attribute__((always_inline)) fe fe_carry(fe a) {
  const __m512i mask = splat(((uint64_t)1 << 51) - 1);
  fe r;
  r.v[0] = _mm512_madd52lo_epu64(_mm512_and_si512(a.v[0], mask), _mm512_srli_epi64(a.v[4], 51), splat(19));
  for (int i = 1; i < 5; i++)
    r.v[i] = _mm512_add_epi64(_mm512_and_si512(a.v[i], mask), _mm512_srli_epi64(a.v[i - 1], 51));
  return r;
}

static inline __attribute__((always_inline)) fe fe_add(fe a, fe b) {
  fe r;
  for (int i = 0; i < 5; i++) r.v[i] = _mm512_add_epi64(a.v[i], b.v[i]);
  return fe_carry(r);
}

/* a + 2p - b: the limbs of 2p, 2^52 - 38 and 2^52 - 2, are above those of b. */
static inline __attribute__((always_inline)) fe fe_sub(fe a, fe b) {
  fe r;
  for (int i = 0; i < 5; i++)
    r.v[i] =
        _mm512_sub_epi64(_mm512_add_epi64(a.v[i], splat(((uint64_t)1 << 52) - (i == 0 ? 38 : 2))), b.v[i]);
  return fe_carry(r);
}

static inline __attribute__((always_inline)) fe fe_zero(void) {
  fe r;
  for (int i = 0; i < 5; i++) r.v[i] = _mm512_setzero_si512();
  return r;
}

static inline __attribute__((always_inline)) fe fe_neg(fe a) {
  return fe_sub(fe_zero(), a);
}

/* Where the mask has a bit, b; else a. */
static inline __attribute__((always_inline)) fe fe_select(__mmask8 mask, fe a, fe b) {
  fe r;
  for (int i = 0; i < 5; i++) r.v[i] = _mm512_mask_mov_epi64(a.v[i], mask, b.v[i]);
  return r;
}

/* Columns of a product: low[k] the low 52 bits of terms of weight 2^(51 k), high[k] the bits above, of weight
 * 2^(51 (k - 1) + 52) = 2 * 2^(51 k). A column is below 5 * 2^52 + 2 * 5 * 2^52 < 2^56, and 20 of them below
 * 2^60.4. */
static inline __attribute__((always_inline)) fe fe_fold(const __m512i *low, const __m512i *high) {
  fe r;
  __m512i z[10];
  for (int k = 0; k < 10; k++) z[k] = _mm512_add_epi64(_mm512_add_epi64(low[k], high[k]), high[k]);
  for (int k = 0; k < 5; k++) r.v[k] = _mm512_add_epi64(z[k], times19(z[k + 5]));
  return fe_carry(r);
}

static inline __attribute__((always_inline)) fe fe_mul(fe a, fe b) {
  __m512i low[10], high[10];
  for (int k = 0; k < 10; k++) low[k] = high[k] = _mm512_setzero_si512();
#pragma GCC unroll 5
  for (int i = 0; i < 5; i++)
#pragma GCC unroll 5
    for (int j = 0; j < 5; j++) {
      low[i + j] = _mm512_madd52lo_epu64(low[i + j], a.v[i], b.v[j]);
      high[i + j + 1] = _mm512_madd52hi_epu64(high[i + j + 1], a.v[i], b.v[j]);
    }
  return fe_fold(low, high);
}

static inline __attribute__((always_inline)) fe fe_square(fe a) {
  __m512i low[10], high[10];
  for (int k = 0; k < 10; k++) low[k] = high[k] = _mm512_setzero_si512();
#pragma GCC unroll 5
  for (int i = 0; i < 5; i++)
#pragma GCC unroll 5
    for (int j = i + 1; j < 5; j++) {
      low[i + j] = _mm512_madd52lo_epu64(low[i + j], a.v[i], a.v[j]);
      high[i + j + 1] = _mm512_madd52hi_epu64(high[i + j + 1], a.v[i], a.v[j]);
    }
  for (int k = 1; k < 9; k++) {
    low[k] = _mm512_add_epi64(low[k], low[k]);
    high[k] = _mm512_add_epi64(high[k], high[k]);
  }
#pragma GCC unroll 5
  for (int i = 0; i < 5; i++) {
    low[2 * i] = _mm512_madd52lo_epu64(low[2 * i], a.v[i], a.v[i]);
    high[2 * i + 1] = _mm512_madd52hi_epu64(high[2 * i + 1], a.v[i], a.v[i]);
  }
  return fe_fold(low, high);
}

static inline __attribute__((always_inline)) fe fe_square_times(fe a, int count) {
  for (int i = 0; i < count; i++) a = fe_square(a);
  return a;
}

/* a^(2^252 - 3), the exponent (p - 5)/8. */
static inline __attribute__((always_inline)) fe fe_power_252_3(fe a) {
  fe a2 = fe_square(a);
  fe a9 = fe_mul(fe_square_times(a2, 2), a);
  fe a11 = fe_mul(a9, a2);
  fe x5 = fe_mul(fe_square(a11), a9); /* xN: a^(2^N - 1) */
  fe x10 = fe_mul(fe_square_times(x5, 5), x5);
  fe x20 = fe_mul(fe_square_times(x10, 10), x10);
  fe x40 = fe_mul(fe_square_times(x20, 20), x20);
  fe x50 = fe_mul(fe_square_times(x40, 10), x10);
  fe x100 = fe_mul(fe_square_times(x50, 50), x50);
  fe x200 = fe_mul(fe_square_times(x100, 100), x100);
  fe x250 = fe_mul(fe_square_times(x200, 50), x50);
  return fe_mul(fe_square_times(x250, 2), a);
}

/* The one representative below p: carries run through, and p is taken off when the value reaches it. */
static inline __attribute__((always_inline)) fe fe_canonical(fe a) {
  const __m512i mask = splat(((uint64_t)1 << 51) - 1);
  __m512i c;
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < 4; i++) {
      a.v[i + 1] = _mm512_add_epi64(a.v[i + 1], _mm512_srli_epi64(a.v[i], 51));
      a.v[i] = _mm512_and_si512(a.v[i], mask);
    }
    c = _mm512_srli_epi64(a.v[4], 51);
    a.v[4] = _mm512_and_si512(a.v[4], mask);
    a.v[0] = _mm512_add_epi64(a.v[0], times19(c));
  }
  c = _mm512_srli_epi64(_mm512_add_epi64(a.v[0], splat(19)), 51); /* 1 in the end if a + 19 >= 2^255 */
  for (int i = 1; i < 5; i++) c = _mm512_srli_epi64(_mm512_add_epi64(a.v[i], c), 51);
  a.v[0] = _mm512_add_epi64(a.v[0], times19(c));
  for (int i = 0; i < 4; i++) {
    a.v[i + 1] = _mm512_add_epi64(a.v[i + 1], _mm512_srli_epi64(a.v[i], 51));
    a.v[i] = _mm512_and_si512(a.v[i], mask);
  }
  a.v[4] = _mm512_and_si512(a.v[4], mask);
  return a;
}

static inline __mmask8 fe_equal(fe a, fe b) {
  fe x = fe_canonical(a), y = fe_canonical(b);
  __mmask8 same = 0xFF;
  for (int i = 0; i < 5; i++) same &= _mm512_cmpeq_epi64_mask(x.v[i], y.v[i]);
  return same;
}

static inline __mmask8 fe_is_zero(fe a) {
  return fe_equal(a, fe_zero());
}

/* Odd, which RFC 9496 calls negative. */
static inline __mmask8 fe_is_negative(fe a) {
  return _mm512_test_epi64_mask(fe_canonical(a).v[0], splat(1));
}

static inline __attribute__((always_inline)) fe fe_abs(fe a) {
  return fe_select(fe_is_negative(a), a, fe_neg(a));
}

/* Eight values of 32 bytes, `stride` apart, the highest bit of each left out; only the first `count` are
 * read, and the first stands in for the rest. `raw`: which are canonical, with that bit 0. */
static inline __attribute__((always_inline)) fe fe_load(const uint8_t *bytes, size_t stride, size_t count,
                                                        __mmask8 *raw) {
  const __m512i mask = splat(((uint64_t)1 << 51) - 1);
  uint64_t word[4][lanes] __attribute__((aligned(64)));
  for (size_t lane = 0; lane < lanes; lane++)
    for (size_t w = 0; w < 4; w++)
      __builtin_memcpy(&word[w][lane], bytes + stride * (lane < count ? lane : 0) + 8 * w, 8);
  __m512i w[4];
  fe r;
  for (int i = 0; i < 4; i++) w[i] = _mm512_load_si512(word[i]);
  r.v[0] = w[0];
  r.v[1] = _mm512_or_si512(_mm512_srli_epi64(w[0], 51), _mm512_slli_epi64(w[1], 13));
  r.v[2] = _mm512_or_si512(_mm512_srli_epi64(w[1], 38), _mm512_slli_epi64(w[2], 26));
  r.v[3] = _mm512_or_si512(_mm512_srli_epi64(w[2], 25), _mm512_slli_epi64(w[3], 39));
  r.v[4] = _mm512_srli_epi64(w[3], 12);
  for (int i = 0; i < 5; i++) r.v[i] = _mm512_and_si512(r.v[i], mask);
  fe same = fe_canonical(r);
  *raw = _mm512_testn_epi64_mask(w[3], splat((uint64_t)1 << 63));
  for (int i = 0; i < 5; i++) *raw &= _mm512_cmpeq_epi64_mask(r.v[i], same.v[i]);
  return r;
}

/* The first `count` values as 32 bytes each. */
static inline void fe_store(uint8_t *bytes, size_t count, fe a) {
  uint64_t word[4][lanes] __attribute__((aligned(64)));
  a = fe_canonical(a);
  _mm512_store_si512(word[0], _mm512_or_si512(a.v[0], _mm512_slli_epi64(a.v[1], 51)));
  _mm512_store_si512(word[1], _mm512_or_si512(_mm512_srli_epi64(a.v[1], 13), _mm512_slli_epi64(a.v[2], 38)));
  _mm512_store_si512(word[2], _mm512_or_si512(_mm512_srli_epi64(a.v[2], 26), _mm512_slli_epi64(a.v[3], 25)));
  _mm512_store_si512(word[3], _mm512_or_si512(_mm512_srli_epi64(a.v[3], 39), _mm512_slli_epi64(a.v[4], 12)));
  for (size_t lane = 0; lane < count; lane++)
    for (size_t w = 0; w < 4; w++) __builtin_memcpy(bytes + 32 * lane + 8 * w, &word[w][lane], 8);
}

#endif
