/* The contractive release over ranks. A rank computes the rows of its own nodes.
 *
 * Integers of neighbours at other ranks arrive before each layer. Integer sums do not depend on the order,
 * and the noise of a row depends on its node, so rank 0 writes the same bytes as one process. */
#include <math.h>
#include <sodium.h>
#include <stdatomic.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/threads.h"
#include "contractive.h"
#include "graph/kernels/exact_sum.h"
#include "release_ranks.h"

enum { rows_per_range = 64 };

/* A range has one row of scratch. */
typedef struct run {
  const sotto_contractive_plan *plan;
  sotto_pmp_options gcn;
  const sotto_i_block *block;
  const sotto_key *key;
  uint32_t layer;
  size_t cols, first_col, ranges;
  float *start;            /* own rows: the inputs, then X_0, and in the end the last layer */
  int32_t *scaled;         /* own rows for the GCN operator, in multiples of 2^-30 */
  double *values;          /* own rows of the current layer */
  int64_t *totals, *total; /* one row for each range; the sum over all ranks */
  double *mean;            /* of the previous layer */
  int64_t *sums;
  int32_t *noise;
  float *unseen; /* of a layer that is not released */
  sotto_i_halo halo;
  _Atomic int bad_row;
} run;

static void clear_total(int64_t *total, size_t cols) {
  for (size_t j = 0; j < cols; j++) total[j] = 0;
}

/* Reads a row before it writes the projected one in its place. */
static void start_rows(void *context, size_t begin, size_t end) {
  run *r = context;
  int64_t *total = r->totals + begin / rows_per_range * r->cols;
  clear_total(total, r->cols);
  for (size_t i = begin; i < end; i++) {
    float *row = r->start + i * r->cols;
    double *values = r->values + i * r->cols;
    if (!sotto_i_contractive_read(values, row, r->cols)) {
      atomic_store(&r->bad_row, 1);
      continue;
    }
    sotto_i_contractive_project(row, r->scaled + i * r->cols, total, values, r->cols,
                                sotto_i_scale_before(&r->gcn, &r->block->graph, i));
  }
}

static void integer_rows(void *context, size_t begin, size_t end) {
  const run *r = context;
  const size_t some = sotto_i_columns_left(&r->halo, r->cols, r->first_col), width = r->halo.cols;
  for (size_t i = begin; i < end; i++)
    for (size_t j = 0; j < width; j++)
      r->halo.rows[i * width + j] = j < some ? r->scaled[i * r->cols + r->first_col + j] : 0;
}

static void mixed_rows(void *context, size_t begin, size_t end) {
  run *r = context;
  const sotto_graph *graph = &r->block->graph;
  const size_t width = r->halo.cols;
  int64_t *sum = r->sums + begin / rows_per_range * width;
  if (sotto_i_stopped()) return;
  for (size_t i = begin; i < end; i++) {
    const size_t at = i * r->cols + r->first_col;
    sotto_i_exact_sum(sum, graph, i, r->halo.rows, width);
    sotto_i_contractive_mix(r->values + at, r->plan, sum, r->halo.rows + i * width, r->mean + r->first_col,
                            r->start + at, sotto_i_scale_after(&r->gcn, graph, i) * SOTTO_I_CONTRACTIVE_STEP,
                            sotto_i_columns_left(&r->halo, r->cols, r->first_col));
  }
}

/* Whole rows: noise and projection. The last layer replaces X_0, which is not needed any more. */
static void noisy_rows(void *context, size_t begin, size_t end) {
  run *r = context;
  const size_t scratch = begin / rows_per_range * r->cols;
  const bool last = r->layer == r->plan->options.layers;
  if (sotto_i_stopped()) return;
  clear_total(r->totals + scratch, r->cols);
  for (size_t i = begin; i < end; i++) {
    const size_t at = i * r->cols;
    sotto_i_contractive_add_noise(r->values + at, r->noise + scratch, r->plan, r->key, r->layer,
                                  r->block->own[i], r->cols);
    sotto_i_contractive_project(last ? r->start + at : r->unseen + scratch, last ? NULL : r->scaled + at,
                                r->totals + scratch, r->values + at, r->cols,
                                sotto_i_scale_before(&r->gcn, &r->block->graph, i));
  }
}

/* The mean of all rows of all ranks. Sums of integers do not depend on the order. */
static sotto_status take_mean(run *r, sotto_error *err) {
  clear_total(r->total, r->cols);
  for (size_t i = 0; i < (r->block->count + rows_per_range - 1) / rows_per_range; i++)
    for (size_t j = 0; j < r->cols; j++) r->total[j] += r->totals[i * r->cols + j];
  const sotto_status status = sotto_i_ranks_sum(r->block->ranks, (uint64_t *)r->total, r->cols, err);
  for (size_t j = 0; j < r->cols; j++)
    r->mean[j] = (double)r->total[j] * SOTTO_I_CONTRACTIVE_STEP / (double)r->block->nodes;
  return status;
}

static sotto_status next_layer(run *r, sotto_error *err) {
  const size_t count = r->block->count;
  sotto_status status = take_mean(r, err);
  for (r->first_col = 0; status == SOTTO_OK && r->first_col < r->cols; r->first_col += r->halo.cols) {
    sotto_i_parallel(count, rows_per_range, integer_rows, r);
    status = sotto_i_halo_pass(&r->halo, err);
    if (status == SOTTO_OK) sotto_i_parallel(count, rows_per_range, mixed_rows, r);
  }
  if (status != SOTTO_OK) return status;
  sotto_i_parallel(count, rows_per_range, noisy_rows, r);
  return sotto_i_check_interrupt(err);
}

/* Releases X_0 and the last iterate. */
static sotto_status run_layers(run *r, sotto_i_gather *gather, const sotto_observer *observer,
                               sotto_error *err) {
  const uint32_t layers = r->plan->options.layers;
  sotto_status status = SOTTO_OK;
  sotto_i_parallel(r->block->count, rows_per_range, start_rows, r);
  if (atomic_load(&r->bad_row) != 0)
    return sotto_i_fail(err, SOTTO_NUMERIC, "the rows to be released hold a value that is not finite");
  SOTTO_TRY(sotto_i_gather_layer(gather, r->start, err));
  for (r->layer = 1; r->layer <= layers; r->layer++) {
    SOTTO_TRY(next_layer(r, err));
    sotto_i_progress(observer, "release", r->layer, layers, NULL);
  }
  SOTTO_TRY(sotto_i_gather_layer(gather, r->start, err));
done:
  return status;
}

static sotto_status make_room(run *r, sotto_error *err) {
  const size_t values = r->block->count * r->cols;
  const size_t scratch = r->ranges * r->cols;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&r->scaled, values, sizeof *r->scaled, err));
  SOTTO_TRY(sotto_i_new_raw(&r->values, values, sizeof *r->values, err));
  SOTTO_TRY(sotto_i_new(&r->totals, scratch, sizeof *r->totals, err));
  SOTTO_TRY(sotto_i_new(&r->total, r->cols, sizeof *r->total, err));
  SOTTO_TRY(sotto_i_new(&r->mean, r->cols, sizeof *r->mean, err));
  SOTTO_TRY(sotto_i_new_raw(&r->sums, r->ranges * r->halo.cols, sizeof *r->sums, err));
  SOTTO_TRY(sotto_i_new_raw(&r->noise, scratch, sizeof *r->noise, err));
  SOTTO_TRY(sotto_i_new_raw(&r->unseen, scratch, sizeof *r->unseen, err));
done:
  return status;
}

static void free_room(run *r) {
  if (r->noise != NULL) sodium_memzero(r->noise, r->ranges * r->cols * sizeof *r->noise);
  sotto_i_halo_free(&r->halo);
  sotto_i_free(r->scaled);
  sotto_i_free(r->values);
  sotto_i_free(r->totals);
  sotto_i_free(r->total);
  sotto_i_free(r->mean);
  sotto_i_free(r->sums);
  sotto_i_free(r->noise);
  sotto_i_free(r->unseen);
}

static sotto_status check(const sotto_contractive_plan *plan, const sotto_i_block *b,
                          const sotto_matrix *inputs, const sotto_key *key, sotto_error *err) {
  const sotto_protection *protection = &plan->options.protection;
  if (protection->level != SOTTO_LEVEL_EDGE || protection->row_clip > 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "a release at this level is not made over ranks; start it without mpirun");
  return sotto_i_release_check(&b->graph, inputs, protection, plan->grid.sigma > 0, key, err);
}

sotto_status sotto_i_contractive_layers_ranks(const sotto_contractive_plan *plan, const sotto_i_block *b,
                                              sotto_matrix *inputs, const sotto_key *key,
                                              const sotto_i_release_sink *sink,
                                              const sotto_observer *observer, sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  const sotto_pmp_plan shown = sotto_i_contractive_shown(plan);
  sotto_i_gather gather = {.sink = NULL};
  sotto_status status;
  run r = {.plan = plan, .gcn = shown.options, .block = b, .key = key, .cols = inputs->cols};
  r.ranges = b->count / rows_per_range + 1;
  r.start = inputs->data;
  SOTTO_TRY(check(plan, b, inputs, key, err));
  SOTTO_TRY(sotto_i_gather_begin(&gather, sink, b, r.cols, err));
  SOTTO_TRY(sotto_i_halo_new(&r.halo, b, sotto_i_columns_at_once(r.cols), err));
  SOTTO_TRY(make_room(&r, err));
  SOTTO_TRY(run_layers(&r, &gather, observer, err));
done:
  sotto_i_gather_free(&gather);
  free_room(&r);
  return status;
}

sotto_status sotto_i_contractive_write_ranks(const char *path, const sotto_contractive_plan *plan,
                                             const sotto_i_block *b, sotto_matrix *inputs,
                                             const sotto_key *key, const char *run_name,
                                             const char *description, const sotto_observer *observer,
                                             sotto_error *err) {
  const sotto_pmp_plan shown = sotto_i_contractive_shown(plan);
  sotto_i_release_out *file = NULL;
  sotto_i_release_sink sink = {.take = sotto_i_release_out_take};
  sotto_status status;
  SOTTO_TRY(check(plan, b, inputs, key, err));
  if (sotto_i_ranks_first(b->ranks))
    SOTTO_TRY(sotto_i_release_out_new(&file, path, &shown, b->nodes, inputs->cols, key, run_name, description,
                                      err));
  sink.context = file;
  SOTTO_TRY(sotto_i_contractive_layers_ranks(plan, b, inputs, key, &sink, observer, err));
  if (file != NULL) SOTTO_TRY(sotto_i_release_out_finish(file, err));
done:
  sotto_i_release_out_free(file);
  return status;
}
