/* Limbs, masks and constants of four values modulo 2^255 - 19: a part of field_avx2.h, which states their
 * bounds. */
#ifndef SOTTO_SRC_PARTY_CURVE_LIMBS_AVX2_H
#define SOTTO_SRC_PARTY_CURVE_LIMBS_AVX2_H

#include <immintrin.h>
#include <stdint.h>

#include "inline.h"

enum { lanes = 4 };

/* Unrolls loops before the compiler looks for arrays that fit into registers. */
#define EACH(i, from, to) _Pragma("GCC unroll 10") for (int i = from; i < (to); i++)
#define EACH_LIMB         EACH(i, 0, 5)

typedef struct fe {
  __m256d v[5];
} fe;
typedef struct wide_fe {
  __m256i v[5];
} wide_fe;
typedef struct constant {
  uint64_t v[5]; /* in radix 2^52 */
} constant;
typedef __m256i lane_mask; /* all bits of a lane, or none */
typedef __m256i integers;  /* a small one in each lane */

/* The numbers to which products are added: as doubles, and as their bits, which count in units of 2^51 and
 * 1. */
#define ABOVE      0x1.8p103
#define BELOW      0x1.8p52
#define ABOVE_BITS 0x4668000000000000
#define BELOW_BITS 0x4338000000000000
#define FIFTY_TWO                                                                                            \
  0x4330000000000000 /* the bits of 2^52: with a lower half that is a number, of their sum                   \
                      */
#define LIMB         (((uint64_t)1 << 51) - 1)
#define LIMB_OF_P(i) (LIMB - ((i) == 0 ? 18 : 0))
/* The bias of limb i of a sum that becomes reduced: 2^50, and 1024 p, which makes it positive. */
#define BIAS(i) (((uint64_t)1 << 50) + 1024 * LIMB_OF_P(i))
/* PRODUCTS: number of halves that are added in column k of a product or a square. The others: the extra bits
 * of ABOVE and BELOW in limb i; upper halves belong to the next column. */
#define PRODUCTS(k)   ((uint64_t)((k) < 5 ? (k) + 2 : 10 - (k)) / 2)
#define SQUARES(k)    ((uint64_t)((k) < 0 || (k) > 8 ? 0 : (k) % 8 == 0 ? 1 : 3 - (k) % 2))
#define COLUMN(n, k)  (n(k) * BELOW_BITS + n((k)-1) * ABOVE_BITS)
#define SURPLUS(n, i) (COLUMN(n, i) + 19 * COLUMN(n, (i) + 5))
#define FOUR(x)                                                                                              \
  { x, x, x, x }
#define LIMBS(n, by)                                                                                         \
  {                                                                                                          \
    FOUR((by)*BIAS(0) - SURPLUS(n, 0)), FOUR((by)*BIAS(1) - SURPLUS(n, 1)),                                  \
        FOUR((by)*BIAS(2) - SURPLUS(n, 2)), FOUR((by)*BIAS(3) - SURPLUS(n, 3)),                              \
        FOUR((by)*BIAS(4) - SURPLUS(n, 4))                                                                   \
  }
#define NOTHING(k) ((uint64_t)0)

/* Constants of products and carries, in memory: compilers would construct each by three instructions. */
static const struct factors {
  uint64_t product[2][5][4], square[2][5][4], bias[5][4], limb[4], fifty_two[4], nineteen[4];
  double above[4], both[4], centre[4];
} table_of_factors __attribute__((aligned(32))) = {
    .product = {LIMBS(PRODUCTS, 0), LIMBS(PRODUCTS, 1)},
    .square = {LIMBS(SQUARES, 0), LIMBS(SQUARES, 1)},
    .bias = LIMBS(NOTHING, 1),
    .limb = FOUR(LIMB),
    .fifty_two = FOUR(FIFTY_TWO),
    .nineteen = FOUR(19),
    .above = FOUR(ABOVE),
    .both = FOUR(ABOVE + BELOW),
    .centre = FOUR(0x1p52 + 0x1p50),
};

INLINE const struct factors *factors(void) {
  const struct factors *f = &table_of_factors;
  __asm__("" : "+r"(f));
  return f;
}

INLINE __m256i at(const uint64_t four[4]) {
  return _mm256_load_si256((const __m256i *)(const void *)four);
}

INLINE __m256i splat(uint64_t x) {
  return _mm256_set1_epi64x((long long)x);
}

INLINE lane_mask no_lanes(void) {
  return _mm256_setzero_si256();
}

/* Bit i belongs to lane i. */
INLINE unsigned lane_bits(lane_mask mask) {
  return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(mask));
}

INLINE integers integers_splat(int8_t x) {
  return _mm256_set1_epi64x(x);
}

INLINE lane_mask integers_negative(integers x) {
  return _mm256_cmpgt_epi64(_mm256_setzero_si256(), x);
}

INLINE integers integers_abs(integers x) {
  const __m256i sign = integers_negative(x);
  return _mm256_sub_epi64(_mm256_xor_si256(x, sign), sign);
}

INLINE lane_mask integers_equal(integers x, int y) {
  return _mm256_cmpeq_epi64(x, _mm256_set1_epi64x(y));
}

#endif
