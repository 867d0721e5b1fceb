/* Random mechanisms and lists: every answer lies between its bounds, and none falls when less is hidden.
 * SOTTO_CASES: how many cases (10,000 take about 12 minutes without sanitizers); SOTTO_FIRST: the number of
 * the first. A case follows from its number and the seed alone.
 *
 * The upper bound is that of every order, which the accountant asks for itself where it may be the smaller
 * one: it is a bound like that of a few orders, and no answer may lie above it. */
#include <math.h>

#include "check.h"
#include "dp/account/bounds.h"
#include "inside/dp.h"
#include "sotto/dp.h"

static const uint64_t fixed_seed = 20260;

typedef struct problem {
  sotto_mechanism list[4];
  size_t count;
  double delta;
  sotto_accountant by;
} problem;

static double uniform(sotto_i_random *r) {
  return sotto_i_random_double(r);
}

static double between(sotto_i_random *r, double low, double high) {
  return exp(log(low) + uniform(r) * (log(high) - log(low)));
}

static sotto_mechanism any_mechanism(sotto_i_random *r) {
  static const sotto_mechanism_kind kinds[] = {SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN,
                                               SOTTO_MECHANISM_REPLACED_GAUSSIAN,
                                               SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN,
                                               SOTTO_MECHANISM_REPLACED_GAUSSIAN,
                                               SOTTO_MECHANISM_GAUSSIAN,
                                               SOTTO_MECHANISM_DISCRETE_GAUSSIAN,
                                               SOTTO_MECHANISM_LAPLACE,
                                               SOTTO_MECHANISM_RANDOMIZED_RESPONSE,
                                               SOTTO_MECHANISM_MULTIBIT,
                                               SOTTO_MECHANISM_CONTRACTIVE,
                                               SOTTO_MECHANISM_POISSON_SUM,
                                               SOTTO_MECHANISM_SAMPLED_SUBGRAPHS};
  const size_t pick = (size_t)(uniform(r) * sizeof kinds / sizeof *kinds);
  sotto_mechanism m = sotto_mechanism_default(kinds[pick]);
  m.noise = between(r, 1e-4, 1e6);
  m.count = (uint64_t)between(r, 1, 1e7);
  const double rate = between(r, 1e-6, 1);
  switch (m.kind) {
  case SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN:
    m.rate = rate;
    if (uniform(r) < 0.5) break;
    m.rate = 0; /* without replacement */
    m.population = 1000000;
    m.batch = (uint64_t)ceil(rate * 1e6);
    break;
  case SOTTO_MECHANISM_SAMPLED_SUBGRAPHS:
    m.count = (uint64_t)between(r, 1, 1000);
    m.degree = (uint64_t)between(r, 1, 30);
    m.sample = 1 + (uint64_t)(uniform(r) * (double)m.degree);
    m.rate = rate;
    break;
  case SOTTO_MECHANISM_REPLACED_GAUSSIAN:
  case SOTTO_MECHANISM_POISSON_SUM:
    m.rate = rate;
    break;
  case SOTTO_MECHANISM_RANDOMIZED_RESPONSE:
  case SOTTO_MECHANISM_MULTIBIT: /* flips with a probability, or has an epsilon of its own */
    m.epsilon = between(r, 1e-6, 600);
    m.noise = 0;
    if (m.kind == SOTTO_MECHANISM_RANDOMIZED_RESPONSE) m.choices = 2 + (uint64_t)(uniform(r) * 20);
    break;
  case SOTTO_MECHANISM_CONTRACTIVE:
    m.layers = (uint64_t)between(r, 1, 100);
    m.lipschitz = uniform(r);
    break;
  default:
    break;
  }
  return m;
}

static problem any_problem(sotto_i_random *r) {
  problem p = {.count = uniform(r) < 0.7 ? 1 : 2 + (size_t)(uniform(r) * 2), .by = SOTTO_ACCOUNTANT_PLD};
  for (size_t i = 0; i < p.count; i++) p.list[i] = any_mechanism(r);
  p.delta = between(r, 1e-300, 0.1);
  if (uniform(r) < 0.7) p.delta = between(r, 1e-12, 0.1); /* where most are asked */
  if (uniform(r) < 0.1) p.by = SOTTO_ACCOUNTANT_RDP;
  return p;
}

/* The same with less privacy: *how says in what. False: there is no such change. */
static bool weaken(problem *p, const char **how, sotto_i_random *r) {
  sotto_mechanism *m = &p->list[0];
  const double factor = 1 + between(r, 1e-3, 3);
  switch ((int)(uniform(r) * 5)) {
  case 0:
    *how = "less noise";
    m->noise /= factor;
    m->epsilon = fmin(600, m->epsilon * factor);
    return true;
  case 1:
    *how = "a higher rate";
    m->rate = fmin(1, m->rate * factor);
    m->batch = m->population > 0 ? (uint64_t)fmin(1e6, ceil((double)m->batch * factor)) : 0;
    return m->rate > 0 || m->batch > 0;
  case 2:
    *how = "more runs";
    m->count = (uint64_t)ceil((double)m->count * factor);
    return true;
  case 3:
    *how = "a smaller delta";
    p->delta /= factor;
    return true;
  default:
    *how = "one mechanism more";
    p->list[p->count++] = any_mechanism(r);
    return true;
  }
}

/* INFINITY where there is no finite answer, NAN where the accountant offers none, -1 after a fault. */
static double answer(const problem *p) {
  sotto_error err = {0};
  double epsilon = NAN;
  switch (sotto_account_epsilon(&epsilon, p->list, p->count, p->delta, p->by, &err)) {
  case SOTTO_OK:
    assert_true(epsilon >= 0 && isfinite(epsilon));
    return epsilon;
  case SOTTO_RANGE:
    return strstr(err.text, "no finite epsilon") != NULL ? INFINITY : NAN;
  case SOTTO_UNSUPPORTED:
    return NAN;
  default:
    print_message("%s\n", err.text);
    return -1;
  }
}

static void show(const problem *p) {
  for (size_t i = 0; i < p->count; i++) {
    const sotto_mechanism *m = &p->list[i];
    print_message("  %s noise=%.17g rate=%.17g batch=%llu of %llu epsilon=%.17g choices=%llu layers=%llu "
                  "lipschitz=%.17g degree=%llu sample=%llu count=%llu\n",
                  sotto_mechanism_name(m->kind), m->noise, m->rate, (unsigned long long)m->batch,
                  (unsigned long long)m->population, m->epsilon, (unsigned long long)m->choices,
                  (unsigned long long)m->layers, m->lipschitz, (unsigned long long)m->degree,
                  (unsigned long long)m->sample, (unsigned long long)m->count);
  }
  print_message("  at delta %g by %s\n", p->delta, sotto_accountant_name(p->by));
}

/* False, and says so, where the answer lies outside of its bounds. */
static bool is_between(const problem *p, double epsilon) {
  const sotto_i_bounds_query query = {.delta = p->delta};
  const double lower = sotto_i_bounds_lower(p->list, p->count, &query);
  double upper = INFINITY;
  CHECK_OK(sotto_i_bounds_upper(&upper, NULL, p->list, p->count, &query, true, &err));
  if (isnan(epsilon) || (epsilon >= lower * (1 - 1e-6) - 1e-6 && epsilon <= upper * (1 + 1e-3))) return true;
  print_message("epsilon %.9g is not between %.9g and %.9g\n", epsilon, lower, upper);
  show(p);
  return false;
}

/* What the grid of a distribution may hide: the accuracy that dp.h states, more at small epsilons. */
static double less_by_rounding(double epsilon) {
  return epsilon < 0.3 ? 0.07 * epsilon + 2e-3 : 2e-3 * epsilon;
}

static bool case_holds(uint64_t number, uint64_t seed, uint64_t counts[3]) {
  sotto_key key;
  sotto_i_random r;
  const char *how = "";
  sotto_key_insecure(&key, seed);
  sotto_i_random_init(&r, &key, SOTTO_I_PURPOSE_TEST, 0, number);
  problem p = any_problem(&r);
  const double before = answer(&p);
  bool good = is_between(&p, before);
  counts[isnan(before) ? 2 : isinf(before) ? 1 : 0]++;
  const problem first = p;
  if (isnan(before) || !weaken(&p, &how, &r)) return good;
  const double after = answer(&p);
  good = is_between(&p, after) && good;
  if (isnan(after) || after >= before - less_by_rounding(before)) return good;
  print_message("%s: epsilon falls from %.9g to %.9g\n", how, before, after);
  show(&first);
  show(&p);
  return false;
}

static uint64_t from_environment(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

static void answers_are_between_their_bounds_and_monotone(void **unused) {
  (void)unused;
  const uint64_t cases = from_environment("SOTTO_CASES", 40), first = from_environment("SOTTO_FIRST", 0);
  uint64_t counts[3] = {0}, violations = 0;
  for (uint64_t n = first; n < first + cases; n++)
    if (!case_holds(n, fixed_seed, counts)) {
      print_message("case %llu\n", (unsigned long long)n);
      violations++;
    }
  print_message("%llu cases: %llu answers, %llu infinite, %llu not offered; %llu violations\n",
                (unsigned long long)cases, (unsigned long long)counts[0], (unsigned long long)counts[1],
                (unsigned long long)counts[2], (unsigned long long)violations);
  assert_int_equal(violations, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(answers_are_between_their_bounds_and_monotone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
