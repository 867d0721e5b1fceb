/* Kernels modulo p, compiled for AVX-512. */
#if defined(__x86_64__)
#define PRIME_NAME sotto_i_prime_avx512
#include "prime_body.h"
#endif
