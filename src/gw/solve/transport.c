/* Network simplex on the complete bipartite graph.
 *
 * The tree is stored as its nodes in preorder, so a subtree is contiguous, and a pivot changes it in plain
 * loops without branches that depend on its shape.
 *
 * Invariants between pivots: the tree spans all nodes. Every arc goes from a row to a column, so its lower
 * end determines its direction. An arc without flow points to the root (strongly feasible: it leaves a
 * row). The leaving arc is the last blocking arc on the cycle, from its apex, in the direction of the
 * entering arc; this preserves the last invariant (Cunningham 1976; Ahuja, Magnanti and Orlin 1993, 11.6). */
#include "gw/solve/transport.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "gw/solve/kernels.h"

static const uint32_t nobody = SOTTO_I_NOBODY;
enum { most_nodes = 1 << 20, scale_bits = 50, few_pivots = 1000 };

/* The cell of the arc between v and its parent. */
static size_t arc_of(const sotto_i_transport_tree *t, uint32_t v) {
  const uint32_t u = t->parent[v];
  return v < t->rows ? (size_t)v * t->cols + (u - t->rows) : (size_t)u * t->cols + (v - t->rows);
}

/* Adds factors in the same order as cost_of_arc, so that both give the same bits. */
const double *sotto_i_transport_row(const sotto_i_transport_tree *t, const sotto_i_transport_costs *costs,
                                    size_t i) {
  if (costs->matrix != NULL) return costs->matrix + i * t->cols;
  const sotto_i_gw_kernel_table *kernels = sotto_i_gw_kernels();
  memset(costs->row, 0, t->cols * sizeof *costs->row);
  for (size_t k = 0; k < costs->rank; k++)
    kernels->add(costs->row, costs->left[k * t->rows + i], costs->right + k * t->cols, t->cols);
  return costs->row;
}

static double cost_of_arc(const sotto_i_transport_tree *t, const sotto_i_transport_costs *costs, uint32_t v) {
  const size_t arc = arc_of(t, v);
  if (costs->matrix != NULL) return costs->matrix[arc];
  double sum = 0;
  for (size_t k = 0; k < costs->rank; k++)
    sum += costs->left[k * t->rows + arc / t->cols] * costs->right[k * t->cols + arc % t->cols];
  return sum;
}

/* An upper bound of the largest |cost|; not finite when a cost is not. */
static double largest_cost(const sotto_i_transport_tree *t, const sotto_i_transport_costs *costs) {
  const sotto_i_gw_kernel_table *kernels = sotto_i_gw_kernels();
  if (costs->matrix != NULL) return kernels->largest(costs->matrix, (size_t)t->rows * t->cols);
  double sum = 0;
  for (size_t k = 0; k < costs->rank; k++)
    sum += kernels->largest(costs->left + k * t->rows, t->rows) *
           kernels->largest(costs->right + k * t->cols, t->cols);
  return sum;
}

/* Recomputes all potentials, from the root down. */
static void recompute_potentials(sotto_i_transport_tree *t, const sotto_i_transport_costs *costs) {
  const uint32_t nodes = t->rows + t->cols;
  t->potential[t->order[0]] = 0;
  for (uint32_t x = 1; x < nodes; x++) {
    const uint32_t v = t->order[x];
    t->potential[v] = cost_of_arc(t, costs, v) - t->potential[t->parent[v]];
  }
}

/* Copies four nodes at a time, and up to three more than `count`. Nodes behind the source may be read;
 * nodes behind the destination are overwritten before they are read. */
static inline void copy_nodes(uint32_t *to, const uint32_t *from, uint32_t count) {
  for (uint32_t x = 0; x < count; x += 4) memcpy(to + x, from + x, 4 * sizeof *to);
}

/* Re-roots the subtree of `leaving` at its node `top`, and hangs it on the node `below` outside of it.
 * Reverses the arcs between top and leaving. Writes the subtree in its new order to scratch. Does not
 * update sizes above it. */
static void reroot_subtree(sotto_i_transport_tree *t, uint32_t top, uint32_t leaving, uint32_t below,
                           int64_t flow) {
  const uint32_t whole = t->size[leaving];
  uint32_t v = top, parent = below, at = 0, inner = 0, inner_size = 0;
  for (;;) {
    const uint32_t above = t->parent[v], begin = t->place[v], size = t->size[v];
    const int64_t held = t->flow[v];
    /* the subtree of v without the part copied before */
    const uint32_t first = inner_size == 0 ? size : inner - begin;
    const uint32_t behind = first + inner_size, rest = size > behind ? size - behind : 0;
    copy_nodes(t->scratch + at, t->order + begin, first);
    copy_nodes(t->scratch + at + first, t->order + begin + behind, rest);
    at += first + rest;
    t->size[v] = whole - inner_size;
    t->parent[v] = parent;
    t->flow[v] = flow;
    if (v == leaving) return;
    inner = begin;
    inner_size = size;
    parent = v;
    flow = held;
    v = above;
  }
}

/* Moves the subtree in scratch from position `from` to behind the node `below`, and shifts its potentials:
 * those of rows by shift[1], those of columns by shift[0]. */
static void move_subtree(sotto_i_transport_tree *t, uint32_t from, uint32_t count, uint32_t below,
                         const double *shift) {
  uint32_t *order = t->order, *place = t->place, to = place[below] + 1;
  if (to > from) {
    to -= count;
    for (uint32_t x = from; x < to; x++) {
      order[x] = order[x + count];
      place[order[x]] = x;
    }
  } else {
    for (uint32_t x = from + count; x-- > to + count;) {
      order[x] = order[x - count];
      place[order[x]] = x;
    }
  }
  for (uint32_t x = 0; x < count; x++) {
    const uint32_t v = t->scratch[x];
    order[to + x] = v;
    place[v] = to + x;
    t->potential[v] += shift[v < t->rows];
  }
}

/* Updates the path from `end` of the entering arc up to `join`. Flows change by `step`, downwards on arcs
 * whose lower node is on the same side as `end`. Sizes above the node `after` (all when it is nobody)
 * change by `change`. */
static void update_path(sotto_i_transport_tree *t, uint32_t end, uint32_t join, int64_t step, uint32_t after,
                        uint32_t change) {
  const bool kind = end < t->rows;
  bool past = after == nobody;
  for (uint32_t v = end; v != join; v = t->parent[v]) {
    t->flow[v] += (v < t->rows) == kind ? -step : step;
    t->size[v] += past ? change : 0;
    past |= v == after;
  }
}

/* Pivots: arc (row, col) of negative reduced cost enters. */
static void pivot(sotto_i_transport_tree *t, uint32_t row, uint32_t col, double reduced) {
  const uint32_t rows = t->rows;
  int64_t step = INT64_MAX;
  uint32_t leaving = nobody, join = row;
  for (; t->place[col] - t->place[join] >= t->size[join]; join = t->parent[join]) {
    const bool less = join < rows && t->flow[join] < step;
    step = less ? t->flow[join] : step;
    leaving = less ? join : leaving;
  }
  const uint32_t of_row = leaving;
  for (uint32_t v = col; v != join; v = t->parent[v]) {
    const bool less = v >= rows && t->flow[v] <= step;
    step = less ? t->flow[v] : step;
    leaving = less ? v : leaving;
  }
  SOTTO_I_CHECK(leaving != nobody);
  const uint32_t top = leaving == of_row ? row : col, below = leaving == of_row ? col : row;
  const uint32_t from = t->place[leaving], count = t->size[leaving];
  update_path(t, top, join, step, leaving, 0 - count);
  update_path(t, below, join, step, nobody, count);
  reroot_subtree(t, top, leaving, below, step);
  /* Potentials on the side of `top` move by `reduced`, the others by its opposite. */
  const double shift[2] = {top < rows ? -reduced : reduced, top < rows ? reduced : -reduced};
  move_subtree(t, from, count, below, shift);
  t->pivots++;
}

/* The first row of [begin, end) with a reduced cost below -slack, and its minimum of cost - column
 * potential. */
static size_t first_row(double *least, const sotto_i_transport_tree *t, const sotto_i_transport_costs *costs,
                        size_t begin, size_t end, double slack) {
  const sotto_i_gw_kernel_table *kernels = sotto_i_gw_kernels();
  const double *columns = t->potential + t->rows;
  if (costs->matrix != NULL)
    return kernels->first_row(least, costs->matrix, t->potential, columns, t->cols, begin, end, slack);
  for (size_t i = begin; i < end; i++) {
    *least = kernels->row_least(sotto_i_transport_row(t, costs, i), columns, t->cols);
    if (*least - t->potential[i] < -slack) return i;
  }
  return end;
}

/* Pivots until a whole round over the rows finds no entering arc; false after more than `most` pivots. */
static bool pivot_until_optimal(sotto_i_transport_tree *t, const sotto_i_transport_costs *costs, double slack,
                                uint64_t most) {
  const size_t rows = t->rows;
  const double *columns = t->potential + rows;
  size_t at = 0, quiet = 0; /* the last `quiet` rows before `at` have no entering arc */
  while (quiet < rows) {
    const size_t end = rows - at < rows - quiet ? rows : at + rows - quiet;
    double least = 0;
    const size_t i = first_row(&least, t, costs, at, end, slack);
    quiet += i - at;
    at = i == rows ? 0 : i;
    if (i == end) continue;
    const double *line = costs->matrix != NULL ? costs->matrix + i * t->cols : costs->row;
    const size_t j = sotto_i_gw_kernels()->first_col(line, columns, t->cols, least);
    pivot(t, (uint32_t)i, (uint32_t)(rows + j), least - t->potential[i]);
    at = i + 1 == rows ? 0 : i + 1;
    quiet = 0;
    if (most-- == 0) return false;
  }
  return true;
}

sotto_status sotto_i_transport_solve(sotto_i_transport_tree *t, const sotto_i_transport_costs *costs,
                                     sotto_error *err) {
  const size_t cells = (size_t)t->rows * t->cols;
  const double largest = largest_cost(t, costs);
  if (!isfinite(largest)) return sotto_i_fail(err, SOTTO_NUMERIC, "a transport cost is not finite");
  /* Many pivots may accumulate rounding errors in the potentials: recompute them and check once more. */
  for (int round = 0; round < 8; round++) {
    const uint64_t before = t->pivots;
    recompute_potentials(t, costs);
    if (!pivot_until_optimal(t, costs, 1e-12 * largest, 1000 + 100 * (uint64_t)cells)) break;
    if (t->pivots - before <= few_pivots) return SOTTO_OK;
  }
  return sotto_i_fail(err, SOTTO_NUMERIC, "the transport of %u by %u points did not converge", t->rows,
                      t->cols);
}

void sotto_i_transport_plan(const sotto_i_transport_tree *t, double *plan) {
  memset(plan, 0, (size_t)t->rows * t->cols * sizeof *plan);
  for (uint32_t v = 0; v < t->rows + t->cols; v++) {
    if (t->parent[v] != nobody) plan[arc_of(t, v)] = (double)t->flow[v] * t->unit;
  }
}

/* Finaliser of SplitMix64 (Steele, Lea and Flood 2014). */
static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

uint64_t sotto_i_transport_mark(const sotto_i_transport_tree *t) {
  uint64_t sum = 0;
  for (uint32_t v = 0; v < t->rows + t->cols; v++) {
    if (t->parent[v] != nobody && t->flow[v] != 0) sum += mix(mix(arc_of(t, v) + 1) + (uint64_t)t->flow[v]);
  }
  return sum == 0 ? 1 : sum;
}

/* Rounds weights to integers that add up to `total`; the largest weight takes the rounding error. */
static void round_weights(int64_t *out, const double *weights, size_t count, int64_t total) {
  int64_t sum = 0;
  size_t heaviest = 0;
  for (size_t i = 0; i < count; i++) {
    const double share = weights == NULL ? 1.0 / (double)count : weights[i];
    out[i] = llround(share * (double)total);
    if (out[i] < 1) out[i] = 1;
    if (out[i] > out[heaviest]) heaviest = i;
    sum += out[i];
  }
  out[heaviest] += total - sum;
}

static int64_t common_divisor(int64_t a, int64_t b) {
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static void set_supply(sotto_i_transport_tree *t, const double *p, const double *q) {
  if (p == NULL && q == NULL) {
    const int64_t n = t->rows, m = t->cols, divisor = common_divisor(n, m);
    for (int64_t i = 0; i < n + m; i++) t->supply[i] = (i < n ? m : n) / divisor;
    t->unit = 1 / ((double)n * (double)m / (double)divisor);
    return;
  }
  const int64_t total = (int64_t)1 << scale_bits;
  round_weights(t->supply, p, t->rows, total);
  round_weights(t->supply + t->rows, q, t->cols, total);
  t->unit = 1 / (double)total;
}

sotto_status sotto_i_transport_new(sotto_i_transport_tree *out, size_t rows, size_t cols, const double *p,
                                   const double *q, sotto_error *err) {
  *out = (sotto_i_transport_tree){0};
  if (rows == 0 || cols == 0 || rows > most_nodes || cols > most_nodes - rows)
    return sotto_i_fail(err, SOTTO_RANGE, "a transport of %zu by %zu points is outside 1 to %d together",
                        rows, cols, most_nodes);
  const size_t nodes = rows + cols;
  uint8_t *memory = NULL;
  sotto_status status = sotto_i_new_raw(&memory, nodes + 1, 3 * 8 + 5 * 4, err);
  if (status != SOTTO_OK) return status;
  out->memory = memory;
  out->rows = (uint32_t)rows;
  out->cols = (uint32_t)cols;
  out->supply = (int64_t *)(void *)memory;
  out->flow = out->supply + nodes;
  out->potential = (double *)(void *)(out->flow + nodes);
  out->parent = (uint32_t *)(void *)(out->potential + nodes);
  out->order = out->parent + nodes;
  out->place = out->order + nodes;
  out->size = out->place + nodes;
  out->scratch = out->size + nodes;
  set_supply(out, p, q);
  sotto_i_transport_start(out, NULL, NULL);
  return SOTTO_OK;
}

void sotto_i_transport_free(sotto_i_transport_tree *t) {
  sotto_i_free(t->memory);
  *t = (sotto_i_transport_tree){0};
}
