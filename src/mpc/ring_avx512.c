/* Tiles of 8 x 16 with the 64-bit product of AVX-512 DQ. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "ring.h"

static void tile_8x16(uint64_t *tile, const uint64_t *const *rows, const uint64_t *panel, size_t depth) {
  __m512i sum[8][2];
  for (int i = 0; i < 8; i++) sum[i][0] = sum[i][1] = _mm512_setzero_si512();
  for (size_t k = 0; k < depth; k++) {
    __m512i b0 = _mm512_loadu_si512(panel + 16 * k), b1 = _mm512_loadu_si512(panel + 16 * k + 8);
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
      __m512i a = _mm512_set1_epi64((long long)rows[i][k]);
      sum[i][0] = _mm512_add_epi64(sum[i][0], _mm512_mullo_epi64(a, b0));
      sum[i][1] = _mm512_add_epi64(sum[i][1], _mm512_mullo_epi64(a, b1));
    }
  }
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 2; j++) _mm512_storeu_si512(tile + 16 * i + 8 * j, sum[i][j]);
}

const sotto_i_ring_kernel sotto_i_ring_avx512 = {8, 16, tile_8x16};
#endif
