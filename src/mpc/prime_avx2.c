/* Kernels modulo p, compiled for AVX2. */
#if defined(__x86_64__)
#define PRIME_NAME sotto_i_prime_avx2
#include "prime_body.h"
#endif
