/* Exact neighbour sums, compiled for AVX-512. */
#define EXACT_SUM_NAME(x) x##_avx512
#define EXACT_SUM_LANES   16
#include "exact_sum_body.h"
