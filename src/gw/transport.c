/* Network simplex on the complete bipartite graph.
 *
 * Invariants between pivots: the tree spans all nodes; every arc of it goes from a row to a column, so its
 * direction is known from its lower end; an arc without flow points to the root (strongly feasible: it leaves
 * a row). The arc that leaves is the last one that blocks on the cycle, from its top, in the direction of the
 * entering arc; that keeps the last invariant (Cunningham 1976; Ahuja, Magnanti and Orlin 1993, 11.6). */
#include "gw/transport.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "gw/kernels.h"

static const uint32_t nobody = UINT32_MAX;
enum { most_nodes = 1 << 20, scale_bits = 50, few_pivots = 1000 };

static void detach(sotto_i_transport *t, uint32_t v) {
  if (t->previous[v] == nobody)
    t->child[t->parent[v]] = t->next[v];
  else
    t->next[t->previous[v]] = t->next[v];
  if (t->next[v] != nobody) t->previous[t->next[v]] = t->previous[v];
}

static void attach(sotto_i_transport *t, uint32_t v, uint32_t parent, int64_t flow) {
  t->parent[v] = parent;
  t->flow[v] = flow;
  t->previous[v] = nobody;
  t->next[v] = t->child[parent];
  if (t->next[v] != nobody) t->previous[t->next[v]] = v;
  t->child[parent] = v;
}

void sotto_i_transport_start(sotto_i_transport *t, const uint32_t *row_order, const uint32_t *col_order) {
  const uint32_t nodes = t->rows + t->cols;
  for (uint32_t v = 0; v < nodes; v++) t->child[v] = nobody;
  /* The staircase is walked from its end, where the root is, so that each step hangs one new node. */
  uint32_t i = t->rows - 1, j = t->cols - 1;
  t->root = t->rows + (col_order == NULL ? j : col_order[j]);
  t->parent[t->root] = nobody;
  int64_t row_left = t->supply[row_order == NULL ? i : row_order[i]], col_left = t->supply[t->root];
  uint32_t fresh = row_order == NULL ? i : row_order[i], hung = t->root;
  for (;;) {
    const int64_t flow = row_left < col_left ? row_left : col_left;
    attach(t, fresh, hung, flow);
    row_left -= flow;
    col_left -= flow;
    const uint32_t row = fresh < t->rows ? fresh : hung, col = fresh < t->rows ? hung : fresh;
    if (i == 0 && j == 0) return;
    /* On a tie the next arc is without flow: it must leave a row, which is then the one that hangs. */
    if (i > 0 && (j == 0 || row_left == 0)) {
      i--;
      fresh = row_order == NULL ? i : row_order[i];
      row_left = t->supply[fresh];
      hung = col;
    } else {
      j--;
      fresh = t->rows + (col_order == NULL ? j : col_order[j]);
      col_left = t->supply[fresh];
      hung = row;
    }
  }
}

/* All potentials and depths, from the root down. */
static void refresh(sotto_i_transport *t, const double *cost) {
  uint32_t held = 0;
  t->depth[t->root] = 0;
  t->potential[t->root] = 0;
  t->stack[held++] = t->root;
  while (held > 0) {
    const uint32_t u = t->stack[--held];
    for (uint32_t v = t->child[u]; v != nobody; v = t->next[v]) {
      const size_t arc =
          v < t->rows ? (size_t)v * t->cols + (u - t->rows) : (size_t)u * t->cols + (v - t->rows);
      t->depth[v] = t->depth[u] + 1;
      t->potential[v] = cost[arc] - t->potential[u];
      t->stack[held++] = v;
    }
  }
}

/* The subtree of `top` was hung elsewhere: potentials on top's side of the arcs move by `change`, the others
 * by its opposite. */
static void shift(sotto_i_transport *t, uint32_t top, double change) {
  const double by[2] = {top < t->rows ? -change : change, top < t->rows ? change : -change};
  uint32_t held = 1;
  t->stack[0] = top;
  t->depth[top] = t->depth[t->parent[top]] + 1;
  while (held > 0) {
    const uint32_t v = t->stack[--held], deeper = t->depth[v] + 1;
    t->potential[v] += by[v < t->rows];
    for (uint32_t w = t->child[v]; w != nobody; w = t->next[w]) {
      t->depth[w] = deeper;
      t->stack[held++] = w;
    }
  }
}

static uint32_t apex(const sotto_i_transport *t, uint32_t a, uint32_t b) {
  while (a != b) {
    if (t->depth[a] > t->depth[b]) {
      a = t->parent[a];
    } else if (t->depth[a] < t->depth[b]) {
      b = t->parent[b];
    } else {
      a = t->parent[a];
      b = t->parent[b];
    }
  }
  return a;
}

/* Arc (row, col) of negative reduced cost enters. */
static void pivot(sotto_i_transport *t, uint32_t row, uint32_t col, double reduced) {
  const uint32_t join = apex(t, row, col), rows = t->rows;
  int64_t step = INT64_MAX;
  uint32_t leaving = nobody;
  bool row_side = true;
  for (uint32_t v = row; v != join; v = t->parent[v])
    if (v < rows && t->flow[v] < step) {
      step = t->flow[v];
      leaving = v;
    }
  for (uint32_t v = col; v != join; v = t->parent[v])
    if (v >= rows && t->flow[v] <= step) {
      step = t->flow[v];
      leaving = v;
      row_side = false;
    }
  SOTTO_I_CHECK(leaving != nobody);
  if (step > 0) {
    for (uint32_t v = row; v != join; v = t->parent[v]) t->flow[v] += v < rows ? -step : step;
    for (uint32_t v = col; v != join; v = t->parent[v]) t->flow[v] += v < rows ? step : -step;
  }
  const uint32_t top = row_side ? row : col;
  uint32_t v = top, parent = row_side ? col : row;
  int64_t flow = step;
  for (;;) {
    const uint32_t above = t->parent[v];
    const int64_t held = t->flow[v];
    detach(t, v);
    attach(t, v, parent, flow);
    if (v == leaving) break;
    parent = v;
    flow = held;
    v = above;
  }
  shift(t, top, reduced);
  t->pivots++;
}

/* Pivots until a whole round over the rows finds none to make; false when that takes more than `most`. */
static bool run(sotto_i_transport *t, const double *cost, double slack, uint64_t most) {
  const double *columns = t->potential + t->rows;
  double (*const row_least)(const double *, const double *, size_t) = sotto_i_gw_kernels()->row_least;
  uint32_t quiet = 0;
  for (uint32_t i = 0; quiet < t->rows; i = i + 1 == t->rows ? 0 : i + 1) {
    const double *line = cost + (size_t)i * t->cols;
    const double least = row_least(line, columns, t->cols);
    quiet++;
    if (!(least - t->potential[i] < -slack)) continue;
    uint32_t j = 0;
    while (line[j] - columns[j] != least) j++;
    pivot(t, i, t->rows + j, least - t->potential[i]);
    quiet = 0;
    if (most-- == 0) return false;
  }
  return true;
}

sotto_status sotto_i_transport_solve(sotto_i_transport *t, const double *cost, sotto_error *err) {
  const size_t cells = (size_t)t->rows * t->cols;
  double largest = 0;
  for (size_t k = 0; k < cells; k++) {
    const double size = fabs(cost[k]);
    largest = size > largest || size != size ? size : largest;
  }
  if (!isfinite(largest)) return sotto_i_fail(err, SOTTO_NUMERIC, "a cost of the transport is not finite");
  /* Many pivots may blur the potentials: then they are made anew, and looked at once more. */
  for (int round = 0; round < 8; round++) {
    const uint64_t before = t->pivots;
    refresh(t, cost);
    if (!run(t, cost, 1e-12 * largest, 1000 + 100 * (uint64_t)cells)) break;
    if (t->pivots - before <= few_pivots) return SOTTO_OK;
  }
  return sotto_i_fail(err, SOTTO_NUMERIC, "the transport of %u by %u points did not end", t->rows, t->cols);
}

void sotto_i_transport_plan(const sotto_i_transport *t, double *plan) {
  memset(plan, 0, (size_t)t->rows * t->cols * sizeof *plan);
  for (uint32_t v = 0; v < t->rows + t->cols; v++) {
    const uint32_t u = t->parent[v];
    if (u == nobody) continue;
    const size_t arc =
        v < t->rows ? (size_t)v * t->cols + (u - t->rows) : (size_t)u * t->cols + (v - t->rows);
    plan[arc] = (double)t->flow[v] * t->unit;
  }
}

/* The finaliser of SplitMix64 (Steele, Lea and Flood 2014). */
static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

uint64_t sotto_i_transport_mark(const sotto_i_transport *t) {
  uint64_t sum = 0;
  for (uint32_t v = 0; v < t->rows + t->cols; v++) {
    const uint32_t u = t->parent[v];
    if (u == nobody || t->flow[v] == 0) continue;
    const uint64_t arc =
        v < t->rows ? (uint64_t)v * t->cols + (u - t->rows) : (uint64_t)u * t->cols + (v - t->rows);
    sum += mix(mix(arc + 1) + (uint64_t)t->flow[v]);
  }
  return sum == 0 ? 1 : sum;
}

/* Whole numbers in proportion to the weights that add up to `total`; the largest takes what rounding left. */
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

static void set_supply(sotto_i_transport *t, const double *p, const double *q) {
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

sotto_status sotto_i_transport_new(sotto_i_transport *out, size_t rows, size_t cols, const double *p,
                                   const double *q, sotto_error *err) {
  *out = (sotto_i_transport){0};
  if (rows == 0 || cols == 0 || rows > most_nodes || cols > most_nodes - rows)
    return sotto_i_fail(err, SOTTO_RANGE, "a transport of %zu by %zu points is outside 1 to %d together",
                        rows, cols, most_nodes);
  const size_t nodes = rows + cols;
  uint8_t *memory = NULL;
  sotto_status status = sotto_i_new_raw(&memory, nodes, 3 * 8 + 6 * 4, err);
  if (status != SOTTO_OK) return status;
  out->memory = memory;
  out->rows = (uint32_t)rows;
  out->cols = (uint32_t)cols;
  out->supply = (int64_t *)(void *)memory;
  out->flow = out->supply + nodes;
  out->potential = (double *)(void *)(out->flow + nodes);
  out->parent = (uint32_t *)(void *)(out->potential + nodes);
  out->child = out->parent + nodes;
  out->next = out->child + nodes;
  out->previous = out->next + nodes;
  out->depth = out->previous + nodes;
  out->stack = out->depth + nodes;
  set_supply(out, p, q);
  sotto_i_transport_start(out, NULL, NULL);
  return SOTTO_OK;
}

void sotto_i_transport_free(sotto_i_transport *t) {
  sotto_i_free(t->memory);
  *t = (sotto_i_transport){0};
}
