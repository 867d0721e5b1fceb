/* Kernels of the transport and of conditional gradient, compiled for any machine. */
#define GW_KERNEL_TABLE sotto_i_gw_kernels_plain
#include "gw/solve/kernels_body.h"
