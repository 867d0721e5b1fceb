/* Sparse operators: every kind is S = diag(post) (A + self I) diag(pre), so that its transpose swaps the two
 * scales, and no weight is stored by entry.
 *   SUM   pre = 1,               post = 1
 *   MEAN  pre = 1,               post = 1 / (d~ + 1)
 *   GCN   pre = 1/sqrt(d~ + 1),  post = 1/sqrt(d~ + 1) */
#include "operator.h"

#include <math.h>

#include "base/memory.h"
#include "spmm.h"

/* A range has about 1/64 of the work of a small graph, and never more than what keeps a core busy for some
 * tens of microseconds, so that the last ranges to finish do not hold up the rest. */
enum { ranges_wanted = 64, least_cost = 512, most_cost = 16384, node_cost = 4 };

struct sotto_operator {
  const sotto_graph *graph;
  bool self;
  float *scale;            /* one a node, or NULL for SUM; owned */
  const float *pre, *post; /* scale or NULL */
  uint64_t *bounds;        /* range_count + 1; owned */
  size_t range_count;
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

/* Walks the nodes and closes a range as soon as its cost is reached; counts only when bounds is NULL. */
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

sotto_status sotto_operator_new(sotto_operator **out, const sotto_graph *graph, sotto_aggregator kind,
                                uint64_t degree_floor, bool self, sotto_error *err) {
  sotto_status status;
  sotto_operator *op = NULL;
  *out = NULL;
  if (kind != SOTTO_AGGREGATOR_SUM && kind != SOTTO_AGGREGATOR_MEAN && kind != SOTTO_AGGREGATOR_GCN)
    return sotto_i_fail(err, SOTTO_INVALID, "%d is no aggregator; SUM, MEAN and GCN are", (int)kind);
  SOTTO_TRY(sotto_i_new(&op, 1, sizeof *op, err));
  op->graph = graph;
  op->self = self;
  op->kernel = sotto_i_spmm_kernel(sotto_i_isa());
  op->range_count = cut_ranges(NULL, graph);
  SOTTO_TRY(sotto_i_new(&op->bounds, op->range_count + 1, sizeof *op->bounds, err));
  cut_ranges(op->bounds, graph);
  if (kind != SOTTO_AGGREGATOR_SUM) {
    SOTTO_TRY(sotto_i_new_raw(&op->scale, graph->nodes, sizeof *op->scale, err));
    op->post = make_scale(op->scale, graph, kind, degree_floor, self);
    op->pre = kind == SOTTO_AGGREGATOR_GCN ? op->post : NULL;
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
  sotto_i_free(op);
}

const sotto_graph *sotto_i_operator_graph(const sotto_operator *op) {
  return op->graph;
}

const uint64_t *sotto_i_operator_ranges(const sotto_operator *op, size_t *count) {
  *count = op->range_count;
  return op->bounds;
}

typedef struct each {
  const sotto_operator *op;
  sotto_i_range_fn work;
  void *context;
} each;

static void run_each(void *context, size_t begin, size_t end) {
  const each *e = context;
  for (size_t r = begin; r < end; r++) e->work(e->context, e->op->bounds[r], e->op->bounds[r + 1]);
}

void sotto_i_operator_each(const sotto_operator *op, sotto_i_range_fn work, void *context) {
  each e = {op, work, context};
  sotto_i_parallel(op->range_count, 1, run_each, &e);
}

static sotto_i_spmm product(const sotto_operator *op, sotto_matrix *y, const sotto_matrix *x) {
  return (sotto_i_spmm){.offsets = op->graph->offsets,
                        .targets = op->graph->targets,
                        .pre = op->pre,
                        .post = op->post,
                        .x = x->data,
                        .y = y->data,
                        .width = x->cols,
                        .self = op->self};
}

void sotto_i_operator_apply_rows(const sotto_operator *op, sotto_matrix *y, const sotto_matrix *x,
                                 size_t begin, size_t end) {
  const sotto_i_spmm job = product(op, y, x);
  op->kernel(&job, begin, end);
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
} run;

static void run_rows(void *context, size_t begin, size_t end) {
  const run *r = context;
  r->kernel(&r->job, begin, end);
}

sotto_status sotto_operator_apply(const sotto_operator *op, sotto_matrix *y, const sotto_matrix *x,
                                  sotto_error *err) {
  sotto_status status = check_shapes(op, y, x, err);
  if (status != SOTTO_OK) return status;
  run r = {product(op, y, x), op->kernel};
  sotto_i_operator_each(op, run_rows, &r);
  return SOTTO_OK;
}

/* A is symmetric: S^T = diag(pre) (A + self I) diag(post). */
static sotto_status transposed(const sotto_operator *op, sotto_matrix *y, const sotto_matrix *x, bool add,
                               sotto_error *err) {
  sotto_status status = check_shapes(op, y, x, err);
  if (status != SOTTO_OK) return status;
  run r = {product(op, y, x), op->kernel};
  r.job.pre = op->post;
  r.job.post = op->pre;
  r.job.add = add;
  sotto_i_operator_each(op, run_rows, &r);
  return SOTTO_OK;
}

sotto_status sotto_operator_apply_transposed(const sotto_operator *op, sotto_matrix *y, const sotto_matrix *x,
                                             sotto_error *err) {
  return transposed(op, y, x, false, err);
}

sotto_status sotto_i_operator_add_transposed(const sotto_operator *op, sotto_matrix *y, const sotto_matrix *x,
                                             sotto_error *err) {
  return transposed(op, y, x, true, err);
}
