/* The contractive release: K times aggregate exactly, mix, add noise, project; only the last layer is kept.
 */
#include "contractive.h"

#include <math.h>
#include <sodium.h>
#include <stdatomic.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/threads.h"
#include "dp/noise/noise.h"
#include "graph/kernels/exact_sum.h"

enum { rows_per_range = 64 };

/* Scratch of one range of rows; one row each. */
typedef struct run {
  const sotto_contractive_plan *plan;
  sotto_pmp_options gcn;
  const sotto_graph *graph;
  const sotto_matrix *inputs;
  const sotto_key *key;
  uint32_t layer;
  size_t cols, ranges;
  const int32_t *from; /* rows scaled for the GCN operator, in multiples of 2^-30 */
  int32_t *to;
  float *start, *shown; /* X_0 and the iterate in hand */
  int64_t *totals;      /* a row for each range: its part of the sum of all rows */
  double *mean;         /* of the layer before */
  int64_t *sums;
  int32_t *noise;
  double *values;
  _Atomic int bad_row;
} run;

/* Projects into the ball of radius 1 - 2^-40, so that values truncated towards zero stay in the unit ball. */
static void project_row(float *shown, int32_t *to, int64_t *total, double *row, size_t cols, double scale) {
  double square = 0;
  for (size_t j = 0; j < cols; j++) square += row[j] * row[j];
  double factor = fmin(1, (1 - 0x1p-40) / sqrt(square));
  scale /= SOTTO_I_CONTRACTIVE_STEP;
  for (size_t j = 0; j < cols; j++) {
    double value = row[j] * factor;
    shown[j] = (float)value;
    to[j] = (int32_t)(value * scale);
    total[j] += (int64_t)(value / SOTTO_I_CONTRACTIVE_STEP);
  }
}

static void clear_total(int64_t *total, size_t cols) {
  for (size_t j = 0; j < cols; j++) total[j] = 0;
}

static void start_rows(void *context, size_t begin, size_t end) {
  run *r = context;
  int64_t *total = r->totals + begin / rows_per_range * r->cols;
  double *values = r->values + begin / rows_per_range * r->cols;
  clear_total(total, r->cols);
  for (size_t v = begin; v < end; v++) {
    const float *row = r->inputs->data + v * r->cols;
    bool finite = true;
    for (size_t j = 0; j < r->cols; j++) {
      finite = finite && isfinite(row[j]);
      values[j] = row[j];
    }
    if (!finite) {
      atomic_store(&r->bad_row, 1);
      continue;
    }
    project_row(r->start + v * r->cols, r->to + v * r->cols, total, values, r->cols,
                sotto_i_scale_before(&r->gcn, r->graph, v));
  }
}

static double row_clip_factor(const int64_t *sum, const int32_t *own, double scale, size_t cols,
                              double clip) {
  double square = 0;
  if (!(clip > 0)) return 1;
  for (size_t j = 0; j < cols; j++) {
    double value = (double)(sum[j] + own[j]) * scale;
    square += value * value;
  }
  return sotto_i_clip_factor(square, clip);
}

/* C_L (a1 S X + a2 Mean X) + beta X_0 on the grid, plus noise. */
static void noisy_row(double *y, int64_t *sum, int32_t *noise, const run *r, uint64_t v) {
  const sotto_contractive_plan *plan = r->plan;
  const int32_t *own = r->from + v * r->cols;
  const float *start = r->start + v * r->cols;
  sotto_i_exact_sum(sum, r->graph, v, r->from, r->cols);
  double graph_scale = sotto_i_scale_after(&r->gcn, r->graph, v) * SOTTO_I_CONTRACTIVE_STEP;
  double graph = plan->options.contraction * plan->options.graph_weight * graph_scale;
  double mean = plan->options.contraction * (1 - plan->options.graph_weight);
  graph *= row_clip_factor(sum, own, graph_scale, r->cols, plan->options.protection.row_clip);
  for (size_t j = 0; j < r->cols; j++)
    y[j] = graph * (double)(sum[j] + own[j]) + mean * r->mean[j] + plan->options.residual * start[j];
  if (plan->grid.sigma == 0) return;
  double step = plan->grid.step, to_steps = 1 / step; /* a power of two: exact */
  sotto_i_noise_steps(noise, r->cols, plan->grid.sigma / step, r->key, r->layer, v);
  for (size_t j = 0; j < r->cols; j++) y[j] = (nearbyint(y[j] * to_steps) + noise[j]) * step;
}

static void layer_rows(void *context, size_t begin, size_t end) {
  run *r = context;
  size_t scratch = begin / rows_per_range * r->cols;
  if (sotto_i_stopped()) return;
  clear_total(r->totals + scratch, r->cols);
  for (size_t v = begin; v < end; v++) {
    noisy_row(r->values + scratch, r->sums + scratch, r->noise + scratch, r, v);
    project_row(r->shown + v * r->cols, r->to + v * r->cols, r->totals + scratch, r->values + scratch,
                r->cols, sotto_i_scale_before(&r->gcn, r->graph, v));
  }
}

/* Whole numbers, so the order does not matter. */
static void take_mean(run *r) {
  for (size_t j = 0; j < r->cols; j++) {
    int64_t total = 0;
    for (size_t i = 0; i < r->ranges; i++) total += r->totals[i * r->cols + j];
    r->mean[j] = (double)total * SOTTO_I_CONTRACTIVE_STEP / (double)r->graph->nodes;
  }
}

static sotto_status run_layers(run *r, int32_t *scaled[2], const sotto_observer *observer, sotto_error *err) {
  size_t nodes = r->graph->nodes;
  uint32_t layers = r->plan->options.layers;
  r->to = scaled[0];
  sotto_i_parallel(nodes, rows_per_range, start_rows, r);
  if (atomic_load(&r->bad_row) != 0)
    return sotto_i_fail(err, SOTTO_NUMERIC, "the rows to be released hold a value that is not finite");
  for (r->layer = 1; r->layer <= layers; r->layer++) {
    take_mean(r);
    r->from = scaled[(r->layer + 1) % 2];
    r->to = scaled[r->layer % 2];
    sotto_i_parallel(nodes, rows_per_range, layer_rows, r);
    sotto_status status = sotto_i_check_interrupt(err);
    if (status != SOTTO_OK) return status;
    sotto_i_progress(observer, "release", r->layer, layers, NULL);
  }
  return SOTTO_OK;
}

sotto_pmp_plan sotto_i_contractive_shown(const sotto_contractive_plan *plan) {
  return (sotto_pmp_plan){.options = {.protection = plan->options.protection,
                                      .aggregator = SOTTO_AGGREGATOR_GCN,
                                      .layers = 1,
                                      .degree_floor = plan->options.degree_floor,
                                      .self = true},
                          .sensitivity =
                              plan->grid.sigma > 0 ? plan->mu * plan->grid.sigma : plan->sensitivity,
                          .grid = plan->grid,
                          .mu = plan->mu};
}

static sotto_status make_scratch(run *r, int32_t *scaled[2], sotto_error *err) {
  sotto_status status;
  size_t values = r->inputs->rows * r->cols, scratch = r->ranges * r->cols;
  SOTTO_TRY(sotto_i_new_raw(&scaled[0], values, sizeof(int32_t), err));
  SOTTO_TRY(sotto_i_new_raw(&scaled[1], values, sizeof(int32_t), err));
  SOTTO_TRY(sotto_i_new(&r->totals, scratch, sizeof *r->totals, err));
  SOTTO_TRY(sotto_i_new(&r->mean, r->cols, sizeof *r->mean, err));
  SOTTO_TRY(sotto_i_new_raw(&r->sums, scratch, sizeof *r->sums, err));
  SOTTO_TRY(sotto_i_new_raw(&r->noise, scratch, sizeof *r->noise, err));
  SOTTO_TRY(sotto_i_new_raw(&r->values, scratch, sizeof *r->values, err));
done:
  return status;
}

static void free_scratch(run *r, int32_t *scaled[2]) {
  if (r->noise != NULL) sodium_memzero(r->noise, r->ranges * r->cols * sizeof *r->noise);
  sotto_i_free(scaled[0]);
  sotto_i_free(scaled[1]);
  sotto_i_free(r->totals);
  sotto_i_free(r->mean);
  sotto_i_free(r->sums);
  sotto_i_free(r->noise);
  sotto_i_free(r->values);
}

sotto_status sotto_contractive_release(sotto_release **out, const sotto_contractive_plan *plan,
                                       const sotto_graph *graph, const sotto_matrix *inputs,
                                       const sotto_key *key, const char *id, const char *run_name,
                                       const char *description, const sotto_observer *observer,
                                       sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  sotto_status status;
  int32_t *scaled[2] = {NULL, NULL};
  sotto_release *release = NULL;
  bool noisy = plan->grid.sigma > 0;
  sotto_pmp_plan shown = sotto_i_contractive_shown(plan);
  run r = {.plan = plan, .gcn = shown.options, .graph = graph, .inputs = inputs, .key = key};
  r.cols = inputs->cols;
  r.ranges = inputs->rows / rows_per_range + 1;
  *out = NULL;
  SOTTO_TRY(sotto_i_release_check(graph, inputs, &plan->options.protection, noisy, key, err));
  SOTTO_TRY(
      sotto_i_release_shell(&release, &shown, inputs->rows, inputs->cols, id, run_name, description, err));
  release->insecure = noisy && key->origin == SOTTO_KEY_INSECURE;
  r.start = release->layers[0].data;
  r.shown = release->layers[1].data;
  SOTTO_TRY(make_scratch(&r, scaled, err));
  SOTTO_TRY(run_layers(&r, scaled, observer, err));
  *out = release;
  release = NULL;
done:
  free_scratch(&r, scaled);
  sotto_release_free(release);
  return status;
}
