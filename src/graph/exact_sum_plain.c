/* Exact neighbour sums, compiled for plain. */
#define EXACT_SUM_NAME sotto_i_exact_sum_plain
#include "exact_sum_body.h"
