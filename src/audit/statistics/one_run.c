/* Lower bounds on epsilon and on mu from guesses about one run with many canaries. */
#include <math.h>
#include <stdlib.h>

#include "audit.h"
#include "base/memory.h"
#include "inside/audit.h"

enum { least_canaries = 64, choices = 10, coarse = 7, fine = 24 };
static const double root_half = 0.70710678118654752440;

typedef struct guesses {
  uint64_t canaries, made, correct;
} guesses;

/* Upper bound on the probability of this many or more correct guesses if the run is (epsilon, delta)-DP for
 * each canary (Steinke, Nasr and Jagielski 2023, appendix D). With B the number of successes in as many
 * trials of probability 1 / (1 + e^-epsilon): Pr[B >= v] + 2 m delta max_i Pr[v > B >= v - i] / i. */
static double at_epsilon(const guesses *g, double epsilon, double delta) {
  const double r = (double)g->made, yes = -log1p(exp(-epsilon)), no = -epsilon - log1p(exp(-epsilon));
  double tail = 0, below = 0, steepest = 0;
  for (uint64_t k = g->correct; k <= g->made; k++)
    tail += exp(lgamma(r + 1) - lgamma((double)k + 1) - lgamma(r - (double)k + 1) + (double)k * yes +
                (r - (double)k) * no);
  for (uint64_t i = 1; delta > 0 && i <= g->correct; i++) {
    const double k = (double)(g->correct - i);
    below += exp(lgamma(r + 1) - lgamma(k + 1) - lgamma(r - k + 1) + k * yes + (r - k) * no);
    steepest = fmax(steepest, below / (double)i);
  }
  return fmin(1, tail + 2 * (double)g->canaries * delta * steepest);
}

/* The z with Phi(z) = p, by Newton's method from a near value. */
static double quantile_near(double z, double p) {
  for (int i = 0; i < 60; i++) {
    const double step = (erfc(-z * root_half) / 2 - p) / (0.39894228040143267794 * exp(-z * z / 2));
    if (!isfinite(step)) break;
    z -= fmax(-1, fmin(1, step));
    if (fabs(step) < 1e-10) return z;
  }
  return sotto_i_normal_quantile(p);
}

/* Is the probability of this many correct guesses below the risk if the run is mu-GDP for each canary? By
 * the recursion of Mahloujifar, Melis and Chaudhuri 2025 (two answers to each guess), whose curve is Pr ->
 * Phi(Phi^-1(Pr) - mu). Both numbers only grow along the recursion. */
static bool unlikely_at_mu(const guesses *g, double mu, double risk) {
  const double m = (double)g->canaries, made = (double)g->made;
  double h = risk * (double)(g->made - g->correct) / m, r = risk * (double)g->correct / m, z = -3;
  for (uint64_t left = g->correct; left > 0; left--) {
    const double i = (double)(left - 1);
    if (r + h > made / m) return true;
    z = quantile_near(z, r);
    const double next = fmax(h, erfc((mu - z) * root_half) / 2);
    r += i / (made - i) * (next - h);
    h = next;
  }
  return r + h > made / m;
}

static bool is_unlikely(const guesses *g, double value, double delta, double risk) {
  return delta < 0 ? unlikely_at_mu(g, value, risk) : at_epsilon(g, value, delta) < risk;
}

/* The largest value at which the guesses are improbable; `delta` below 0: the value is mu. */
static double largest_unlikely(const guesses *g, double delta, double risk, int halvings) {
  const double most = 64;
  double low = 0, high = 1;
  if (2 * g->correct <= g->made || !is_unlikely(g, 0, delta, risk)) return 0;
  while (high < most && is_unlikely(g, high, delta, risk)) {
    low = high;
    high *= 2;
  }
  for (int i = 0; i < halvings; i++) {
    const double middle = (low + high) / 2;
    if (is_unlikely(g, middle, delta, risk))
      low = middle;
    else
      high = middle;
  }
  return low;
}

typedef struct scored {
  double score;
  size_t at;
} scored;

static int by_score(const void *a, const void *b) {
  const scored *x = a, *y = b;
  if (x->score != y->score) return (x->score > y->score) - (x->score < y->score);
  return (x->at > y->at) - (x->at < y->at);
}

/* Guesses that the lowest scores are out and the highest are in. */
static guesses count_correct(const scored *sorted, const uint8_t *members, size_t count, size_t made) {
  guesses g = {.canaries = count, .made = made / 2 * 2};
  for (size_t i = 0; i < made / 2; i++) {
    g.correct += members[sorted[i].at] == 0 ? 1 : 0;
    g.correct += members[sorted[count - 1 - i].at] != 0 ? 1 : 0;
  }
  return g;
}

/* The expected share of correct guesses when a share `of_all` is guessed and scores are N(mu, 1) with the
 * canary and N(0, 1) without. */
static double expected_share(double mu, double of_all) {
  double low = mu / 2, high = mu / 2 + 40;
  for (int i = 0; i < 60; i++) {
    const double middle = (low + high) / 2;
    const double above = (erfc(middle * root_half) + erfc((middle - mu) * root_half)) / 4;
    if (above > of_all / 2)
      low = middle;
    else
      high = middle;
  }
  const double with = erfc((low - mu) * root_half), without = erfc(low * root_half);
  return with / (with + without);
}

/* The number of guesses follows from the stated parameters, before a score is seen, so that choosing it
 * costs no confidence. Among all canaries, a half, a quarter, ..., it is the one with the largest bound for
 * a run with 1.5 times the stated mu. */
static size_t choose_guesses(const sotto_one_run *run, double risk) {
  const double mu = 1.5 * fmin(6, fmax(0.1, run->mu > 0 ? run->mu : run->epsilon / 2));
  size_t best = run->canaries, made = run->canaries;
  double most = -1;
  for (int choice = 0; choice < choices && made >= 16; choice++, made /= 2) {
    const size_t even = made / 2 * 2;
    const double share = expected_share(mu, (double)even / (double)run->canaries), count = (double)even;
    const double correct = floor(count * share - sqrt(count * share * (1 - share)));
    const guesses g = {run->canaries, even, correct < 0 ? 0 : (uint64_t)correct};
    const double shown = largest_unlikely(&g, run->mu > 0 ? -1 : run->delta, risk, coarse);
    if (shown > most) best = made;
    most = fmax(most, shown);
  }
  return best;
}

/* Guesses of one number of canaries; the better bound is kept. */
static void update_bound(sotto_one_run_result *out, const sotto_one_run *run, const scored *sorted,
                         size_t made, double delta, double risk) {
  const guesses g = count_correct(sorted, run->members, run->canaries, made);
  const double shown = largest_unlikely(&g, delta, risk, fine);
  double *lower = delta < 0 ? &out->mu_lower : &out->lower;
  if (shown < *lower || (shown == *lower && out->guesses > 0)) return;
  *lower = shown;
  out->guesses = g.made;
  out->correct = g.correct;
}

/* If mu is stated, epsilon follows from it. Otherwise the distribution of the scores is unknown: for
 * Laplace counts a quarter of all canaries has the largest confidence, for Gaussian noise fewer. Each
 * number of guesses has half of the risk. */
static sotto_status find_bounds(sotto_one_run_result *out, const sotto_one_run *run, const scored *sorted,
                                sotto_error *err) {
  const double risk = (run->risk > 0 ? run->risk : 0.05) / (run->share > 1 ? run->share : 1);
  if (run->mu > 0) {
    update_bound(out, run, sorted, choose_guesses(run, risk), -1, risk);
    return run->delta > 0 ? sotto_gdp_epsilon(&out->lower, out->mu_lower, run->delta, err) : SOTTO_OK;
  }
  update_bound(out, run, sorted, choose_guesses(run, risk / 2), run->delta, risk / 2);
  update_bound(out, run, sorted, run->canaries / 4, run->delta, risk / 2);
  return SOTTO_OK;
}

sotto_status sotto_audit_one_run(sotto_one_run_result *out, const sotto_one_run *run, sotto_error *err) {
  sotto_status status;
  scored *sorted = NULL;
  *out = (sotto_one_run_result){.stated = run->epsilon, .mu_stated = run->mu, .canaries = run->canaries};
  if (run->canaries < least_canaries)
    return sotto_i_fail(err, SOTTO_RANGE, "%zu canaries are too few; %d are the least", run->canaries,
                        least_canaries);
  if (!(run->delta >= 0 && run->delta < 1))
    return sotto_i_fail(err, SOTTO_RANGE, "delta %g is outside [0, 1)", run->delta);
  if (!(run->risk >= 0 && run->risk < 1))
    return sotto_i_fail(err, SOTTO_RANGE, "a risk of %g is outside [0, 1)", run->risk);
  SOTTO_TRY(sotto_i_new_raw(&sorted, run->canaries, sizeof *sorted, err));
  for (size_t i = 0; i < run->canaries; i++) {
    if (isnan(run->scores[i])) {
      status = sotto_i_fail(err, SOTTO_NUMERIC, "the score of canary %zu is not a number", i);
      goto done;
    }
    sorted[i] = (scored){run->scores[i], i};
  }
  qsort(sorted, run->canaries, sizeof *sorted, by_score);
  SOTTO_TRY(find_bounds(out, run, sorted, err));
  out->holds = out->lower <= out->stated && out->mu_lower <= out->mu_stated;
done:
  sotto_i_free(sorted);
  return status;
}
