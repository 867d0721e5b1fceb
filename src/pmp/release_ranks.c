/* Noisy layers over ranks. A rank adds up the rows of its own nodes.
 *
 * Integers of neighbours at other ranks arrive once a layer. Integer sums do not depend on the order, the
 * noise of a row depends on its node, and rank 0 writes rows in the order of nodes: the file is that of one
 * process. */
#include "release_ranks.h"

#include <sodium.h>
#include <stdatomic.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/threads.h"
#include "dp/noise/noise.h"
#include "graph/kernels/exact_sum.h"
#include "nn/activation.h"

enum { rows_per_range = 64 };

typedef struct pass {
  const sotto_pmp_plan *plan;
  const sotto_i_block *block;
  const sotto_key *key;
  const sotto_matrix *inputs;
  size_t cols;
  uint32_t layer;
  const float *from; /* own rows of the previous layer, and the factors that make them integers */
  float *factor;
  float *shown;      /* own rows of this layer, as they are released */
  float *other;      /* space for those of the next one */
  sotto_i_halo halo; /* some of the columns, so that rows of others take less memory than own ones */
  size_t first_col;
  int64_t *sums;  /* one row of scratch for each range */
  int32_t *noise; /* the same */
  sotto_i_gather gather;
  _Atomic int bad_row;
} pass;

static double factor_before(const pass *p, size_t i) {
  return sotto_i_scale_before(&p->plan->options, &p->block->graph, i);
}

static void input_rows(void *context, size_t begin, size_t end) {
  pass *p = context;
  for (size_t i = begin; i < end; i++) {
    const float *row = p->inputs->data + i * p->cols;
    float *shown = p->shown + i * p->cols;
    double factor;
    if (!sotto_i_input_row(shown, &factor, row, p->cols)) {
      atomic_store(&p->bad_row, 1);
      continue;
    }
    p->factor[i] = (float)(factor * factor_before(p, i) / SOTTO_I_INPUT_STEP);
  }
}

static void integer_rows(void *context, size_t begin, size_t end) {
  const pass *p = context;
  const size_t some = sotto_i_columns_left(&p->halo, p->cols, p->first_col), width = p->halo.cols;
  for (size_t i = begin; i < end; i++) {
    const float *row = p->from + i * p->cols + p->first_col;
    int32_t *to = p->halo.rows + i * width;
    for (size_t j = 0; j < width; j++) to[j] = j < some ? (int32_t)(row[j] * p->factor[i]) : 0;
  }
}

/* The noise of a row is drawn whole, whichever columns are computed. */
static void draw_noise(const pass *p, int32_t *noise, uint64_t node) {
  const sotto_grid *grid = &p->plan->grid;
  if (grid->sigma > 0)
    sotto_i_noise_steps_rows(noise, 1, p->cols, grid->sigma / grid->step, p->key, p->layer, node);
}

static void noisy_rows(void *context, size_t begin, size_t end) {
  pass *p = context;
  const sotto_graph *graph = &p->block->graph;
  const sotto_pmp_options *options = &p->plan->options;
  const size_t some = sotto_i_columns_left(&p->halo, p->cols, p->first_col), width = p->halo.cols;
  int64_t *sum = p->sums + begin / rows_per_range * width;
  int32_t *noise = p->noise + begin / rows_per_range * p->cols;
  if (sotto_i_stopped()) return;
  for (size_t i = begin; i < end; i++) {
    sotto_i_exact_sum(sum, graph, i, p->halo.rows, width);
    for (size_t j = 0; options->self && j < width; j++) sum[j] += p->halo.rows[i * width + j];
    draw_noise(p, noise, p->block->own[i]);
    sotto_i_noisy_row(p->shown + i * p->cols + p->first_col, sum, noise + p->first_col, p->plan,
                      sotto_i_scale_after(options, graph, i), some);
  }
}

/* Whole rows: activates and normalises them, and sets the factors of the next layer. */
static void finish_rows(void *context, size_t begin, size_t end) {
  pass *p = context;
  const sotto_pmp_options *options = &p->plan->options;
  for (size_t i = begin; i < end; i++) {
    float *y = p->shown + i * p->cols;
    sotto_i_activate_row(y, p->cols, options->activation);
    double factor = sotto_i_unit_factor(y, p->cols);
    for (size_t j = 0; !options->raw && j < p->cols; j++) y[j] = (float)(y[j] * factor);
    factor = options->raw ? factor * factor_before(p, i) : factor_before(p, i);
    p->factor[i] = (float)(factor / SOTTO_I_INPUT_STEP);
  }
}

static sotto_status make_rows(pass *p, sotto_error *err) {
  const size_t count = p->block->count;
  for (p->first_col = 0; p->first_col < p->cols; p->first_col += p->halo.cols) {
    sotto_i_parallel(count, rows_per_range, integer_rows, p);
    const sotto_status status = sotto_i_halo_pass(&p->halo, err);
    if (status != SOTTO_OK) return status;
    sotto_i_parallel(count, rows_per_range, noisy_rows, p);
  }
  sotto_i_parallel(count, rows_per_range, finish_rows, p);
  return SOTTO_OK;
}

static sotto_status run_layer(pass *p, sotto_error *err) {
  const sotto_i_block *b = p->block;
  sotto_status status = SOTTO_OK;
  if (p->layer == 0)
    sotto_i_parallel(b->count, rows_per_range, input_rows, p);
  else
    SOTTO_TRY(make_rows(p, err));
  if (atomic_load(&p->bad_row) != 0)
    return sotto_i_fail(err, SOTTO_NUMERIC, "the rows to be released hold a value that is not finite");
  SOTTO_TRY(sotto_i_gather_layer(&p->gather, p->shown, err));
  if (p->layer == 0) {
    p->from = p->inputs->data;
  } else {
    float *made = p->shown;
    p->shown = p->other;
    p->other = made;
    p->from = made;
  }
done:
  return status;
}

static sotto_status check(const sotto_pmp_plan *plan, const sotto_i_block *b, const sotto_matrix *inputs,
                          const sotto_key *key, sotto_error *err) {
  const sotto_protection *protection = &plan->options.protection;
  sotto_status status;
  SOTTO_TRY(sotto_i_pmp_check(&plan->options, err));
  if (protection->level != SOTTO_LEVEL_EDGE || protection->nonnegative || protection->row_clip > 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "a release at this level is not made over ranks; start it without mpirun");
  SOTTO_TRY(sotto_i_release_check(&b->graph, inputs, protection, plan->grid.sigma > 0, key, err));
done:
  return status;
}

sotto_status sotto_i_release_layers_ranks(const sotto_pmp_plan *plan, const sotto_i_block *b,
                                          const sotto_matrix *inputs, const sotto_key *key,
                                          const sotto_i_release_sink *sink, const sotto_observer *observer,
                                          sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  const size_t cols = inputs->cols, scratch = (b->count / rows_per_range + 1) * cols;
  const size_t width = sotto_i_columns_at_once(cols);
  const uint32_t last = plan->options.layers;
  pass p = {.plan = plan, .block = b, .key = key, .inputs = inputs, .cols = cols};
  sotto_status status;
  SOTTO_TRY(check(plan, b, inputs, key, err));
  SOTTO_TRY(sotto_i_gather_begin(&p.gather, sink, b, cols, err));
  SOTTO_TRY(sotto_i_halo_new(&p.halo, b, width, err));
  SOTTO_TRY(sotto_i_new_raw(&p.shown, b->count * cols, sizeof *p.shown, err));
  if (last > 1) SOTTO_TRY(sotto_i_new_raw(&p.other, b->count * cols, sizeof *p.other, err));
  SOTTO_TRY(sotto_i_new_raw(&p.factor, b->count, sizeof *p.factor, err));
  SOTTO_TRY(sotto_i_new_raw(&p.sums, scratch + width, sizeof *p.sums, err));
  SOTTO_TRY(sotto_i_new_raw(&p.noise, scratch, sizeof *p.noise, err));
  for (p.layer = 0; p.layer <= last; p.layer++) {
    SOTTO_TRY(run_layer(&p, err));
    if (p.layer > 0) sotto_i_progress(observer, "release", p.layer, last, NULL);
  }
done:
  sotto_i_gather_free(&p.gather);
  sotto_i_halo_free(&p.halo);
  sotto_i_free(p.shown);
  sotto_i_free(p.other);
  sotto_i_free(p.factor);
  sotto_i_free(p.sums);
  if (p.noise != NULL) sodium_memzero(p.noise, scratch * sizeof *p.noise);
  sotto_i_free(p.noise);
  return status;
}

sotto_status sotto_i_release_write_ranks(const char *path, const sotto_pmp_plan *plan, const sotto_i_block *b,
                                         const sotto_matrix *inputs, const sotto_key *key, const char *run,
                                         const char *description, const sotto_observer *observer,
                                         sotto_error *err) {
  sotto_i_release_out *file = NULL;
  sotto_i_release_sink sink = {.take = sotto_i_release_out_take};
  sotto_status status;
  SOTTO_TRY(check(plan, b, inputs, key, err));
  if (sotto_i_ranks_first(b->ranks))
    SOTTO_TRY(sotto_i_release_out_new(&file, path, plan, b->nodes, inputs->cols, key, run, description, err));
  sink.context = file;
  SOTTO_TRY(sotto_i_release_layers_ranks(plan, b, inputs, key, &sink, observer, err));
  if (file != NULL) SOTTO_TRY(sotto_i_release_out_finish(file, err));
done:
  sotto_i_release_out_free(file);
  return status;
}
