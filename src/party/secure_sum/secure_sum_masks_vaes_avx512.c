/* Masks by vector AES, for machines with AVX-512 and VAES. */
#if defined(__x86_64__)
#include <immintrin.h>
#define MASK_NAME          sotto_i_sum_mask_vaes_avx512
#define VECTOR             __m512i
#define OF_WORDS(name)     _mm512_##name
#define OF_BITS(name)      _mm512_##name##_si512
#define IN_ALL_LANES(lane) _mm512_broadcast_i32x4(lane)
#include "secure_sum_masks_body.h"
#endif
