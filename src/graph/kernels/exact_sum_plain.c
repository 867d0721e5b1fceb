/* Exact neighbour sums, compiled for any machine. */
#define EXACT_SUM_NAME(x) x##_plain
#define EXACT_SUM_LANES   4
#include "exact_sum_body.h"
