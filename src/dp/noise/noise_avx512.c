/* Noise kernels for machines with AVX-512 (F, BW, CD, DQ, VL). */
#if defined(__x86_64__)
#define NOISE_NAME(x) x##_avx512
#include "noise_kernel.h"
#endif
