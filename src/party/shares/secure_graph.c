/* Means over a graph that one holder knows, by three orders of rows and sums over prefixes.
 *
 * 1. Differences of neighbouring rows of x, in the order (node, its entries) for each node, with zeros for
 *    entries. The sums of prefixes have the node's row at every entry of it.
 * 2. The same entries at their other ends: (entries, node) for each node, and sums of prefixes.
 * 3. The rows of nodes alone. Differences of neighbouring rows are the sums over entries, plus the node's own
 * row. Sums and differences are linear, so that each holder takes them of its share. Entries up to the
 * declared number come last in both orders, where they count for nothing. GraphSC (Nayak et al. 2015) sorts
 * under shares in the place of the orders; here the owner knows them. */
#include "secure_graph.h"

#include <math.h>
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { block = 32 }; /* columns that pass at a time, so that memory does not grow with features */

/* Where the three orders take rows from, at the owner. Node v has row v + offsets[v] of the first order, and
 * row v + offsets[v + 1] of the second. */
static void fill_orders(uint32_t *const from[3], const sotto_graph *g, size_t rows, uint64_t *next) {
  const uint64_t nodes = g->nodes;
  for (uint64_t v = 0; v < nodes; v++) {
    const uint64_t first = v + g->offsets[v], last = v + g->offsets[v + 1];
    from[0][first] = (uint32_t)v;
    from[1][last] = (uint32_t)first;
    from[2][v] = (uint32_t)last;
    next[v] = g->offsets[v];
  }
  for (uint64_t v = 0; v < nodes; v++)
    for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
      const uint64_t u = g->targets[e], place = next[u]++;
      from[0][v + e + 1] = (uint32_t)(nodes + e);
      from[1][u + place] = (uint32_t)(v + e + 1);
      from[2][nodes + place] = (uint32_t)(u + place);
    }
  for (size_t k = nodes + g->entries; k < rows; k++) from[0][k] = from[1][k] = from[2][k] = (uint32_t)k;
}

static sotto_status check_entries(const sotto_i_secure_graph *g, sotto_error *err) {
  if (g->graph == NULL || (g->graph->nodes == g->nodes && g->graph->entries <= g->entries)) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE, "a graph has more edges than were declared (%zu for %zu nodes)",
                      g->entries / 2, g->nodes);
}

static sotto_status make_orders(sotto_i_secure_graph *g, sotto_i_secure *s, sotto_error *err) {
  const size_t rows = g->nodes + g->entries;
  uint32_t *from[3] = {NULL};
  uint64_t *next = NULL;
  sotto_status status;
  if (g->graph != NULL) {
    SOTTO_TRY(sotto_i_new_raw(&next, g->nodes, sizeof *next, err));
    for (size_t i = 0; i < 3; i++) SOTTO_TRY(sotto_i_new_raw(&from[i], rows, sizeof *from[i], err));
    fill_orders(from, g->graph, rows, next);
  }
  SOTTO_TRY(sotto_i_secure_move(&g->spread, s, g->owner, g->nodes, rows, from[0], err));
  SOTTO_TRY(sotto_i_secure_move(&g->turn, s, g->owner, rows, rows, from[1], err));
  SOTTO_TRY(sotto_i_secure_move(&g->collect, s, g->owner, rows, g->nodes, from[2], err));
done:
  for (size_t i = 0; i < 3; i++) sotto_i_free(from[i]);
  sotto_i_free(next);
  return status;
}

static sotto_status make_factors(sotto_i_secure_graph *g, sotto_i_secure *s, float share, sotto_error *err) {
  sotto_ring factor = {0};
  sotto_status status = SOTTO_OK;
  if (g->graph != NULL) SOTTO_TRY(sotto_ring_new(&factor, g->nodes, 1, err));
  for (size_t v = 0; g->graph != NULL && v < g->nodes; v++) {
    const uint64_t degree = sotto_graph_degree(g->graph, v);
    const float part = degree == 0 ? 0 : share / (float)degree;
    factor.data[v] = (uint64_t)llrint(ldexp((double)part, (int)s->bits));
  }
  SOTTO_TRY(sotto_i_secure_scale(&g->degree, s, g->owner, g->graph == NULL ? NULL : &factor, g->nodes, err));
done:
  sotto_ring_free(&factor);
  return status;
}

sotto_status sotto_i_secure_graph_new(sotto_i_secure_graph *out, sotto_i_secure *s, size_t owner,
                                      const sotto_graph *graph, size_t nodes, size_t entries, float share,
                                      sotto_error *err) {
  sotto_status status;
  *out = (sotto_i_secure_graph){.owner = owner, .nodes = nodes, .entries = entries, .graph = graph};
  SOTTO_TRY(check_entries(out, err));
  SOTTO_TRY(make_orders(out, s, err));
  SOTTO_TRY(make_factors(out, s, share, err));
done:
  return status;
}

void sotto_i_secure_graph_free(sotto_i_secure_graph *g) {
  sotto_row_map_free(&g->spread);
  sotto_row_map_free(&g->turn);
  sotto_row_map_free(&g->collect);
  sotto_row_map_free(&g->degree);
}

/* Row k becomes the sum of rows 0 to k. */
static void sum_prefixes(sotto_ring *x) {
  for (size_t i = x->cols; i < x->rows * x->cols; i++) x->data[i] += x->data[i - x->cols];
}

/* Row k becomes row k minus row k - 1. */
static void take_differences(sotto_ring *x) {
  for (size_t i = x->rows * x->cols; i-- > x->cols;) x->data[i] -= x->data[i - x->cols];
}

/* Moves *x, and frees what it was. */
static sotto_status move(sotto_i_secret *x, sotto_i_secure *s, const sotto_row_map *map, sotto_error *err) {
  sotto_i_secret out = {0};
  const sotto_status status = sotto_i_secure_map(&out, s, map, x, err);
  sotto_i_secret_free(x);
  *x = out;
  return status;
}

/* *x becomes A x. */
static sotto_status sum_neighbours(sotto_i_secret *x, sotto_i_secure *s, const sotto_i_secure_graph *g,
                                   sotto_error *err) {
  sotto_i_secret own = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_secret_new(&own, s, x->rows, x->cols, err));
  sotto_i_secure_add(&own, x);
  if (!s->dealing) take_differences(&x->share);
  SOTTO_TRY(move(x, s, &g->spread, err));
  if (!s->dealing) sum_prefixes(&x->share);
  SOTTO_TRY(move(x, s, &g->turn, err));
  if (!s->dealing) sum_prefixes(&x->share);
  SOTTO_TRY(move(x, s, &g->collect, err));
  if (!s->dealing) {
    take_differences(&x->share);
    sotto_ring_subtract(&x->share, &x->share, &own.share);
  }
done:
  sotto_i_secret_free(&own);
  return status;
}

/* Copies columns [begin, begin + narrow.cols) of `wide` into `narrow`, or adds the latter to them. */
static sotto_status take_columns(sotto_i_secret *narrow, const sotto_i_secure *s, const sotto_i_secret *wide,
                                 size_t begin, size_t count, sotto_error *err) {
  const sotto_status status = sotto_i_secret_new(narrow, s, wide->rows, count, err);
  for (size_t i = 0; status == SOTTO_OK && !s->dealing && i < wide->rows; i++)
    memcpy(narrow->share.data + i * count, wide->share.data + i * wide->cols + begin,
           count * sizeof *narrow->share.data);
  return status;
}

static void add_columns(sotto_i_secret *wide, const sotto_i_secret *narrow, size_t begin) {
  for (size_t i = 0; narrow->share.data != NULL && i < wide->rows; i++)
    for (size_t j = 0; j < narrow->cols; j++)
      wide->share.data[i * wide->cols + begin + j] += narrow->share.data[i * narrow->cols + j];
}

static sotto_status add_range(sotto_i_secret *to, sotto_i_secure *s, const sotto_i_secure_graph *g,
                              const sotto_i_secret *x, bool transposed, size_t begin, size_t end,
                              sotto_error *err) {
  sotto_i_secret part = {0};
  sotto_status status = SOTTO_OK;
  SOTTO_I_CHECK(x->rows == g->nodes && to->rows == g->nodes && to->cols == x->cols);
  for (size_t at = begin; at < end; at += block) {
    SOTTO_TRY(take_columns(&part, s, x, at, end - at < block ? end - at : block, err));
    if (transposed) SOTTO_TRY(move(&part, s, &g->degree, err));
    SOTTO_TRY(sum_neighbours(&part, s, g, err));
    if (!transposed) SOTTO_TRY(move(&part, s, &g->degree, err));
    add_columns(to, &part, at);
    sotto_i_secret_free(&part);
  }
done:
  sotto_i_secret_free(&part);
  return status;
}

sotto_status sotto_i_secure_graph_add(sotto_i_secret *to, sotto_i_secure *s, const sotto_i_secure_graph *g,
                                      const sotto_i_secret *x, bool transposed, sotto_error *err) {
  return add_range(to, s, g, x, transposed, 0, x->cols, err);
}

/* Columns [first, first + own) at the owner, which has all of them. */
static void add_owned(sotto_i_secret *to, const sotto_i_secure_graph *g, const sotto_i_secret *x,
                      size_t first, size_t own) {
  const size_t cols = x->cols;
  for (uint64_t v = 0; v < g->nodes; v++)
    for (uint64_t e = g->graph->offsets[v]; e < g->graph->offsets[v + 1]; e++)
      for (size_t j = first; j < first + own; j++)
        to->share.data[v * cols + j] +=
            g->degree.factor.data[v] * x->share.data[g->graph->targets[e] * cols + j];
}

sotto_status sotto_i_secure_graph_add_features(sotto_i_secret *to, sotto_i_secure *s,
                                               const sotto_i_secure_graph *g, const sotto_i_secret *x,
                                               size_t first, size_t own, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(add_range(to, s, g, x, false, 0, first, err));
  if (g->graph != NULL) add_owned(to, g, x, first, own);
  SOTTO_TRY(add_range(to, s, g, x, false, first + own, x->cols, err));
done:
  return status;
}
