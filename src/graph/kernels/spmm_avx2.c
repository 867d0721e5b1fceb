/* Sparse times dense with 8 lanes (AVX2). */
#include "spmm.h"

#if defined(__AVX2__)
#include <immintrin.h>

#define KERNEL       sotto_i_spmm_avx2
#define INLINE       SOTTO_I_SPMM_INLINE
#define splat        _mm256_set1_ps
#define plus         _mm256_add_ps
#define multiply     _mm256_mul_ps
#define multiply_add _mm256_fmadd_ps
#define load_whole   _mm256_loadu_ps
#define store_whole  _mm256_storeu_ps
#define load_some    _mm256_maskload_ps
#define store_some   _mm256_maskstore_ps

enum { lanes = 8 };

typedef __m256 vector;
typedef __m256i lanes_of; /* all bits of a lane, or none */

INLINE lanes_of first_lanes(size_t count) {
  static const int32_t steps[2 * lanes] = {-1, -1, -1, -1, -1, -1, -1, -1};
  return _mm256_loadu_si256((const __m256i *)(const void *)(steps + lanes - count));
}

#include "spmm_body.h"
#endif
