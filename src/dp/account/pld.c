/* The PLD accountant: the choice of the grid, and the worse of the two directions.
 *
 * Connect-the-dots adds at most spread * width^2 to the variance of a run's loss (twice that in the second
 * moment). At a fixed delta this moves epsilon by about runs * spread * width^2 * (slope + 1), where slope =
 * -d log delta / d epsilon: the first-order effect on log E[exp(slope L)]. A coarse grid finds the slope, a
 * second one meets the tolerance, and comparing both shows whether it was met. The answer never under-states,
 * whatever the width. */
#include <math.h>

#include "base/memory.h"
#include "base/progress.h"
#include "pld.h"

static const double tolerance = 1.5e-4; /* relative: of epsilon, or of delta */
/* Sampled mechanisms get no finer grid, as long as that costs less than 6 % of epsilon. dp_accounting uses
 * this grid, and with it both agree at small epsilons too; a finer one gives slightly smaller values. */
static const double finest_sampled = 1e-4, finest_cost = 0.06;
static const double coarser = 4; /* the first grid's width, relative to the one expected to suffice */

typedef struct job {
  const sotto_mechanism *list;
  size_t count;
  double mu;                /* of all Gaussian releases together */
  double runs;              /* of all */
  double inexact;           /* number of those that a grid does not represent exactly, times their spread */
  double variance;          /* rough, of the total loss */
  double unit;              /* distance of the atoms to which the grid is fitted, or 0 */
  double gaussians_inexact; /* the share of the Gaussian releases in `inexact` */
  double finest;            /* least width of a grid */
  const sotto_i_pld_query *query;
  double tail; /* mass that one run may lose to infinity */
  sotto_i_pld *forward, *backward;
  size_t made; /* of forward and backward */
  bool two_ways;
  sotto_i_pld_work work;
} job;

/* The error due to the width: of epsilon, or of log delta. */
static double width_error(const job *j, double slope, double width) {
  return j->inexact * width * width * (slope + 1) * (j->query->delta > 0 ? 1 : slope);
}

static double allowed_error(const job *j, double epsilon) {
  return j->query->delta > 0 ? tolerance * epsilon : tolerance;
}

/* A first width, as if the loss were Gaussian. */
static double first_width(const job *j, const sotto_i_pld_answer *guess) {
  double slope = guess->slope, epsilon = guess->epsilon, ease = 0.8;
  if (slope == 0) {
    double reach = j->query->delta > 0 ? sqrt(2 * j->variance * -log(j->query->delta)) : 0;
    epsilon = j->query->delta > 0 ? j->variance / 2 + reach : j->query->epsilon;
    slope = epsilon / j->variance + 0.5;
    ease = coarser;
  }
  double one = width_error(j, slope, 1);
  return one > 0 ? ease * sqrt(allowed_error(j, epsilon) / one) : INFINITY;
}

/* Decides which mechanisms the grid represents exactly: those whose atoms are at multiples of `unit`. Atoms
 * much closer than the grid of a continuous loss are treated as continuous. */
static void set_exactness(job *j) {
  const sotto_i_pld_answer none = {0};
  j->inexact = j->gaussians_inexact + j->runs / 12;
  if (j->unit < first_width(j, &none) / 8) j->unit = 0;
  j->inexact = j->gaussians_inexact;
  for (size_t i = 0; i < j->count; i++) {
    const sotto_mechanism *m = &j->list[i];
    const bool atoms = sotto_i_descriptor_of(m->kind)->atoms;
    if (sotto_i_mechanism_gaussian_mu(m) > 0) continue;
    double steps = j->unit > 0 ? sotto_i_pld_unit(m) / j->unit : 0.5;
    if (atoms && fabs(steps - nearbyint(steps)) < 1e-12) continue;
    j->inexact += sotto_i_mechanism_runs(m) / (atoms ? 8 : 12);
  }
}

static sotto_status job_start(job *j, sotto_error *err) {
  double square = 0, atom_runs = 0;
  for (size_t i = 0; i < j->count; i++) {
    const sotto_mechanism *m = &j->list[i];
    const sotto_i_descriptor *d = sotto_i_descriptor_of(m->kind);
    double runs = sotto_i_mechanism_runs(m), unit = sotto_i_pld_unit(m),
           mu = sotto_i_mechanism_gaussian_mu(m);
    j->variance += runs * sotto_i_mechanism_variance(m);
    if (mu > 0) {
      square += runs * mu * mu;
      continue;
    }
    j->runs += runs;
    if (unit > 0 && runs > atom_runs) {
      j->unit = unit;
      atom_runs = runs;
    }
    if (!d->sampled) continue;
    j->finest = finest_sampled;
    if (d->two_ways != NULL && d->two_ways(m)) j->two_ways = true;
  }
  j->mu = sqrt(square);
  if (j->runs > 0x1p40)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "pld composes at most 2^40 runs, not %g; use rdp", j->runs);
  if (!(j->variance > 0 && j->variance < 1e12))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "pld has no grid for a loss of standard deviation %g; use rdp or gdp",
                        sqrt(j->variance));
  j->gaussians_inexact = square > 0 ? 1.0 / 12 : 0;
  set_exactness(j);
  sotto_status status = sotto_i_new(&j->forward, j->count + 1, sizeof *j->forward, err);
  if (status == SOTTO_OK) status = sotto_i_new(&j->backward, j->count + 1, sizeof *j->backward, err);
  return status;
}

static void drop_plds(job *j) {
  for (size_t i = 0; i < j->made; i++) {
    if (j->backward[i].mass != j->forward[i].mass) sotto_i_pld_free(&j->backward[i]);
    sotto_i_pld_free(&j->forward[i]);
  }
  j->made = 0;
}

static void job_end(job *j) {
  drop_plds(j);
  sotto_i_free(j->forward);
  sotto_i_free(j->backward);
  sotto_i_pld_work_free(&j->work);
}

static sotto_status make_plds(job *j, double width, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  SOTTO_I_CHECK(j->forward != NULL && j->backward != NULL);
  drop_plds(j);
  for (size_t i = 0; i <= j->count; i++) {
    sotto_i_pld *forward = &j->forward[j->made], *backward = &j->backward[j->made];
    if (i == j->count) {
      if (j->mu == 0) break;
      *backward = (sotto_i_pld){0};
      status = sotto_i_pld_gaussian(forward, j->mu, width, j->tail, err);
    } else {
      if (sotto_i_mechanism_gaussian_mu(&j->list[i]) > 0) continue;
      status = sotto_i_pld_make(forward, backward, &j->list[i], width, j->tail, err);
    }
    j->made++; /* so that a failed one is freed */
    if (status == SOTTO_OK) status = sotto_i_check_interrupt(err);
    if (status != SOTTO_OK) return status;
    if (backward->count == 0) *backward = *forward;
  }
  return SOTTO_OK;
}

static bool is_worse(const job *j, const sotto_i_pld_answer *a, const sotto_i_pld_answer *b) {
  return j->query->delta > 0 ? a->epsilon > b->epsilon : a->delta > b->delta;
}

/* Composes both directions. `known` has upper bounds for both from an earlier grid (INFINITY at first). A
 * direction whose bound is below the other's new answer need not be composed again. */
static sotto_status compose_both(job *j, sotto_i_pld_answer *out, sotto_i_pld_answer known[2], double width,
                                 sotto_error *err) {
  sotto_status status = SOTTO_OK;
  SOTTO_TRY(make_plds(j, width, err));
  int first = j->two_ways && is_worse(j, &known[1], &known[0]);
  for (int turn = 0; turn <= (int)j->two_ways; turn++) {
    int way = turn == 0 ? first : !first;
    if (turn == 1 && !is_worse(j, &known[way], out)) break;
    SOTTO_TRY(sotto_i_pld_compose(&known[way], &j->work, way == 0 ? j->forward : j->backward, j->made,
                                  j->query, err));
    if (turn == 0 || is_worse(j, &known[way], out)) *out = known[way];
  }
done:
  return status;
}

/* The largest width of at most `wanted` that fits the atoms. The last factor lifts the grid above rounding:
 * an atom is never above its own point. */
static double fit_width(const job *j, double wanted) {
  wanted = fmax(wanted, j->finest);
  if (j->unit == 0) return wanted;
  double parts = ceil(j->unit / wanted);
  return j->unit / (parts > 1 ? parts : 1) * (1 + 0x1p-51);
}

static sotto_status refine_grid(job *j, sotto_i_pld_answer *out, sotto_i_pld_answer *guess,
                                sotto_error *err) {
  sotto_i_pld_answer known[2] = {{.epsilon = INFINITY, .delta = INFINITY},
                                 {.epsilon = INFINITY, .delta = INFINITY}};
  double wanted = first_width(j, guess), before = 0, width_before = 0;
  for (int round = 0; round < 10; round++) {
    double width = fit_width(j, isfinite(wanted) ? wanted : j->unit);
    sotto_status status = compose_both(j, out, known, width, err);
    if (status == SOTTO_UNSUPPORTED && round > 0) { /* the coarser answer is sound */
      if (err != NULL) *err = (sotto_error){0};
      break;
    }
    if (status != SOTTO_OK) return status;
    double value = j->query->delta > 0 ? out->epsilon : log(out->delta);
    double loss = width_error(j, out->slope, width), limit = allowed_error(j, out->epsilon);
    if (!isfinite(out->epsilon) || out->epsilon <= 0 || out->delta <= 0 || j->inexact == 0) break;
    /* At epsilons far above what a slope describes, a step of the grid must be small compared with epsilon
     * too. */
    const bool rough = j->query->delta > 0 && value > 100 && width > 2e-3 * value;
    if (!rough && (loss <= limit || (width <= j->finest && loss <= limit * (finest_cost / tolerance)))) break;
    if (width <= j->finest) j->finest = 0;
    if (round > 0 && !rough) { /* the error falls with width^2 */
      double ratio = width_before * width_before / (width * width);
      if (ratio > 3 && 2 * (before - value) / (ratio - 1) <= limit) break;
    }
    before = value;
    width_before = width;
    double next = width * sqrt(0.8 * limit / loss);
    wanted = next > width / 4 && !rough ? fmin(next, width / 2) : width / 4;
  }
  *guess = *out;
  return SOTTO_OK;
}

sotto_status sotto_i_pld_solve(sotto_i_pld_answer *out, sotto_i_pld_answer *guess,
                               const sotto_mechanism *list, size_t count, const sotto_i_pld_query *query,
                               sotto_error *err) {
  job j = {.list = list, .count = count, .query = query};
  sotto_status status = SOTTO_OK;
  double delta = query->delta > 0 ? query->delta : 1e-12;
  SOTTO_TRY(job_start(&j, err));
  for (int round = 0; round < 12; round++) {
    j.tail = fmax(1e-8 * delta / (j.runs + 1), 1e-290);
    SOTTO_TRY(refine_grid(&j, out, guess, err));
    if (query->delta > 0 || out->delta < 1e-200 || 1e-4 * out->delta > 1e-8 * delta) break;
    delta = out->delta * 1e-3; /* the truncated tails weigh too much at so small a delta */
    *guess = (sotto_i_pld_answer){0};
  }
done:
  job_end(&j);
  return status;
}
