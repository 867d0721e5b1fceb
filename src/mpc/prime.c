/* Arithmetic modulo p: powers, roots of unity, random streams; choice of the kernels. */
#include "prime.h"

#include <sodium.h>

#include "base/cpu.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "ring.h"

enum { generator = 7, generator_order_bits = 32, stream_block = 8192 };

uint64_t sotto_i_prime_power(uint64_t base, uint64_t exponent) {
  uint64_t out = 1;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) out = sotto_i_prime_mul(out, base);
    base = sotto_i_prime_mul(base, base);
  }
  return out;
}

uint64_t sotto_i_prime_inverse(uint64_t x) {
  SOTTO_I_CHECK(x != 0);
  return sotto_i_prime_power(x, SOTTO_I_PRIME - 2);
}

uint64_t sotto_i_prime_root(uint64_t n) {
  SOTTO_I_CHECK(n > 0 && (n & (n - 1)) == 0 && n <= (uint64_t)1 << generator_order_bits);
  return sotto_i_prime_power(generator, (SOTTO_I_PRIME - 1) / n);
}

typedef struct expansion {
  uint64_t *out;
  size_t count;
  const sotto_key *key;
  uint64_t index;
} expansion;

/* Each block has its own stream, and a second one for words that are rejected and drawn again. */
static void expand_blocks(void *context, size_t begin, size_t end) {
  const expansion *e = context;
  for (size_t block = begin; block < end; block++) {
    sotto_i_random random, again;
    const size_t first = block * stream_block;
    const size_t count = e->count - first < stream_block ? e->count - first : stream_block;
    const uint64_t stream = e->index << 32 | block;
    sotto_i_random_init(&random, e->key, SOTTO_I_PURPOSE_SHARE, SOTTO_I_STREAM_PRIME, stream);
    sotto_i_random_init(&again, e->key, SOTTO_I_PURPOSE_SHARE, SOTTO_I_STREAM_PRIME_AGAIN, stream);
    sotto_i_random_bytes(&random, e->out + first, count * sizeof *e->out);
    for (size_t i = first; i < first + count; i++)
      while (e->out[i] >= SOTTO_I_PRIME) e->out[i] = sotto_i_random_u64(&again);
    sodium_memzero(&random, sizeof random);
    sodium_memzero(&again, sizeof again);
  }
}

void sotto_i_prime_expand(uint64_t *out, size_t count, const sotto_key *key, uint64_t index) {
  expansion e = {out, count, key, index};
  SOTTO_I_CHECK(index < (uint64_t)1 << 32);
  sotto_i_parallel((count + stream_block - 1) / stream_block, 4, expand_blocks, &e);
}

static size_t reverse_bits(size_t i, size_t n) {
  size_t out = 0;
  for (; n > 1; n /= 2, i >>= 1) out = out << 1 | (i & 1);
  return out;
}

sotto_status sotto_i_prime_powers_new(sotto_i_prime_powers *out, size_t n, sotto_error *err) {
  sotto_status status;
  *out = (sotto_i_prime_powers){.n = n};
  SOTTO_TRY(sotto_i_new_raw(&out->forward, n / 2, sizeof *out->forward, err));
  SOTTO_TRY(sotto_i_new_raw(&out->inverse, n / 2, sizeof *out->inverse, err));
  SOTTO_TRY(sotto_i_new_raw(&out->shift, n, sizeof *out->shift, err));
  const uint64_t w = sotto_i_prime_root(n), v = sotto_i_prime_root(2 * (uint64_t)n);
  const uint64_t back = sotto_i_prime_inverse(w);
  uint64_t forward = 1, inverse = 1, factor = sotto_i_prime_inverse(n);
  for (size_t i = 0; i < n; i++) {
    if (i < n / 2) out->forward[i] = forward;
    if (i < n / 2) out->inverse[i] = inverse;
    out->shift[reverse_bits(i, n)] = factor;
    forward = sotto_i_prime_mul(forward, w);
    inverse = sotto_i_prime_mul(inverse, back);
    factor = sotto_i_prime_mul(factor, v);
  }
done:
  if (status != SOTTO_OK) sotto_i_prime_powers_free(out);
  return status;
}

void sotto_i_prime_powers_free(sotto_i_prime_powers *powers) {
  sotto_i_free(powers->forward);
  sotto_i_free(powers->inverse);
  sotto_i_free(powers->shift);
  *powers = (sotto_i_prime_powers){0};
}

const sotto_i_prime_kernels *sotto_i_prime_best(void) {
#if defined(__x86_64__)
  if (sotto_i_isa() == SOTTO_I_ISA_AVX512) return &sotto_i_prime_avx512;
  if (sotto_i_isa() == SOTTO_I_ISA_AVX2) return &sotto_i_prime_avx2;
#endif
  return &sotto_i_prime_plain;
}
