/* The kernels for AVX2 and FMA. */
#define KERNEL_TABLE sotto_i_kernels_avx2
#include "kernels_body.h"
