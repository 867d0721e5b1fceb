/* Kernels of projections, compiled for AVX-512. */
#if defined(__x86_64__)
#define PROJECTION_NAME sotto_i_projection_avx512
#define PROJECTION_LANE 64
#define PROJECTION_ROWS 2
#include "projection_body.h"
#endif
