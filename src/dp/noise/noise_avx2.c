/* Noise kernels for machines with AVX2 and FMA. */
#if defined(__x86_64__)
#define NOISE_NAME(x) x##_avx2
#include "noise_kernel.h"
#endif
