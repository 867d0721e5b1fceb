/* Partitions the edges of a graph into two graphs. */
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "inside/graph.h"
#include "sotto/graph.h"

typedef struct pairs {
  uint32_t *from, *to;
  uint64_t count;
} pairs;

static sotto_status pairs_new(pairs *out, uint64_t most, sotto_error *err) {
  sotto_status status = sotto_i_new_raw(&out->from, most, sizeof *out->from, err);
  return status == SOTTO_OK ? sotto_i_new_raw(&out->to, most, sizeof *out->to, err) : status;
}

/* Each edge has its own stream, so edges are assigned independently. */
static void assign_edges(pairs parts[2], const sotto_graph *graph, double share, const sotto_key *key) {
  enum { stream = 1 };
  sotto_i_random random;
  for (uint64_t v = 0; v < graph->nodes; v++)
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
      if (graph->targets[e] <= v) continue;
      sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_GENERATE, stream, v << 32 | graph->targets[e]);
      pairs *part = &parts[sotto_i_random_double(&random) < share];
      part->from[part->count] = (uint32_t)v;
      part->to[part->count++] = graph->targets[e];
    }
}

sotto_status sotto_graph_part(sotto_graph *first, sotto_graph *second, const sotto_graph *graph, double share,
                              const sotto_key *key, sotto_error *err) {
  sotto_status status;
  pairs parts[2] = {{NULL, NULL, 0}, {NULL, NULL, 0}};
  *first = *second = (sotto_graph){0};
  if (!(share >= 0 && share <= 1))
    return sotto_i_fail(err, SOTTO_RANGE, "the share of edges is %g; it must be from 0 to 1", share);
  if (key->origin == SOTTO_KEY_NONE) return sotto_i_fail(err, SOTTO_INVALID, "the key is empty");
  for (int i = 0; i < 2; i++) SOTTO_TRY(pairs_new(&parts[i], graph->entries / 2, err));
  assign_edges(parts, graph, share, key);
  SOTTO_TRY(sotto_graph_from_pairs(first, graph->nodes, parts[0].from, parts[0].to, parts[0].count, err));
  SOTTO_TRY(sotto_graph_from_pairs(second, graph->nodes, parts[1].from, parts[1].to, parts[1].count, err));
done:
  if (status != SOTTO_OK) {
    sotto_graph_free(first);
    sotto_graph_free(second);
  }
  for (int i = 0; i < 2; i++) {
    sotto_i_free(parts[i].from);
    sotto_i_free(parts[i].to);
  }
  return status;
}
