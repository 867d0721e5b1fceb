/* Noise of a release of K layers. */
#include <math.h>

#include "base/error.h"
#include "inside/dp.h"
#include "inside/pmp.h"
#include "release.h"

/* Number of rows whose degree differs, which GCN therefore scales differently: the ends of the edges that
 * differ. */
static double rows_rescaled(const sotto_protection *protection) {
  double most = (double)protection->most;
  switch (protection->level) {
  case SOTTO_LEVEL_NEIGHBOURS:
    return most + 1;
  case SOTTO_LEVEL_NODE:
    return 2 * most + 1;
  case SOTTO_LEVEL_ROW:
    return 1;
  default:
    return 2;
  }
}

/* Increase of one layer's sensitivity by rounding, in two parts.
 *
 * Inputs: row u enters as its scaled value. Two roundings to single precision may have moved it by 2^-23 of
 * it, and it is truncated to multiples of 2^-24: together by at most 2^-24 (sqrt d + 2) as a row. SUM and
 * MEAN scale after the sum, so both graphs truncate the same numbers. GCN scales before: when the degree of
 * an end of the edge changes, its row as read by its neighbours changes by up to that beyond the real change.
 * At most n neighbours have it with weight at most 1 / sqrt(floor + 1) each, and the end's own term has it
 * too. This holds for each row whose degree differs (two at edge level); these are different rows of the
 * error.
 *
 * Outputs: each value is rounded to the noise grid. SUM and MEAN change two rows, GCN up to all. */
static double input_slack(const sotto_pmp_options *options, double nodes, double cols) {
  if (options->aggregator != SOTTO_AGGREGATOR_GCN) return 0;
  double spread = 1 + sqrt(nodes / ((double)options->degree_floor + 1));
  return sqrt(2) * rows_rescaled(&options->protection) * SOTTO_I_INPUT_STEP * (sqrt(cols) + 2) * spread;
}

static double values_changed(const sotto_pmp_options *options, double nodes, double cols) {
  if (options->aggregator == SOTTO_AGGREGATOR_GCN) return nodes * cols;
  return fmin(rows_rescaled(&options->protection), nodes) * cols;
}

/* Layers are added up in 64 bits, so the grid can be far finer than one whose multiples fit a float32:
 * between 2^19 and 2^20 steps a sigma, the finest that the noise supports. Writing the result as float32 is
 * post-processing. */
static sotto_status fine_grid(sotto_grid *out, double sigma, sotto_error *err) {
  if (!(sigma >= 1e-6 && sigma <= 1e9))
    return sotto_i_fail(err, SOTTO_RANGE, "noise of standard deviation %g is outside 1e-6 to 1e9", sigma);
  int exponent;
  (void)frexp(sigma, &exponent); /* sigma = m * 2^exponent, 0.5 <= m < 1 */
  *out = (sotto_grid){.sigma = sigma, .step = ldexp(1, exponent - 26)};
  return SOTTO_OK;
}

sotto_status sotto_i_pmp_check(const sotto_pmp_options *options, sotto_error *err) {
  if (options->layers < 1 || options->layers > SOTTO_I_MOST_LAYERS)
    return sotto_i_fail(err, SOTTO_RANGE, "layers is %u; a release has 1 to %d", options->layers,
                        SOTTO_I_MOST_LAYERS);
  if ((unsigned)options->aggregator > SOTTO_AGGREGATOR_GCN)
    return sotto_i_fail(err, SOTTO_INVALID, "aggregator %d is not in the list", (int)options->aggregator);
  if (options->degree_floor > UINT32_MAX)
    return sotto_i_fail(err, SOTTO_RANGE, "the degree floor %llu is larger than any degree",
                        (unsigned long long)options->degree_floor);
  return sotto_i_check_protection(&options->protection, err);
}

/* Output rounding adds step * sqrt(values), and step is proportional to sigma, so a few iterations
 * converge. */
sotto_status sotto_i_settle_grid(sotto_grid *grid, double *sensitivity, double ideal, double differing,
                                 double largest, double mu, sotto_error *err) {
  double sigma = ideal / mu;
  for (int round = 0; round < 64; round++) {
    sotto_status status = fine_grid(grid, sigma, err);
    if (status != SOTTO_OK) return status;
    *sensitivity = sotto_grid_sensitivity(grid, ideal, differing);
    /* Every aggregate must be a whole number of steps that a double represents exactly. */
    if (largest / grid->step > 0x1p52) break;
    if (*sensitivity / sigma <= mu) return SOTTO_OK;
    sigma = fmax(*sensitivity / mu, sigma * (1 + 1e-12));
  }
  return sotto_i_fail(
      err, SOTTO_RANGE,
      "%.3g values, up to %.3g large, are too many for the noise grid at mu %g a layer; use a "
      "smaller epsilon or fewer columns",
      differing, largest, mu);
}

sotto_status sotto_i_check_protection(const sotto_protection *p, sotto_error *err) {
  bool counts = p->level == SOTTO_LEVEL_NEIGHBOURS || p->level == SOTTO_LEVEL_NODE;
  if ((unsigned)p->level > SOTTO_LEVEL_ROW)
    return sotto_i_fail(err, SOTTO_INVALID, "level %d is not in the list", (int)p->level);
  if (counts && (p->most < 1 || p->most > UINT32_MAX))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "a bound of %llu on what one node can change; declare 1 to 2^32 - 1",
                        (unsigned long long)p->most);
  if (p->nonnegative && p->level != SOTTO_LEVEL_NODE && p->level != SOTTO_LEVEL_ROW)
    return sotto_i_fail(err, SOTTO_INVALID, "rows without negative values count at node level alone");
  if (!(p->row_clip >= 0 && p->row_clip <= 1e6))
    return sotto_i_fail(err, SOTTO_RANGE, "rows clipped to norm %g: it must be 0 (not clipped) to 1e6",
                        p->row_clip);
  return SOTTO_OK;
}

sotto_status sotto_i_pmp_plan_for(sotto_pmp_plan *out, const sotto_pmp_options *options, uint64_t nodes,
                                  size_t cols, double mu, sotto_error *err) {
  sotto_status status;
  double n = (double)nodes, d = (double)cols, layers = options->layers;
  *out = (sotto_pmp_plan){.options = *options, .mu = INFINITY};
  SOTTO_TRY(sotto_i_pmp_check(options, err));
  double ideal =
      sotto_sensitivity(options->aggregator, options->degree_floor, options->self, &options->protection);
  if (options->protection.row_clip > 0) ideal *= 1 + SOTTO_I_CLIP_SLACK;
  out->sensitivity = ideal + input_slack(options, n, d);
  if (isinf(mu)) return SOTTO_OK;
  SOTTO_TRY(sotto_i_settle_grid(&out->grid, &out->sensitivity, out->sensitivity,
                                values_changed(options, n, d), n, mu / sqrt(layers), err));
  out->mu = sqrt(layers) * out->sensitivity / out->grid.sigma;
done:
  return status;
}

sotto_status sotto_pmp_plan_new(sotto_pmp_plan *out, const sotto_pmp_options *options, uint64_t nodes,
                                size_t cols, double epsilon, double delta, sotto_error *err) {
  sotto_status status;
  double mu = INFINITY;
  SOTTO_TRY(sotto_i_pmp_check(options, err));
  if (!(isinf(epsilon) && epsilon > 0)) SOTTO_TRY(sotto_gdp_mu(&mu, epsilon, delta, err));
  SOTTO_TRY(sotto_i_pmp_plan_for(out, options, nodes, cols, mu, err));
done:
  return status;
}
