/* ChaCha20 of several streams at once, for machines with AVX-512 (F, BW, CD, DQ, VL). */
#if defined(__x86_64__)
#define CHACHA_LANES 16
#define CHACHA_NAME  sotto_i_chacha_avx512
#include "chacha_kernel.h"
#endif
