/* The contractive release: K times aggregate exactly, mix, add noise and project; only the last layer is
 * released. */
#include "contractive.h"

#include <math.h>
#include <sodium.h>
#include <stdatomic.h>
#include <string.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/reader.h"
#include "base/threads.h"
#include "column_sums.h"
#include "dp/noise/noise.h"
#include "graph/kernels/exact_sum.h"
#include "inside/pmp.h"
#include "nn/rows/batch.h"

enum { rows_per_range = 64 };

/* Rows are processed in slabs. Each range of a slab has one row of scratch. */
typedef struct run {
  const sotto_contractive_plan *plan;
  sotto_pmp_options gcn;
  const sotto_graph *graph;
  const sotto_matrix *inputs;
  const sotto_key *key;
  uint32_t layer;
  size_t first, cols, ranges; /* first row of the slab */
  const int32_t *from;        /* rows scaled for the GCN operator, in multiples of 2^-30 */
  int32_t *to;                /* NULL: no later layer reads this one */
  const float *start;         /* of the slab: X_0 */
  float *shown;               /* of the slab: the current iterate */
  int64_t *totals,
      *total;   /* one row for each range, with its part of the sum of all rows; the sum over all slabs */
  double *mean; /* of the previous layer */
  int64_t *sums;
  int32_t *noise;
  double *values;
  sotto_i_column_sums by_columns; /* where the rows to add up exceed memory */
  _Atomic int bad_row;
} run;

bool sotto_i_contractive_read(double *values, const float *row, size_t cols) {
  bool finite = true;
  for (size_t j = 0; j < cols; j++) {
    finite = finite && isfinite(row[j]);
    values[j] = row[j];
  }
  return finite;
}

void sotto_i_contractive_project(float *shown, int32_t *to, int64_t *total, const double *row, size_t cols,
                                 double scale) {
  double square = 0;
  for (size_t j = 0; j < cols; j++) square += row[j] * row[j];
  double factor = fmin(1, (1 - 0x1p-40) / sqrt(square));
  scale /= SOTTO_I_CONTRACTIVE_STEP;
  for (size_t j = 0; j < cols; j++) {
    double value = row[j] * factor;
    shown[j] = (float)value;
    if (to != NULL) to[j] = (int32_t)(value * scale);
    total[j] += (int64_t)(value / SOTTO_I_CONTRACTIVE_STEP);
  }
}

static void clear_total(int64_t *total, size_t cols) {
  for (size_t j = 0; j < cols; j++) total[j] = 0;
}

static int32_t *integers_of(const run *r, size_t v) {
  return r->to == NULL ? NULL : r->to + v * r->cols;
}

/* Reads a row before it writes the scaled one, which may replace it. */
static void start_rows(void *context, size_t begin, size_t end) {
  run *r = context;
  int64_t *total = r->totals + begin / rows_per_range * r->cols;
  double *values = r->values + begin / rows_per_range * r->cols;
  clear_total(total, r->cols);
  for (size_t i = begin; i < end; i++) {
    const size_t v = r->first + i;
    const float *row = r->inputs->data + v * r->cols;
    if (!sotto_i_contractive_read(values, row, r->cols)) {
      atomic_store(&r->bad_row, 1);
      continue;
    }
    sotto_i_contractive_project(r->shown + i * r->cols, integers_of(r, v), total, values, r->cols,
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

void sotto_i_contractive_mix(double *y, const sotto_contractive_plan *plan, const int64_t *sum,
                             const int32_t *own, const double *mean, const float *start, double graph_scale,
                             size_t cols) {
  double graph = plan->options.contraction * plan->options.graph_weight * graph_scale;
  double of_mean = plan->options.contraction * (1 - plan->options.graph_weight);
  graph *= row_clip_factor(sum, own, graph_scale, cols, plan->options.protection.row_clip);
  for (size_t j = 0; j < cols; j++)
    y[j] = graph * (double)(sum[j] + own[j]) + of_mean * mean[j] + plan->options.residual * start[j];
}

void sotto_i_contractive_add_noise(double *y, int32_t *noise, const sotto_contractive_plan *plan,
                                   const sotto_key *key, uint32_t layer, uint64_t node, size_t cols) {
  if (plan->grid.sigma == 0) return;
  double step = plan->grid.step, to_steps = 1 / step; /* a power of two: exact */
  sotto_i_noise_steps(noise, cols, plan->grid.sigma / step, key, layer, node);
  for (size_t j = 0; j < cols; j++) y[j] = (nearbyint(y[j] * to_steps) + noise[j]) * step;
}

static void integer_row(const void *context, int32_t *to, uint64_t v) {
  const run *r = context;
  memcpy(to, r->from + v * r->cols, r->cols * sizeof *to);
}

static void noisy_row(double *y, int64_t *sum, int32_t *noise, const run *r, uint64_t v) {
  const float *start = r->start + (v - r->first) * r->cols;
  if (r->by_columns.sums != NULL)
    sotto_i_column_sums_row(sum, &r->by_columns, v);
  else
    sotto_i_exact_sum(sum, r->graph, v, r->from, r->cols);
  sotto_i_contractive_mix(y, r->plan, sum, r->from + v * r->cols, r->mean, start,
                          sotto_i_scale_after(&r->gcn, r->graph, v) * SOTTO_I_CONTRACTIVE_STEP, r->cols);
  sotto_i_contractive_add_noise(y, noise, r->plan, r->key, r->layer, v, r->cols);
}

static void layer_rows(void *context, size_t begin, size_t end) {
  run *r = context;
  size_t scratch = begin / rows_per_range * r->cols;
  if (sotto_i_stopped()) return;
  clear_total(r->totals + scratch, r->cols);
  for (size_t i = begin; i < end; i++) {
    const size_t v = r->first + i;
    noisy_row(r->values + scratch, r->sums + scratch, r->noise + scratch, r, v);
    sotto_i_contractive_project(r->shown + i * r->cols, integers_of(r, v), r->totals + scratch,
                                r->values + scratch, r->cols, sotto_i_scale_before(&r->gcn, r->graph, v));
  }
}

/* Sums of integers do not depend on the order. */
static void add_totals(run *r, size_t rows) {
  for (size_t i = 0; i < (rows + rows_per_range - 1) / rows_per_range; i++)
    for (size_t j = 0; j < r->cols; j++) r->total[j] += r->totals[i * r->cols + j];
}

static void take_mean(run *r) {
  for (size_t j = 0; j < r->cols; j++) {
    r->mean[j] = (double)r->total[j] * SOTTO_I_CONTRACTIVE_STEP / (double)r->graph->nodes;
    r->total[j] = 0;
  }
}

/* Storage of X_0 and the iterates: the layers of a release; or a file without a name for X_0, and memory for
 * the iterate of one slab. */
typedef struct storage {
  const sotto_i_release_sink *sink;
  sotto_i_reader file;
  float *slab, *start;
} storage;

/* Sets `start` and `shown` to the rows of the slab. */
static sotto_status begin_slab(run *r, const storage *p, size_t rows, sotto_error *err) {
  const size_t at = r->first * r->cols;
  if (p->sink->layers != NULL) {
    r->start = p->sink->layers[0].data + at;
    r->shown = p->sink->layers[r->layer == 0 ? 0 : 1].data + at;
    return SOTTO_OK;
  }
  r->shown = p->slab;
  r->start = p->start;
  if (r->layer == 0) return SOTTO_OK;
  return sotto_i_reader_at(&p->file, p->start, rows * r->cols * sizeof(float), at * sizeof(float), err);
}

/* Releases X_0 and the last iterate. */
static sotto_status end_slab(const run *r, storage *p, size_t rows, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  const size_t values = rows * r->cols;
  if (p->sink->layers != NULL) return SOTTO_OK;
  if (r->layer == 0) status = sotto_i_spill_add(&p->file, r->shown, values * sizeof(float), err);
  if (status == SOTTO_OK && (r->layer == 0 || r->layer == r->plan->options.layers))
    status = p->sink->take(p->sink->context, r->shown, values, err);
  return status;
}

static size_t rows_per_slab(const sotto_graph *graph) {
  return graph->nodes < sotto_i_batch_rows() ? graph->nodes : sotto_i_batch_rows();
}

static sotto_status run_layer(run *r, storage *p, sotto_error *err) {
  const size_t nodes = r->graph->nodes, slab = rows_per_slab(r->graph);
  sotto_status status = SOTTO_OK;
  for (r->first = 0; r->first < nodes; r->first += slab) {
    const size_t rows = nodes - r->first < slab ? nodes - r->first : slab;
    SOTTO_TRY(begin_slab(r, p, rows, err));
    sotto_i_parallel(rows, rows_per_range, r->layer == 0 ? start_rows : layer_rows, r);
    if (atomic_load(&r->bad_row) != 0)
      return sotto_i_fail(err, SOTTO_NUMERIC, "the rows to be released hold a value that is not finite");
    SOTTO_TRY(sotto_i_check_interrupt(err));
    add_totals(r, rows);
    SOTTO_TRY(end_slab(r, p, rows, err));
  }
done:
  return status;
}

static sotto_status run_layers(run *r, int32_t *scaled[2], storage *p, const sotto_observer *observer,
                               sotto_error *err) {
  const uint32_t layers = r->plan->options.layers;
  r->to = scaled[0];
  sotto_status status = run_layer(r, p, err);
  for (r->layer = 1; status == SOTTO_OK && r->layer <= layers; r->layer++) {
    take_mean(r);
    r->from = scaled[(r->layer + 1) % 2];
    r->to = r->layer < layers ? scaled[r->layer % 2] : NULL;
    if (r->by_columns.sums != NULL) status = sotto_i_column_sums_make(&r->by_columns, integer_row, r, err);
    if (status == SOTTO_OK) status = run_layer(r, p, err);
    if (status == SOTTO_OK) sotto_i_progress(observer, "release", r->layer, layers, NULL);
  }
  return status;
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

static sotto_status make_scratch(run *r, storage *p, const char *folder, sotto_error *err) {
  const size_t slab = rows_per_slab(r->graph);
  const size_t scratch = r->ranges * r->cols;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&r->totals, scratch, sizeof *r->totals, err));
  SOTTO_TRY(sotto_i_new(&r->total, r->cols, sizeof *r->total, err));
  SOTTO_TRY(sotto_i_new(&r->mean, r->cols, sizeof *r->mean, err));
  SOTTO_TRY(sotto_i_new_raw(&r->sums, scratch, sizeof *r->sums, err));
  SOTTO_TRY(sotto_i_new_raw(&r->noise, scratch, sizeof *r->noise, err));
  SOTTO_TRY(sotto_i_new_raw(&r->values, scratch, sizeof *r->values, err));
  if (p->sink->layers != NULL) goto done;
  SOTTO_TRY(sotto_i_new_raw(&p->slab, slab * r->cols, sizeof *p->slab, err));
  SOTTO_TRY(sotto_i_new_raw(&p->start, slab * r->cols, sizeof *p->start, err));
  SOTTO_TRY(sotto_i_spill_new(&p->file, folder, err));
done:
  return status;
}

static void free_scratch(run *r, storage *p) {
  if (r->noise != NULL) sodium_memzero(r->noise, r->ranges * r->cols * sizeof *r->noise);
  sotto_i_free(r->totals);
  sotto_i_free(r->total);
  sotto_i_free(r->mean);
  sotto_i_free(r->sums);
  sotto_i_free(r->noise);
  sotto_i_free(r->values);
  sotto_i_free(p->slab);
  sotto_i_free(p->start);
  sotto_i_reader_close(&p->file);
}

sotto_status sotto_i_contractive_layers(const sotto_contractive_plan *plan, const sotto_graph *graph,
                                        const sotto_matrix *inputs, int32_t *over, const sotto_key *key,
                                        const sotto_i_release_sink *sink, const char *folder,
                                        const sotto_observer *observer, sotto_error *err) {
  const size_t values = inputs->rows * inputs->cols;
  sotto_status status;
  int32_t *scaled[2] = {over, NULL};
  storage p = {.sink = sink, .file = {.descriptor = -1}};
  run r = {.plan = plan,
           .gcn = sotto_i_contractive_shown(plan).options,
           .graph = graph,
           .inputs = inputs,
           .key = key,
           .cols = inputs->cols};
  r.ranges = rows_per_slab(graph) / rows_per_range + 1;
  SOTTO_TRY(sotto_i_release_check(graph, inputs, &plan->options.protection, plan->grid.sigma > 0, key, err));
  const size_t held = sotto_i_columns_held(graph, inputs->cols);
  if (held < inputs->cols) SOTTO_TRY(sotto_i_column_sums_new(&r.by_columns, graph, inputs->cols, held, err));
  if (over == NULL) SOTTO_TRY(sotto_i_new_raw(&scaled[0], values, sizeof(int32_t), err));
  if (plan->options.layers > 1) SOTTO_TRY(sotto_i_new_raw(&scaled[1], values, sizeof(int32_t), err));
  SOTTO_TRY(make_scratch(&r, &p, folder, err));
  SOTTO_TRY(run_layers(&r, scaled, &p, observer, err));
done:
  free_scratch(&r, &p);
  sotto_i_column_sums_free(&r.by_columns);
  if (over == NULL) sotto_i_free(scaled[0]);
  sotto_i_free(scaled[1]);
  return status;
}

sotto_status sotto_contractive_release(sotto_release **out, const sotto_contractive_plan *plan,
                                       const sotto_graph *graph, const sotto_matrix *inputs,
                                       const sotto_key *key, const char *id, const char *run_name,
                                       const char *description, const sotto_observer *observer,
                                       sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  sotto_status status;
  sotto_release *release = NULL;
  const sotto_pmp_plan shown = sotto_i_contractive_shown(plan);
  *out = NULL;
  SOTTO_TRY(
      sotto_i_release_shell(&release, &shown, inputs->rows, inputs->cols, id, run_name, description, err));
  release->insecure = plan->grid.sigma > 0 && key->origin == SOTTO_KEY_INSECURE;
  const sotto_i_release_sink memory = {.layers = release->layers};
  SOTTO_TRY(sotto_i_contractive_layers(plan, graph, inputs, NULL, key, &memory, NULL, observer, err));
  *out = release;
  release = NULL;
done:
  sotto_release_free(release);
  return status;
}
