/* Bounded attention over a graph: a GAT layer (Velickovic et al. 2018) with bounded scores.
 *
 * score_vu = reach tanh(own_v + other_u) for u among v and its neighbours; weights are their softmax by
 * row. Since scores are in [-reach, reach], a weight is at most e^(2 reach) / (e^(2 reach) + degree of v).
 * So no neighbour, and no edge, dominates a row with many neighbours. The weights of a row depend on its
 * own neighbours only. */
#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "inside/graph.h"
#include "sotto/graph.h"
#include "tensor/tape.h"

/* Arrays with one value per neighbour, in graph order, then one per node for itself. */
typedef struct attention {
  const sotto_graph *graph;
  double reach;
  double *weight, *tanh_score; /* softmax weights; tanh of the score */
  sotto_matrix y, x, own, other;
} attention;

enum { rows_per_range = 64 };

static size_t count_edges(const sotto_graph *g) {
  return (size_t)g->offsets[g->nodes];
}

/* Index and node of entry k of row v; the last entry is v itself. */
static size_t find_entry(const attention *a, uint64_t v, uint64_t k, uint32_t *u) {
  const sotto_graph *g = a->graph;
  uint64_t e = g->offsets[v] + k;
  bool self = e == g->offsets[v + 1];
  *u = self ? (uint32_t)v : g->targets[e];
  return self ? count_edges(g) + (size_t)v : (size_t)e;
}

/* Scores are bounded, so their exponentials need no shift. */
static void compute_weights(const attention *a, uint64_t v) {
  uint64_t count = sotto_graph_degree(a->graph, v) + 1;
  double total = 0;
  uint32_t u;
  for (uint64_t k = 0; k < count; k++) {
    size_t e = find_entry(a, v, k, &u);
    a->tanh_score[e] = tanh((double)a->own.data[v] + (double)a->other.data[u]);
    a->weight[e] = exp(a->reach * a->tanh_score[e]);
    total += a->weight[e];
  }
  for (uint64_t k = 0; k < count; k++) a->weight[find_entry(a, v, k, &u)] /= total;
}

static void forward_range(void *context, size_t begin, size_t end) {
  const attention *a = context;
  size_t cols = a->x.cols;
  for (uint64_t v = begin; v < end; v++) {
    float *y = a->y.data + v * cols;
    uint32_t u;
    compute_weights(a, v);
    memset(y, 0, cols * sizeof *y);
    for (uint64_t k = 0; k <= sotto_graph_degree(a->graph, v); k++) {
      float weight = (float)a->weight[find_entry(a, v, k, &u)];
      const float *x = a->x.data + u * cols;
      for (size_t j = 0; j < cols; j++) y[j] += weight * x[j];
    }
  }
}

/* Where to write a gradient; zeroed first if nothing was written yet. */
static bool zero_sink(sotto_tape *tape, uint32_t self, int which, sotto_matrix *out) {
  bool add;
  if (!sotto_i_tape_sink(tape, self, which, out, &add)) return false;
  if (!add) memset(out->data, 0, out->rows * out->cols * sizeof(float));
  return true;
}

typedef struct gradients {
  bool has_x, has_own, has_other;
  sotto_matrix x, own, other;
} gradients;

/* With weights a and scores s: da_u = dy . x_u, ds_u = a_u (da_u - sum a da). */
static void backward_row(const attention *a, gradients *to, const float *dy, uint64_t v) {
  uint64_t count = sotto_graph_degree(a->graph, v) + 1;
  size_t cols = a->x.cols;
  double mean = 0;
  uint32_t u;
  for (uint64_t k = 0; k < count; k++) {
    size_t e = find_entry(a, v, k, &u);
    double along = 0;
    for (size_t j = 0; j < cols; j++) along += (double)dy[j] * (double)a->x.data[u * cols + j];
    mean += a->weight[e] * along;
  }
  for (uint64_t k = 0; k < count; k++) {
    size_t e = find_entry(a, v, k, &u);
    const float *x = a->x.data + u * cols;
    double along = 0, weight = a->weight[e];
    for (size_t j = 0; j < cols; j++) along += (double)dy[j] * (double)x[j];
    float sum = (float)(weight * (along - mean) * a->reach * (1 - a->tanh_score[e] * a->tanh_score[e]));
    if (to->has_own) to->own.data[v] += sum;
    if (to->has_other) to->other.data[u] += sum;
    for (size_t j = 0; to->has_x && j < cols; j++) to->x.data[u * cols + j] += (float)weight * dy[j];
  }
}

/* Rows add to the rows of their neighbours, so they run one after the other. */
static void attention_backward(sotto_tape *tape, uint32_t self) {
  const attention *a = sotto_i_tape_node(tape, self)->saved;
  gradients to = {.has_x = zero_sink(tape, self, 0, &to.x)};
  to.has_own = zero_sink(tape, self, 1, &to.own);
  to.has_other = zero_sink(tape, self, 2, &to.other);
  const sotto_matrix dy = sotto_i_tape_node(tape, self)->gradient;
  for (uint64_t v = 0; v < a->graph->nodes; v++) backward_row(a, &to, dy.data + v * dy.cols, v);
}

static bool shapes_fit(const sotto_graph *graph, sotto_matrix x, sotto_matrix own, sotto_matrix other) {
  return x.rows == graph->nodes && own.rows == x.rows && other.rows == x.rows && own.cols == 1 &&
         other.cols == 1;
}

sotto_var sotto_attention_var(const sotto_graph *graph, double reach, sotto_tape *tape, sotto_var x,
                              sotto_var own, sotto_var other) {
  const sotto_matrix vx = sotto_tape_value(tape, x), vown = sotto_tape_value(tape, own),
                     vother = sotto_tape_value(tape, other);
  if (!sotto_i_tape_failed(tape) && (!shapes_fit(graph, vx, vown, vother) || !(reach >= 0 && reach <= 100)))
    return sotto_i_tape_fail(tape, SOTTO_INVALID,
                             "attention of %zu x %zu values, scores of %zu x %zu and %zu x %zu, a graph of "
                             "%llu nodes and a reach of %g",
                             vx.rows, vx.cols, vown.rows, vown.cols, vother.rows, vother.cols,
                             (unsigned long long)graph->nodes, reach);
  sotto_var y =
      sotto_i_tape_push(tape, (sotto_var[]){x, own, other}, 3, vx.rows, vx.cols, attention_backward);
  if (sotto_i_var_void(y)) return y;
  size_t count = count_edges(graph) + vx.rows;
  attention *a = sotto_i_tape_memory(tape, 1, sizeof *a);
  double *memory = sotto_i_tape_memory(tape, 2 * count, sizeof *memory);
  if (a == NULL || memory == NULL) return sotto_i_tape_void();
  *a = (attention){.graph = graph,
                   .reach = reach,
                   .weight = memory,
                   .tanh_score = memory + count,
                   .y = sotto_tape_value(tape, y),
                   .x = vx,
                   .own = vown,
                   .other = vother};
  sotto_i_tape_node(tape, y.index)->saved = a;
  sotto_i_parallel(vx.rows, rows_per_range, forward_range, a);
  return y;
}
