/* Row kernels for machines with AVX-512. */
#if defined(__x86_64__)
#define ROWS_NAME sotto_i_row_kernels_avx512
#include "rows_body.h"
#endif
