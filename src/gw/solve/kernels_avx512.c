/* Kernels of the transport and of conditional gradient, compiled for AVX-512. */
#define GW_KERNEL_TABLE sotto_i_gw_kernels_avx512
#include "gw/solve/kernels_body.h"
