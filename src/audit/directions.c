/* Rows of Gaussian numbers of which the direction alone is known: the law of y / |y| for y normal around a
 * known row (the projected normal law; Presnell, Morrison and Littell 1998). */
#include "directions.h"

#include <math.h>

/* Simpson's rule; the integrand is smooth, and below e^-40 of its peak outside. */
enum { points = 400 };
static const double widths = 40;

/* log of s^(n-1) exp(-s^2/2 + a s) at s. */
static double log_at(double s, double a, size_t n) {
  return s > 0 ? (double)(n - 1) * log(s) - s * s / 2 + a * s : -INFINITY;
}

/* log of the integral over s > 0, for n >= 2. */
static double log_moment(double a, size_t n) {
  const double k = (double)(n - 1), root = sqrt(a * a + 4 * k);
  const double peak = a > 0 ? (a + root) / 2 : 2 * k / (root - a);
  const double width = 1 / sqrt(1 + k / (peak * peak));
  const double from = fmax(0, peak - widths * width), step = (peak + widths * width - from) / points;
  const double most = log_at(peak, a, n);
  double sum = 0;
  for (int i = 0; i <= points; i++) {
    const double weight = i == 0 || i == points ? 1 : i % 2 == 1 ? 4 : 2;
    sum += weight * exp(log_at(from + i * step, a, n) - most);
  }
  return most + log(sum * step / 3);
}

static double log_density(double square, double along, size_t n, double sigma) {
  return log_moment(along / sigma, n) - square / (2 * sigma * sigma);
}

bool sotto_i_direction_ratios(double *out, const double *scales, size_t count, const float *row,
                              const double *exact, size_t n, double sigma) {
  double length = 0, square = 0, along = 0;
  for (size_t j = 0; j < n; j++) {
    length += (double)row[j] * row[j];
    square += exact[j] * exact[j];
    along += row[j] * exact[j];
  }
  if (n < 2 || !(length > 0)) return false;
  along /= sqrt(length);
  const double stated = log_density(square, along, n, sigma);
  for (size_t i = 0; i < count; i++) out[i] = log_density(square, along, n, scales[i] * sigma) - stated;
  return true;
}
