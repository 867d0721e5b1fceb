/* The Gromov-Wasserstein distance: multiple starts, the solver, and the best plan. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "gw/solve/problem.h"

enum { most_inner = 500 };
static const double marginal_slack = 1e-9;

typedef struct sinkhorn {
  double *kernel;   /* n x m, logarithms */
  double *f, *g;    /* log scalings of rows and columns */
  double *log_plan; /* n x m */
} sinkhorn;

/* log-sum-exp of kernel + other along a row (stride 1) or a column. */
static double log_sum(const double *kernel, size_t stride, const double *other, size_t count) {
  double largest = -INFINITY, sum = 0;
  for (size_t k = 0; k < count; k++) largest = fmax(largest, kernel[k * stride] + other[k]);
  if (largest == -INFINITY) return largest;
  for (size_t k = 0; k < count; k++) sum += exp(kernel[k * stride] + other[k] - largest);
  return largest + log(sum);
}

/* Sinkhorn scaling until the row sums match; the column sums match after each round. */
static void scale_to_marginals(sinkhorn *w, const sotto_i_gw_problem *s) {
  const size_t n = s->n, m = s->m;
  memset(w->g, 0, m * sizeof *w->g);
  for (int round = 0; round < most_inner; round++) {
    double off = 0;
    for (size_t i = 0; i < n; i++) {
      const double sum = log_sum(w->kernel + i * m, 1, w->g, m);
      if (round > 0) off += fabs(exp(w->f[i] + sum) - s->p[i]);
      w->f[i] = log(s->p[i]) - sum;
    }
    for (size_t j = 0; j < m; j++) w->g[j] = log(s->q[j]) - log_sum(w->kernel + j, m, w->f, n);
    if (round > 0 && off < marginal_slack) return;
  }
}

/* Rounds a plan onto its marginals: scales down rows and columns with too much mass, then distributes the
 * rest. */
static void round_plan(sotto_i_gw_problem *s, double *missing_p, double *missing_q) {
  const size_t n = s->n, m = s->m;
  double total = 0;
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t j = 0; j < m; j++) sum += s->plan[i * m + j];
    if (sum > s->p[i])
      for (size_t j = 0; j < m; j++) s->plan[i * m + j] *= s->p[i] / sum;
  }
  for (size_t j = 0; j < m; j++) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += s->plan[i * m + j];
    const double factor = sum > s->q[j] ? s->q[j] / sum : 1;
    for (size_t i = 0; i < n; i++) s->plan[i * m + j] *= factor;
    missing_q[j] = fmax(0, s->q[j] - sum * factor);
  }
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t j = 0; j < m; j++) sum += s->plan[i * m + j];
    missing_p[i] = fmax(0, s->p[i] - sum);
    total += missing_p[i];
  }
  if (total <= 0) return;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < m; j++) s->plan[i * m + j] += missing_p[i] * missing_q[j] / total;
}

/* Computes the next plan from the gradient at the current one. Returns the L1 distance between them. */
static double sinkhorn_step(sinkhorn *w, sotto_i_gw_problem *s, double entropy, bool proximal) {
  const size_t m = s->m, cells = s->n * m;
  double moved = 0;
  for (size_t k = 0; k < cells; k++) {
    const double prior = proximal ? w->log_plan[k] : log(s->p[k / m]) + log(s->q[k % m]);
    w->kernel[k] = prior - s->gradient[k] / entropy;
  }
  scale_to_marginals(w, s);
  for (size_t k = 0; k < cells; k++) {
    w->log_plan[k] = w->kernel[k] + w->f[k / m] + w->g[k % m];
    const double mass = exp(w->log_plan[k]);
    moved += fabs(mass - s->plan[k]);
    s->plan[k] = mass;
  }
  return moved;
}

/* The entropic and proximal solvers. Contract as sotto_i_gw_descend. Errors: NUMERIC, NOMEM. */
static sotto_status solve_sinkhorn(sotto_i_gw_problem *s, const sotto_gw_options *options, uint32_t *steps,
                                   sotto_error *err) {
  const size_t cells = s->n * s->m;
  const double entropy = options->entropy * fmax(s->scale, 1e-300);
  double *memory = NULL;
  sotto_status status = sotto_i_new(&memory, 2 * cells + s->n + s->m, sizeof *memory, err);
  if (status != SOTTO_OK) return status;
  sinkhorn w = {memory, memory + 2 * cells, memory + 2 * cells + s->n, memory + cells};
  for (size_t k = 0; k < cells; k++) w.log_plan[k] = log(s->plan[k]);
  for (uint32_t step = 0; step < options->iterations; step++) {
    sotto_i_gw_gradient(s, s->gradient, s->product);
    const double moved = sinkhorn_step(&w, s, entropy, options->solver == SOTTO_GW_PROXIMAL);
    ++*steps;
    if (!isfinite(moved)) {
      status = sotto_i_fail(err, SOTTO_NUMERIC,
                            "the entropic plan of %zu by %zu points is not finite at "
                            "entropy %g; try a larger one",
                            s->n, s->m, options->entropy);
      goto done;
    }
    sotto_i_gw_product(s, s->product, s->plan);
    if (moved < 1e-7) break;
  }
  round_plan(s, w.f, w.g);
done:
  sotto_i_free(memory);
  return status;
}

struct sotto_i_gw_starts {
  double *profile;    /* n x m: mean squared difference of the quantiles, a lower bound of the loss */
  double *cost;       /* n x m */
  uint32_t anchor;    /* the point of a that a start ties to a partner */
  uint32_t *partners; /* points of b, most similar to the anchor first */
  void *memory;
};

/* |x - y|^2 = |x|^2 + |y|^2 - 2 <x, y> of all profiles x of a and y of b. */
static void compare_profiles(sotto_i_gw_starts *starts, const sotto_i_gw_problem *s) {
  enum { quantiles = SOTTO_I_GW_QUANTILES };
  const sotto_i_gw_side *a = s->a, *b = s->b;
  sotto_i_gw_blocks(starts->profile, s->n, s->m, a->profile, a->stride, b->profile, b->stride, quantiles);
  for (size_t i = 0; i < s->n; i++)
    for (size_t j = 0; j < s->m; j++) {
      double *cell = &starts->profile[i * s->m + j];
      *cell = (a->length[i] + b->length[j] - 2 * *cell) / quantiles;
    }
}

/* Sorts the partners by similarity; ties stay in index order. */
static void sort_partners(sotto_i_gw_starts *starts, size_t m) {
  const double *profile = starts->profile + starts->anchor * m;
  for (uint32_t j = 0; j < m; j++) {
    uint32_t at = j;
    for (; at > 0 && profile[starts->partners[at - 1]] > profile[j]; at--)
      starts->partners[at] = starts->partners[at - 1];
    starts->partners[at] = j;
  }
}

static void free_starts(sotto_i_gw_starts *starts) {
  if (starts == NULL) return;
  sotto_i_free(starts->memory);
  sotto_i_free(starts);
}

static sotto_status new_starts(sotto_i_gw_starts **out, const sotto_i_gw_problem *s, sotto_error *err) {
  const size_t n = s->n, m = s->m;
  sotto_i_gw_starts *starts = NULL;
  double *numbers = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&starts, 1, sizeof *starts, err));
  if (s->a->profile == NULL || s->b->profile == NULL) goto done;
  SOTTO_TRY(sotto_i_new_raw(&numbers, 2 * n * m + m, sizeof *numbers, err));
  starts->memory = numbers;
  starts->profile = numbers;
  starts->cost = starts->profile + n * m;
  starts->partners = (uint32_t *)(void *)(starts->cost + n * m);
  starts->anchor = s->a->order[n - 1];
  compare_profiles(starts, s);
  sort_partners(starts, m);
done:
  if (status != SOTTO_OK) {
    free_starts(starts);
    starts = NULL;
  }
  *out = starts;
  return status;
}

/* Cost of a start: profiles, the tie to partner `which` - 2, and the feature cost. */
static void start_cost(const sotto_i_gw_starts *starts, const sotto_i_gw_problem *s, uint32_t which) {
  const size_t n = s->n, m = s->m, partner = which < 2 ? 0 : starts->partners[(which - 2) % m];
  const double rest = 1 - s->alpha, tie = which < 2 ? 0 : 0.5;
  const double *from = s->a->space.distance + starts->anchor * n, *to = s->b->space.distance + partner * m;
  for (size_t i = 0; i < n; i++) {
    double *cost = starts->cost + i * m;
    const double *profile = starts->profile + i * m;
    for (size_t j = 0; j < m; j++) cost[j] = profile[j] + tie * (from[i] - to[j]) * (from[i] - to[j]);
    if (rest > 0)
      for (size_t j = 0; j < m; j++) cost[j] = s->alpha * cost[j] + rest * s->feature_cost[i * m + j];
  }
}

static sotto_status make_start(sotto_i_gw_starts *starts, sotto_i_gw_problem *s, uint32_t which,
                               sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (which == 0) {
    sotto_i_transport_start(&s->transport, s->a->order, s->b->order);
  } else {
    const sotto_i_transport_costs costs = {.matrix = starts->cost};
    start_cost(starts, s, which);
    sotto_i_transport_greedy(&s->transport, &costs);
    SOTTO_TRY(sotto_i_transport_solve(&s->transport, &costs, err));
  }
  sotto_i_transport_plan(&s->transport, s->plan);
  sotto_i_gw_product_of_basis(s, s->product);
done:
  return status;
}

/* The best distinct plans so far, best first. */
enum { most_plans = 4 };
static const double rounding = 1e-12, single_rounding = 1e-6;
static const double small_gain =
    1e-4; /* relative to the terms of the value: below this, exchanges gain more per second */
/* relative to the terms of the value: below this, the exact value is checked */
static const double nearly_zero = 1e-4;

typedef struct best_plans {
  size_t count, cells;
  double value[most_plans];
  uint32_t start[most_plans];
  double *plan[most_plans];
} best_plans;

/* Plans of equal value are considered equal up to a symmetry of the graphs. */
static bool is_known(const double *values, size_t count, double value, double slack) {
  for (size_t i = 0; i < count; i++)
    if (fabs(values[i] - value) <= slack * fabs(value)) return true;
  return false;
}

static void keep_plan(best_plans *k, const double *plan, double value, uint32_t start) {
  size_t at = k->count;
  if (is_known(k->value, k->count, value, single_rounding)) return;
  while (at > 0 && value < k->value[at - 1]) at--;
  if (at == most_plans) return;
  if (k->count < most_plans) k->count++;
  double *freed = k->plan[k->count - 1];
  for (size_t i = k->count - 1; i > at; i--) {
    k->value[i] = k->value[i - 1];
    k->start[i] = k->start[i - 1];
    k->plan[i] = k->plan[i - 1];
  }
  k->value[at] = value;
  k->start[at] = start;
  k->plan[at] = freed;
  memcpy(freed, plan, k->cells * sizeof *plan);
}

/* Further starts would repeat earlier ones. */
static uint32_t useful_starts(const sotto_i_gw_problem *s, const sotto_gw_options *options) {
  if (s->n == 1 || s->m == 1) return 1;
  const uint64_t most = 2 + (uint64_t)s->m;
  return options->starts < most ? options->starts : (uint32_t)most;
}

/* Runs every start and improves it by exchanges, which are cheap. Start 0, the product plan, first runs
 * conditional gradient as long as its steps gain more than exchanges would. Skips starts whose initial
 * value equals that of an earlier one. Stops at the value 0. */
static sotto_status try_starts(best_plans *k, sotto_i_gw_problem *s, const sotto_gw_options *options,
                               uint32_t *steps, sotto_error *err) {
  sotto_i_gw_starts *starts = NULL;
  sotto_status status;
  SOTTO_TRY(new_starts(&starts, s, err));
  const uint32_t count = useful_starts(s, options);
  double initial[SOTTO_I_GW_STARTS];
  sotto_gw_options first = *options;
  first.tolerance = fmax(first.tolerance, small_gain);
  for (uint32_t which = 0; which < count; which++) {
    SOTTO_TRY(make_start(starts, s, which, err));
    if (which == 0) SOTTO_TRY(sotto_i_gw_descend(s, &first, false, steps, err));
    sotto_i_gw_gradient(s, s->gradient, s->product);
    initial[which] = sotto_i_gw_value_by_gradient(s, s->plan, s->gradient);
    if (is_known(initial, which, initial[which], rounding)) continue;
    const double value = initial[which] - sotto_i_gw_exchange(s, options->tolerance * s->scale);
    keep_plan(k, s->plan, value, which);
    if (value < nearly_zero * s->scale && sotto_i_gw_value_exact(s, s->plan) == 0) break;
  }
done:
  free_starts(starts);
  return status;
}

/* Keeps the current plan if it is better than the best so far. */
static void keep_best(sotto_i_gw_problem *s, sotto_gw_result *result, uint32_t start) {
  const double value = sotto_i_gw_value_exact(s, s->plan);
  if (!(value < result->value)) return;
  result->value = value;
  result->start = start;
  memcpy(s->best, s->plan, s->n * s->m * sizeof *s->best);
}

/* A single start ends after its exchanges. With several starts, the best plans continue with conditional
 * gradient. */
static sotto_status solve_conditional(sotto_gw_result *result, sotto_i_gw_problem *s, best_plans *k,
                                      const sotto_gw_options *options, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(try_starts(k, s, options, &result->iterations, err));
  for (size_t i = 0; i < k->count && result->value > 0; i++) {
    memcpy(s->plan, k->plan[i], k->cells * sizeof *s->plan);
    if (options->starts > 1) {
      sotto_i_gw_product(s, s->product, s->plan);
      sotto_i_gw_gradient(s, s->gradient, s->product);
      sotto_i_transport_greedy(&s->transport, &(sotto_i_transport_costs){.matrix = s->gradient});
      SOTTO_TRY(sotto_i_gw_descend(s, options, true, &result->iterations, err));
    }
    keep_best(s, result, k->start[i]);
  }
done:
  return status;
}

/* The entropic solvers start at the product plan; they have no ties to break. */
static sotto_status solve_entropic(sotto_gw_result *result, sotto_i_gw_problem *s,
                                   const sotto_gw_options *options, sotto_error *err) {
  for (size_t i = 0; i < s->n; i++)
    for (size_t j = 0; j < s->m; j++) s->plan[i * s->m + j] = s->p[i] * s->q[j];
  sotto_i_gw_product(s, s->product, s->plan);
  sotto_status status = solve_sinkhorn(s, options, &result->iterations, err);
  if (status == SOTTO_OK) keep_best(s, result, 0);
  return status;
}

sotto_status sotto_i_gw_distance(sotto_gw_result *result, double *plan, const sotto_i_gw_side *a,
                                 const sotto_i_gw_side *b, const sotto_gw_options *options,
                                 sotto_error *err) {
  sotto_i_gw_problem s = {0};
  double *plans = NULL;
  sotto_status status;
  *result = (sotto_gw_result){.value = INFINITY};
  SOTTO_TRY(sotto_i_gw_problem_new(&s, a, b, options, err));
  if (options->solver == SOTTO_GW_CONDITIONAL) {
    best_plans k = {.cells = s.n * s.m};
    SOTTO_TRY(sotto_i_new_raw(&plans, most_plans * k.cells, sizeof *plans, err));
    for (size_t i = 0; i < most_plans; i++) k.plan[i] = plans + i * k.cells;
    SOTTO_TRY(solve_conditional(result, &s, &k, options, err));
  } else {
    SOTTO_TRY(solve_entropic(result, &s, options, err));
  }
  if (plan != NULL) memcpy(plan, s.best, s.n * s.m * sizeof *plan);
done:
  sotto_i_free(plans);
  sotto_i_gw_problem_free(&s);
  return status;
}

sotto_status sotto_gw_distance(sotto_gw_result *result, double *plan, const sotto_gw_space *a,
                               const sotto_gw_space *b, const sotto_gw_options *options, sotto_error *err) {
  const sotto_gw_options defaults = sotto_gw_defaults();
  sotto_i_gw_side left = {0}, right = {0};
  sotto_status status;
  *result = (sotto_gw_result){.value = INFINITY};
  if (options == NULL) options = &defaults;
  SOTTO_TRY(sotto_i_gw_side_new(&left, a, "a", options, true, err));
  SOTTO_TRY(sotto_i_gw_side_new(&right, b, "b", options, false, err));
  SOTTO_TRY(sotto_i_gw_distance(result, plan, &left, &right, options, err));
done:
  sotto_i_gw_side_free(&left);
  sotto_i_gw_side_free(&right);
  return status;
}
