/* Initial trees of the network simplex: the north-west corner, and a nearly optimal greedy one. */
#include <math.h>
#include <string.h>

#include "gw/solve/kernels.h"
#include "gw/solve/transport.h"

static const uint32_t nobody = SOTTO_I_NOBODY;

/* Appends node v as number `count` of a new tree, below a parent added before; the first node is the root,
 * below nobody. */
static void append_node(sotto_i_transport_tree *t, uint32_t v, uint32_t parent, int64_t flow,
                        uint32_t count) {
  t->scratch[count] = v;
  t->parent[v] = parent;
  t->flow[v] = flow;
}

/* Computes sizes, order and positions from the parents. Scratch holds all nodes, each after its parent. */
static void fill_preorder(sotto_i_transport_tree *t) {
  const uint32_t nodes = t->rows + t->cols, *appended = t->scratch;
  /* next free position within each subtree */
  uint32_t *place = t->place, *size = t->size, *vacant = t->order;
  for (uint32_t v = 0; v < nodes; v++) size[v] = 1;
  for (uint32_t x = nodes; x-- > 1;) size[t->parent[appended[x]]] += size[appended[x]];
  place[appended[0]] = 0;
  vacant[appended[0]] = 1;
  for (uint32_t x = 1; x < nodes; x++) {
    const uint32_t v = appended[x], parent = t->parent[v];
    place[v] = vacant[parent];
    vacant[parent] += size[v];
    vacant[v] = place[v] + 1;
  }
  for (uint32_t v = 0; v < nodes; v++) t->order[place[v]] = v;
}

void sotto_i_transport_start(sotto_i_transport_tree *t, const uint32_t *row_order,
                             const uint32_t *col_order) {
  /* The staircase is followed from its end, the root, so that each step adds one node. */
  uint32_t i = t->rows - 1, j = t->cols - 1, count = 0;
  const uint32_t root = t->rows + (col_order == NULL ? j : col_order[j]);
  append_node(t, root, nobody, 0, count++);
  int64_t row_left = t->supply[row_order == NULL ? i : row_order[i]], col_left = t->supply[root];
  uint32_t fresh = row_order == NULL ? i : row_order[i], appended = root;
  for (;;) {
    const int64_t flow = row_left < col_left ? row_left : col_left;
    append_node(t, fresh, appended, flow, count++);
    row_left -= flow;
    col_left -= flow;
    const uint32_t row = fresh < t->rows ? fresh : appended, col = fresh < t->rows ? appended : fresh;
    if (i == 0 && j == 0) break;
    /* On a tie, the next arc has no flow. It must leave a row, so the row is added. */
    if (i > 0 && (j == 0 || row_left == 0)) {
      i--;
      fresh = row_order == NULL ? i : row_order[i];
      row_left = t->supply[fresh];
      appended = col;
    } else {
      j--;
      fresh = t->rows + (col_order == NULL ? j : col_order[j]);
      col_left = t->supply[fresh];
      appended = row;
    }
  }
  fill_preorder(t);
}

/* Sorts rows by their sum of costs, largest first, into `order`. of_col receives the minimum cost of each
 * column. */
static void rank_rows(sotto_i_transport_tree *t, uint32_t *order, const sotto_i_transport_costs *costs) {
  double *sums = t->potential, *of_col = t->potential + t->rows;
  for (uint32_t i = 0; i < t->rows; i++) {
    const double *cost = sotto_i_transport_row(t, costs, i);
    double sum = 0;
    for (uint32_t j = 0; j < t->cols; j++) {
      sum += cost[j];
      of_col[j] = i == 0 || cost[j] < of_col[j] ? cost[j] : of_col[j];
    }
    sums[i] = sum;
    uint32_t at = i;
    for (; at > 0 && sums[order[at - 1]] < sum; at--) order[at] = order[at - 1];
    order[at] = i;
  }
}

/* Until a node is added, its flow is what it has left. On a tie, the column is added and the row continues
 * with nothing left: arcs without flow then leave rows, and the last open column is the root. */
void sotto_i_transport_greedy(sotto_i_transport_tree *t, const sotto_i_transport_costs *costs) {
  const uint32_t rows = t->rows, cols = t->cols;
  const sotto_i_gw_kernel_table *kernels = sotto_i_gw_kernels();
  uint32_t *order = t->place, count = rows + cols, open = cols;
  double *of_col = t->potential + rows;
  rank_rows(t, order, costs);
  memcpy(t->flow, t->supply, (size_t)count * sizeof *t->flow);
  for (uint32_t x = 0; x < rows; x++) {
    const uint32_t i = order[x];
    const double *line = sotto_i_transport_row(t, costs, i);
    uint32_t j = 0;
    for (;;) {
      const double least = kernels->row_least(line, of_col, cols);
      j = (uint32_t)kernels->first_col(line, of_col, cols, least);
      while (of_col[j] == -INFINITY) j = j + 1 == cols ? 0 : j + 1; /* costs whose differences overflow */
      if (t->flow[i] < t->flow[rows + j] || open == 1) break;
      t->flow[i] -= t->flow[rows + j];
      append_node(t, rows + j, i, t->flow[rows + j], --count);
      of_col[j] = -INFINITY; /* closed: no difference to it is a minimum */
      open--;
    }
    t->flow[rows + j] -= t->flow[i];
    append_node(t, i, rows + j, t->flow[i], --count);
    if (count == 1) append_node(t, rows + j, nobody, 0, 0);
  }
  fill_preorder(t);
}
