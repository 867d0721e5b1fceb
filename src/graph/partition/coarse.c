/* Coarse graphs: their nodes are communities of a finer graph. */
#include "coarse.h"

#include <string.h>

#include "base/memory.h"

void sotto_i_coarse_free(sotto_i_coarse *l) {
  sotto_i_free(l->first);
  sotto_i_free(l->target);
  sotto_i_free(l->weight);
  sotto_i_free(l->inner);
  *l = (sotto_i_coarse){0};
}

static sotto_status level_new(sotto_i_coarse *out, uint64_t nodes, uint64_t entries, sotto_error *err) {
  sotto_status status;
  *out = (sotto_i_coarse){.nodes = nodes};
  SOTTO_TRY(sotto_i_new(&out->first, nodes + 1, sizeof *out->first, err));
  SOTTO_TRY(sotto_i_new(&out->target, entries, sizeof *out->target, err));
  SOTTO_TRY(sotto_i_new(&out->weight, entries, sizeof *out->weight, err));
  SOTTO_TRY(sotto_i_new(&out->inner, nodes, sizeof *out->inner, err));
done:
  if (status != SOTTO_OK) sotto_i_coarse_free(out);
  return status;
}

sotto_status sotto_i_coarse_of(sotto_i_coarse *out, const sotto_graph *graph, sotto_error *err) {
  sotto_status status = level_new(out, graph->nodes, graph->entries, err);
  if (status != SOTTO_OK) return status;
  memcpy(out->first, graph->offsets, (graph->nodes + 1) * sizeof *out->first);
  for (uint64_t e = 0; e < graph->entries; e++) {
    out->target[e] = graph->targets[e];
    out->weight[e] = 1;
  }
  out->total = graph->entries;
  return SOTTO_OK;
}

uint32_t sotto_i_coarse_number(uint32_t *community, uint32_t *number, uint64_t nodes) {
  uint32_t count = 0;
  for (uint64_t v = 0; v < nodes; v++) number[v] = UINT32_MAX;
  for (uint64_t v = 0; v < nodes; v++) {
    if (number[community[v]] == UINT32_MAX) number[community[v]] = count++;
    community[v] = number[community[v]];
  }
  return count;
}

/* Adds the entries of one node to the row of its community; `place` is the position of each target in it. */
static void add_entries(sotto_i_coarse *out, uint64_t *place, uint64_t *end, const sotto_i_coarse *l,
                        const uint32_t *community, uint32_t v) {
  uint32_t c = community[v];
  out->inner[c] += l->inner[v];
  for (uint64_t e = l->first[v]; e < l->first[v + 1]; e++) {
    uint32_t other = community[l->target[e]];
    if (other == c) {
      out->inner[c] += l->weight[e];
      continue;
    }
    if (place[other] < out->first[c] || place[other] >= *end) {
      place[other] = (*end)++;
      out->target[place[other]] = other;
      out->weight[place[other]] = 0;
    }
    out->weight[place[other]] += l->weight[e];
  }
}

sotto_status sotto_i_coarse_contract(sotto_i_coarse *out, const sotto_i_coarse *l, const uint32_t *community,
                                     uint32_t count, sotto_error *err) {
  uint32_t *order = NULL;
  uint64_t *start = NULL, *place = NULL;
  sotto_status status;
  SOTTO_TRY(level_new(out, count, l->first[l->nodes], err));
  SOTTO_TRY(sotto_i_new(&order, l->nodes, sizeof *order, err));
  SOTTO_TRY(sotto_i_new(&start, (size_t)count + 1, sizeof *start, err));
  SOTTO_TRY(sotto_i_new(&place, count, sizeof *place, err));
  for (uint64_t v = 0; v < l->nodes; v++) start[community[v] + 1]++;
  for (uint32_t c = 0; c < count; c++) start[c + 1] += start[c];
  for (uint64_t v = 0; v < l->nodes; v++) order[start[community[v]]++] = (uint32_t)v;
  for (uint32_t c = 0; c < count; c++) place[c] = UINT64_MAX;
  uint64_t end = 0, at = 0;
  for (uint32_t c = 0; c < count; c++) {
    out->first[c] = end;
    for (; at < l->nodes && community[order[at]] == c; at++)
      add_entries(out, place, &end, l, community, order[at]);
  }
  out->first[count] = end;
  out->total = l->total;
done:
  sotto_i_free(order);
  sotto_i_free(start);
  sotto_i_free(place);
  return status;
}
