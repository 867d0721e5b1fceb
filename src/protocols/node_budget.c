/* Sharing a budget: noise for each use alone, then one factor for all. */
#include "node_budget.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "dp/mechanisms/mechanism.h"
#include "options.h"

enum { rounds = 24 };
static const double least_use = 0.99; /* of the epsilon that is asked for */

sotto_protection sotto_i_node_protection(const sotto_options *o, bool divided) {
  double clip = sqrt((double)o->max_degree) / (divided ? (double)o->degree_floor + 1 : 1);
  return (sotto_protection){
      .level = SOTTO_LEVEL_NODE,
      .most = o->max_degree,
      .row_clip = sotto_i_node_settings_of(o)->row_clip > 0 ? sotto_i_node_settings_of(o)->row_clip : clip,
      .nonnegative = sotto_i_node_settings_of(o)->row_sign == SOTTO_I_ROWS_NONNEGATIVE};
}

static sotto_mechanism alone(const sotto_i_budget_use *use) {
  if (use->sgd != NULL) return sotto_i_sgd_ideal(use->sgd, 1);
  return sotto_mechanism_default(use->kind);
}

/* What composes by its pure epsilon alone does so as the worst release of that, a randomised response. */
static sotto_mechanism at_noise(const sotto_i_budget_use *use, double noise) {
  if (use->sgd != NULL) return sotto_i_sgd_ideal(use->sgd, noise);
  const bool pure = sotto_i_descriptor_of(use->kind)->by_pure;
  sotto_mechanism m = sotto_mechanism_default(pure ? SOTTO_MECHANISM_RANDOMIZED_RESPONSE : use->kind);
  if (pure)
    m.epsilon = 1 / noise;
  else
    m.noise = noise;
  return m;
}

static sotto_status together(double *epsilon, sotto_mechanism *list, const sotto_i_budget_use *uses,
                             size_t count, double factor, double delta, sotto_error *err) {
  for (size_t i = 0; i < count; i++) list[i] = at_noise(&uses[i], uses[i].noise * factor);
  return sotto_account_epsilon(epsilon, list, count, delta, SOTTO_ACCOUNTANT_PLD, err);
}

/* A target for a factor of all noises, and what is known of it: `good` is enough, `bad` is too little, and
 * what is beyond follows. */
typedef struct search {
  sotto_mechanism *list;
  const sotto_i_budget_use *uses;
  size_t count;
  double target, delta;
  double good, bad;
} search;

/* Noise that is too small to account for is too little. */
static sotto_status try_factor(search *s, double factor, double *epsilon, sotto_error *err) {
  sotto_error why = {0};
  const sotto_status status = together(epsilon, s->list, s->uses, s->count, factor, s->delta, &why);
  const bool too_small = status == SOTTO_RANGE || status == SOTTO_UNSUPPORTED;
  if (status != SOTTO_OK && !too_small) return sotto_i_fail(err, status, "%s", why.text);
  if (too_small) *epsilon = INFINITY;
  *(*epsilon <= s->target ? &s->good : &s->bad) = factor;
  return SOTTO_OK;
}

/* Brings good and bad near to each other by steps along the line through the last two points, on logarithmic
 * scales, which end a little beyond where it meets the target. */
static sotto_status approach(search *s, double reached, sotto_error *err) {
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

/* The least factor, to 1e-3, by halving; *factor holds one that is enough, with `reached`. */
static sotto_status shrink(double *factor, search *s, double reached, sotto_error *err) {
  double low = *factor / 16, epsilon;
  s->good = *factor;
  s->bad = 0;
  sotto_status status = approach(s, reached, err);
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

/* The noise that was found, accounted forward: no search is trusted with the budget, in either direction. */
static sotto_status check_plan(const search *s, double factor, double epsilon, sotto_error *err) {
  double reached;
  sotto_status status = together(&reached, s->list, s->uses, s->count, factor, s->delta, err);
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
    const sotto_mechanism one = alone(&uses[i]);
    SOTTO_TRY(sotto_account_noise(&uses[i].noise, &one, 1, 0, epsilon * uses[i].share, delta * uses[i].share,
                                  SOTTO_ACCOUNTANT_PLD, err));
  }
  SOTTO_TRY(together(&reached, list, uses, count, factor, delta, err));
  while (!(reached <= target)) {
    factor *= 1.01;
    SOTTO_TRY(together(&reached, list, uses, count, factor, delta, err));
  }
  search s = {.list = list, .uses = uses, .count = count, .target = target, .delta = delta};
  SOTTO_TRY(shrink(&factor, &s, reached, err));
  SOTTO_TRY(check_plan(&s, factor, epsilon, err));
  for (size_t i = 0; i < count; i++) {
    uses[i].noise *= factor;
    if (uses[i].sgd != NULL) SOTTO_TRY(sotto_i_sgd_plan_noise(uses[i].sgd, uses[i].noise, err));
  }
done:
  sotto_i_free(list);
  return status;
}

/* A Gaussian whose curve lies above that of all steps at every delta in (0, 1): the steps without sampling.
 * It is above, since a batch drawn in secret is post-processing of one that is seen, which holds the record
 * or does not. None smaller is: with probability rate^steps every batch holds the record, so at epsilon the
 * training's delta is at least rate^steps times that of the steps without sampling at epsilon - steps log
 * rate, and as delta falls to 0 the mu that this needs rises to theirs. The run's epsilon, and the ledger's,
 * are of the mechanism itself; this is what stands beside it for those who compose Gaussians alone. */
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
