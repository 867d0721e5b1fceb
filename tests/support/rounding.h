/* How far single precision may be off: bounds that follow from the terms themselves. */
#ifndef SOTTO_TESTS_SUPPORT_ROUNDING_H
#define SOTTO_TESTS_SUPPORT_ROUNDING_H

#include <stddef.h>

/* A sum of products in float32, in whatever order and with or without fused operations, errs by at most
 * gamma_n `size`, gamma_n = n u / (1 - n u), u = 2^-24, where `size` is the sum of the absolute terms and no
 * term goes through more than n = `roundings` operations; n half units of the smallest number are added
 * for results below the normal range (Higham 2002, sections 3.1 and 4.2). */
double check_rounding(size_t roundings, double size);

#endif
