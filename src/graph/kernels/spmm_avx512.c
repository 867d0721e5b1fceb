/* Sparse times dense with 16 lanes (AVX-512). */
#include "spmm.h"

#if defined(__AVX512F__)
#include <immintrin.h>

#define KERNEL                sotto_i_spmm_avx512
#define INLINE                SOTTO_I_SPMM_INLINE
#define splat                 _mm512_set1_ps
#define plus                  _mm512_add_ps
#define multiply              _mm512_mul_ps
#define multiply_add          _mm512_fmadd_ps
#define load_whole            _mm512_loadu_ps
#define store_whole           _mm512_storeu_ps
#define load_some(from, some) _mm512_maskz_loadu_ps(some, from)
#define store_some            _mm512_mask_storeu_ps

enum { lanes = 16 };

typedef __m512 vector;
typedef __mmask16 lanes_of;

INLINE lanes_of first_lanes(size_t count) {
  return (lanes_of)(0xffffU >> (lanes - count));
}

#include "spmm_body.h"
#endif
