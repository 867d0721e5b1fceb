/* Sparse operators. Every kind is S = diag(post) (A + self I) diag(pre), so its transpose swaps the
 * scales, and no weight is stored per entry:
 * - SUM: pre = 1, post = 1
 * - MEAN: pre = 1, post = 1 / (d~ + 1)
 * - GCN: pre = post = 1 / sqrt(d~ + 1)
 *
 * If x is a few times larger than a core's second-level cache and rows are long, the product runs in up to
 * `parts` passes. Each pass covers a share of the rows of x, which then stays in that cache; a single pass
 * takes half as long again. Later passes continue the sums in the same order, so no bit changes.
 * Processors with AVX2 only have at most half of that cache: there, rows are prefetched from the last
 * level in a single pass. */
#include "operator.h"

#include <math.h>

#include "base/memory.h"
#include "inside/graph.h"
#include "spmm.h"

/* A range has about 1/64 of the work of a small graph, and at most the work of some tens of microseconds,
 * so that the last ranges do not delay the end. */
enum { ranges_wanted = 64, least_cost = 512, most_cost = 16384, node_cost = 4 };

/* near_bytes: the second-level cache of a server core. A pass may use slightly more. It repays reading and
 * writing y again only with `least_entries` entries per row on average. far_bytes: above this, x exceeds
 * the last-level cache. */
enum { parts = 8, least_entries = 8, near_bytes = 1 << 20, far_bytes = 8 << 20 };

struct sotto_operator {
  const sotto_graph *graph;
  bool self;
  float *scale;            /* one per node, or NULL for SUM; owned */
  const float *pre, *post; /* scale or NULL */
  uint64_t *bounds;        /* range_count + 1; owned */
  size_t range_count;
  uint32_t
      /* (parts - 1) x nodes: number of entries of the row below node (p + 1) nodes / parts; or NULL; owned */
      *cuts;
  uint64_t fetch_bytes; /* rows of a larger x are prefetched */
  sotto_i_spmm_fn kernel;
};

static float *make_scale(float *scale, const sotto_graph *graph, sotto_aggregator kind, uint64_t floor,
                         bool self) {
  for (uint64_t v = 0; v < graph->nodes; v++) {
    uint64_t degree = sotto_graph_degree(graph, v);
    double floored = (double)(degree > floor ? degree : floor);
    if (kind == SOTTO_AGGREGATOR_GCN)
      scale[v] = (float)(1 / sqrt(floored + 1));
    else
      scale[v] = (float)(1 / (self ? floored + 1 : fmax(floored, 1)));
  }
  return scale;
}

/* Closes a range as soon as its cost is reached. With bounds NULL, only counts the ranges. */
static size_t cut_ranges(uint64_t *bounds, const sotto_graph *graph) {
  uint64_t cost = (graph->entries + node_cost * graph->nodes) / ranges_wanted, sum = 0;
  size_t count = 0;
  cost = cost < least_cost ? least_cost : cost > most_cost ? most_cost : cost;
  if (bounds != NULL) bounds[0] = 0;
  for (uint64_t v = 0; v < graph->nodes; v++) {
    sum += sotto_graph_degree(graph, v) + node_cost;
    if (sum < cost && v + 1 < graph->nodes) continue;
    sum = 0;
    count++;
    if (bounds != NULL) bounds[count] = v + 1;
  }
  return count;
}

static void locate_cuts(void *context, size_t begin, size_t end) {
  const sotto_operator *op = context;
  const sotto_graph *g = op->graph;
  for (size_t v = begin; v < end; v++) {
    uint64_t e = g->offsets[v];
    for (uint64_t p = 1; p < parts; p++) {
      while (e < g->offsets[v + 1] && g->targets[e] < g->nodes * p / parts) e++;
      op->cuts[(p - 1) * g->nodes + v] = (uint32_t)(e - g->offsets[v]);
    }
  }
}

/* Whether several passes could help for some width: rows are long enough for two passes, 16 columns exceed
 * the cache of a core, and not even one column exceeds the last level. */
static bool passes_help(const sotto_graph *g) {
  const uint64_t column_bytes = g->nodes * sizeof(float);
  return g->entries >= 2 * least_entries * g->nodes && column_bytes * 128 > near_bytes &&
         column_bytes * 16 < far_bytes;
}

/* Number of passes over `width` columns: a power of two up to `parts`. */
static size_t count_passes(const sotto_operator *op, size_t width) {
  const uint64_t bytes = op->graph->nodes * width * sizeof(float);
  size_t passes = 1;
  if (op->cuts == NULL || bytes > far_bytes) return 1;
  while (passes < parts && bytes > passes * near_bytes &&
         op->graph->entries >= 2 * passes * least_entries * op->graph->nodes)
    passes *= 2;
  return passes;
}

sotto_status sotto_operator_new(sotto_operator **out, const sotto_graph *graph, sotto_aggregator kind,
                                uint64_t degree_floor, bool self, sotto_error *err) {
  sotto_status status;
  sotto_operator *op = NULL;
  *out = NULL;
  if (kind != SOTTO_AGGREGATOR_SUM && kind != SOTTO_AGGREGATOR_MEAN && kind != SOTTO_AGGREGATOR_GCN)
    return sotto_i_fail(err, SOTTO_INVALID, "%d is not an aggregator; use SUM, MEAN or GCN", (int)kind);
  SOTTO_TRY(sotto_i_new(&op, 1, sizeof *op, err));
  op->graph = graph;
  op->self = self;
  const sotto_i_isa_level level = sotto_i_isa();
  op->kernel = sotto_i_spmm_kernel(level);
  op->fetch_bytes = level == SOTTO_I_ISA_AVX2 ? near_bytes : far_bytes;
  op->range_count = cut_ranges(NULL, graph);
  SOTTO_TRY(sotto_i_new(&op->bounds, op->range_count + 1, sizeof *op->bounds, err));
  cut_ranges(op->bounds, graph);
  if (kind != SOTTO_AGGREGATOR_SUM) {
    SOTTO_TRY(sotto_i_new_raw(&op->scale, graph->nodes, sizeof *op->scale, err));
    op->post = make_scale(op->scale, graph, kind, degree_floor, self);
    op->pre = kind == SOTTO_AGGREGATOR_GCN ? op->post : NULL;
  }
  if (level != SOTTO_I_ISA_AVX2 && passes_help(graph)) {
    SOTTO_TRY(sotto_i_new_raw(&op->cuts, (parts - 1) * graph->nodes, sizeof *op->cuts, err));
    sotto_i_operator_each(op, locate_cuts, op);
  }
  *out = op;
  op = NULL;
done:
  sotto_operator_free(op);
  return status;
}

void sotto_operator_free(sotto_operator *op) {
  if (op == NULL) return;
  sotto_i_free(op->scale);
  sotto_i_free(op->bounds);
  sotto_i_free(op->cuts);
  sotto_i_free(op);
}

typedef struct range_job {
  const sotto_operator *op;
  sotto_i_range_fn work;
  void *context;
} range_job;

static void call_range(void *context, size_t begin, size_t end) {
  const range_job *e = context;
  for (size_t r = begin; r < end; r++) e->work(e->context, e->op->bounds[r], e->op->bounds[r + 1]);
}

void sotto_i_operator_each(const sotto_operator *op, sotto_i_range_fn work, void *context) {
  range_job e = {op, work, context};
  sotto_i_parallel(op->range_count, 1, call_range, &e);
}

static sotto_i_spmm make_job(const sotto_operator *op, sotto_matrix *y, const sotto_matrix *x) {
  return (sotto_i_spmm){.offsets = op->graph->offsets,
                        .targets = op->graph->targets,
                        .pre = op->pre,
                        .post = op->post,
                        .x = x->data,
                        .y = y->data,
                        .width = x->cols,
                        .self = op->self,
                        .fetch = x->rows * x->cols * sizeof(float) > op->fetch_bytes};
}

static sotto_status check_shapes(const sotto_operator *op, const sotto_matrix *y, const sotto_matrix *x,
                                 sotto_error *err) {
  if (x->rows != op->graph->nodes || y->rows != x->rows || y->cols != x->cols)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "an operator on %llu nodes cannot map %zu x %zu to %zu x %zu; both must have one row "
                        "a node and the same width",
                        (unsigned long long)op->graph->nodes, x->rows, x->cols, y->rows, y->cols);
  uintptr_t from = (uintptr_t)x->data, to = (uintptr_t)y->data, size = x->rows * x->cols * sizeof(float);
  if (size > 0 && from < to + size && to < from + size)
    return sotto_i_fail(err, SOTTO_INVALID, "the operator's input and output overlap in memory");
  return SOTTO_OK;
}

typedef struct run {
  sotto_i_spmm job;
  sotto_i_spmm_fn kernel;
  sotto_i_range_fn work; /* called after a range's last pass, or NULL */
  void *context;
} run;

static void run_rows(void *context, size_t begin, size_t end) {
  const run *r = context;
  r->kernel(&r->job, begin, end);
  if (r->work != NULL && r->job.to == NULL) r->work(r->context, begin, end);
}

static void run_passes(const sotto_operator *op, run *r) {
  const size_t passes = r->job.add ? 1 : count_passes(op, r->job.width), stride = parts / passes;
  for (size_t p = 0; p < passes; p++) {
    r->job.from = p == 0 ? NULL : op->cuts + (p * stride - 1) * op->graph->nodes;
    r->job.to = p + 1 == passes ? NULL : op->cuts + ((p + 1) * stride - 1) * op->graph->nodes;
    sotto_i_operator_each(op, run_rows, r);
  }
}

sotto_status sotto_i_operator_apply_each(const sotto_operator *op, sotto_matrix *y, const sotto_matrix *x,
                                         sotto_i_range_fn work, void *context, sotto_error *err) {
  sotto_status status = check_shapes(op, y, x, err);
  if (status != SOTTO_OK) return status;
  run r = {make_job(op, y, x), op->kernel, work, context};
  run_passes(op, &r);
  return SOTTO_OK;
}

sotto_status sotto_operator_apply(const sotto_operator *op, sotto_matrix *y, const sotto_matrix *x,
                                  sotto_error *err) {
  return sotto_i_operator_apply_each(op, y, x, NULL, NULL, err);
}

/* A is symmetric: S^T = diag(pre) (A + self I) diag(post). */
sotto_status sotto_i_operator_add_transposed(const sotto_operator *op, sotto_matrix *y, const sotto_matrix *x,
                                             sotto_error *err) {
  sotto_status status = check_shapes(op, y, x, err);
  if (status != SOTTO_OK) return status;
  run r = {make_job(op, y, x), op->kernel, NULL, NULL};
  r.job.pre = op->post;
  r.job.post = op->pre;
  r.job.add = true;
  run_passes(op, &r);
  return SOTTO_OK;
}
