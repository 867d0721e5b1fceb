/* Tiles of 4 x 4 from 32-bit products: with a = a1 2^32 + a0, ab = a0 b0 + 2^32 (a0 b1 + a1 b0) modulo
 * 2^64. The two parts are summed separately. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "ring.h"

static void tile_4x4(uint64_t *tile, const uint64_t *const *rows, const uint64_t *panel, size_t depth) {
  __m256i low[4], cross[4];
  for (int i = 0; i < 4; i++) low[i] = cross[i] = _mm256_setzero_si256();
  for (size_t k = 0; k < depth; k++) {
    __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(panel + 4 * k));
    __m256i b1 = _mm256_srli_epi64(b, 32);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
      __m256i a = _mm256_set1_epi64x((long long)rows[i][k]), a1 = _mm256_srli_epi64(a, 32);
      low[i] = _mm256_add_epi64(low[i], _mm256_mul_epu32(a, b));
      cross[i] = _mm256_add_epi64(cross[i], _mm256_mul_epu32(a, b1));
      cross[i] = _mm256_add_epi64(cross[i], _mm256_mul_epu32(a1, b));
    }
  }
  for (int i = 0; i < 4; i++)
    _mm256_storeu_si256((__m256i *)(void *)(tile + 4 * i),
                        _mm256_add_epi64(low[i], _mm256_slli_epi64(cross[i], 32)));
}

const sotto_i_ring_kernel sotto_i_ring_avx2 = {4, 4, tile_4x4};
#endif
