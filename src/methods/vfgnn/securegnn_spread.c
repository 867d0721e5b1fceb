/* S of securegnn under shares: the mean over holders of (own row + mean of neighbours) / 2. Each holder knows
 * its own graph alone, so S is never a matrix (party/shares/secure_graph.h). */
#include <math.h>

#include "base/error.h"
#include "securegnn.h"

static float share_of(const sotto_i_vfgnn *c) {
  return 0.5F / (float)c->holders;
}

/* Two entries for each edge. */
static double most_entries(const sotto_options *o, double nodes) {
  return 2 * floor(sotto_i_holder_settings_of(o)->edges_per_node * nodes);
}

sotto_status sotto_i_securegnn_check_edges(const sotto_options *o, size_t holder, const sotto_graph *graph,
                                           sotto_error *err) {
  if ((double)graph->entries <= most_entries(o, (double)graph->nodes)) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE,
                      "edges-per-node: holder %zu has %llu edges, and %g for each of %llu nodes at most were "
                      "declared: agree on a larger number",
                      holder + 1, (unsigned long long)graph->entries / 2,
                      sotto_i_holder_settings_of(o)->edges_per_node, (unsigned long long)graph->nodes);
}

/* A side has six blocks of rows, of as many as there are in a graph's orders; 12 bytes of orders for each row
 * and holder, and 24 more at the owner; five tables of features, and 24 of hidden rows. */
double sotto_i_securegnn_bytes(const sotto_options *o, double nodes, double columns, size_t sides) {
  const double of_block = 6 * 32 * sizeof(uint64_t), of_orders = 24 + 12 * (double)o->holders;
  const double of_tables = sizeof(uint64_t) * (5 * columns + 24 * (double)o->hidden);
  const double side = (nodes + most_entries(o, nodes)) * (of_block + of_orders) + nodes * of_tables;
  return 2.5e8 + 1.2 * (double)sides * side;
}

sotto_status sotto_i_securegnn_begin_spread(sotto_i_securegnn *n, sotto_error *err) {
  const sotto_i_vfgnn *c = n->c;
  const size_t entries = (size_t)most_entries(c->job->options, (double)c->nodes);
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; status == SOTTO_OK && i < c->holders; i++) {
    const sotto_graph *own = n->h != NULL && n->h->index == i ? &n->h->data->graph : NULL;
    status = sotto_i_secure_graph_new(&n->graphs[i], &n->s, i, own, c->nodes, entries, share_of(c), err);
  }
  return status;
}

/* *sum becomes this side's share of x / 2, with the fraction bits of a product. */
static sotto_status begin_sum(sotto_i_secret *sum, const sotto_i_securegnn *n, const sotto_i_secret *x,
                              sotto_error *err) {
  const uint64_t own = n->c->holders * (uint64_t)llrint(ldexp((double)share_of(n->c), SOTTO_I_FRACTION_BITS));
  const sotto_status status = sotto_i_secret_new(sum, &n->s, x->rows, x->cols, err);
  for (size_t i = 0; status == SOTTO_OK && !n->s.dealing && i < x->rows * x->cols; i++)
    sum->share.data[i] = own * x->share.data[i];
  return status;
}

/* *value becomes rows[0 .. count) of *sum (NULL: all), truncated. */
static sotto_status end_sum(sotto_i_secret *value, sotto_i_securegnn *n, sotto_i_secret *sum,
                            const uint32_t *rows, size_t count, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_i_secret_free(value);
  if (rows != NULL) {
    SOTTO_TRY(sotto_i_secure_gather(value, &n->s, sum, rows, count, err));
  } else {
    *value = *sum;
    *sum = (sotto_i_secret){.rows = 0};
  }
  SOTTO_TRY(sotto_i_secure_truncate(value, &n->s, SOTTO_I_FRACTION_BITS, err));
done:
  return status;
}

sotto_status sotto_i_securegnn_spread(sotto_i_secret *value, sotto_i_securegnn *n, bool transposed,
                                      const uint32_t *rows, size_t count, sotto_error *err) {
  sotto_i_secret sum = {0};
  sotto_status status;
  SOTTO_TRY(begin_sum(&sum, n, value, err));
  for (size_t i = 0; i < n->c->holders; i++)
    SOTTO_TRY(sotto_i_secure_graph_add(&sum, &n->s, &n->graphs[i], value, transposed, err));
  SOTTO_TRY(end_sum(value, n, &sum, rows, count, err));
done:
  sotto_i_secret_free(&sum);
  return status;
}

sotto_status sotto_i_securegnn_spread_features(sotto_i_secret *value, sotto_i_securegnn *n,
                                               const size_t *cols, sotto_error *err) {
  sotto_i_secret sum = {0};
  size_t first = 0;
  sotto_status status;
  SOTTO_TRY(begin_sum(&sum, n, value, err));
  for (size_t i = 0; i < n->c->holders; first += cols[i++])
    SOTTO_TRY(sotto_i_secure_graph_add_features(&sum, &n->s, &n->graphs[i], value, first, cols[i], err));
  SOTTO_TRY(end_sum(value, n, &sum, NULL, 0, err));
done:
  sotto_i_secret_free(&sum);
  return status;
}
