/* Upper bounds of epsilon and delta: Renyi divergences, and the sum of single releases. */
#include <math.h>

#include "base/progress.h"
#include "bounds.h"
#include "rdp.h"

/* Sampled subgraphs, of which no Renyi divergence is known, are post-processing of a release that shows how
 * often the node counts: at most 1 + 4 degree times, on either side. */
static sotto_mechanism unsampled(const sotto_mechanism *m) {
  sotto_mechanism out = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
  out.count = m->count;
  out.noise = m->noise;
  out.sensitivity = 2 * (1 + 4 * (double)m->degree) * m->sensitivity;
  return out;
}

bool sotto_i_bounds_cost_time(const sotto_mechanism *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (sotto_i_mechanism_is_sampled(&list[i]) || list[i].kind == SOTTO_MECHANISM_POISSON_SUM) return true;
  return false;
}

static double shown(const sotto_i_rdp *rdp, const sotto_i_bounds_query *query, double epsilons,
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
  const bool wide = all && !sotto_i_bounds_cost_time(list, count);
  double pure = 0, epsilons = 0, deltas = 0; /* those of noise-free sampling add up (Dwork et al. 2006) */
  (wide ? sotto_i_rdp_init_wide : all ? sotto_i_rdp_init : sotto_i_rdp_init_few)(&rdp);
  for (size_t i = 0; i < count; i++) {
    const sotto_mechanism *m = &list[i];
    const double runs = sotto_i_mechanism_runs(m);
    SOTTO_TRY(sotto_i_check_interrupt(err));
    pure += runs * sotto_i_mechanism_pure(m);
    if (m->kind == SOTTO_MECHANISM_NOISE_FREE_SAMPLING) {
      double epsilon, delta;
      sotto_i_mechanism_noise_free(&epsilon, &delta, m);
      epsilons += runs * epsilon;
      deltas += runs * delta;
      continue;
    }
    const bool graph = m->kind == SOTTO_MECHANISM_SAMPLED_SUBGRAPHS;
    const sotto_mechanism other = graph ? unsampled(m) : *m;
    SOTTO_TRY(sotto_i_rdp_add(&rdp, &other, err));
  }
  const double by_rdp = shown(&rdp, query, epsilons, deltas);
  *out = by_rdp;
  if (query->delta > 0 && pure < by_rdp) *out = pure;
  if (!(query->delta > 0)) *out = pure <= query->epsilon ? 0 : by_rdp < 1 ? by_rdp : 1;
  if (at_end != NULL) {
    rdp.value[0] = rdp.value[rdp.count - 1] = (double)NAN; /* which shows nothing */
    *at_end = by_rdp < shown(&rdp, query, epsilons, deltas);
  }
done:
  return status;
}
