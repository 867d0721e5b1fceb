/* Group operations by libsodium or a faster kernel, on all threads. */
#include "group.h"

#include <sodium.h>
#include <stdatomic.h>
#include <string.h>

#include "base/cpu.h"
#include "base/threads.h"

enum { grain = 128 }; /* a kernel shares an inversion within it */

/* libsodium 1.0.18 ignores the highest bit, which would give each element a second encoding. */
static size_t sodium_multiply(uint8_t *out, const uint8_t *points, size_t count, const uint8_t *scalar) {
  size_t bad = SIZE_MAX;
  for (size_t i = count; i-- > 0;)
    if (points[32 * i + 31] >> 7 != 0 ||
        crypto_scalarmult_ristretto255(out + 32 * i, scalar, points + 32 * i) != 0)
      bad = i;
  return bad;
}

static void sodium_hash_multiply(uint8_t *out, const uint8_t *hashes, size_t count, const uint8_t *scalar) {
  uint8_t point[SOTTO_I_POINT_BYTES];
  for (size_t i = 0; i < count; i++) {
    (void)crypto_core_ristretto255_from_hash(point, hashes + 64 * i);
    /* Fails for the identity alone, which a hash gives with probability 2^-252. */
    if (crypto_scalarmult_ristretto255(out + 32 * i, scalar, point) != 0) memset(out + 32 * i, 0, 32);
  }
  sodium_memzero(point, sizeof point);
}

const sotto_i_group_kernel sotto_i_group_sodium = {"libsodium", sodium_multiply, sodium_hash_multiply};

bool sotto_i_has_ifma(void) {
#if defined(__x86_64__)
  return sotto_i_isa() == SOTTO_I_ISA_AVX512 && __builtin_cpu_supports("avx512ifma");
#else
  return false;
#endif
}

const sotto_i_group_kernel *sotto_i_group_kernel_best(void) {
#if defined(__x86_64__)
  if (sotto_i_has_ifma()) return &sotto_i_group_ifma;
  if (sotto_i_isa() >= SOTTO_I_ISA_AVX2) return &sotto_i_group_avx2;
#endif
  return &sotto_i_group_sodium;
}

typedef struct job {
  const sotto_i_group_kernel *kernel;
  uint8_t *out;
  const uint8_t *in, *scalar;
  _Atomic size_t bad;
} job;

static void multiply_range(void *context, size_t begin, size_t end) {
  job *j = context;
  size_t bad = j->kernel->multiply(j->out + 32 * begin, j->in + 32 * begin, end - begin, j->scalar);
  if (bad == SIZE_MAX) return;
  size_t seen = atomic_load(&j->bad);
  while (begin + bad < seen && !atomic_compare_exchange_weak(&j->bad, &seen, begin + bad)) continue;
}

static void hash_range(void *context, size_t begin, size_t end) {
  const job *j = context;
  j->kernel->hash_multiply(j->out + 32 * begin, j->in + 64 * begin, end - begin, j->scalar);
}

size_t sotto_i_group_multiply(uint8_t *out, const uint8_t *points, size_t count, const uint8_t *scalar) {
  job j = {sotto_i_group_kernel_best(), out, points, scalar, SIZE_MAX};
  sotto_i_parallel(count, grain, multiply_range, &j);
  return atomic_load(&j.bad);
}

void sotto_i_group_hash_multiply(uint8_t *out, const uint8_t *hashes, size_t count, const uint8_t *scalar) {
  job j = {sotto_i_group_kernel_best(), out, hashes, scalar, SIZE_MAX};
  sotto_i_parallel(count, grain, hash_range, &j);
}
