/* Comparison of a night's graph with the edges counted before. */
#include "night_log.h"

#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "graph/dataset.h"

static sotto_status rows_digest(uint8_t out[32], const sotto_dataset *data, uint64_t rows, sotto_error *err) {
  if (data->entries.offsets != NULL)
    return sotto_i_checksum_rows(out, &data->entries, rows, data->features.cols, err);
  return sotto_i_checksum(out, data->features.data, rows * data->features.cols * sizeof(float), err);
}

sotto_status sotto_i_night_log_begin(sotto_i_night_log *out, const sotto_dataset *own, sotto_error *err) {
  *out = (sotto_i_night_log){.night = 0};
  sotto_status status = sotto_i_new(&out->nodes, 1, sizeof *out->nodes, err);
  if (status != SOTTO_OK) return status;
  out->nodes[0] = own->graph.nodes;
  return rows_digest(out->rows, own, own->graph.nodes, err);
}

void sotto_i_night_log_free(sotto_i_night_log *log) {
  sotto_i_free(log->nodes);
  sotto_i_free(log->edges);
  *log = (sotto_i_night_log){0};
}

static sotto_status check_nodes(const sotto_i_night_log *log, const sotto_dataset *data, sotto_error *err) {
  const uint64_t before = log->nodes[log->night];
  uint8_t rows[32];
  if (data->graph.nodes < before)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s: has %llu nodes, and %s had %llu: nodes of a next night are those before it, in "
                        "their order, and new ones after them",
                        data->name, (unsigned long long)data->graph.nodes,
                        log->night == 0 ? "the run's own data" : "the last night",
                        (unsigned long long)before);
  sotto_status status = rows_digest(rows, data, before, err);
  if (status != SOTTO_OK || memcmp(rows, log->rows, sizeof rows) == 0) return status;
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "%s: its first %llu rows of features are not those of %s. Features of a node stay as they "
      "were on its first night, and so does the order of nodes; for other features train again",
      data->name, (unsigned long long)before, log->night == 0 ? "the run's own data" : "the last night");
}

static int compare_edge(const sotto_i_night_edge *a, uint32_t low, uint32_t high) {
  if (a->low != low) return a->low < low ? -1 : 1;
  return (a->high > high) - (a->high < high);
}

/* An edge that disappeared: it stays counted, or not, depending on how often an edge may change. */
static sotto_i_night_edge removed_edge(const sotto_i_night_edge *edge, uint16_t night, uint32_t changes) {
  sotto_i_night_edge out = *edge;
  if (changes > 1 && out.until == 0) out.until = night;
  return out;
}

/* Merges two lists in ascending order: the counted edges, and the edges of the graph. */
static uint64_t merge_edges(sotto_i_night_edge *out, const sotto_i_night_log *log, const sotto_graph *graph,
                            uint32_t changes) {
  const uint16_t night = (uint16_t)(log->night + 1);
  const sotto_i_night_edge *old = log->edges; /* NULL before the first night */
  uint64_t count = 0, at = 0;
  for (uint64_t v = 0; v < graph->nodes; v++)
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
      const uint32_t low = (uint32_t)v, high = graph->targets[e];
      if (high <= low) continue;
      while (at < log->edge_count && compare_edge(&old[at], low, high) < 0)
        out[count++] = removed_edge(&old[at++], night, changes);
      if (at < log->edge_count && compare_edge(&old[at], low, high) == 0)
        out[count++] = old[at++];
      else
        out[count++] = (sotto_i_night_edge){.low = low, .high = high, .since = night};
    }
  while (at < log->edge_count) out[count++] = removed_edge(&old[at++], night, changes);
  return count;
}

sotto_status sotto_i_night_log_advance(sotto_i_night_log *log, const sotto_dataset *data, uint32_t changes,
                                       sotto_error *err) {
  sotto_i_night_edge *edges = NULL;
  uint64_t *nodes = NULL;
  sotto_status status;
  if (log->night >= UINT16_MAX) return sotto_i_fail(err, SOTTO_RANGE, "nights: no more than 65535");
  SOTTO_TRY(check_nodes(log, data, err));
  SOTTO_TRY(sotto_i_new_raw(&edges, log->edge_count + data->graph.entries / 2, sizeof *edges, err));
  SOTTO_TRY(sotto_i_new(&nodes, (size_t)log->night + 2, sizeof *nodes, err));
  SOTTO_TRY(rows_digest(log->rows, data, data->graph.nodes, err));
  memcpy(nodes, log->nodes, ((size_t)log->night + 1) * sizeof *nodes);
  nodes[log->night + 1] = data->graph.nodes;
  log->edge_count = merge_edges(edges, log, &data->graph, changes);
  sotto_i_free(log->nodes);
  sotto_i_free(log->edges);
  log->nodes = nodes;
  log->edges = edges;
  log->night++;
  randombytes_buf(log->mark, sizeof log->mark);
  return SOTTO_OK;
done:
  sotto_i_free(edges);
  sotto_i_free(nodes);
  return status;
}

sotto_status sotto_i_night_log_return(sotto_i_night_log *log, uint64_t night, const sotto_dataset *data,
                                      sotto_error *err) {
  uint8_t rows[32];
  sotto_status status = SOTTO_OK;
  if (night == 0 || night > log->night)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "night: %llu was not made yet, the latest is %u; leave night out to make the next one",
        (unsigned long long)night, (unsigned)log->night);
  if (data->graph.nodes != log->nodes[night])
    return sotto_i_fail(err, SOTTO_INVALID,
                        "night: %s has %llu nodes, and night %llu had %llu; give its data", data->name,
                        (unsigned long long)data->graph.nodes, (unsigned long long)night,
                        (unsigned long long)log->nodes[night]);
  if (night == log->night) status = rows_digest(rows, data, data->graph.nodes, err);
  if (status == SOTTO_OK && night == log->night && memcmp(rows, log->rows, sizeof rows) != 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "night: features of %s are not those of night %llu; give its data", data->name,
                        (unsigned long long)night);
  log->night = (uint32_t)night;
  return status;
}
