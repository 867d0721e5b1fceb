/* The layers of a release: aggregate exactly, add noise, activate and normalise, all of one row in one pass.
 *
 * Only released values are stored. The integers of an aggregate are computed from the released floats as
 * these are read. A layer that no later one reads goes to the sink in slabs. */
#include <math.h>
#include <sodium.h>
#include <stdatomic.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/threads.h"
#include "column_sums.h"
#include "dp/noise/noise.h"
#include "graph/kernels/exact_sum.h"
#include "nn/activation.h"
#include "nn/rows/batch.h"
#include "release.h"
#include "release_ranks.h"
#include "rows/rows.h"

enum { rows_per_range = 64, rows_per_turn = 1 << 14, rows_scaled = 8 };

typedef struct pass {
  const sotto_pmp_plan *plan;
  const sotto_graph *graph;
  const sotto_key *key;
  const sotto_matrix *inputs;
  uint32_t layer;
  sotto_i_scaled_rows from; /* rows of the previous layer, to be scaled for the operator, in input steps */
  float *factor;            /* of `from`: one for each node */
  float *next;              /* the same for the current layer */
  sotto_matrix weighed;     /* rows of `from` after weights, or clamped at 0 */
  float *shown;             /* rows of this layer from row `first` on, as they are released */
  size_t first, cols;
  int64_t *sums;  /* one row of scratch for each range of a slab */
  int32_t *noise; /* `together` rows for each range */
  size_t together;
  float *slab;
  float *own[2];                  /* layers that the next one reads, when the sink stores none */
  sotto_i_column_sums by_columns; /* where the rows to add up exceed memory */
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

/* The factor that scales a row to norm at most 1 (never above); 0 for a row of zeros. The factor errs by less
 * than 2^-45 relative; written as a float32 it errs by 2^-24 more, and so does the product. The margin of
 * 2^-22 keeps both the released row and that of the aggregate inside the unit ball. */
static double unit_factor(double square) {
  return square < 1e-24 ? 0 : (1 - 0x1p-22) / sqrt(square);
}

double sotto_i_unit_factor(const float *row, size_t cols) {
  double square;
  sotto_i_rows()->squares(&square, row, 1, cols);
  return unit_factor(square);
}

/* Rows for the next aggregate under `nonnegative`: clamped at 0 from below, then scaled to norm at most 1. */
typedef struct clamping {
  const float *from;
  sotto_matrix *to;
} clamping;

static void clamp_rows(void *context, size_t begin, size_t end) {
  const clamping *f = context;
  const size_t cols = f->to->cols;
  for (size_t v = begin; v < end; v++) {
    float *row = f->to->data + v * cols;
    for (size_t j = 0; j < cols; j++) row[j] = fmaxf(f->from[v * cols + j], 0);
    sotto_i_rows()->scale(row, row, sotto_i_unit_factor(row, cols), cols);
  }
}

static bool input_row(float *shown, double *factor, const float *row, double square, size_t cols) {
  if (!isfinite(square)) return false;
  *factor = unit_factor(square);
  sotto_i_rows()->scale(shown, row, *factor, cols);
  return true;
}

bool sotto_i_input_row(float *shown, double *factor, const float *row, size_t cols) {
  double square;
  sotto_i_rows()->squares(&square, row, 1, cols);
  return input_row(shown, factor, row, square, cols);
}

/* Layer 0: normalised inputs. The first aggregate reads the inputs with the same factor. */
static void input_rows(void *context, size_t begin, size_t end) {
  pass *p = context;
  double square[rows_per_range];
  sotto_i_rows()->squares(square, p->inputs->data + (p->first + begin) * p->cols, end - begin, p->cols);
  for (size_t i = begin; i < end; i++) {
    size_t v = p->first + i;
    const float *row = p->inputs->data + v * p->cols;
    double factor;
    if (!input_row(p->shown + i * p->cols, &factor, row, square[i - begin], p->cols)) {
      atomic_store(&p->bad_row, 1);
      continue;
    }
    p->next[v] = (float)(factor * sotto_i_scale_before(&p->plan->options, p->graph, v) / SOTTO_I_INPUT_STEP);
  }
}

static void factor_rows(void *context, size_t begin, size_t end) {
  pass *p = context;
  for (size_t v = begin; v < end; v++)
    p->factor[v] = (float)(sotto_i_scale_before(&p->plan->options, p->graph, v) / SOTTO_I_INPUT_STEP);
}

double sotto_i_clip_factor(double square, double clip) {
  if (!(clip > 0) || square <= clip * clip * (1 - 0x1p-40)) return 1;
  return clip / sqrt(square) * (1 - 0x1p-40);
}

static double row_clip_factor(const int64_t *sum, double scale, size_t cols, double clip) {
  double square = 0;
  if (!(clip > 0)) return 1;
  for (size_t j = 0; j < cols; j++) square += ((double)sum[j] * scale) * ((double)sum[j] * scale);
  return sotto_i_clip_factor(square, clip);
}

/* y = S z in units of the output grid, plus noise: the last step that reads the graph. */
void sotto_i_noisy_row(float *y, const int64_t *sum, const int32_t *noise, const sotto_pmp_plan *plan,
                       double scale_after, size_t cols) {
  /* The sensitivity relies on it, so it is checked at the sums, whichever code made the rows. */
  for (size_t j = 0; plan->options.protection.nonnegative && j < cols; j++) SOTTO_I_CHECK(sum[j] >= 0);
  double scale = scale_after * SOTTO_I_INPUT_STEP;
  scale *= row_clip_factor(sum, scale, cols, plan->options.protection.row_clip);
  if (plan->grid.sigma == 0) {
    for (size_t j = 0; j < cols; j++) y[j] = (float)((double)sum[j] * scale);
    return;
  }
  sotto_i_rows()->noisy_steps(y, sum, noise, scale / plan->grid.step, plan->grid.step, cols);
}

static void integer_row(const void *context, int32_t *to, uint64_t v) {
  const sotto_i_scaled_rows *from = context;
  const float *row = from->x + v * from->cols;
  const float factor = from->factor == NULL ? from->common : from->factor[v];
  for (size_t j = 0; j < from->cols; j++) to[j] = (int32_t)(row[j] * factor);
}

static void noisy_row(float *y, int64_t *sum, const int32_t *noise, const pass *p, uint64_t v) {
  if (p->by_columns.sums != NULL)
    sotto_i_column_sums_row(sum, &p->by_columns, v);
  else
    sotto_i_exact_sum_scaled(sum, p->graph, v, &p->from);
  if (p->plan->options.self) {
    const float *own = p->from.x + v * p->cols;
    float factor = p->from.factor == NULL ? p->from.common : p->from.factor[v];
    for (size_t j = 0; j < p->cols; j++) sum[j] += (int32_t)(own[j] * factor);
  }
  sotto_i_noisy_row(y, sum, noise, p->plan, sotto_i_scale_after(&p->plan->options, p->graph, v), p->cols);
}

/* Draws the noise of the next rows from `v` on; `left` rows are left in the range. */
static void draw_noise(int32_t *noise, const pass *p, uint64_t v, size_t left) {
  const sotto_grid *grid = &p->plan->grid;
  if (grid->sigma == 0) return;
  sotto_i_noise_steps_rows(noise, left < p->together ? left : p->together, p->cols, grid->sigma / grid->step,
                           p->key, p->layer, v);
}

/* Activates `count` rows from row `from` of the slab on, while they are in the first cache. */
static void finish_rows(pass *p, size_t from, size_t count) {
  double square[rows_scaled];
  sotto_i_rows()->squares(square, p->shown + from * p->cols, count, p->cols);
  for (size_t i = 0; i < count; i++) {
    float *y = p->shown + (from + i) * p->cols;
    const double factor = unit_factor(square[i]);
    if (p->plan->options.raw) {
      const uint64_t v = p->first + from + i;
      const double before = sotto_i_scale_before(&p->plan->options, p->graph, v);
      p->next[v] = (float)(factor * before / SOTTO_I_INPUT_STEP);
    } else {
      sotto_i_rows()->scale(y, y, factor, p->cols);
    }
  }
}

static void layer_rows(void *context, size_t begin, size_t end) {
  pass *p = context;
  int64_t *sum = p->sums + begin / rows_per_range * p->cols;
  int32_t *noise = p->noise + begin / rows_per_range * p->together * p->cols;
  if (sotto_i_stopped()) return;
  for (size_t i = begin; i < end; i++) {
    float *y = p->shown + i * p->cols;
    const size_t place = (i - begin) % p->together;
    if (place == 0) draw_noise(noise, p, p->first + i, end - i);
    noisy_row(y, sum, noise + place * p->cols, p, p->first + i);
    sotto_i_activate_row(y, p->cols, p->plan->options.activation);
    const size_t made = (i - begin) % rows_scaled + 1;
    if (made == rows_scaled || i + 1 == end) finish_rows(p, i + 1 - made, made);
  }
}

/* One layer, slab by slab. `kept` gets all of it, or is NULL. */
static sotto_status run_layer(pass *p, float *kept, const sotto_i_release_sink *sink, sotto_error *err) {
  const size_t nodes = p->graph->nodes, slab = sotto_i_batch_rows();
  sotto_status status = SOTTO_OK;
  for (p->first = 0; p->first < nodes; p->first += slab) {
    size_t count = nodes - p->first < slab ? nodes - p->first : slab;
    p->shown = kept == NULL ? p->slab : kept + p->first * p->cols;
    sotto_i_parallel(count, rows_per_range, p->layer == 0 ? input_rows : layer_rows, p);
    if (atomic_load(&p->bad_row) != 0)
      return sotto_i_fail(err, SOTTO_NUMERIC, "the rows to be released hold a value that is not finite");
    SOTTO_TRY(sotto_i_check_interrupt(err));
    if (sink->take != NULL) SOTTO_TRY(sink->take(sink->context, p->shown, count * p->cols, err));
  }
done:
  return status;
}

/* Sets what layer k + 1 reads: the rows of layer k (for layer 0 the inputs) and the factor that scales
 * each. */
static sotto_status prepare_next(pass *p, uint32_t k, const float *kept, const sotto_i_release_sink *sink,
                                 sotto_error *err) {
  const bool scaled = p->plan->options.aggregator == SOTTO_AGGREGATOR_GCN;
  p->from =
      (sotto_i_scaled_rows){k == 0 ? p->inputs->data : kept, NULL, (float)(1 / SOTTO_I_INPUT_STEP), p->cols};
  if (sink->weights != NULL) {
    p->from.x = p->weighed.data;
    sotto_status status = sotto_i_weigh(&p->weighed, &sink->layers[k], sink->weights[k], err);
    if (status != SOTTO_OK) return status;
  } else if (p->plan->options.protection.nonnegative) {
    clamping floored = {p->from.x, &p->weighed};
    sotto_i_parallel(p->graph->nodes, rows_per_range, clamp_rows, &floored);
    p->from.x = p->weighed.data;
  } else if (k == 0 || p->plan->options.raw) {
    float *read = p->next;
    p->next = p->factor;
    p->factor = read;
    p->from.factor = read;
    return SOTTO_OK;
  }
  if (scaled) sotto_i_parallel(p->graph->nodes, rows_per_turn, factor_rows, p);
  if (scaled) p->from.factor = p->factor;
  return SOTTO_OK;
}

static sotto_status run_layers(pass *p, const sotto_i_release_sink *sink, const sotto_observer *observer,
                               sotto_error *err) {
  const uint32_t last = p->plan->options.layers;
  for (uint32_t k = 0; k <= last; k++) {
    float *kept = k > 0 && k < last ? p->own[k % 2] : NULL;
    if (sink->layers != NULL) kept = sink->layers[k].data;
    p->layer = k;
    sotto_status status = run_layer(p, kept, sink, err);
    if (status == SOTTO_OK && k < last) status = prepare_next(p, k, kept, sink, err);
    if (status == SOTTO_OK && k < last && p->by_columns.sums != NULL)
      status = sotto_i_column_sums_make(&p->by_columns, integer_row, &p->from, err);
    if (status != SOTTO_OK) return status;
    if (k > 0) sotto_i_progress(observer, "release", k, last, NULL);
  }
  return SOTTO_OK;
}

sotto_status sotto_i_release_layers(const sotto_pmp_plan *plan, const sotto_graph *graph,
                                    const sotto_matrix *inputs, const sotto_key *key,
                                    const sotto_i_release_sink *sink, const sotto_observer *observer,
                                    sotto_error *err) {
  sotto_status status;
  const size_t nodes = inputs->rows, values = nodes * inputs->cols;
  const size_t most = sotto_i_batch_rows(), slab = nodes < most ? nodes : most;
  const size_t scratch = (slab / rows_per_range + 1) * inputs->cols;
  const size_t many = sotto_i_noise_together(inputs->cols);
  const size_t together = many < rows_per_range ? many : rows_per_range;
  pass p = {
      .plan = plan, .graph = graph, .key = key, .inputs = inputs, .cols = inputs->cols, .together = together};
  SOTTO_TRY(sotto_i_pmp_check(&plan->options, err));
  SOTTO_TRY(sotto_i_release_check(graph, inputs, &plan->options.protection, plan->grid.sigma > 0, key, err));
  SOTTO_I_CHECK(sink->weights == NULL || sink->layers != NULL);
  SOTTO_I_CHECK(sink->weights == NULL || !plan->options.protection.nonnegative);
  const size_t held = sotto_i_columns_held(graph, inputs->cols);
  if (held < inputs->cols) SOTTO_TRY(sotto_i_column_sums_new(&p.by_columns, graph, inputs->cols, held, err));
  SOTTO_TRY(sotto_i_new_raw(&p.factor, nodes, sizeof *p.factor, err));
  SOTTO_TRY(sotto_i_new_raw(&p.next, nodes, sizeof *p.next, err));
  if (sink->weights != NULL || plan->options.protection.nonnegative)
    SOTTO_TRY(sotto_matrix_new(&p.weighed, nodes, inputs->cols, err));
  SOTTO_TRY(sotto_i_new_raw(&p.sums, scratch, sizeof *p.sums, err));
  SOTTO_TRY(sotto_i_new_raw(&p.noise, scratch * together, sizeof *p.noise, err));
  if (sink->layers == NULL) {
    SOTTO_TRY(sotto_i_new_raw(&p.slab, slab * inputs->cols, sizeof *p.slab, err));
    for (uint32_t k = 1; k < 3 && k < plan->options.layers; k++)
      SOTTO_TRY(sotto_i_new_raw(&p.own[k % 2], values, sizeof(float), err));
  }
  SOTTO_TRY(run_layers(&p, sink, observer, err));
done:
  sotto_i_free(p.factor);
  sotto_i_free(p.next);
  sotto_matrix_free(&p.weighed);
  sotto_i_free(p.sums);
  if (p.noise != NULL) sodium_memzero(p.noise, scratch * together * sizeof *p.noise);
  sotto_i_free(p.noise);
  sotto_i_free(p.slab);
  for (int i = 0; i < 2; i++) sotto_i_free(p.own[i]);
  sotto_i_column_sums_free(&p.by_columns);
  return status;
}
