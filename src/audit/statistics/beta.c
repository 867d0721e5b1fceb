/* The beta distribution, for exact bounds on probabilities. */
#include <math.h>

#include "audit.h"

/* The continued fraction of I_x(a, b) (DLMF 8.17.22) by Lentz's method as modified by Thompson and Barnett
 * 1986. It converges fast for x < (a + 1) / (a + b + 2). */
static double fraction(double x, double a, double b) {
  const double tiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  if (fabs(d) < tiny) d = tiny;
  d = 1 / d;
  double value = d;
  for (int m = 1; m < 100000; m++) {
    double steps[] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                      -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))};
    double ratio = 1;
    for (int i = 0; i < 2; i++) {
      d = 1 + steps[i] * d;
      c = 1 + steps[i] / c;
      if (fabs(d) < tiny) d = tiny;
      if (fabs(c) < tiny) c = tiny;
      d = 1 / d;
      ratio = c * d;
      value *= ratio;
    }
    if (fabs(ratio - 1) < 1e-15) break;
  }
  return value;
}

double sotto_i_beta(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * fraction(x, a, b) / a;
  return 1 - front * fraction(1 - x, b, a) / b;
}

/* The x with I_x(a, b) = p. */
static double beta_quantile(double p, double a, double b) {
  double low = 0, high = 1;
  for (int i = 0; i < 200 && high - low > 1e-15 * high; i++) {
    double middle = low + (high - low) / 2;
    if (sotto_i_beta(middle, a, b) < p)
      low = middle;
    else
      high = middle;
  }
  return low + (high - low) / 2;
}

double sotto_i_normal_quantile(double p) {
  double low = -40, high = 40;
  for (int i = 0; i < 100; i++) {
    double middle = (low + high) / 2;
    if (erfc(-middle * 0.70710678118654752440) / 2 < p)
      low = middle;
    else
      high = middle;
  }
  return (low + high) / 2;
}

/* Bounds of Clopper and Pearson 1934. */
double sotto_i_at_least(uint64_t hits, uint64_t trials, double risk) {
  if (hits == 0) return 0;
  return beta_quantile(risk, (double)hits, (double)(trials - hits) + 1);
}

double sotto_i_at_most(uint64_t hits, uint64_t trials, double risk) {
  if (hits >= trials) return 1;
  return beta_quantile(1 - risk, (double)hits + 1, (double)(trials - hits));
}
