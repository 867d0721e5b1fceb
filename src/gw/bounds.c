/* For a plan T draw (i, j) and (k, l) from it, independently, and set X = C_ik and Y = D_jl. The value is
 * E (X - Y)^2 = (E X - E Y)^2 + var X + var Y - 2 cov(X, Y), and cov(X, Y) is at most the product of the two
 * deviations (Cauchy-Schwarz). The laws of X and Y follow from the spaces alone, whatever T is. */
#include "bounds.h"

#include <math.h>

sotto_i_gw_moments sotto_i_gw_moments_of(const sotto_gw_space *s) {
  const double each = 1 / (double)s->points;
  double mean = 0, square = 0;
  for (size_t i = 0; i < s->points; i++) {
    const double *row = s->distance + i * s->points;
    double sum = 0;
    for (size_t k = 0; k < s->points; k++) sum += row[k] * (s->weight == NULL ? each : s->weight[k]);
    mean += sum * (s->weight == NULL ? each : s->weight[i]);
  }
  for (size_t i = 0; i < s->points; i++) {
    const double *row = s->distance + i * s->points;
    double sum = 0;
    for (size_t k = 0; k < s->points; k++)
      sum += (row[k] - mean) * (row[k] - mean) * (s->weight == NULL ? each : s->weight[k]);
    square += sum * (s->weight == NULL ? each : s->weight[i]);
  }
  return (sotto_i_gw_moments){mean, sqrt(square)};
}

double sotto_i_gw_lower_bound(const sotto_i_gw_moments *a, const sotto_i_gw_moments *b) {
  const double mean = a->mean - b->mean, deviation = a->deviation - b->deviation;
  const double size = fabs(a->mean) + fabs(b->mean) + a->deviation + b->deviation;
  /* the moments themselves are rounded, relative to their size */
  return fmax(0, (mean * mean + deviation * deviation) * (1 - 1e-9) - 1e-12 * size * size);
}
