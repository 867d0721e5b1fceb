/* Pearson's chi-squared statistic. */
#include "chi_square.h"

#include <math.h>

double chi_square_z(const uint64_t *seen, const double *expected, size_t bins) {
  double sum = 0, have = 0, want = 0, last_have = 0, last_want = 0, freedom = -1;
  for (size_t i = 0; i < bins; i++) {
    have += (double)seen[i];
    want += expected[i];
    if (want < 10) continue;
    if (last_want > 0) {
      sum += (last_have - last_want) * (last_have - last_want) / last_want;
      freedom++;
    }
    last_have = have;
    last_want = want;
    have = want = 0;
  }
  last_have += have; /* what is left joins the last full bin */
  last_want += want;
  sum += (last_have - last_want) * (last_have - last_want) / last_want;
  freedom++;
  if (freedom < 1) return 0;
  double spread = 2 / (9 * freedom);
  return (cbrt(sum / freedom) - (1 - spread)) / sqrt(spread);
}
