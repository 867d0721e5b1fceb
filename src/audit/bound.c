/* From two samples of a statistic to a lower bound on epsilon. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "base/memory.h"

static const double risk = 0.025; /* of each of two probabilities: 95% together */

/* The event "value >= threshold" as a sign of the second input, or "value < threshold" as one of the first.
 */
typedef struct event {
  double threshold;
  bool upper;
} event;

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* How many of the sorted values are below the threshold. */
static size_t count_below(const double *sorted, size_t count, double threshold) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (sorted[middle] < threshold)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* log((Pr[sign] - delta) / Pr[false alarm]) from bounds on both; the first is the likelier. */
static double shown(double sign, double alarm, double delta) {
  return sign > delta && alarm > 0 ? fmax(0, log((sign - delta) / alarm)) : 0;
}

static double shown_by(const event *e, const double *first, const double *second, size_t count,
                       double delta) {
  size_t below_first = count_below(first, count, e->threshold),
         below_second = count_below(second, count, e->threshold);
  size_t sign = e->upper ? count - below_second : below_first;
  size_t alarm = e->upper ? count - below_first : below_second;
  return shown(sotto_i_at_least(sign, count, risk), sotto_i_at_most(alarm, count, risk), delta);
}

/* What the choice of an event goes by: Wilson's approximation of the same bounds, cheap and near enough. */
static double promise(size_t sign, size_t alarm, size_t count, double delta) {
  const double z = 1.96, n = (double)count;
  double p = (double)sign / n, q = (double)alarm / n;
  double low = (p + z * z / (2 * n) - z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))) / (1 + z * z / n);
  double high = (q + z * z / (2 * n) + z * sqrt(q * (1 - q) / n + z * z / (4 * n * n))) / (1 + z * z / n);
  return shown(low, high, delta);
}

static event choose(const double *first, const double *second, size_t count, double delta) {
  event best = {.threshold = first[0], .upper = true};
  double most = 0;
  size_t step = count / 2000 + 1;
  for (size_t i = 0; i < 2 * count; i += step) {
    double threshold = i < count ? first[i] : second[i - count];
    size_t below_first = count_below(first, count, threshold),
           below_second = count_below(second, count, threshold);
    double upper = promise(count - below_second, count - below_first, count, delta);
    double lower = promise(below_first, below_second, count, delta);
    if (fmax(upper, lower) <= most) continue;
    most = fmax(upper, lower);
    best = (event){.threshold = threshold, .upper = upper >= lower};
  }
  return best;
}

/* A sorted copy of values[from..from + count). */
static sotto_status sorted_part(double **out, const double *values, size_t from, size_t count,
                                sotto_error *err) {
  sotto_status status = sotto_i_new_raw(out, count, sizeof **out, err);
  if (status != SOTTO_OK) return status;
  memcpy(*out, values + from, count * sizeof **out);
  qsort(*out, count, sizeof **out, by_value);
  return SOTTO_OK;
}

sotto_status sotto_audit_bound(double *epsilon, const double *first, const double *second, size_t trials,
                               double delta, sotto_error *err) {
  sotto_status status;
  double *part[4] = {NULL, NULL, NULL, NULL};
  size_t half = trials / 2;
  *epsilon = 0;
  if (trials < 100)
    return sotto_i_fail(err, SOTTO_RANGE, "%zu trials are too few; 100 are the least", trials);
  if (!(delta >= 0 && delta < 1)) return sotto_i_fail(err, SOTTO_RANGE, "delta %g is outside [0, 1)", delta);
  for (size_t i = 0; i < trials; i++)
    if (isnan(first[i]) || isnan(second[i]))
      return sotto_i_fail(err, SOTTO_NUMERIC, "the statistic of trial %zu is not a number", i);
  for (size_t i = 0; i < 4; i++)
    SOTTO_TRY(sorted_part(&part[i], i % 2 == 0 ? first : second, i < 2 ? 0 : half, half, err));
  event chosen = choose(part[0], part[1], half, delta);
  *epsilon = shown_by(&chosen, part[2], part[3], half, delta);
done:
  for (size_t i = 0; i < 4; i++) sotto_i_free(part[i]);
  return status;
}
