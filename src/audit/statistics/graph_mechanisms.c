/* Audits of releases about a graph: two nodes with and without the edge between them (four for LapGraph). */
#include <math.h>

#include "audit.h"
#include "base/error.h"
#include "base/random.h"
#include "inside/pmp.h"

enum { release_cols = 32, contractive_cols = 16 };

/* The graph of `nodes` nodes with the edge (0, 1), or without any. */
static sotto_graph tiny_graph(uint64_t nodes, bool edge) {
  static const uint64_t with[] = {0, 1, 2, 2, 2}, without[] = {0, 0, 0, 0, 0};
  static const uint32_t ends[] = {1, 0};
  return (sotto_graph){
      .nodes = nodes, .entries = edge ? 2 : 0, .offsets = edge ? with : without, .targets = ends};
}

static double inner(const float *a, const float *b, size_t cols) {
  double sum = 0;
  for (size_t j = 0; j < cols; j++) sum += (double)a[j] * (double)b[j];
  return sum;
}

static sotto_status release_setup(sotto_i_audit *audit, sotto_error *err) {
  const sotto_pmp_options options = {
      .aggregator = SOTTO_AGGREGATOR_SUM, .layers = audit->options.layers, .self = true};
  sotto_status status = sotto_pmp_plan_new(&audit->with.plan, &options, 2, release_cols,
                                           audit->options.epsilon, audit->options.delta, err);
  if (status != SOTTO_OK) return status;
  return sotto_gdp_epsilon(&audit->stated, audit->with.plan.mu, audit->options.delta, err);
}

/* Given the layer before, z, the edge changes row v of the aggregate by z_u, and row u by z_v. Rows are
 * then normalised. The noise fills 32 columns, so the divided norm is near sqrt(32 sigma^2 + |mean|^2). The
 * log likelihood ratio of a layer is near the sum over both rows of (r y - z_v - z_u / 2) . z_u. */
static double release_statistic(const sotto_release *release) {
  const sotto_pmp_plan *plan = sotto_release_plan(release);
  double sum = 0, noise = release_cols * plan->grid.sigma * plan->grid.sigma;
  for (uint32_t k = 1; k <= plan->options.layers; k++) {
    const float *z = sotto_release_layer(release, k - 1)->data, *y = sotto_release_layer(release, k)->data;
    for (size_t v = 0; v < 2; v++) {
      const float *own = z + v * release_cols, *other = z + (1 - v) * release_cols;
      double overlap = inner(own, other, release_cols);
      double norm = sqrt(noise + 1.5 + overlap);
      sum += norm * inner(y + v * release_cols, other, release_cols) - overlap;
    }
  }
  return sum;
}

static sotto_status release_draw(const sotto_i_audit *audit, double *values, bool second, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  float rows[2 * release_cols] = {0};
  sotto_matrix x = {.rows = 2, .cols = release_cols, .data = rows};
  sotto_graph graph = tiny_graph(2, second);
  sotto_key key = {.origin = SOTTO_KEY_NONE};
  rows[0] = rows[release_cols + 1] = 1;
  for (uint64_t trial = 0; trial < audit->options.trials; trial++) {
    sotto_release *release = NULL;
    SOTTO_TRY(sotto_i_audit_tick(audit, trial, second, err));
    sotto_i_key_derive(&key, &audit->key, trial);
    SOTTO_TRY(sotto_release_new(&release, &audit->with.plan, &graph, &x, &key, "audit", "audit", "audit",
                                NULL, err));
    values[trial] = release_statistic(release);
    sotto_release_free(release);
  }
done:
  sotto_key_wipe(&key);
  return status;
}

/* Opposite rows: without the edge each keeps its own; with it both aggregates vanish. With hidden layers
 * the residual keeps the rows apart up to the last one, and one column has the most power. With one layer
 * the projection removes the length of a row, for which many columns compensate. */
static size_t contractive_width(const sotto_i_audit *audit) {
  return audit->options.layers == 1 ? contractive_cols : 1;
}

static sotto_status contractive_setup(sotto_i_audit *audit, sotto_error *err) {
  const sotto_contractive_options options = {.layers = audit->options.layers,
                                             .contraction = 0.5,
                                             .graph_weight = 1,
                                             .residual = audit->options.layers == 1 ? 0 : 1};
  sotto_status status =
      sotto_contractive_plan_new(&audit->with.contractive, &options, 2, contractive_width(audit),
                                 audit->options.epsilon, audit->options.delta, err);
  if (status != SOTTO_OK) return status;
  return sotto_gdp_epsilon(&audit->stated, audit->with.contractive.mu, audit->options.delta, err);
}

static sotto_status contractive_draw(const sotto_i_audit *audit, double *values, bool second,
                                     sotto_error *err) {
  sotto_status status = SOTTO_OK;
  float rows[2 * contractive_cols] = {0};
  size_t cols = contractive_width(audit);
  sotto_matrix x = {.rows = 2, .cols = cols, .data = rows};
  sotto_graph graph = tiny_graph(2, second);
  sotto_key key = {.origin = SOTTO_KEY_NONE};
  rows[0] = 1;
  rows[cols] = -1;
  for (uint64_t trial = 0; trial < audit->options.trials; trial++) {
    sotto_release *release = NULL;
    SOTTO_TRY(sotto_i_audit_tick(audit, trial, second, err));
    sotto_i_key_derive(&key, &audit->key, trial);
    SOTTO_TRY(sotto_contractive_release(&release, &audit->with.contractive, &graph, &x, &key, "audit",
                                        "audit", "audit", NULL, err));
    const float *last = sotto_release_layer(release, 1)->data;
    values[trial] = (double)last[cols] - (double)last[0];
    sotto_release_free(release);
  }
done:
  sotto_key_wipe(&key);
  return status;
}

static sotto_status edges_setup(sotto_i_audit *audit, sotto_error *err) {
  sotto_status status = sotto_edge_response_symmetric(&audit->with.edges, audit->options.epsilon, err);
  if (status != SOTTO_OK) return status;
  sotto_mechanism made = sotto_edge_response_mechanism(&audit->with.edges);
  return sotto_i_audit_state(audit, &made, err);
}

static sotto_status lapgraph_setup(sotto_i_audit *audit, sotto_error *err) {
  sotto_mechanism made = sotto_lapgraph_mechanism(audit->options.epsilon);
  return sotto_i_audit_state(audit, &made, err);
}

/* The statistic of both: does the released graph have the edge (0, 1)? */
static sotto_status draw_edge(const sotto_i_audit *audit, double *values, bool second, bool lapgraph,
                              sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_graph graph = tiny_graph(lapgraph ? 4 : 2, second), out;
  for (uint64_t trial = 0; trial < audit->options.trials; trial++) {
    SOTTO_TRY(sotto_i_audit_tick(audit, trial, second, err));
    if (lapgraph)
      SOTTO_TRY(sotto_lapgraph(&out, &graph, 1, audit->options.epsilon, &audit->key, (uint32_t)trial, err));
    else
      SOTTO_TRY(
          sotto_edge_response_apply(&out, &graph, &audit->with.edges, &audit->key, (uint32_t)trial, err));
    values[trial] = sotto_graph_degree(&out, 0) > 0 && out.targets[0] == 1 ? 1 : 0;
    sotto_graph_free(&out);
  }
done:
  return status;
}

static sotto_status edges_draw(const sotto_i_audit *audit, double *values, bool second, sotto_error *err) {
  return draw_edge(audit, values, second, false, err);
}

static sotto_status lapgraph_draw(const sotto_i_audit *audit, double *values, bool second, sotto_error *err) {
  return draw_edge(audit, values, second, true, err);
}

const sotto_i_audited sotto_i_audited_graph[SOTTO_I_AUDITED_GRAPH] = {
    {"release", release_setup, release_draw},
    {"contractive", contractive_setup, contractive_draw},
    {"edge-response", edges_setup, edges_draw},
    {"lapgraph", lapgraph_setup, lapgraph_draw},
};
