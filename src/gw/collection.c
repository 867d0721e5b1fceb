/* Splits a collection into its graphs, and prepares the metric space of each. */
#include "gw/collection.h"

#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "graph/features.h"
#include "inside/gw.h"

enum { noise_width = 8, most_edit_nodes = 32 };

static void cut_graphs(sotto_i_gw_collection *c, const sotto_dataset *data, const sotto_matrix *rows,
                       uint64_t *offsets, uint32_t *targets) {
  for (size_t g = 0; g < c->count; g++) {
    const uint64_t first = data->graph_first[g], last = data->graph_first[g + 1];
    const uint64_t begin = data->graph.offsets[first], end = data->graph.offsets[last];
    for (uint64_t v = first; v <= last; v++) offsets[v - first] = data->graph.offsets[v] - begin;
    for (uint64_t e = begin; e < end; e++) targets[e - begin] = data->graph.targets[e] - (uint32_t)first;
    c->graph[g] = (sotto_graph){last - first, end - begin, offsets, targets};
    float *own =
        rows->data == NULL ? NULL : rows->data + first * rows->cols; /* graphs may have no features */
    c->rows[g] = (sotto_matrix){own, last - first, rows->cols};
    offsets += last - first + 1;
    targets += end - begin;
  }
}

/* Standard normal rows from a public seed: the same for one graph on every machine. */
static sotto_status fill_noise_space(double *out, size_t g, size_t nodes, sotto_error *err) {
  sotto_matrix rows = {0};
  sotto_key key;
  sotto_i_random random;
  sotto_status status = sotto_matrix_new(&rows, nodes, noise_width, err);
  if (status != SOTTO_OK) return status;
  sotto_key_public(&key, 1);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_GENERATE, 0, g);
  for (size_t k = 0; k < nodes * noise_width; k++) rows.data[k] = (float)sotto_i_random_normal(&random);
  status = sotto_gw_costs(out, &rows, &rows, SOTTO_GW_EUCLIDEAN, err);
  sotto_matrix_free(&rows);
  return status;
}

static sotto_status fill_space(double *out, const sotto_i_gw_collection *c, const sotto_gw_plan *plan,
                               size_t g, sotto_error *err) {
  const size_t nodes = c->graph[g].nodes;
  const sotto_matrix *rows = &c->rows[g];
  switch (plan->by) {
  case SOTTO_GW_BY_EMBEDDINGS:
  case SOTTO_GW_BY_FEATURES:
    return sotto_gw_costs(out, rows, rows, plan->metric, err);
  case SOTTO_GW_BY_SIZE:
    return fill_noise_space(out, g, nodes, err);
  default:
    return sotto_gw_paths(out, &c->graph[g], err);
  }
}

/* Merges nodes at distance 0 from each other and at equal distances from all others into one point. This
 * changes no Gromov-Wasserstein distance (spaces are equal up to such points: Memoli 2011) and shrinks
 * spaces whose rows take few values. Overwrites distances and weights; uniform weights become NULL. */
static sotto_gw_space merge_equal_points(double *distance, double *weight, size_t n) {
  size_t points = 0;
  uint32_t *first = (uint32_t *)(void *)(weight + n); /* the representative node of each point */
  for (size_t i = 0; i < n; i++) {
    const double *row = distance + i * n;
    size_t p = 0;
    while (p < points && (row[first[p]] != 0 || memcmp(row, distance + first[p] * n, n * sizeof *row) != 0))
      p++;
    if (p == points) {
      first[points++] = (uint32_t)i;
      weight[p] = 0;
    }
    weight[p] += 1 / (double)n;
  }
  if (points == n) return (sotto_gw_space){.points = n, .distance = distance};
  for (size_t p = 0; p < points; p++)
    for (size_t q = 0; q < points; q++) distance[p * points + q] = distance[first[p] * n + first[q]];
  return (sotto_gw_space){.points = points, .distance = distance, .weight = weight};
}

static sotto_status check_plan(const sotto_dataset *data, const sotto_gw_plan *plan, sotto_error *err) {
  if (data->graph_count == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "%s is one graph; only a collection of graphs can be compared",
                        data->name);
  if ((unsigned)plan->by > SOTTO_GW_BY_SIZE)
    return sotto_i_fail(err, SOTTO_RANGE, "graphs cannot be compared by number %d", (int)plan->by);
  if ((unsigned)plan->metric > SOTTO_GW_CORRELATION)
    return sotto_i_fail(err, SOTTO_RANGE, "metric %d does not exist", (int)plan->metric);
  if (plan->gw != NULL && plan->gw->loss != SOTTO_GW_SQUARE)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "a distance table needs the square loss: the KL loss is not symmetric");
  const bool fused = plan->by == SOTTO_GW_BY_FUSED, own = plan->embeddings == NULL;
  if ((plan->by == SOTTO_GW_BY_FEATURES || (fused && own)) && data->features.cols == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "the nodes of %s have no features; compare by paths", data->name);
  if (!own && !fused && plan->by != SOTTO_GW_BY_EMBEDDINGS)
    return sotto_i_fail(err, SOTTO_INVALID, "embeddings are used only when comparing by embeddings or fused");
  if (plan->by != SOTTO_GW_BY_EMBEDDINGS && own) return SOTTO_OK;
  if (own || plan->embeddings->rows != data->graph.nodes)
    return sotto_i_fail(err, SOTTO_INVALID, "%s has %llu nodes, and there are embeddings of %zu", data->name,
                        (unsigned long long)data->graph.nodes, own ? 0 : plan->embeddings->rows);
  return SOTTO_OK;
}

/* Number of doubles that all spaces need. */
static sotto_status count_doubles(size_t *cells, const sotto_dataset *data, const sotto_gw_plan *plan,
                                  sotto_error *err) {
  const uint64_t most = plan->by != SOTTO_GW_BY_EDITS ? 10000 : plan->edit_nodes == 0 ? 12 : plan->edit_nodes;
  if (plan->by == SOTTO_GW_BY_EDITS && most > most_edit_nodes)
    return sotto_i_fail(err, SOTTO_RANGE, "edit distance of graphs of %llu nodes: at most %d are possible",
                        (unsigned long long)most, most_edit_nodes);
  *cells = 0;
  for (size_t g = 0; g < data->graph_count; g++) {
    const uint64_t nodes = data->graph_first[g + 1] - data->graph_first[g];
    if (nodes == 0)
      return sotto_i_fail(err, SOTTO_RANGE, "graph %zu of %s has no node and cannot be compared", g,
                          data->name);
    if (nodes > most)
      return sotto_i_fail(err, SOTTO_RANGE, "graph %zu of %s has %llu nodes; at most %llu are possible", g,
                          data->name, (unsigned long long)nodes, (unsigned long long)most);
    *cells += nodes * nodes;
  }
  return SOTTO_OK;
}

static sotto_status make_sides(sotto_i_gw_collection *c, const sotto_gw_plan *plan, sotto_error *err) {
  const sotto_gw_options defaults = sotto_gw_defaults(), *options = plan->gw == NULL ? &defaults : plan->gw;
  sotto_status status = SOTTO_OK;
  if (plan->by == SOTTO_GW_BY_KERNEL || plan->by == SOTTO_GW_BY_EDITS) return SOTTO_OK;
  SOTTO_TRY(sotto_i_new(&c->side, c->count, sizeof *c->side, err));
  for (size_t g = 0; g < c->count; g++) {
    status = sotto_i_gw_side_new(&c->side[g], &c->space[g], "of a graph", options, true, err);
    if (status != SOTTO_OK) {
      sotto_i_error_prefix(err, "graph %zu", g);
      goto done;
    }
  }
done:
  return status;
}

sotto_status sotto_i_gw_collection_new(sotto_i_gw_collection *out, const sotto_dataset *data,
                                       const sotto_gw_plan *plan, sotto_error *err) {
  sotto_status status;
  const sotto_matrix *rows = plan->embeddings;
  sotto_matrix dense = {0};
  size_t cells = 0;
  double *distance = NULL, *weight = NULL;
  *out = (sotto_i_gw_collection){.count = data->graph_count};
  SOTTO_TRY(check_plan(data, plan, err));
  SOTTO_TRY(count_doubles(&cells, data, plan, err));
  SOTTO_TRY(sotto_i_new(&out->graph, out->count, sizeof *out->graph, err));
  SOTTO_TRY(sotto_i_new(&out->space, out->count, sizeof *out->space, err));
  SOTTO_TRY(sotto_i_new(&out->rows, out->count, sizeof *out->rows, err));
  SOTTO_TRY(sotto_i_new_raw(&out->memory[0], data->graph.nodes + out->count, sizeof(uint64_t), err));
  SOTTO_TRY(sotto_i_new_raw(&out->memory[1], data->graph.entries, sizeof(uint32_t), err));
  SOTTO_TRY(sotto_i_new_raw(&out->memory[2], cells, sizeof *distance, err));
  SOTTO_TRY(sotto_i_new_raw(&out->memory[3], 2 * data->graph.nodes, sizeof *weight, err));
  if (rows == NULL) SOTTO_TRY(sotto_i_features_dense(&rows, &dense, data, err));
  out->memory[4] = dense.data;
  cut_graphs(out, data, rows, out->memory[0], out->memory[1]);
  distance = out->memory[2];
  weight = out->memory[3];
  for (size_t g = 0; g < out->count; g++) {
    const size_t nodes = out->graph[g].nodes;
    status = fill_space(distance, out, plan, g, err);
    if (status != SOTTO_OK) {
      sotto_i_error_prefix(err, "graph %zu", g);
      goto done;
    }
    out->space[g] = merge_equal_points(distance, weight, nodes);
    distance += nodes * nodes;
    weight += 2 * nodes;
  }
  SOTTO_TRY(make_sides(out, plan, err));
done:
  if (status != SOTTO_OK) sotto_i_gw_collection_free(out);
  return status;
}

void sotto_i_gw_collection_free(sotto_i_gw_collection *c) {
  sotto_i_free(c->graph);
  sotto_i_free(c->space);
  for (size_t g = 0; c->side != NULL && g < c->count; g++) sotto_i_gw_side_free(&c->side[g]);
  sotto_i_free(c->side);
  sotto_i_free(c->rows);
  for (size_t k = 0; k < sizeof c->memory / sizeof *c->memory; k++) sotto_i_free(c->memory[k]);
  *c = (sotto_i_gw_collection){0};
}
