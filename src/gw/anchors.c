/* Public anchors of graph codes, and the nearest anchor of each graph. */
#include <math.h>

#include "base/memory.h"
#include "gw/codes.h"

/* Anchors by shape: 2^(j + 1/2) edges for j = 1..9, mean degrees 2^d for d = 1..4. By size: 2^(1 + (j +
 * 1/2) / 2) nodes. */
enum { octaves = 9, degrees = 4, half_octaves = 18 };

static double square(double x) {
  return x * x;
}

static void fill_distances(sotto_i_gw_anchors *a) {
  for (size_t i = 0; i < a->count; i++)
    for (size_t j = 0; j < a->count; j++)
      a->distance[i * a->count + j] =
          square(a->place[2 * i] - a->place[2 * j]) + square(a->place[2 * i + 1] - a->place[2 * j + 1]);
}

static sotto_status alloc_anchors(sotto_i_gw_anchors *a, size_t most, sotto_error *err) {
  sotto_status status;
  *a = (sotto_i_gw_anchors){.count = 0};
  SOTTO_TRY(sotto_i_new(&a->place, 2 * most, sizeof *a->place, err));
  SOTTO_TRY(sotto_i_new(&a->distance, most * most, sizeof *a->distance, err));
done:
  if (status != SOTTO_OK) sotto_i_gw_anchors_free(a);
  return status;
}

/* A graph of mean degree d or more has more than d nodes, so at least d (d + 1) / 2 edges. Cells entirely
 * below that number of edges are left out. */
static bool cell_can_exist(int octave, int degree) {
  const double least = exp2(degree - 0.5);
  return degree == 1 || exp2(octave + 1) >= least * (least + 1) / 2;
}

sotto_status sotto_i_gw_anchors_by_shape(sotto_i_gw_anchors *out, sotto_error *err) {
  const sotto_status status = alloc_anchors(out, octaves * degrees, err);
  if (status != SOTTO_OK) return status;
  for (int j = 1; j <= octaves; j++)
    for (int d = 1; d <= degrees; d++) {
      if (!cell_can_exist(j, d)) continue;
      out->place[2 * out->count] = j + 0.5;
      out->place[2 * out->count++ + 1] = d;
    }
  fill_distances(out);
  return SOTTO_OK;
}

sotto_status sotto_i_gw_anchors_by_size(sotto_i_gw_anchors *out, sotto_error *err) {
  const sotto_status status = alloc_anchors(out, half_octaves, err);
  if (status != SOTTO_OK) return status;
  for (; out->count < half_octaves; out->count++)
    out->place[2 * out->count] = 1 + ((double)out->count + 0.5) / 2;
  out->by_size = true;
  fill_distances(out);
  return SOTTO_OK;
}

sotto_status sotto_i_gw_anchors_open(sotto_i_gw_anchors *out, const char *path, sotto_error *err) {
  const sotto_gw_plan plan = {.by = SOTTO_GW_BY_PATHS};
  sotto_gw_table table = {0};
  sotto_status status;
  *out = (sotto_i_gw_anchors){.count = 0};
  SOTTO_TRY(sotto_dataset_open(&out->data, path, NULL, err));
  if (out->data.graph_count < 2 || out->data.graph_count > SOTTO_I_GW_MOST_ANCHORS) {
    status = sotto_i_fail(err, SOTTO_RANGE, "anchors: %s has %llu graphs; 2 to %d are possible", path,
                          (unsigned long long)out->data.graph_count, SOTTO_I_GW_MOST_ANCHORS);
    goto done;
  }
  SOTTO_TRY(sotto_i_gw_collection_new(&out->collection, &out->data, &plan, err));
  SOTTO_TRY(sotto_gw_compare(&table, &out->data, &plan, NULL, err));
  out->count = table.count;
  out->distance = table.distance;
  table.distance = NULL;
done:
  sotto_gw_table_free(&table);
  if (status != SOTTO_OK) sotto_i_gw_anchors_free(out);
  return status;
}

void sotto_i_gw_anchors_free(sotto_i_gw_anchors *anchors) {
  sotto_i_free(anchors->distance);
  sotto_i_free(anchors->place);
  sotto_i_gw_collection_free(&anchors->collection);
  sotto_dataset_free(&anchors->data);
  *anchors = (sotto_i_gw_anchors){.count = 0};
}

/* Nearest anchor by numbers of nodes and edges. A graph without edges counts as having one. */
static uint32_t nearest_anchor(const sotto_i_gw_anchors *a, double nodes, double edges) {
  const double x = log2(fmax(1, a->by_size ? nodes : edges));
  const double y = a->by_size ? 0 : log2(fmax(0.5, nodes > 0 ? 2 * edges / nodes : 0));
  uint32_t best = 0;
  double least = INFINITY;
  for (size_t k = 0; k < a->count; k++) {
    const double apart = square(a->place[2 * k] - x) + square(a->place[2 * k + 1] - y);
    if (apart >= least) continue;
    least = apart;
    best = (uint32_t)k;
  }
  return best;
}

static sotto_status nearest_by_distance(uint32_t *codes, const sotto_i_gw_anchors *a,
                                        const sotto_dataset *data, sotto_error *err) {
  const sotto_gw_plan plan = {.by = SOTTO_GW_BY_PATHS};
  const sotto_gw_options options = sotto_gw_defaults();
  sotto_i_gw_collection own = {.count = 0};
  sotto_gw_result result;
  sotto_status status;
  SOTTO_TRY(sotto_i_gw_collection_new(&own, data, &plan, err));
  for (size_t g = 0; g < own.count; g++) {
    double least = INFINITY;
    for (size_t k = 0; k < a->count; k++) {
      SOTTO_TRY(sotto_i_gw_distance(&result, NULL, &own.side[g], &a->collection.side[k], &options, err));
      if (result.value >= least) continue;
      least = result.value;
      codes[g] = (uint32_t)k;
    }
  }
done:
  sotto_i_gw_collection_free(&own);
  return status;
}

sotto_status sotto_i_gw_code(uint32_t *codes, const sotto_i_gw_anchors *anchors, const sotto_dataset *data,
                             sotto_error *err) {
  if (data->graph_count == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "%s is one graph; codes need a collection of graphs", data->name);
  if (anchors->place == NULL) return nearest_by_distance(codes, anchors, data, err);
  for (size_t g = 0; g < data->graph_count; g++) {
    const uint64_t first = data->graph_first[g], last = data->graph_first[g + 1];
    const uint64_t entries = data->graph.offsets[last] - data->graph.offsets[first];
    codes[g] = nearest_anchor(anchors, (double)(last - first), (double)entries / 2);
  }
  return SOTTO_OK;
}
