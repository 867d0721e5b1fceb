/* Lower bounds on epsilon and mu from samples of statistics on two inputs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "base/memory.h"

/* The event "value >= threshold" of one statistic as a sign of the second input, or "value < threshold" as
 * a sign of the first. */
typedef struct event {
  size_t statistic;
  double threshold;
  bool upper;
} event;

typedef struct pair {
  double sign, alarm; /* probabilities */
} pair;

/* One half of the draws: each statistic's values on each input, sorted. */
typedef struct half {
  double **values[2];
  size_t count[2], statistics;
} half;

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The number of sorted values below the threshold. */
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

/* The number of hits and of false alarms of the event. */
static void count_event(uint64_t hits[2], uint64_t of[2], const half *h, const event *e) {
  size_t below[2];
  for (int input = 0; input < 2; input++)
    below[input] = count_below(h->values[input][e->statistic], h->count[input], e->threshold);
  int sign = e->upper ? 1 : 0;
  for (int i = 0; i < 2; i++) {
    int input = i == 0 ? sign : 1 - sign;
    hits[i] = e->upper ? h->count[input] - below[input] : below[input];
    of[i] = h->count[input];
  }
}

/* For the choice of an event: Wilson's approximation of the bounds, which is cheap and accurate enough. */
static double wilson(uint64_t hits, uint64_t of, double z) {
  double n = (double)of, p = (double)hits / n;
  return (p + z * z / (2 * n) + z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))) / (1 + z * z / n);
}

static pair estimate_bounds(const uint64_t hits[2], const uint64_t of[2], double z) {
  return (pair){wilson(hits[0], of[0], -z), wilson(hits[1], of[1], z)};
}

static pair exact_bounds(const half *h, const event *e, double risk) {
  uint64_t hits[2], of[2];
  count_event(hits, of, h, e);
  return (pair){sotto_i_at_least(hits[0], of[0], risk), sotto_i_at_most(hits[1], of[1], risk)};
}

/* log((Pr[sign] - delta) / Pr[false alarm]). */
static double epsilon_of(pair p, double delta) {
  return p.sign > delta && p.alarm > 0 ? fmax(0, log((p.sign - delta) / p.alarm)) : 0;
}

/* A mu-GDP mechanism has no test with a gap above mu between the two quantiles (Dong, Roth and Su 2022). */
static double mu_of(pair p) {
  if (!(p.sign > 0 && p.alarm < 1)) return 0;
  return fmax(0, sotto_i_normal_quantile(p.sign) - sotto_i_normal_quantile(p.alarm));
}

static void choose_events(event *for_epsilon, event *for_mu, const half *h, double delta) {
  double most_epsilon = 0, most_mu = 0;
  *for_epsilon = *for_mu = (event){.threshold = h->values[0][0][0], .upper = true};
  for (size_t s = 0; s < h->statistics; s++)
    for (int input = 0; input < 2; input++)
      for (size_t i = 0; i < h->count[input]; i += h->count[input] / 1000 + 1)
        for (int upper = 1; upper >= 0; upper--) {
          const event e = {s, h->values[input][s][i], upper == 1};
          uint64_t hits[2], of[2];
          count_event(hits, of, h, &e);
          double epsilon = epsilon_of(estimate_bounds(hits, of, 1.96), delta);
          double mu = mu_of(estimate_bounds(hits, of, 3)); /* wider: the best of many events is best by
                                                            * chance */
          if (epsilon > most_epsilon) *for_epsilon = e;
          if (mu > most_mu) *for_mu = e;
          most_epsilon = fmax(most_epsilon, epsilon);
          most_mu = fmax(most_mu, mu);
        }
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

static void half_free(half *h) {
  for (int input = 0; input < 2; input++) {
    for (size_t s = 0; h->values[input] != NULL && s < h->statistics; s++) sotto_i_free(h->values[input][s]);
    sotto_i_free(h->values[input]);
  }
}

static sotto_status half_new(half *out, const sotto_i_draws *draws, bool later, sotto_error *err) {
  sotto_status status;
  *out = (half){.statistics = draws->statistics};
  for (int input = 0; input < 2; input++) {
    size_t first = draws->count[input] / 2;
    out->count[input] = later ? draws->count[input] - first : first;
    SOTTO_TRY(sotto_i_new(&out->values[input], draws->statistics, sizeof *out->values[input], err));
    for (size_t s = 0; s < draws->statistics; s++)
      SOTTO_TRY(sorted_part(&out->values[input][s], draws->values[input][s], later ? first : 0,
                            out->count[input], err));
  }
done:
  return status;
}

static sotto_status check_draws(const sotto_i_draws *draws, double delta, sotto_error *err) {
  if (!(delta >= 0 && delta < 1)) return sotto_i_fail(err, SOTTO_RANGE, "delta %g is outside [0, 1)", delta);
  for (int input = 0; input < 2; input++)
    for (size_t s = 0; s < draws->statistics; s++)
      for (size_t i = 0; i < draws->count[input]; i++)
        if (isnan(draws->values[input][s][i]))
          return sotto_i_fail(err, SOTTO_NUMERIC, "the statistic of trial %zu is not a number", i);
  return SOTTO_OK;
}

sotto_status sotto_i_show(sotto_i_shown *out, const sotto_i_draws *draws, double delta, double risk,
                          sotto_error *err) {
  sotto_status status;
  half earlier = {.statistics = 0}, later = {.statistics = 0};
  event for_epsilon, for_mu;
  *out = (sotto_i_shown){0};
  SOTTO_TRY(check_draws(draws, delta, err));
  SOTTO_TRY(half_new(&earlier, draws, false, err));
  SOTTO_TRY(half_new(&later, draws, true, err));
  choose_events(&for_epsilon, &for_mu, &earlier, delta);
  out->epsilon = epsilon_of(exact_bounds(&later, &for_epsilon, risk), delta);
  out->mu = mu_of(exact_bounds(&later, &for_mu, risk));
done:
  half_free(&earlier);
  half_free(&later);
  return status;
}

sotto_status sotto_audit_bound(double *epsilon, const double *first, const double *second, size_t trials,
                               double delta, sotto_error *err) {
  const double risk = 0.025; /* of each of two probabilities: together 95% confidence */
  sotto_i_shown shown;
  const sotto_i_draws draws = {.values = {&first, &second}, .count = {trials, trials}, .statistics = 1};
  *epsilon = 0;
  if (trials < 100)
    return sotto_i_fail(err, SOTTO_RANGE, "%zu trials are too few; 100 are the least", trials);
  sotto_status status = sotto_i_show(&shown, &draws, delta, risk, err);
  *epsilon = shown.epsilon;
  return status;
}
