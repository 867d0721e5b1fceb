/* Exact neighbour sums, compiled for avx2. */
#define EXACT_SUM_NAME sotto_i_exact_sum_avx2
#include "exact_sum_body.h"
