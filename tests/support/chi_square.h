/* Pearson's test of counts against what was expected. */
#ifndef SOTTO_TESTS_SUPPORT_CHI_SQUARE_H
#define SOTTO_TESTS_SUPPORT_CHI_SQUARE_H

#include <stddef.h>
#include <stdint.h>

/* Beyond this a test fails: probability 3e-7 under the right law. */
#define CHI_SQUARE_LIMIT 5.0

/* The statistic as a z-score (Wilson and Hilferty 1931). Neighbouring bins are put together until 10 are
 * expected in each. */
double chi_square_z(const uint64_t *seen, const double *expected, size_t bins);

#endif
