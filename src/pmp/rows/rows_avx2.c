/* Row kernels for machines with AVX2. */
#if defined(__x86_64__)
#define ROWS_NAME sotto_i_row_kernels_avx2
#include "rows_body.h"
#endif
