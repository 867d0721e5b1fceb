/* Source of the kernels modulo p, compiled once per instruction set; PRIME_NAME is the table. The compiler
 * vectorises the inner loops. */
#include "prime.h"

enum { lanes = 8 };

/* Decimation in frequency: natural order to bit-reversed order. */
static void transform_frequency(uint64_t *rows, size_t width, const sotto_i_prime_powers *powers) {
  for (size_t length = powers->n / 2, step = 1; length >= 1; length /= 2, step *= 2)
    for (size_t block = 0; block < powers->n; block += 2 * length)
      for (size_t i = 0; i < length; i++) {
        uint64_t *restrict a = rows + (block + i) * width, *restrict b = a + length * width;
        const uint64_t w = powers->inverse[i * step];
        for (size_t j = 0; j < width; j++) {
          const uint64_t difference = sotto_i_prime_sub(a[j], b[j]);
          a[j] = sotto_i_prime_add(a[j], b[j]);
          b[j] = sotto_i_prime_mul(difference, w);
        }
      }
}

/* Decimation in time: bit-reversed order to natural order. */
static void transform_time(uint64_t *rows, size_t width, const sotto_i_prime_powers *powers) {
  for (size_t length = 1, step = powers->n / 2; length < powers->n; length *= 2, step /= 2)
    for (size_t block = 0; block < powers->n; block += 2 * length)
      for (size_t i = 0; i < length; i++) {
        uint64_t *restrict a = rows + (block + i) * width, *restrict b = a + length * width;
        const uint64_t w = powers->forward[i * step];
        for (size_t j = 0; j < width; j++) {
          const uint64_t turned = sotto_i_prime_mul(b[j], w);
          b[j] = sotto_i_prime_sub(a[j], turned);
          a[j] = sotto_i_prime_add(a[j], turned);
        }
      }
}

static void shift(uint64_t *rows, size_t width, const sotto_i_prime_powers *powers) {
  transform_frequency(rows, width, powers);
  for (size_t i = 0; i < powers->n; i++) {
    uint64_t *restrict row = rows + i * width;
    const uint64_t factor = powers->shift[i];
    for (size_t j = 0; j < width; j++) row[j] = sotto_i_prime_mul(row[j], factor);
  }
  transform_time(rows, width, powers);
}

static void add_scaled(uint64_t *restrict out, const uint64_t *restrict x, uint64_t factor, size_t count) {
  for (size_t i = 0; i < count; i++) out[i] = sotto_i_prime_add(out[i], sotto_i_prime_mul(x[i], factor));
}

static void add(uint64_t *restrict out, const uint64_t *restrict x, size_t count) {
  for (size_t i = 0; i < count; i++) out[i] = sotto_i_prime_add(out[i], x[i]);
}

static void subtract(uint64_t *restrict out, const uint64_t *restrict x, size_t count) {
  for (size_t i = 0; i < count; i++) out[i] = sotto_i_prime_sub(out[i], x[i]);
}

static uint64_t dot(const uint64_t *a, const uint64_t *b, size_t count) {
  uint64_t sums[lanes] = {0}, sum = 0;
  size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (size_t lane = 0; lane < lanes; lane++)
      sums[lane] = sotto_i_prime_add(sums[lane], sotto_i_prime_mul(a[i + lane], b[i + lane]));
  for (; i < count; i++) sum = sotto_i_prime_add(sum, sotto_i_prime_mul(a[i], b[i]));
  for (size_t lane = 0; lane < lanes; lane++) sum = sotto_i_prime_add(sum, sums[lane]);
  return sum;
}

const sotto_i_prime_kernels PRIME_NAME = {shift, add_scaled, add, subtract, dot};
