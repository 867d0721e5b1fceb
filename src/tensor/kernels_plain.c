/* The kernels for any machine. */
#define KERNEL_TABLE sotto_i_kernels_plain
#include "kernels_body.h"
