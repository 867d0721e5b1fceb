/* One release: K times aggregate exactly, add noise, activate, normalise; all of one row in one pass. */
#include "release.h"

#include <math.h>
#include <sodium.h>
#include <stdatomic.h>

#include "base/memory.h"
#include "base/progress.h"
#include "base/threads.h"
#include "dp/noise.h"
#include "graph/exact_sum.h"
#include "nn/activation.h"

enum { rows_per_range = 64 };

typedef struct pass {
  const sotto_release *release;
  const sotto_graph *graph;
  const sotto_key *key;
  uint32_t layer;
  const int32_t *from; /* rows of the layer before, scaled for the operator, in input steps */
  int32_t *to;
  float *shown; /* rows of this layer as they are released */
  const sotto_matrix *inputs;
  int64_t *sums; /* one row of scratch for each range */
  int32_t *noise;
  size_t cols;
  _Atomic int bad_row;
} pass;

static double effective_degree(const sotto_pmp_options *options, const sotto_graph *graph, uint64_t node) {
  uint64_t degree = sotto_graph_degree(graph, node);
  return (double)(degree > options->degree_floor ? degree : options->degree_floor);
}

double sotto_i_scale_before(const sotto_pmp_options *options, const sotto_graph *graph, uint64_t node) {
  if (options->aggregator != SOTTO_AGGREGATOR_GCN) return 1;
  return 1 / sqrt(effective_degree(options, graph, node) + 1);
}

double sotto_i_scale_after(const sotto_pmp_options *options, const sotto_graph *graph, uint64_t node) {
  double degree = effective_degree(options, graph, node);
  switch (options->aggregator) {
  case SOTTO_AGGREGATOR_SUM:
    return 1;
  case SOTTO_AGGREGATOR_MEAN:
    return options->self ? 1 / (degree + 1) : 1 / fmax(degree, 1);
  default:
    return 1 / sqrt(degree + 1);
  }
}

/* Scales a row to norm 1 at most (never above: it is cut towards zero), writes what is released (unless that
 * is the row as it is: NULL) and what the next aggregate adds up. A zero row stays zero. */
static void normalise_row(float *shown, int32_t *to, const float *row, size_t cols, double scale) {
  double square = 0;
  for (size_t j = 0; j < cols; j++) square += (double)row[j] * row[j];
  /* The factor errs by less than 2^-45 relative; the margin keeps the cut row inside the unit ball. */
  double factor = square < 1e-24 ? 0 : (1 - 0x1p-40) / sqrt(square);
  for (size_t j = 0; j < cols; j++) {
    double value = row[j] * factor;
    if (shown != NULL) shown[j] = (float)value;
    to[j] = (int32_t)(value * scale * 0x1p24);
  }
}

static void input_rows(void *context, size_t begin, size_t end) {
  pass *p = context;
  const sotto_pmp_options *options = &p->release->plan.options;
  for (size_t v = begin; v < end; v++) {
    const float *row = p->inputs->data + v * p->cols;
    float poison = 0; /* stays 0 unless something is not finite */
    for (size_t j = 0; j < p->cols; j++) poison += row[j] * 0.0F;
    if (poison != 0.0F) {
      atomic_store(&p->bad_row, 1);
      continue;
    }
    normalise_row(p->shown + v * p->cols, p->to + v * p->cols, row, p->cols,
                  sotto_i_scale_before(options, p->graph, v));
  }
}

double sotto_i_cut_factor(double square, double clip) {
  if (!(clip > 0) || square <= clip * clip * (1 - 0x1p-40)) return 1;
  return clip / sqrt(square) * (1 - 0x1p-40);
}

static double row_cut(const int64_t *sum, double scale, size_t cols, double clip) {
  double square = 0;
  if (!(clip > 0)) return 1;
  for (size_t j = 0; j < cols; j++) square += ((double)sum[j] * scale) * ((double)sum[j] * scale);
  return sotto_i_cut_factor(square, clip);
}

/* y = S z in units of the output grid, plus noise: the last thing that touches the graph. */
static void noisy_row(float *y, int64_t *sum, int32_t *noise, const pass *p, uint64_t v) {
  const sotto_pmp_plan *plan = &p->release->plan;
  const int32_t *own = p->from + v * p->cols;
  sotto_i_exact_sum(sum, p->graph, v, p->from, p->cols);
  if (plan->options.self)
    for (size_t j = 0; j < p->cols; j++) sum[j] += own[j];
  double scale = sotto_i_scale_after(&plan->options, p->graph, v) * SOTTO_I_INPUT_STEP;
  scale *= row_cut(sum, scale, p->cols, plan->options.protection.row_clip);
  if (plan->grid.sigma == 0) {
    for (size_t j = 0; j < p->cols; j++) y[j] = (float)((double)sum[j] * scale);
    return;
  }
  double to_steps = scale / plan->grid.step;
  sotto_i_noise_steps(noise, p->cols, plan->grid.sigma / plan->grid.step, p->key, p->layer, v);
  for (size_t j = 0; j < p->cols; j++) {
    double steps = nearbyint((double)sum[j] * to_steps) + noise[j];
    y[j] = (float)(steps * plan->grid.step);
  }
}

static void layer_rows(void *context, size_t begin, size_t end) {
  pass *p = context;
  const sotto_pmp_options *options = &p->release->plan.options;
  int64_t *sum = p->sums + begin / rows_per_range * p->cols;
  int32_t *noise = p->noise + begin / rows_per_range * p->cols;
  if (sotto_interrupted()) return;
  for (size_t v = begin; v < end; v++) {
    float *y = p->shown + v * p->cols;
    noisy_row(y, sum, noise, p, v);
    sotto_i_activate_row(y, p->cols, options->activation);
    normalise_row(options->raw ? NULL : y, p->to + v * p->cols, y, p->cols,
                  sotto_i_scale_before(options, p->graph, v));
  }
}

static sotto_status run_layers(sotto_release *release, pass *p, int32_t *scaled[2],
                               const sotto_matrix *const *weights, const sotto_observer *observer,
                               sotto_error *err) {
  size_t nodes = p->graph->nodes;
  p->to = scaled[0];
  p->shown = release->layers[0].data;
  sotto_i_parallel(nodes, rows_per_range, input_rows, p);
  if (atomic_load(&p->bad_row) != 0)
    return sotto_i_fail(err, SOTTO_NUMERIC, "the rows to be released hold a value that is not finite");
  for (uint32_t k = 1; k <= release->plan.options.layers; k++) {
    if (weights != NULL) {
      sotto_status weighed =
          sotto_i_weigh(scaled[(k + 1) % 2], release, k - 1, p->graph, weights[k - 1], err);
      if (weighed != SOTTO_OK) return weighed;
    }
    p->layer = k;
    p->from = scaled[(k + 1) % 2];
    p->to = scaled[k % 2];
    p->shown = release->layers[k].data;
    sotto_i_parallel(nodes, rows_per_range, layer_rows, p);
    sotto_status status = sotto_i_check_interrupt(err);
    if (status != SOTTO_OK) return status;
    sotto_i_progress(observer, "release", k, release->plan.options.layers, NULL);
  }
  return SOTTO_OK;
}

sotto_status sotto_i_release_shell(sotto_release **out, const sotto_pmp_plan *plan, size_t rows, size_t cols,
                                   const char *id, const char *run, const char *description,
                                   sotto_error *err) {
  sotto_status status;
  *out = NULL;
  sotto_release *release = NULL;
  SOTTO_TRY(sotto_i_new(&release, 1, sizeof *release, err));
  release->plan = *plan;
  for (uint32_t k = 0; k <= plan->options.layers; k++)
    SOTTO_TRY(sotto_matrix_new(&release->layers[k], rows, cols, err));
  SOTTO_TRY(sotto_i_strdup(&release->id, id, err));
  SOTTO_TRY(sotto_i_strdup(&release->run, run, err));
  SOTTO_TRY(sotto_i_strdup(&release->description, description, err));
  *out = release;
  release = NULL;
done:
  sotto_release_free(release);
  return status;
}

sotto_status sotto_i_release_check(const sotto_graph *graph, const sotto_matrix *inputs,
                                   const sotto_protection *protection, bool noisy, const sotto_key *key,
                                   sotto_error *err) {
  if (inputs->rows != graph->nodes)
    return sotto_i_fail(err, SOTTO_INVALID, "%zu rows to release for a graph of %llu nodes", inputs->rows,
                        (unsigned long long)graph->nodes);
  if (noisy && key->origin != SOTTO_KEY_SYSTEM && key->origin != SOTTO_KEY_INSECURE)
    return sotto_i_fail(err, SOTTO_INVALID, "noise needs a key of the system, not one that anyone may know");
  return protection->level == SOTTO_LEVEL_NODE ? sotto_graph_check_degrees(graph, protection->most, err)
                                               : SOTTO_OK;
}

sotto_status sotto_release_new(sotto_release **out, const sotto_pmp_plan *plan, const sotto_graph *graph,
                               const sotto_matrix *inputs, const sotto_key *key, const char *id,
                               const char *run, const char *description, const sotto_observer *observer,
                               sotto_error *err) {
  return sotto_i_release_weighted(out, plan, graph, inputs, NULL, key, id, run, description, observer, err);
}

sotto_status sotto_i_release_weighted(sotto_release **out, const sotto_pmp_plan *plan,
                                      const sotto_graph *graph, const sotto_matrix *inputs,
                                      const sotto_matrix *const *weights, const sotto_key *key,
                                      const char *id, const char *run, const char *description,
                                      const sotto_observer *observer, sotto_error *err) {
  sotto_status status;
  int32_t *scaled[2] = {NULL, NULL};
  sotto_release *release = NULL;
  size_t ranges = inputs->rows / rows_per_range + 1;
  pass p = {.graph = graph, .key = key, .inputs = inputs, .cols = inputs->cols};
  *out = NULL;
  SOTTO_TRY(sotto_i_pmp_check(&plan->options, err));
  bool noisy = plan->grid.sigma > 0;
  SOTTO_TRY(sotto_i_release_check(graph, inputs, &plan->options.protection, noisy, key, err));
  SOTTO_TRY(sotto_i_release_shell(&release, plan, inputs->rows, inputs->cols, id, run, description, err));
  SOTTO_TRY(sotto_i_new_raw(&scaled[0], inputs->rows * inputs->cols, sizeof(int32_t), err));
  SOTTO_TRY(sotto_i_new_raw(&scaled[1], inputs->rows * inputs->cols, sizeof(int32_t), err));
  SOTTO_TRY(sotto_i_new_raw(&p.sums, ranges * inputs->cols, sizeof *p.sums, err));
  SOTTO_TRY(sotto_i_new_raw(&p.noise, ranges * inputs->cols, sizeof *p.noise, err));
  release->insecure = noisy && key->origin == SOTTO_KEY_INSECURE;
  p.release = release;
  SOTTO_TRY(run_layers(release, &p, scaled, weights, observer, err));
  *out = release;
  release = NULL;
done:
  sotto_i_free(scaled[0]);
  sotto_i_free(scaled[1]);
  sotto_i_free(p.sums);
  if (p.noise != NULL) sodium_memzero(p.noise, ranges * inputs->cols * sizeof *p.noise);
  sotto_i_free(p.noise);
  sotto_release_free(release);
  return status;
}

void sotto_release_free(sotto_release *release) {
  if (release == NULL) return;
  for (uint32_t k = 0; k <= SOTTO_I_MOST_LAYERS; k++) sotto_matrix_free(&release->layers[k]);
  sotto_i_free(release->id);
  sotto_i_free(release->run);
  sotto_i_free(release->description);
  sotto_i_free(release);
}

const sotto_matrix *sotto_release_layer(const sotto_release *release, uint32_t k) {
  SOTTO_I_CHECK(k <= release->plan.options.layers);
  return &release->layers[k];
}

const sotto_pmp_plan *sotto_release_plan(const sotto_release *release) {
  return &release->plan;
}

sotto_charge sotto_release_charge(const sotto_release *release) {
  return (sotto_charge){.id = release->id,
                        .run = release->run,
                        .mechanism = "gaussian",
                        .adjacency =
                            release->plan.options.protection.level == SOTTO_LEVEL_NODE ? "node" : "edge",
                        .description = release->description,
                        .mu = release->plan.mu,
                        .insecure = release->insecure};
}

bool sotto_release_paid(const sotto_release *release) {
  return release->paid;
}

sotto_status sotto_release_pay(sotto_release *release, sotto_ledger *ledger, const sotto_dataset *data,
                               sotto_error *err) {
  if (release->plan.grid.sigma == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "a release without noise has no price and cannot be charged");
  sotto_charge charge = sotto_release_charge(release);
  sotto_status status = sotto_ledger_charge(ledger, data->digest, data->name, &charge, 1, err);
  release->paid = status == SOTTO_OK;
  return status;
}
