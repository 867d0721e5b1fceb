/* Noisy sums of neighbours' rows: cut, add up exactly, add noise; all of one row in one pass. */
#include "noisy_sums.h"

#include <math.h>
#include <sodium.h>

#include "base/memory.h"
#include "base/progress.h"
#include "base/threads.h"
#include "dp/noise.h"
#include "graph/exact_sum.h"
#include "release.h"

enum { rows_per_range = 64 };

typedef struct pass {
  const sotto_pmp_plan *plan;
  const sotto_graph *graph;
  const sotto_key *key;
  const sotto_matrix *rows;
  int32_t *cut;  /* the rows in input steps */
  int64_t *sums; /* one row of scratch for each range */
  int32_t *noise;
  float *out;
  size_t cols;
} pass;

static void cut_rows(void *context, size_t begin, size_t end) {
  const pass *p = context;
  for (size_t v = begin; v < end; v++) {
    const float *row = p->rows->data + v * p->cols;
    double square = 0;
    for (size_t j = 0; j < p->cols; j++) square += (double)row[j] * row[j];
    /* The factor errs by less than 2^-45 relative; the margin keeps the cut row inside the unit ball. */
    double factor = square > 1 - 0x1p-40 ? (1 - 0x1p-40) / sqrt(square) : 1;
    for (size_t j = 0; j < p->cols; j++)
      p->cut[v * p->cols + j] = (int32_t)(row[j] * factor / SOTTO_I_INPUT_STEP);
  }
}

static void sum_rows(void *context, size_t begin, size_t end) {
  const pass *p = context;
  const sotto_grid *grid = &p->plan->grid;
  int64_t *sum = p->sums + begin / rows_per_range * p->cols;
  int32_t *noise = p->noise + begin / rows_per_range * p->cols;
  if (sotto_interrupted()) return;
  for (size_t v = begin; v < end; v++) {
    float *out = p->out + v * p->cols;
    sotto_i_exact_sum(sum, p->graph, v, p->cut, p->cols);
    if (grid->sigma == 0) {
      for (size_t j = 0; j < p->cols; j++) out[j] = (float)((double)sum[j] * SOTTO_I_INPUT_STEP);
      continue;
    }
    sotto_i_noise_steps(noise, p->cols, grid->sigma / grid->step, p->key, 1, v);
    for (size_t j = 0; j < p->cols; j++) {
      double steps = nearbyint((double)sum[j] * (SOTTO_I_INPUT_STEP / grid->step)) + noise[j];
      out[j] = (float)(steps * grid->step);
    }
  }
}

sotto_status sotto_i_noisy_sums(sotto_matrix *out, const sotto_pmp_plan *plan, const sotto_graph *graph,
                                const sotto_matrix *rows, const sotto_key *key, sotto_error *err) {
  sotto_status status;
  const sotto_pmp_options *o = &plan->options;
  size_t ranges = rows->rows / rows_per_range + 1;
  pass p = {.plan = plan, .graph = graph, .key = key, .rows = rows, .cols = rows->cols};
  *out = (sotto_matrix){0};
  SOTTO_I_CHECK(o->aggregator == SOTTO_AGGREGATOR_SUM && o->layers == 1 && !o->self &&
                o->activation == SOTTO_ACTIVATION_NONE);
  SOTTO_TRY(sotto_i_release_check(graph, rows, &o->protection, plan->grid.sigma > 0, key, err));
  SOTTO_TRY(sotto_i_check_finite(rows, err));
  SOTTO_TRY(sotto_i_new_raw(&p.cut, rows->rows * rows->cols, sizeof *p.cut, err));
  SOTTO_TRY(sotto_i_new_raw(&p.sums, ranges * rows->cols, sizeof *p.sums, err));
  SOTTO_TRY(sotto_i_new_raw(&p.noise, ranges * rows->cols, sizeof *p.noise, err));
  SOTTO_TRY(sotto_matrix_new(out, rows->rows, rows->cols, err));
  p.out = out->data;
  sotto_i_parallel(rows->rows, rows_per_range, cut_rows, &p);
  sotto_i_parallel(rows->rows, rows_per_range, sum_rows, &p);
  SOTTO_TRY(sotto_i_check_interrupt(err));
done:
  if (status != SOTTO_OK) sotto_matrix_free(out);
  sotto_i_free(p.cut);
  sotto_i_free(p.sums);
  if (p.noise != NULL) sodium_memzero(p.noise, ranges * rows->cols * sizeof *p.noise);
  sotto_i_free(p.noise);
  return status;
}
