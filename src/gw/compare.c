/* Distances of all pairs of a collection.
 *
 * Pairs (i, j) with i < j are numbered row by row and run in blocks of consecutive numbers. Each block
 * runs on the thread pool and is appended to the state file (ranks/cells.h). */
#include <math.h>
#include <sodium.h>
#include <string.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/threads.h"
#include "gw/codes.h"
#include "gw/collection.h"
#include "inside/gw.h"
#include "ranks/cells.h"

enum { block_pairs = 512 };

typedef struct work {
  const sotto_i_gw_collection *collection;
  const sotto_gw_plan *plan;
  sotto_gw_options gw;
  double seconds;
  const double *self; /* kernel of each graph with itself */
  double *value;      /* of the current block */
  bool *bound;
  uint64_t bounds; /* pairs of this rank whose value is only an upper bound */
  size_t first;
  sotto_status *status;
  sotto_error *errors; /* one per pair of the block */
} work;

/* Converts the number of a pair to (i, j): row i holds count - 1 - i pairs. */
static void find_pair(size_t *i, size_t *j, size_t number, size_t count) {
  size_t row = 0;
  while (number >= count - 1 - row) {
    number -= count - 1 - row;
    row++;
  }
  *i = row;
  *j = row + 1 + number;
}

static sotto_status measure_fused(double *out, const work *w, size_t i, size_t j, sotto_error *err) {
  const sotto_i_gw_collection *c = w->collection;
  const size_t cells = c->space[i].points * c->space[j].points;
  sotto_gw_options options = w->gw;
  sotto_gw_result result = {0};
  double *cost = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&cost, cells, sizeof *cost, err));
  SOTTO_TRY(sotto_gw_costs(cost, &c->rows[i], &c->rows[j], w->plan->metric, err));
  for (size_t k = 0; k < cells; k++) cost[k] *= cost[k];
  options.feature_cost = cost;
  SOTTO_TRY(sotto_i_gw_distance(&result, NULL, &c->side[i], &c->side[j], &options, err));
  *out = result.value;
done:
  sotto_i_free(cost);
  return status;
}

static sotto_status measure_pair(double *out, bool *bound, const work *w, size_t i, size_t j,
                                 sotto_error *err) {
  const sotto_i_gw_collection *c = w->collection;
  sotto_gw_result result = {0};
  sotto_status status;
  switch (w->plan->by) {
  case SOTTO_GW_BY_FUSED:
    return measure_fused(out, w, i, j, err);
  case SOTTO_GW_BY_EDITS:
    *out = sotto_i_gw_edits(c, i, j, w->seconds, bound);
    return SOTTO_OK;
  case SOTTO_GW_BY_KERNEL:
    status = sotto_i_gw_path_kernel(out, c, i, j, err);
    const double norm = sqrt(w->self[i]) * sqrt(w->self[j]);
    *out = fmax(0, 2 - 2 * (norm > 0 ? *out / norm : w->self[i] == w->self[j]));
    return status;
  default:
    status = sotto_i_gw_distance(&result, NULL, &c->side[i], &c->side[j], &w->gw, err);
    *out = result.value;
    return status;
  }
}

static void run_pairs(void *context, size_t begin, size_t end) {
  work *w = context;
  size_t i, j;
  for (size_t k = begin; k < end; k++) {
    if (sotto_i_stopped()) {
      w->status[k] = SOTTO_INTERRUPTED;
      continue;
    }
    find_pair(&i, &j, w->first + k, w->collection->count);
    w->status[k] = measure_pair(&w->value[k], &w->bound[k], w, i, j, &w->errors[k]);
    if (w->status[k] != SOTTO_OK) sotto_i_error_prefix(&w->errors[k], "graphs %zu and %zu", i, j);
  }
}

/* Runs one block; *finished is the number of leading pairs that finished. */
static sotto_status run_block(void *context, void *values, size_t first, size_t count, size_t *finished,
                              sotto_error *err) {
  work *w = context;
  w->first = first;
  w->value = values;
  memset(w->bound, 0, count * sizeof *w->bound);
  memset(w->errors, 0, count * sizeof *w->errors);
  sotto_i_parallel(count, 4, run_pairs, w);
  for (*finished = 0; *finished < count; ++*finished) {
    const sotto_status status = w->status[*finished];
    if (status == SOTTO_INTERRUPTED) return sotto_i_check_interrupt(err);
    if (status != SOTTO_OK) return sotto_i_fail(err, status, "%s", w->errors[*finished].text);
    w->bounds += w->bound[*finished];
  }
  return SOTTO_OK;
}

static sotto_status fill_self_kernels(double *self, const sotto_i_gw_collection *c, const sotto_gw_plan *plan,
                                      sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (plan->by != SOTTO_GW_BY_KERNEL) return SOTTO_OK;
  for (size_t g = 0; g < c->count && status == SOTTO_OK; g++)
    status = sotto_i_gw_path_kernel(&self[g], c, g, g, err);
  return status;
}

/* Digest that a state file is bound to: the data and every option that changes a value. */
static void digest_job(uint8_t out[32], const sotto_dataset *data, const work *w) {
  crypto_generichash_state hash;
  const double numbers[] = {w->plan->by,         w->plan->metric,      w->gw.solver,  w->gw.starts,
                            w->gw.iterations,    w->gw.tolerance,      w->gw.entropy, w->gw.alpha,
                            w->plan->edit_nodes, w->plan->edit_seconds};
  (void)crypto_generichash_init(&hash, NULL, 0, 32);
  (void)crypto_generichash_update(&hash, data->digest, sizeof data->digest);
  (void)crypto_generichash_update(&hash, (const uint8_t *)numbers, sizeof numbers);
  const sotto_matrix *e = w->plan->embeddings;
  if (e != NULL)
    (void)crypto_generichash_update(&hash, (const uint8_t *)e->data, e->rows * e->cols * sizeof *e->data);
  (void)crypto_generichash_final(&hash, out, 32);
}

static void fill_table(sotto_gw_table *out, const double *values) {
  const size_t n = out->count;
  size_t number = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = i + 1; j < n; j++, number++) {
      out->distance[i * n + j] = values[number];
      out->distance[j * n + i] = values[number];
    }
}

/* Allocates a table without distances. */
static sotto_status alloc_table(sotto_gw_table *out, size_t n, const sotto_dataset *data, sotto_error *err) {
  sotto_status status;
  out->count = n;
  SOTTO_TRY(sotto_i_new(&out->distance, n * n, sizeof *out->distance, err));
  SOTTO_TRY(sotto_i_new(&out->labels, n, sizeof *out->labels, err));
  SOTTO_TRY(sotto_i_new(&out->sizes, n, sizeof *out->sizes, err));
  for (size_t g = 0; g < n; g++) {
    out->labels[g] = data->graph_labels == NULL ? -1 : data->graph_labels[g];
    out->sizes[g] = (uint32_t)(data->graph_first[g + 1] - data->graph_first[g]);
  }
done:
  return status;
}

static sotto_status compare_by_codes(sotto_gw_table *out, const sotto_dataset *data,
                                     const sotto_gw_plan *plan, sotto_error *err) {
  if (data->graph_count == 0 || plan->codes == NULL)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s: comparison by codes needs a collection of graphs and its codes", data->name);
  if (plan->codes->posterior.rows != data->graph_count)
    return sotto_i_fail(err, SOTTO_INVALID, "%s has %llu graphs, but there are codes of %zu", data->name,
                        (unsigned long long)data->graph_count, plan->codes->posterior.rows);
  sotto_status status = alloc_table(out, data->graph_count, data, err);
  if (status == SOTTO_OK)
    status = sotto_i_gw_compare_codes(out->distance, &plan->codes->posterior, &plan->codes->distance, err);
  if (status != SOTTO_OK) sotto_gw_table_free(out);
  return status;
}

static sotto_status check_values(const double *values, size_t count, const char *path, sotto_error *err) {
  for (size_t k = 0; k < count; k++)
    if (!(values[k] >= 0 && isfinite(values[k])))
      return sotto_i_fail(err, SOTTO_CORRUPT, "%s: value %zu is %g, which is no distance; remove the file",
                          path, k, values[k]);
  return SOTTO_OK;
}

static sotto_status run_all(sotto_gw_table *out, work *w, double *values, const sotto_dataset *data,
                            const sotto_observer *observer, sotto_error *err) {
  sotto_i_cells pairs = {.path = w->plan->state,
                         .kind = "SOTTOGW",
                         .holds = "pairs",
                         .values = values,
                         .bytes = sizeof *values,
                         .total = out->count * (out->count - 1) / 2,
                         .block = block_pairs,
                         .ranks = w->plan->ranks};
  sotto_status status;
  digest_job(pairs.identity, data, w);
  SOTTO_TRY(sotto_i_cells_open(&pairs, err));
  out->resumed = pairs.done;
  if (sotto_i_ranks_first(pairs.ranks)) SOTTO_TRY(check_values(values, pairs.done, pairs.path, err));
  SOTTO_TRY(sotto_i_cells_run(&pairs, run_block, w, "pairs", observer, err));
  SOTTO_TRY(sotto_i_ranks_sum(pairs.ranks, &w->bounds, 1, err));
  out->bounds = w->bounds;
done:
  sotto_i_cells_close(&pairs, status == SOTTO_OK);
  return status;
}

sotto_status sotto_gw_compare(sotto_gw_table *out, const sotto_dataset *data, const sotto_gw_plan *plan,
                              const sotto_observer *observer, sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  sotto_i_gw_collection collection = {0};
  work w = {
      .collection = &collection, .plan = plan, .seconds = plan->edit_seconds > 0 ? plan->edit_seconds : 1};
  double *self = NULL, *values = NULL;
  sotto_status status;
  *out = (sotto_gw_table){0};
  if (plan->by == SOTTO_GW_BY_CODES) return compare_by_codes(out, data, plan, err);
  w.gw = plan->gw == NULL ? sotto_gw_defaults() : *plan->gw;
  w.gw.feature_cost = NULL;
  SOTTO_TRY(sotto_i_gw_collection_new(&collection, data, plan, err));
  const size_t n = collection.count;
  SOTTO_TRY(alloc_table(out, n, data, err));
  SOTTO_TRY(sotto_i_new_raw(&self, n, sizeof *self, err));
  SOTTO_TRY(sotto_i_new_raw(&values, n * (n - 1) / 2, sizeof *values, err));
  SOTTO_TRY(sotto_i_new_raw(&w.bound, block_pairs, sizeof *w.bound, err));
  SOTTO_TRY(sotto_i_new_raw(&w.status, block_pairs, sizeof *w.status, err));
  SOTTO_TRY(sotto_i_new_raw(&w.errors, block_pairs, sizeof *w.errors, err));
  w.self = self;
  SOTTO_TRY(fill_self_kernels(self, &collection, plan, err));
  SOTTO_TRY(run_all(out, &w, values, data, observer, err));
  if (sotto_i_ranks_first(plan->ranks)) fill_table(out, values);
done:
  sotto_i_free(self);
  sotto_i_free(values);
  sotto_i_free(w.bound);
  sotto_i_free(w.status);
  sotto_i_free(w.errors);
  sotto_i_gw_collection_free(&collection);
  if (status != SOTTO_OK) sotto_gw_table_free(out);
  return status;
}
