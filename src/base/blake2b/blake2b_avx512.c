/* BLAKE2b of eight messages at once, for machines with AVX-512 (F, BW, CD, DQ, VL). */
#if defined(__x86_64__)
#define BLAKE2B_LANES 8
#define BLAKE2B_NAME  sotto_i_blake2b_avx512
#include "blake2b_kernel.h"
#endif
