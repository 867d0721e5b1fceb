/* Sharing a budget: the noise of each use alone, then one factor for all. */
#include "node_budget.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "dp/mechanisms/mechanism.h"
#include "options.h"

enum { rounds = 24 };
static const double least_use = 0.99; /* of the requested epsilon */

sotto_protection sotto_i_node_protection(const sotto_options *o, bool divided) {
  double clip = sqrt((double)o->max_degree) / (divided ? (double)o->degree_floor + 1 : 1);
  return (sotto_protection){
      .level = SOTTO_LEVEL_NODE,
      .most = o->max_degree,
      .row_clip = sotto_i_node_settings_of(o)->row_clip > 0 ? sotto_i_node_settings_of(o)->row_clip : clip,
      .nonnegative = sotto_i_node_settings_of(o)->row_sign == SOTTO_I_ROWS_NONNEGATIVE};
}

static sotto_mechanism mechanism_alone(const sotto_i_budget_use *use) {
  if (use->sgd != NULL) return sotto_i_sgd_ideal(use->sgd, 1);
  return sotto_mechanism_default(use->kind);
}

/* A mechanism that composes by its pure epsilon alone is accounted as the worst one of that epsilon,
 * randomised response. */
static sotto_mechanism mechanism_at(const sotto_i_budget_use *use, double noise) {
  if (use->sgd != NULL) return sotto_i_sgd_ideal(use->sgd, noise);
  const bool pure = sotto_i_descriptor_of(use->kind)->by_pure;
  sotto_mechanism m = sotto_mechanism_default(pure ? SOTTO_MECHANISM_RANDOMIZED_RESPONSE : use->kind);
  if (pure)
    m.epsilon = 1 / noise;
  else
    m.noise = noise;
  return m;
}

static sotto_status total_epsilon(double *epsilon, sotto_mechanism *list, const sotto_i_budget_use *uses,
                                  size_t count, double factor, double delta, sotto_error *err) {
  for (size_t i = 0; i < count; i++) list[i] = mechanism_at(&uses[i], uses[i].noise * factor);
  return sotto_account_epsilon(epsilon, list, count, delta, SOTTO_ACCOUNTANT_PLD, err);
}

/* A search for the factor of all noises that meets the target: `good` is enough, `bad` is too little. */
typedef struct search {
  sotto_mechanism *list;
  const sotto_i_budget_use *uses;
  size_t count;
  double target, delta;
  double good, bad;
} search;

/* Noise that is too small for the accountant counts as too little. */
static sotto_status try_factor(search *s, double factor, double *epsilon, sotto_error *err) {
  sotto_error why = {0};
  const sotto_status status = total_epsilon(epsilon, s->list, s->uses, s->count, factor, s->delta, &why);
  const bool too_small = status == SOTTO_RANGE || status == SOTTO_UNSUPPORTED;
  if (status != SOTTO_OK && !too_small) return sotto_i_fail(err, status, "%s", why.text);
  if (too_small) *epsilon = INFINITY;
  *(*epsilon <= s->target ? &s->good : &s->bad) = factor;
  return SOTTO_OK;
}

/* Moves good and bad towards each other by secant steps on logarithmic scales. Each step ends a little
 * beyond the point where the line meets the target. */
static sotto_status narrow_factor(search *s, double reached, sotto_error *err) {
  const double beyond = 1e-4;
  double x = log(s->good), y = log(reached / s->target), slope = -1;
  for (int round = 0; round < 8 && s->bad < s->good * (1 - 3 * beyond); round++) {
    double next = x - y / slope + (y <= 0 ? -beyond : beyond), epsilon;
    if (!(exp(next) < s->good && exp(next) > s->bad)) break;
    const sotto_status status = try_factor(s, exp(next), &epsilon, err);
    if (status != SOTTO_OK || !isfinite(epsilon)) return status;
    const double there = log(epsilon / s->target);
    if (there != y) slope = fmin((there - y) / (next - x), -0.1);
    x = next;
    y = there;
  }
  return SOTTO_OK;
}

/* The least factor, to 1e-3, by bisection. *factor is at first one that is enough, with epsilon `reached`. */
static sotto_status find_least_factor(double *factor, search *s, double reached, sotto_error *err) {
  double low = *factor / 16, epsilon;
  s->good = *factor;
  s->bad = 0;
  sotto_status status = narrow_factor(s, reached, err);
  for (int round = 0; status == SOTTO_OK && round < rounds && low < *factor * (1 - 1e-3); round++) {
    const double middle = sqrt(low * *factor);
    if (middle > s->bad && middle < s->good) status = try_factor(s, middle, &epsilon, err);
    if (middle >= s->good)
      *factor = middle;
    else
      low = middle;
  }
  return status;
}

/* Accounts the chosen noise directly, so that an error of the search can neither exceed the budget nor
 * waste it. */
static sotto_status check_plan(const search *s, double factor, double epsilon, sotto_error *err) {
  double reached;
  sotto_status status = total_epsilon(&reached, s->list, s->uses, s->count, factor, s->delta, err);
  if (status != SOTTO_OK) return status;
  if (reached <= epsilon && reached >= epsilon * least_use) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_RANGE,
      "the plan for epsilon %g has epsilon %g, and a plan may lie below it by 1%% at most; ask for "
      "another epsilon, or set the noise",
      epsilon, reached);
}

sotto_status sotto_i_node_budget(sotto_i_budget_use *uses, size_t count, double epsilon, double delta,
                                 sotto_error *err) {
  sotto_status status;
  sotto_mechanism *list = NULL;
  double factor = 1, target = epsilon * (1 - 1e-3), reached; /* the accountant errs upwards by 1e-3 */
  SOTTO_TRY(sotto_i_new(&list, count, sizeof *list, err));
  for (size_t i = 0; i < count; i++) {
    const sotto_mechanism one = mechanism_alone(&uses[i]);
    SOTTO_TRY(sotto_account_noise(&uses[i].noise, &one, 1, 0, epsilon * uses[i].share, delta * uses[i].share,
                                  SOTTO_ACCOUNTANT_PLD, err));
  }
  SOTTO_TRY(total_epsilon(&reached, list, uses, count, factor, delta, err));
  while (!(reached <= target)) {
    factor *= 1.01;
    SOTTO_TRY(total_epsilon(&reached, list, uses, count, factor, delta, err));
  }
  search s = {.list = list, .uses = uses, .count = count, .target = target, .delta = delta};
  SOTTO_TRY(find_least_factor(&factor, &s, reached, err));
  SOTTO_TRY(check_plan(&s, factor, epsilon, err));
  for (size_t i = 0; i < count; i++) {
    uses[i].noise *= factor;
    if (uses[i].sgd != NULL) SOTTO_TRY(sotto_i_sgd_plan_noise(uses[i].sgd, uses[i].noise, err));
  }
done:
  sotto_i_free(list);
  return status;
}

/* Parameter of a Gaussian whose trade-off curve bounds that of all steps at every delta in (0, 1): the steps
 * without sampling. This is a bound, since a secret batch is post-processing of a visible one, which holds
 * the record or does not. No smaller Gaussian is one: with probability rate^steps every batch holds the
 * record. So at epsilon the training's delta is at least rate^steps times that of the unsampled steps at
 * epsilon - steps log rate. As delta falls to 0, the mu that this needs rises to theirs. The run's epsilon
 * and the ledger's are those of the mechanism itself; this mu is for readers who compose Gaussians alone. */
static double gaussian_above(const sotto_mechanism *mechanism) {
  return 2 * sotto_i_mechanism_examples(mechanism) * mechanism->sensitivity / mechanism->noise *
         sqrt((double)mechanism->count) * (1 + 0x1p-50);
}

void sotto_i_node_cost_sgd(sotto_cost *cost, const sotto_i_budget_use *use) {
  SOTTO_I_CHECK(cost->count < SOTTO_MOST_COSTS && use->sgd != NULL);
  sotto_cost_item *item = &cost->items[cost->count++];
  *item = (sotto_cost_item){.what = use->what, .mechanism = sotto_i_sgd_mechanism(use->sgd)};
  item->mu = gaussian_above(&item->mechanism);
}

uint64_t sotto_i_moves_own_answer(const sotto_options *options) {
  (void)options;
  return 1;
}

uint64_t sotto_i_moves_one_hop(const sotto_options *options) {
  return 1 + 2 * options->max_degree;
}
