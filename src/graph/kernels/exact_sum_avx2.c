/* Exact neighbour sums, compiled for AVX2. */
#define EXACT_SUM_NAME(x) x##_avx2
#define EXACT_SUM_LANES   8
#include "exact_sum_body.h"
