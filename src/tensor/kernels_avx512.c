/* The kernels for AVX-512. */
#define KERNEL_TABLE sotto_i_kernels_avx512
#include "kernels_body.h"
