/* ChaCha20 of several streams at once, for machines with AVX2. */
#if defined(__x86_64__)
#define CHACHA_LANES 8
#define CHACHA_NAME  sotto_i_chacha_avx2
#include "chacha_kernel.h"
#endif
