/* The source of the noise kernels, compiled once for each instruction set (define NOISE_NAME(x) first).
 *
 * All variants must give the same integers, bit for bit. So every multiplication whose product is added is
 * written as fma(): then no compiler flag (-ffp-contract) can change the result, and the remaining operations
 * are correctly rounded by IEEE 754 on every machine.
 *
 * Box and Muller: with u, v uniform, sqrt(-2 ln u) cos(2 pi v) and sqrt(-2 ln u) sin(2 pi v) are independent
 * standard normals. u has 64 random bits, so the tails reach sqrt(128 ln 2) = 9.4 standard deviations. The
 * angle has two bits for the signs, one for the octant and 52 inside the octant. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "noise.h"

static inline double noise_from_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint64_t noise_to_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* -2 ln((word | 1) / 2^64), to 2^-49 relative plus 2^-52. Needs no 64-bit signed shift and no conversion from
 * 64-bit integers, which AVX2 lacks: numbers are built in the mantissas of 2^84 and 2^52. */
static inline double noise_minus_two_log(uint64_t word) {
  const double ln2 = 0x1.62e42fefa39efp-1;
  double high = noise_from_bits((word >> 32) | UINT64_C(0x4530000000000000)) - 0x1.00000001p84;
  double x = high + noise_from_bits((word & UINT64_C(0xffffffff)) | UINT64_C(0x4330000000000001));
  /* x = m 2^k with m in [sqrt(1/2), sqrt 2), so that ln m does not cancel where u is near 1 (k = 64). */
  uint64_t bits = noise_to_bits(x);
  uint64_t k = (bits - UINT64_C(0x3fe6a09e667f3bcd)) >> 52;
  double m = noise_from_bits(bits - (k << 52));
  double halvings = 0x1.0000000000040p52 - noise_from_bits(k | UINT64_C(0x4330000000000000)); /* 64 - k */
  /* ln m = 2 atanh s = 2 s (1 + s^2/3 + s^4/5 + ...), |s| < 0.172: eleven terms leave 2^-57. */
  double s = (m - 1.0) / (m + 1.0);
  double z = s * s;
  double sum = 1.0 / 21.0;
  sum = fma(sum, z, 1.0 / 19.0);
  sum = fma(sum, z, 1.0 / 17.0);
  sum = fma(sum, z, 1.0 / 15.0);
  sum = fma(sum, z, 1.0 / 13.0);
  sum = fma(sum, z, 1.0 / 11.0);
  sum = fma(sum, z, 1.0 / 9.0);
  sum = fma(sum, z, 1.0 / 7.0);
  sum = fma(sum, z, 1.0 / 5.0);
  sum = fma(sum, z, 1.0 / 3.0);
  sum = fma(sum, z, 1.0);
  return fma(-4.0 * s, sum, halvings * (2.0 * ln2));
}

/* Taylor series on [0, pi/4]; the first term left out is below 2^-57. `z` is the square of the angle. */
static inline double noise_cos(double z) {
  double sum = 1.0 / 20922789888000.0;
  sum = fma(sum, z, -1.0 / 87178291200.0);
  sum = fma(sum, z, 1.0 / 479001600.0);
  sum = fma(sum, z, -1.0 / 3628800.0);
  sum = fma(sum, z, 1.0 / 40320.0);
  sum = fma(sum, z, -1.0 / 720.0);
  sum = fma(sum, z, 1.0 / 24.0);
  sum = fma(sum, z, -0.5);
  return fma(sum, z, 1.0);
}

static inline double noise_sin(double angle, double z) {
  double sum = 1.0 / 355687428096000.0;
  sum = fma(sum, z, -1.0 / 1307674368000.0);
  sum = fma(sum, z, 1.0 / 6227020800.0);
  sum = fma(sum, z, -1.0 / 39916800.0);
  sum = fma(sum, z, 1.0 / 362880.0);
  sum = fma(sum, z, -1.0 / 5040.0);
  sum = fma(sum, z, 1.0 / 120.0);
  sum = fma(sum, z, -1.0 / 6.0);
  return fma(sum * z, angle, angle);
}

/* The nearest integer to a b, ties to even, |a b| < 2^31: the exact product is rounded once, into the low
 * bits of 1.5 2^52. The sign bit of *left is set where a b is farther than `sure` from that integer, so near
 * the middle between two that the errors of a and b (see noise.c) might decide the rounding. */
static inline int32_t noise_round_product(double a, double b, double sure, uint64_t *left) {
  const double rounded = fma(a, b, 0x1.8p52), nearest = rounded - 0x1.8p52;
  *left |= noise_to_bits(sure - fabs(fma(a, b, -nearest)));
  return (int32_t)(uint32_t)noise_to_bits(rounded);
}

bool NOISE_NAME(sotto_i_noise_pairs)(int32_t *restrict first, int32_t *restrict second,
                                     const uint64_t *restrict radius, const uint64_t *restrict angle,
                                     size_t pairs, double sigma_in_steps) {
  /* Twice the errors stated in noise.c, for the largest of all products, 9.5 sigma. */
  const double sure = 0.5 - sigma_in_steps * (0x1p-42 + 9.5 * 0x1p-47);
  uint64_t left = 0;
  for (size_t i = 0; i < pairs; i++) {
    uint64_t word = angle[i];
    /* fabs: the logarithm of a u that rounds to 1 may be -0 or, by one rounding, just below it. */
    double r = sqrt(fabs(noise_minus_two_log(radius[i]))) * sigma_in_steps;
    double turn = noise_from_bits((word & UINT64_C(0xfffffffffffff)) | UINT64_C(0x3ff0000000000000)) - 1.0;
    double t = turn * 0x1.921fb54442d18p-1; /* pi / 4 */
    double z = t * t;
    uint64_t c = noise_to_bits(noise_cos(z)), s = noise_to_bits(noise_sin(t, z));
    uint64_t swap = (c ^ s) & (0 - ((word >> 61) & 1));
    c ^= swap ^ (word & UINT64_C(0x8000000000000000));
    s ^= swap ^ ((word << 1) & UINT64_C(0x8000000000000000));
    first[i] = noise_round_product(r, noise_from_bits(c), sure, &left);
    second[i] = noise_round_product(r, noise_from_bits(s), sure, &left);
  }
  return left >> 63 != 0;
}

void NOISE_NAME(sotto_i_grid_apply)(float *restrict row, const int32_t *restrict noise, size_t cols,
                                    double step) {
  const double to_steps = 1.0 / step;
  const float limit = (float)SOTTO_I_GRID_LIMIT, short_step = (float)step;
  for (size_t j = 0; j < cols; j++) {
    /* A multiple of 1 / step, a power of two, is exact. Adding 1.5 2^52 rounds it to an integer, ties to
     * even; values beyond 2^51 steps stay beyond the limit and are clamped. Values within the limit are exact
     * in single precision too. */
    double value = (double)row[j] * to_steps;
    double steps = value + 0x1.8p52;
    const float sum = (float)((steps - 0x1.8p52) + (double)noise[j]), size = fabsf(sum);
    row[j] = copysignf(size > limit ? limit : size, sum) * short_step;
  }
}
