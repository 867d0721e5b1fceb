/* Calibration: the noise, and the number of steps, that a budget allows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "answers.h"
#include "base/memory.h"
#include "inside/dp.h"

static const double most_noise = 1e9;
static const double least_use = 0.99; /* of the requested epsilon */
enum { most_settlings = 60 };

/* The search for one mechanism's noise or count. */
typedef struct search {
  sotto_mechanism *list; /* a copy */
  size_t count, which;
  double epsilon, delta;
  sotto_accountant accountant;
  sotto_i_pld_answer guess;
  sotto_error last; /* why the latest evaluation had no finite answer */
} search;

/* Epsilon of the current list; INFINITY where the accountant has no answer. Other failures are returned. */
static sotto_status epsilon_of_list(double *out, search *s, sotto_error *err) {
  sotto_error inner = {0};
  sotto_status status =
      sotto_i_account_epsilon(out, &s->guess, s->list, s->count, s->delta, s->accountant, &inner);
  if (status == SOTTO_RANGE || status == SOTTO_UNSUPPORTED) {
    s->guess = (sotto_i_pld_answer){0};
    s->last = inner;
    *out = INFINITY;
    return SOTTO_OK;
  }
  if (status != SOTTO_OK && err != NULL && err->status == SOTTO_OK) *err = inner;
  return status;
}

static sotto_status start_search(search *s, const sotto_mechanism *list, size_t count, size_t which,
                                 double epsilon, double delta, sotto_accountant accountant,
                                 sotto_error *err) {
  *s = (search){.count = count, .which = which, .epsilon = epsilon, .delta = delta, .accountant = accountant};
  if (count == 0 || count > SOTTO_MECHANISMS_MAX || which >= count)
    return sotto_i_fail(err, SOTTO_RANGE, "mechanism %zu is not in a list of %zu (at most %d)", which + 1,
                        count, SOTTO_MECHANISMS_MAX);
  if (!(epsilon > 0 && isfinite(epsilon)))
    return sotto_i_fail(err, SOTTO_RANGE, "epsilon is %g; it must be finite and above 0", epsilon);
  sotto_status status = sotto_i_new(&s->list, count, sizeof *s->list, err);
  if (status == SOTTO_OK) memcpy(s->list, list, count * sizeof *list);
  return status;
}

/* Sets the noise in units of the sensitivity, or the flip probability. */
static double set_noise(search *s, double log_noise) {
  sotto_mechanism *m = &s->list[s->which];
  m->noise = exp(log_noise) * m->sensitivity;
  return m->noise;
}

/* Log noise near the answer for Gaussian noise on samples: their Gaussian limit (Bu, Dong, Long and Su 2020).
 * 0 for other mechanisms. */
static double start_of(const search *s, double limit) {
  const sotto_mechanism *m = &s->list[s->which];
  const bool replaced = m->kind == SOTTO_MECHANISM_REPLACED_GAUSSIAN || m->population > 0;
  const double rate = m->population > 0 ? (double)m->batch / (double)m->population
                      : m->rate > 0     ? m->rate
                                        : 1;
  double mu;
  const bool fits =
      m->kind == SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN || m->kind == SOTTO_MECHANISM_REPLACED_GAUSSIAN;
  if (!fits || sotto_gdp_mu(&mu, s->epsilon, s->delta, NULL) != SOTTO_OK) return fmin(0, limit);
  const double part = mu * mu / (rate * rate * (double)m->count);
  const double at = -log(replaced ? asinh(part / 4) : log1p(part)) / 2;
  return isfinite(at) ? fmin(at, limit) : fmin(0, limit);
}

/* How far in log noise the target is, and a little more, by the slope between the last two ends; of one end
 * by a usual slope. A flip probability may be hundreds away, so its jumps grow. */
static double jump_of(const search *s, const double at[2], const double value[2], int end) {
  const bool flips = sotto_i_descriptor_of(s->list[s->which].kind)->most_noise != NULL;
  const double least = 0.02, usual = 1.5, more = 1.15, most = flips ? fmax(2, 4 * (at[1] - at[0])) : 2;
  const double apart = fabs(log(value[end] / s->epsilon)), part = fabs(log(value[0] / value[1]));
  const double slope = at[1] > at[0] && part > 0 && isfinite(part) ? part / (at[1] - at[0]) : usual;
  return isfinite(apart) ? fmin(fmax(more * apart / slope, least), most) : most;
}

/* Moves the upper end up until the target holds there, and the lower one down until it does not. `value` has
 * the epsilons at both ends. `limit` bounds the upper end, `least` the lower. */
static sotto_status bracket_target(search *s, double at[2], double value[2], double least, double limit,
                                   sotto_error *err) {
  sotto_status status = SOTTO_OK;
  const double x = start_of(s, limit);
  set_noise(s, x);
  SOTTO_TRY(epsilon_of_list(&value[0], s, err));
  at[0] = at[1] = x;
  value[1] = value[0];
  while (!(value[1] <= s->epsilon)) {
    if (at[1] >= limit) {
      if (s->last.status == SOTTO_UNSUPPORTED)
        return sotto_i_fail(err, SOTTO_UNSUPPORTED, "%s", s->last.text);
      return sotto_i_fail(err, SOTTO_RANGE, "no noise up to %g reaches epsilon %g at delta %g", exp(limit),
                          s->epsilon, s->delta);
    }
    const double jump = jump_of(s, at, value, 1);
    at[0] = at[1];
    value[0] = value[1];
    at[1] = fmin(at[1] + jump, limit);
    set_noise(s, at[1]);
    SOTTO_TRY(epsilon_of_list(&value[1], s, err));
  }
  while (value[0] <= s->epsilon && at[0] > least) {
    const double jump = jump_of(s, at, value, 0);
    at[1] = at[0];
    value[1] = value[0];
    at[0] = fmax(at[0] - jump, least);
    set_noise(s, at[0]);
    SOTTO_TRY(epsilon_of_list(&value[0], s, err));
  }
done:
  return status;
}

/* The function whose root is wanted: smooth and nearly linear in log noise. */
static double log_excess(const search *s, double value) {
  return log(value / s->epsilon + 1e-3) - log1p(1e-3);
}

/* Regula falsi (Illinois) on log noise. The target always holds at the upper end. */
static sotto_status find_root(search *s, double at[2], double value[2], sotto_error *err) {
  double gap[2] = {isfinite(value[0]) ? log_excess(s, value[0]) : 20, log_excess(s, value[1])};
  const double near = s->accountant == SOTTO_ACCOUNTANT_PLD ? 5e-5 : 1e-9;
  int side = -1;
  for (int round = 0; round < 100 && at[1] - at[0] > 1e-10 && value[1] < s->epsilon * (1 - near); round++) {
    /* Of the way from the upper end to the lower, to the middle of what is near enough: on the private side.
     */
    const double part = (gap[1] + near / 2) / (gap[1] - gap[0]);
    double x = at[1] + (at[0] - at[1]) * fmin(fmax(part, 1e-6), 0.9999), found;
    if (!isfinite(value[0])) x = (at[0] + at[1]) / 2;
    set_noise(s, x);
    sotto_status status = epsilon_of_list(&found, s, err);
    if (status != SOTTO_OK) return status;
    int end = found <= s->epsilon;
    at[end] = x;
    value[end] = found;
    gap[end] = isfinite(found) ? log_excess(s, found) : 20;
    if (end == side) gap[!end] /= 2;
    side = end;
  }
  return SOTTO_OK;
}

/* Refuses a noise whose epsilon is far below the requested one: the accountant found none nearer. Where its
 * answers jump, the noise at the jump is accepted. Every value was accounted forward, within its bounds. */
static sotto_status check_result(const search *s, const double value[2], sotto_error *err) {
  if (value[1] >= s->epsilon * least_use || (value[0] > s->epsilon && isfinite(value[0]))) return SOTTO_OK;
  if (!isfinite(value[0]) && s->last.status != SOTTO_OK)
    return sotto_i_fail(err, s->last.status,
                        "no noise reaches epsilon %g: with less than that of epsilon %g, %s", s->epsilon,
                        value[1], s->last.text);
  return sotto_i_fail(
      err, SOTTO_RANGE,
      "epsilon is %g, and the least noise that is accounted for has epsilon %g already; ask for "
      "that, or take no noise",
      s->epsilon, value[0]);
}

/* The next number of 12 significant digits that is not below x: what is printed is what was accounted for. */
static double round_up(double x) {
  char text[40];
  (void)snprintf(text, sizeof text, "%.11e", x);
  if (!(strtod(text, NULL) >= x)) (void)snprintf(text, sizeof text, "%.11e", x * (1 + 1e-11));
  return strtod(text, NULL);
}

/* The rounded noise, raised until its epsilon holds when asked for alone: an answer of the search may depend
 * on the grid of the answer before. `value` has the epsilon of x, `limit` bounds log noise. */
static sotto_status settle_noise(double *noise, search *s, double x, double limit, double *value,
                                 sotto_error *err) {
  sotto_mechanism *m = &s->list[s->which];
  const double most = exp(limit) * m->sensitivity;
  double raise = 0;
  for (int round = 0; round < most_settlings; round++) {
    m->noise = fmin(round_up(exp(x) * m->sensitivity * (1 + raise)), most);
    s->guess = (sotto_i_pld_answer){0};
    sotto_status status = epsilon_of_list(value, s, err);
    if (status != SOTTO_OK) return status;
    *noise = m->noise;
    if (*value <= s->epsilon) return SOTTO_OK;
    if (m->noise >= most) break;
    raise = fmax(2 * raise, isfinite(*value) ? fmin(*value / s->epsilon - 1, 1e-3) : 1e-6);
    raise = fmax(raise, 1e-11);
  }
  return sotto_i_fail(err, SOTTO_RANGE,
                      "no noise up to %g has an epsilon of at most %g at delta %g by itself", m->noise,
                      s->epsilon, s->delta);
}

sotto_status sotto_account_noise(double *noise, const sotto_mechanism *list, size_t count, size_t which,
                                 double epsilon, double delta, sotto_accountant accountant,
                                 sotto_error *err) {
  search s;
  sotto_status status = SOTTO_OK;
  double at[2], value[2], settled, limit = log(most_noise), least = log(1e-3);
  SOTTO_TRY(start_search(&s, list, count, which, epsilon, delta, accountant, err));
  SOTTO_I_CHECK(s.list != NULL);
  sotto_mechanism *m = &s.list[which];
  m->epsilon = 0;
  m->noise = m->sensitivity;
  const sotto_i_descriptor *d = sotto_i_descriptor_of(m->kind);
  if ((d->fields & SOTTO_I_FIELD_NOISE) == 0 || accountant == SOTTO_ACCOUNTANT_PAPER) {
    status = sotto_i_fail(err, SOTTO_INVALID, "there is no noise to calibrate in %s under %s",
                          sotto_mechanism_name(m->kind), sotto_accountant_name(accountant));
    goto done;
  }
  if (d->most_noise != NULL) {
    const double most = d->most_noise(m);
    m->noise = most;
    limit = log(most);
    while (exp(limit) > most) limit = nextafter(limit, -INFINITY);
    least = -690;
  }
  SOTTO_TRY(sotto_i_mechanisms_check(s.list, count, err));
  SOTTO_TRY(sotto_i_account_check_delta(delta, s.list, count, err));
  const bool slow = accountant == SOTTO_ACCOUNTANT_PLD;
  sotto_i_question question;
  if (slow) question = sotto_i_question_of(s.list, count, which, epsilon, delta);
  if (slow && sotto_i_answer_find(noise, &question)) goto done;
  SOTTO_TRY(bracket_target(&s, at, value, least, limit, err));
  if (value[0] > epsilon) SOTTO_TRY(find_root(&s, at, value, err));
  SOTTO_TRY(settle_noise(&settled, &s, at[1], limit, &value[1], err));
  SOTTO_TRY(check_result(&s, value, err));
  *noise = settled;
  if (slow) sotto_i_answer_keep(*noise, &question);
done:
  sotto_i_free(s.list);
  return status;
}

sotto_status sotto_account_steps(uint64_t *steps, const sotto_mechanism *list, size_t count, size_t which,
                                 double epsilon, double delta, sotto_accountant accountant,
                                 sotto_error *err) {
  search s;
  sotto_status status = SOTTO_OK;
  uint64_t most = (uint64_t)1 << (accountant == SOTTO_ACCOUNTANT_PLD ? 40 : 62), good = 0, bad = 1;
  double value;
  SOTTO_TRY(start_search(&s, list, count, which, epsilon, delta, accountant, err));
  SOTTO_I_CHECK(s.list != NULL);
  uint64_t *open = &s.list[which].count;
  *open = 1;
  SOTTO_TRY(sotto_i_mechanisms_check(s.list, count, err));
  SOTTO_TRY(sotto_i_account_check_delta(delta, s.list, count, err));
  for (;;) {
    *open = bad;
    SOTTO_TRY(epsilon_of_list(&value, &s, err));
    if (bad == 1 && s.last.status == SOTTO_UNSUPPORTED) {
      status = sotto_i_fail(err, SOTTO_UNSUPPORTED, "%s", s.last.text);
      goto done;
    }
    if (!(value <= epsilon)) break;
    good = bad;
    if (bad == most) break;
    bad *= 2;
  }
  while (bad - good > 1 && good < most) {
    *open = good + (bad - good) / 2;
    SOTTO_TRY(epsilon_of_list(&value, &s, err));
    *(value <= epsilon ? &good : &bad) = *open;
  }
  *steps = good;
done:
  sotto_i_free(s.list);
  return status;
}
