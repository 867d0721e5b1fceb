/* Kernels of projections, compiled for AVX2. */
#if defined(__x86_64__)
#define PROJECTION_NAME sotto_i_projection_avx2
#define PROJECTION_LANE 32
#define PROJECTION_ROWS 1
#include "projection_body.h"
#endif
