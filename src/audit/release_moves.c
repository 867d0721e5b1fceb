/* The change of a release by one edge, at transfer level by one transfer, with the same noise and everything
 * else equal: a lower bound on its sensitivity without statistical error. Edges of the run's own graph are
 * removed and others added: random ones, so that ends of all kinds meet (also similar ones), and ones at
 * nodes with the most and the fewest neighbours. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "dp/mechanisms/mechanism.h"
#include "graph/csr.h"
#include "graph/transfers.h"
#include "graph_less.h"
#include "release.h"

enum { least_tries = 8, most_tries = 256, stream = 38 };
static const double most_work = 1e8;

/* The graph with one more edge. */
static sotto_status with_edge(sotto_graph *out, const sotto_graph *g, sotto_i_edge more, sotto_error *err) {
  const uint64_t room = g->entries / 2 + 1;
  uint32_t *ends = NULL;
  uint64_t count = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&ends, 2 * room, sizeof *ends, err));
  for (uint32_t v = 0; v < g->nodes; v++)
    for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
      if (g->targets[e] < v) continue;
      ends[count] = v;
      ends[room + count++] = g->targets[e];
    }
  ends[count] = more.u;
  ends[room + count++] = more.v;
  SOTTO_TRY(sotto_graph_from_pairs(out, g->nodes, ends, ends + room, count, err));
done:
  sotto_i_free(ends);
  return status;
}

/* The node with the most neighbours, and the one with the fewest. */
static void find_extremes(uint32_t out[2], const sotto_graph *g) {
  out[0] = out[1] = 0;
  for (uint32_t v = 0; v < g->nodes; v++) {
    if (sotto_graph_degree(g, v) > sotto_graph_degree(g, out[0])) out[0] = v;
    if (sotto_graph_degree(g, v) < sotto_graph_degree(g, out[1])) out[1] = v;
  }
}

static sotto_i_edge choose_edge(const sotto_graph *g, uint64_t number, sotto_i_random *random,
                                const uint32_t extreme[2]) {
  const uint32_t v = (uint32_t)sotto_i_random_below(random, g->nodes);
  uint32_t u = (uint32_t)sotto_i_random_below(random, g->nodes);
  if (number % 8 < 2) u = extreme[number % 8];
  const uint64_t degree = sotto_graph_degree(g, u);
  if (number % 2 == 0 && degree > 0)
    return (sotto_i_edge){u, g->targets[g->offsets[u] + sotto_i_random_below(random, degree)]};
  return (sotto_i_edge){u, v};
}

static const sotto_i_descriptor *descriptor_of(const sotto_i_artifact *a) {
  return sotto_i_descriptor_of(a->owner.cost->items[a->item].mechanism.kind);
}

static double distance(const sotto_matrix *a, const sotto_matrix *b, sotto_i_norm norm) {
  const bool l1 = norm == SOTTO_I_NORM_L1;
  double sum = 0;
  for (size_t i = 0; i < a->rows * a->cols; i++) {
    const double gap = (double)a->data[i] - (double)b->data[i];
    sum += l1 ? fabs(gap) : gap * gap;
  }
  return l1 ? sum : sqrt(sum);
}

static bool is_of_transfers(const sotto_i_artifact *a) {
  return strcmp(a->owner.cost->items[a->item].adjacency, "transfer") == 0;
}

/* The transfers without a row; or, `more`, with one between these nodes that is like that row. */
static sotto_status other_transfers(sotto_i_transfers *out, const sotto_transfers *t, uint64_t row, bool more,
                                    sotto_i_edge between, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_transfers_like(out, t, err));
  for (uint64_t i = 0; i < t->count; i++) {
    sotto_i_transfer transfer = sotto_i_transfers_row(t, i);
    if (i != row || more) SOTTO_TRY(sotto_i_transfers_add(out, transfer, err));
    transfer.source = between.u;
    transfer.target = between.v;
    if (i == row && more) SOTTO_TRY(sotto_i_transfers_add(out, transfer, err));
  }
  status = sotto_i_transfers_sort(out, err);
done:
  return status;
}

static sotto_status move_transfer(double *moved, const sotto_i_artifact *a, sotto_dataset *data,
                                  const sotto_matrix *base, sotto_i_edge edge, uint64_t row,
                                  const sotto_key *key, sotto_error *err) {
  const sotto_transfers whole = data->transfers;
  sotto_i_transfers other = {0};
  sotto_graph unused = {0};
  sotto_matrix table = {0};
  sotto_status status;
  SOTTO_TRY(other_transfers(&other, &whole, row, row % 2 == 0, edge, err));
  data->transfers = sotto_i_transfers_view(&other);
  status = a->show(a->context, &unused, &table, key, err);
  data->transfers = whole;
  if (status == SOTTO_OK && table.rows == base->rows && table.cols == base->cols)
    *moved = distance(&table, base, descriptor_of(a)->norm);
done:
  sotto_i_transfers_free(&other);
  sotto_graph_free(&unused);
  sotto_matrix_free(&table);
  return status;
}

static sotto_status move_once(double *moved, const sotto_i_artifact *a, sotto_dataset *data,
                              const sotto_matrix *base, sotto_i_edge edge, const sotto_key *key,
                              sotto_error *err) {
  const sotto_graph whole = data->graph;
  const bool there = sotto_i_graph_has(&whole, edge.u, edge.v);
  sotto_graph other = {0}, unused = {0};
  sotto_matrix table = {0};
  sotto_status status;
  if (there)
    SOTTO_TRY(sotto_i_graph_less(&other, &whole, &edge, 1, err));
  else
    SOTTO_TRY(with_edge(&other, &whole, edge, err));
  data->graph = other;
  status = a->show(a->context, &unused, &table, key, err);
  data->graph = whole;
  if (status == SOTTO_OK && table.rows == base->rows && table.cols == base->cols)
    *moved = distance(&table, base, descriptor_of(a)->norm);
done:
  sotto_graph_free(&other);
  sotto_graph_free(&unused);
  sotto_matrix_free(&table);
  return status;
}

static bool has_edge_sensitivity(const sotto_i_artifact *a, const sotto_dataset *data) {
  const sotto_cost_item *item = &a->owner.cost->items[a->item];
  if (descriptor_of(a)->log_ratio == NULL || a->part != 0 || item->adjacency == NULL || data->graph.nodes < 2)
    return false;
  return is_of_transfers(a) ? data->transfers.count > 0 : strcmp(item->adjacency, "edge") == 0;
}

sotto_status sotto_i_look_at_edges(sotto_i_looked *out, const sotto_i_artifact *a, sotto_dataset *data,
                                   sotto_error *err) {
  const double stated = a->owner.cost->items[a->item].mechanism.sensitivity;
  sotto_graph unused = {0};
  sotto_matrix base = {0};
  sotto_i_random random;
  sotto_key key;
  uint32_t extreme[2];
  sotto_status status = SOTTO_OK;
  if (!has_edge_sensitivity(a, data)) return SOTTO_OK;
  sotto_key_system(&key);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_NEGATIVE, stream, 0);
  SOTTO_TRY(a->show(a->context, &unused, &base, &key, err));
  const double fit = most_work / (double)(data->graph.entries + data->graph.nodes + base.rows * base.cols);
  const uint64_t tries = fit < least_tries ? least_tries : fit > most_tries ? most_tries : (uint64_t)fit;
  find_extremes(extreme, &data->graph);
  out->moved = 0;
  for (; out->edges < tries; out->edges++) {
    double moved = 0;
    const sotto_i_edge edge = choose_edge(&data->graph, out->edges, &random, extreme);
    SOTTO_TRY(sotto_i_check_interrupt(err));
    if (edge.u == edge.v) continue;
    SOTTO_TRY(is_of_transfers(a)
                  ? move_transfer(&moved, a, data, &base, edge,
                                  sotto_i_random_below(&random, data->transfers.count), &key, err)
                  : move_once(&moved, a, data, &base, edge, &key, err));
    out->moved = fmax(out->moved, moved / stated);
  }
done:
  sotto_key_wipe(&key);
  sotto_graph_free(&unused);
  sotto_matrix_free(&base);
  return status;
}
