/* Exact neighbour sums, compiled for avx512. */
#define EXACT_SUM_NAME sotto_i_exact_sum_avx512
#include "exact_sum_body.h"
