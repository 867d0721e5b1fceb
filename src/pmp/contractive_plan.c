/* Noise of a contractive release.
 *
 * Bok, Su and Altschuler 2024 compare two runs X_k, X'_k by a run between them. They require of a layer only
 * that |f(x) - f'(x')| <= L |x - x'| + s for neighbouring graphs. Roundings are not Lipschitz, so they count
 * into s. Let W_k = r_k + g_k be a layer's aggregate on the grid plus continuous noise. The computation uses
 * round(W_k) = r_k + round(g_k). Projecting is 1-Lipschitz and aggregating L-Lipschitz, since the floored GCN
 * operator and the mean have norm at most 1. With v = n d values and `step` the grid's, two states move apart
 * by at most
 * - L step sqrt v: rounding W_k;
 * - step sqrt v: rounding the next aggregate;
 * - L 2^-29 sqrt d (a1 n + a2 sqrt n): truncating rows to multiples of 2^-30. Row v of the GCN adds up degree
 *   + 1 of these with weight 1 / sqrt(d~ + 1), and sqrt(sum of (degree + 1)) <= n;
 * - 2^-40 sqrt v: double arithmetic (an overestimate).
 *
 * This is in addition to L |x - x'| and the sensitivity of the real operator. */
#include <math.h>

#include "base/error.h"
#include "contractive.h"
#include "dp/mechanisms/mechanism.h"
#include "inside/pmp.h"

static sotto_status check(const sotto_contractive_options *options, sotto_error *err) {
  if (options->layers < 1 || options->layers > 1024)
    return sotto_i_fail(err, SOTTO_RANGE, "layers is %u; a contractive release has 1 to 1024",
                        options->layers);
  if (options->degree_floor > UINT32_MAX)
    return sotto_i_fail(err, SOTTO_RANGE, "the degree floor %llu is larger than any degree",
                        (unsigned long long)options->degree_floor);
  if (!(options->contraction >= 0 && options->contraction < 1))
    return sotto_i_fail(err, SOTTO_RANGE, "contraction is %g; it must be at least 0 and below 1",
                        options->contraction);
  if (!(options->graph_weight >= 0 && options->graph_weight <= 1))
    return sotto_i_fail(err, SOTTO_RANGE, "graph_weight is %g; it must be between 0 and 1",
                        options->graph_weight);
  if (!(options->residual >= 0 && options->residual <= 100))
    return sotto_i_fail(err, SOTTO_RANGE, "residual is %g; it must be between 0 and 100", options->residual);
  if (options->protection.level == SOTTO_LEVEL_ROW)
    return sotto_i_fail(err, SOTTO_INVALID, "a contractive release reads a graph; rows alone have none");
  if (options->protection.nonnegative)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "rows of a contractive release are signed: its bound has no other form");
  return sotto_i_check_protection(&options->protection, err);
}

/* The change of S X for the same X under other edges. At node level with all degrees below the floor every
 * weight is 1/(D + 1): v's own row loses and gains at most D_max rows, and 2 D_max other rows one each.
 * Otherwise the general bound, which allows v's row to differ too. */
static double graph_sensitivity(const sotto_contractive_options *o) {
  const sotto_protection *p = &o->protection;
  double most = (double)p->most, flat = (double)o->degree_floor + 1;
  double widest = p->row_clip > 0 ? 2 * p->row_clip * flat : INFINITY;
  if (p->level != SOTTO_LEVEL_NODE || p->most > o->degree_floor)
    return sotto_sensitivity(SOTTO_AGGREGATOR_GCN, o->degree_floor, true, p);
  double own = fmin(2 * most, widest), other = fmin(1, widest);
  return sqrt(own * own + 2 * most * other * other) / flat;
}

/* s of one layer. At node level beta X_0 differs in one row, by at most 2. */
static double layer_sensitivity(const sotto_contractive_options *o, double n, double d) {
  double graph = o->graph_weight * graph_sensitivity(o);
  double truncated = 0x1p-29 * sqrt(d) * (o->graph_weight * n + (1 - o->graph_weight) * sqrt(n));
  double start = o->protection.level == SOTTO_LEVEL_NODE ? 2 * o->residual : 0;
  return (o->contraction * (graph + truncated) + start) * (1 + SOTTO_I_CLIP_SLACK) + 0x1p-40 * sqrt(n * d);
}

/* Sensitivity per layer that is equivalent to a first distance z between X_0 and X_0'. With a change of s in
 * every layer the last one differs by N = s (1 - L^K)/(1 - L) + L^K z. mu = N/sigma sqrt((1 - L^2)/(1 -
 * L^{2K})) is that of K layers of sensitivity N (1 - L)/(1 - L^K) from equal starts
 * (docs/privacy/node-level.md). */
static double start_sensitivity(const sotto_contractive_options *o) {
  if (o->protection.level != SOTTO_LEVEL_NODE || o->contraction == 0) return 0;
  double log_power = (double)o->layers * log(o->contraction);
  return 2 * exp(log_power) * (1 - o->contraction) / -expm1(log_power) * (1 + SOTTO_I_CLIP_SLACK);
}

static double ideal_sensitivity(const sotto_contractive_options *o, double n, double d) {
  return layer_sensitivity(o, n, d) + start_sensitivity(o);
}

sotto_mechanism sotto_contractive_mechanism(const sotto_contractive_plan *plan) {
  sotto_mechanism mechanism = sotto_mechanism_default(SOTTO_MECHANISM_CONTRACTIVE);
  mechanism.noise = plan->grid.sigma;
  mechanism.sensitivity = plan->sensitivity;
  mechanism.layers = plan->options.layers;
  mechanism.lipschitz = plan->options.contraction;
  return mechanism;
}

sotto_status sotto_i_contractive_plan_for(sotto_contractive_plan *out,
                                          const sotto_contractive_options *options, uint64_t nodes,
                                          size_t cols, double mu, sotto_error *err) {
  sotto_status status;
  double n = (double)nodes, d = (double)cols, l = options->contraction;
  *out = (sotto_contractive_plan){.options = *options, .mu = INFINITY};
  SOTTO_TRY(check(options, err));
  out->sensitivity = ideal_sensitivity(options, n, d);
  if (isinf(mu)) return SOTTO_OK;
  sotto_mechanism mechanism = sotto_contractive_mechanism(out);
  mechanism.noise = mechanism.sensitivity; /* so that its mu is the factor due to the layers */
  double factor = sotto_i_mechanism_mu(&mechanism);
  SOTTO_TRY(sotto_i_settle_grid(&out->grid, &out->sensitivity, out->sensitivity, n * d * (1 + l) * (1 + l),
                                sqrt(n) + options->residual + 1, mu / factor, err));
  mechanism = sotto_contractive_mechanism(out);
  out->mu = sotto_i_mechanism_mu(&mechanism);
done:
  return status;
}

sotto_status sotto_contractive_plan_new(sotto_contractive_plan *out, const sotto_contractive_options *options,
                                        uint64_t nodes, size_t cols, double epsilon, double delta,
                                        sotto_error *err) {
  sotto_status status;
  double mu = INFINITY;
  SOTTO_TRY(check(options, err));
  if (!(isinf(epsilon) && epsilon > 0)) SOTTO_TRY(sotto_gdp_mu(&mu, epsilon, delta, err));
  SOTTO_TRY(sotto_i_contractive_plan_for(out, options, nodes, cols, mu, err));
done:
  return status;
}
