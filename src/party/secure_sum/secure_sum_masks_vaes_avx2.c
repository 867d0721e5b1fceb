/* Masks by vector AES, for machines with AVX2 and VAES. */
#if defined(__x86_64__)
#include <immintrin.h>
#define MASK_NAME          sotto_i_sum_mask_vaes_avx2
#define VECTOR             __m256i
#define OF_WORDS(name)     _mm256_##name
#define OF_BITS(name)      _mm256_##name##_si256
#define IN_ALL_LANES(lane) _mm256_broadcastsi128_si256(lane)
#include "secure_sum_masks_body.h"
#endif
