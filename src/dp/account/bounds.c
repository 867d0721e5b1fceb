/* Bounds of epsilon and delta. Upper bounds come from Renyi divergences and from the sum of single releases,
 * lower bounds from what a distinguisher achieves. An answer must lie between them. */
#include "bounds.h"

#include <math.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/progress.h"

/* All Gaussian releases together: one release of N(mu, 1) against N(0, 1). */
static void try_gaussian(sotto_i_events *b, double mu) {
  if (!(mu > 0 && isfinite(mu * mu))) return;
  double nearest = -6, before = b->value;
  for (double z = nearest; z < 38; z++) {
    const double log_p = sotto_i_log_above(z, false);
    if (b->delta > 0 && !(exp(log_p) > b->delta)) break;
    sotto_i_offer(b, log_p, sotto_i_log_above(z + mu, true));
    if (b->value > before) nearest = z;
    before = b->value;
  }
  for (double z = nearest - 0.75; z < nearest + 1;
       z += 0.25) /* `nearest` is tried once more, which changes nothing */
    sotto_i_offer(b, sotto_i_log_above(z, false), sotto_i_log_above(z + mu, true));
}

double sotto_i_bounds_lower(const sotto_mechanism *list, size_t count, const sotto_i_bounds_query *query) {
  sotto_i_events best = {.delta = query->delta, .epsilon = query->epsilon};
  double square = 0;
  for (size_t i = 0; i < count && !sotto_i_stopped();
       i++) { /* fewer mechanisms give a weaker, still valid bound */
    const sotto_i_descriptor *d = sotto_i_descriptor_of(list[i].kind);
    const double mu = d->mu != NULL ? d->mu(&list[i]) : 0;
    square += (double)list[i].count * mu * mu;
    if (d->distinguish != NULL) d->distinguish(&best, &list[i]);
  }
  try_gaussian(&best, sqrt(square));
  return best.value;
}

/* Does evaluating every order take time? For sampled mechanisms up to a millisecond an order, for others a
 * microsecond. */
static bool orders_cost_time(const sotto_mechanism *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (sotto_i_descriptor_of(list[i].kind)->sampled) return true;
  return false;
}

static double bound_of(const sotto_i_rdp *rdp, const sotto_i_bounds_query *query, double epsilons,
                       double deltas) {
  if (query->delta > 0)
    return deltas < query->delta ? epsilons + sotto_i_rdp_epsilon(rdp, query->delta - deltas) : INFINITY;
  const double left = query->epsilon - epsilons;
  return left >= 0 ? deltas + sotto_i_rdp_delta(rdp, left) : 1;
}

sotto_status sotto_i_bounds_upper(double *out, bool *at_end, const sotto_mechanism *list, size_t count,
                                  const sotto_i_bounds_query *query, bool all, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_i_rdp rdp;
  const bool wide = all && !orders_cost_time(list, count);
  double pure = 0, epsilons = 0,
         deltas = 0; /* epsilons and deltas of mechanisms with nothing else known add up */
  if (wide)
    sotto_i_rdp_init_wide(&rdp);
  else if (all)
    sotto_i_rdp_init(&rdp);
  else
    sotto_i_rdp_init_few(&rdp);
  for (size_t i = 0; i < count; i++) {
    const sotto_mechanism *m = &list[i];
    const sotto_i_descriptor *d = sotto_i_descriptor_of(m->kind);
    const double runs = sotto_i_mechanism_runs(m);
    SOTTO_TRY(sotto_i_check_interrupt(err));
    pure += runs * sotto_i_mechanism_pure(m);
    if (d->loss != NULL) {
      double epsilon, delta;
      d->loss(&epsilon, &delta, m);
      epsilons += runs * epsilon;
      deltas += runs * delta;
      continue;
    }
    const sotto_mechanism other = d->above != NULL ? d->above(m) : *m;
    SOTTO_TRY(sotto_i_rdp_add(&rdp, &other, err));
  }
  const double by_rdp = bound_of(&rdp, query, epsilons, deltas);
  *out = by_rdp;
  if (query->delta > 0 && pure < by_rdp) *out = pure;
  if (!(query->delta > 0)) *out = pure <= query->epsilon ? 0 : by_rdp < 1 ? by_rdp : 1;
  if (at_end != NULL) {
    rdp.value[0] = rdp.value[rdp.count - 1] = (double)NAN; /* no bound from these orders */
    *at_end = by_rdp < bound_of(&rdp, query, epsilons, deltas);
  }
done:
  return status;
}

/* Tolerances that separate rounding from a fault: a distribution on a grid exceeds the truth by up to these,
 * and so do the lower bounds. */
static const double rounding_below = 1e-6, rounding_above = 0.5, small_epsilon = 0.02;
/* A grid is coarse where losses are large, so every order is evaluated. */
static const double large_epsilon = 100;
/* Grids of sampled mechanisms are no finer than this (pld.c), which adds about runs / 12 width^2 (slope + 1)
 * to epsilon. Where that exceeds this share of epsilon, every order is evaluated too. */
static const double finest_sampled = 1e-4, rough_part = 5e-4;

static bool is_rough(const sotto_mechanism *list, size_t count, double epsilon, double delta) {
  double runs = 0;
  for (size_t i = 0; i < count; i++) {
    const sotto_i_descriptor *d = sotto_i_descriptor_of(list[i].kind);
    if (d->sampled && d->pld != NULL) runs += sotto_i_mechanism_runs(&list[i]);
  }
  const double slope = 2 * -log(delta) / epsilon;
  return runs / 12 * finest_sampled * finest_sampled * (slope + 1) > rough_part * epsilon;
}

/* May evaluating every order give a smaller bound than the few orders, and than the answer? Without sampled
 * mechanisms the other orders cost microseconds. */
static bool needs_all_orders(const sotto_mechanism *list, size_t count, const sotto_i_bounds_query *query,
                             double value, bool at_end) {
  const bool of_delta = !(query->delta > 0);
  if (of_delta ? query->epsilon > large_epsilon || value >= 1 : value > large_epsilon) return true;
  if (!orders_cost_time(list, count)) return at_end;
  return !of_delta && is_rough(list, count, value, query->delta);
}

sotto_status sotto_i_bounds_within(double *value, const sotto_mechanism *list, size_t count,
                                   const sotto_i_bounds_query *query, sotto_accountant accountant,
                                   sotto_error *err) {
  sotto_status status = SOTTO_OK;
  const bool of_delta = !(query->delta > 0);
  const double slack = of_delta ? 1e-300 : rounding_below;
  const double lower = sotto_i_bounds_lower(list, count, query);
  double upper = INFINITY;
  bool at_end = false;
  SOTTO_TRY(sotto_i_bounds_upper(&upper, &at_end, list, count, query, false, err));
  if (!(*value <= upper) || needs_all_orders(list, count, query, *value, at_end)) {
    SOTTO_TRY(sotto_i_bounds_upper(&upper, NULL, list, count, query, true, err));
    /* The Renyi accountant has its own orders, and may be far above. */
    const bool pessimistic = accountant == SOTTO_ACCOUNTANT_RDP || of_delta;
    const double most = pessimistic ? INFINITY : upper * (1 + rounding_above) + small_epsilon;
    if (*value <= most || *value == INFINITY) *value = fmin(*value, upper);
  }
  if (*value >= lower * (1 - rounding_below) - slack && *value <= upper) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_NUMERIC,
      "the accountant %s gives %s %g, and the truth lies between %g and %g: this is a fault of "
      "the accountant; take another one, and report these mechanisms",
      sotto_accountant_name(accountant), of_delta ? "delta" : "epsilon", *value, lower, upper);
done:
  return status;
}
