/* The shortest-path kernel (Borgwardt and Kriegel 2005) with a delta kernel on lengths and labels. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "gw/collection.h"

/* Label of a row: the index of the first row equal to it, counted over both graphs. */
static uint32_t row_label(const sotto_matrix *x, const sotto_matrix *y, const float *row) {
  const size_t d = x->cols;
  for (size_t i = 0; i < x->rows; i++)
    if (memcmp(x->data + i * d, row, d * sizeof *row) == 0) return (uint32_t)i;
  for (size_t j = 0; j < y->rows; j++)
    if (memcmp(y->data + j * d, row, d * sizeof *row) == 0) return (uint32_t)(x->rows + j);
  return UINT32_MAX;
}

typedef struct path {
  double length;
  uint32_t first, last; /* labels of the end nodes, the smaller first */
} path;

static int compare_paths(const void *x, const void *y) {
  const path *a = x, *b = y;
  if (a->length != b->length) return a->length < b->length ? -1 : 1;
  if (a->first != b->first) return a->first < b->first ? -1 : 1;
  return a->last < b->last ? -1 : a->last > b->last;
}

/* Numbers the connected components of a graph. */
static void number_components(uint32_t *component, const sotto_graph *graph) {
  bool changed = true;
  for (uint32_t v = 0; v < graph->nodes; v++) component[v] = v;
  while (changed) {
    changed = false;
    for (uint64_t v = 0; v < graph->nodes; v++)
      for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
        if (component[graph->targets[e]] < component[v]) {
          component[v] = component[graph->targets[e]];
          changed = true;
        }
  }
}

/* Lists the paths between different nodes, sorted. */
static size_t list_paths(path *out, const sotto_i_gw_collection *c, size_t g, const uint32_t *labels,
                         uint32_t *component) {
  const size_t n = c->space[g].points;
  const double *distance = c->space[g].distance;
  size_t count = 0;
  number_components(component, &c->graph[g]);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++) {
      const uint32_t a = labels[i], b = labels[j];
      if (component[i] == component[j])
        out[count++] = (path){distance[i * n + j], a < b ? a : b, a < b ? b : a};
    }
  qsort(out, count, sizeof *out, compare_paths);
  return count;
}

/* Number of pairs of equal paths of two sorted lists. */
static double count_equal(const path *x, size_t n, const path *y, size_t m) {
  double sum = 0;
  for (size_t i = 0, j = 0; i < n && j < m;) {
    const int order = compare_paths(&x[i], &y[j]);
    if (order < 0) i++;
    if (order > 0) j++;
    if (order != 0) continue;
    size_t same_x = 1, same_y = 1;
    while (i + same_x < n && compare_paths(&x[i], &x[i + same_x]) == 0) same_x++;
    while (j + same_y < m && compare_paths(&y[j], &y[j + same_y]) == 0) same_y++;
    sum += (double)same_x * (double)same_y;
    i += same_x;
    j += same_y;
  }
  return sum;
}

sotto_status sotto_i_gw_path_kernel(double *out, const sotto_i_gw_collection *c, size_t x, size_t y,
                                    sotto_error *err) {
  const size_t n = c->space[x].points, m = c->space[y].points, most = n * (n - 1) / 2;
  const sotto_matrix *rows_x = &c->rows[x], *rows_y = &c->rows[y];
  path *paths = NULL;
  uint32_t *labels = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&labels, 2 * (n + m), sizeof *labels, err));
  SOTTO_TRY(sotto_i_new_raw(&paths, most + m * (m - 1) / 2, sizeof *paths, err));
  for (size_t i = 0; i < n && rows_x->cols > 0; i++)
    labels[i] = row_label(rows_x, rows_y, rows_x->data + i * rows_x->cols);
  for (size_t j = 0; j < m && rows_x->cols > 0; j++)
    labels[n + j] = row_label(rows_x, rows_y, rows_y->data + j * rows_y->cols);
  const size_t count_x = list_paths(paths, c, x, labels, labels + n + m);
  const size_t count_y = list_paths(paths + most, c, y, labels + n, labels + n + m);
  *out = count_equal(paths, count_x, paths + most, count_y);
done:
  sotto_i_free(labels);
  sotto_i_free(paths);
  return status;
}
