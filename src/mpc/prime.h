/* Arithmetic modulo the prime p = 2^64 - 2^32 + 1, and its kernels on rows of numbers.
 *
 * A number is a word below p. Modulo p, 2^64 = 2^32 - 1 and 2^96 = -1, so a product needs no division.
 * 2^32 divides p - 1, so roots of unity exist for transforms of any power of two up to that. Time and
 * addresses do not depend on values, except on the exponent of a power. */
#ifndef SOTTO_SRC_MPC_PRIME_H
#define SOTTO_SRC_MPC_PRIME_H

#include "sotto/base.h"

#define SOTTO_I_PRIME UINT64_C(0xFFFFFFFF00000001)

static inline uint64_t sotto_i_prime_add(uint64_t a, uint64_t b) {
  const uint64_t room = SOTTO_I_PRIME - b;
  return a - room + (SOTTO_I_PRIME & (0 - (uint64_t)(a < room)));
}

static inline uint64_t sotto_i_prime_sub(uint64_t a, uint64_t b) {
  return a - b + (SOTTO_I_PRIME & (0 - (uint64_t)(a < b)));
}

/* With a = a1 2^32 + a0: products of 32 bits, which every vector unit offers. */
static inline uint64_t sotto_i_prime_mul(uint64_t a, uint64_t b) {
  const uint64_t half = UINT64_C(0xFFFFFFFF);
  const uint64_t a0 = a & half, a1 = a >> 32, b0 = b & half, b1 = b >> 32;
  const uint64_t corner = a0 * b0;
  const uint64_t middle = a0 * b1 + (corner >> 32);
  const uint64_t other = a1 * b0 + (middle & half);
  const uint64_t high = a1 * b1 + (middle >> 32) + (other >> 32), low = (other << 32) | (corner & half);
  /* low + 2^64 high0 + 2^96 high1 = low + (2^32 - 1) high0 - high1 */
  const uint64_t high0 = high & half, high1 = high >> 32;
  uint64_t r = low - high1 - (half & (0 - (uint64_t)(low < high1)));
  const uint64_t add = (high0 << 32) - high0;
  r += add;
  r += half & (0 - (uint64_t)(r < add));
  return r - (SOTTO_I_PRIME & (0 - (uint64_t)(r >= SOTTO_I_PRIME)));
}

/* Converts a signed number, |x| < 2^63, to one modulo p, and back to the representative closest to zero. */
static inline uint64_t sotto_i_prime_of(int64_t x) {
  return (uint64_t)x + (SOTTO_I_PRIME & (0 - (uint64_t)(x < 0)));
}
static inline int64_t sotto_i_prime_signed(uint64_t x) {
  return (int64_t)(x - (SOTTO_I_PRIME & (0 - (uint64_t)(x > SOTTO_I_PRIME / 2))));
}

/* base^exponent; the time depends on the exponent. */
uint64_t sotto_i_prime_power(uint64_t base, uint64_t exponent);
/* 1 / x, x not 0. */
uint64_t sotto_i_prime_inverse(uint64_t x);
/* A root of unity of order n, a power of two up to 2^32. The root of order n is the square of that of
 * order 2n. */
uint64_t sotto_i_prime_root(uint64_t n);

/* Uniform numbers below p from the stream (key, index): out[i], i < count. Words of p and above, one in
 * 2^32, are rejected and drawn again. On all threads. */
void sotto_i_prime_expand(uint64_t *out, size_t count, const sotto_key *key, uint64_t index);

/* Powers for transforms of n rows: of a root w of order n, of 1/w, and of a root v of order 2n. */
typedef struct sotto_i_prime_powers {
  size_t n;
  uint64_t *forward, *inverse; /* n / 2 each */
  uint64_t *shift;             /* v^i / n at the bit-reversed position of i; n of them */
} sotto_i_prime_powers;
/* n: a power of two, at least 2. Errors: NOMEM. */
sotto_status sotto_i_prime_powers_new(sotto_i_prime_powers *out, size_t n, sotto_error *err);
void sotto_i_prime_powers_free(sotto_i_prime_powers *powers);

/* Kernels, once for each instruction set. */
typedef struct sotto_i_prime_kernels {
  /* Each column of rows[n][width] holds the values of a polynomial of degree below n at w^m, in row m.
   * Replaces them by its values at v w^m. O(n log n width). */
  void (*shift)(uint64_t *rows, size_t width, const sotto_i_prime_powers *powers);
  /* out += factor x */
  void (*add_scaled)(uint64_t *out, const uint64_t *x, uint64_t factor, size_t count);
  void (*add)(uint64_t *out, const uint64_t *x, size_t count);      /* out += x */
  void (*subtract)(uint64_t *out, const uint64_t *x, size_t count); /* out -= x */
  uint64_t (*dot)(const uint64_t *a, const uint64_t *b, size_t count);
} sotto_i_prime_kernels;
extern const sotto_i_prime_kernels sotto_i_prime_plain;
#if defined(__x86_64__)
extern const sotto_i_prime_kernels sotto_i_prime_avx2, sotto_i_prime_avx512;
#endif
/* The fastest kernels that this processor supports. */
const sotto_i_prime_kernels *sotto_i_prime_best(void);

#endif
