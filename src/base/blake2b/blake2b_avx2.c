/* BLAKE2b of four messages at once, for machines with AVX2. */
#if defined(__x86_64__)
#define BLAKE2B_LANES 4
#define BLAKE2B_NAME  sotto_i_blake2b_avx2
#include "blake2b_kernel.h"
#endif
