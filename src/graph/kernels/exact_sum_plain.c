/* Exact neighbour sums, compiled for plain. */
#define EXACT_SUM_NAME(x) x##_plain
#include "exact_sum_body.h"
