/* Partition of nodes among clients by communities: keeps most edges within clients, and clients of similar
 * size. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "coarse.h"
#include "graph/generate/generate.h"
#include "inside/graph.h"
#include "sotto/split.h"

/* A piece of a community, small enough for one client. */
typedef struct piece {
  uint32_t number;
  uint64_t nodes;
} piece;

static int compare_sizes(const void *a, const void *b) {
  const piece *x = a, *y = b;
  if (x->nodes != y->nodes) return x->nodes < y->nodes ? 1 : -1;
  return (x->number > y->number) - (x->number < y->number);
}

/* Visits each community in the order of distance from its first node, and starts a new piece after `most`
 * nodes. */
static uint32_t cut_pieces(uint32_t *part, uint32_t *queue, const sotto_graph *graph,
                           const uint32_t *community, uint64_t most) {
  uint32_t pieces = 0;
  for (uint64_t v = 0; v < graph->nodes; v++) part[v] = UINT32_MAX;
  for (uint64_t root = 0; root < graph->nodes; root++) {
    if (part[root] != UINT32_MAX) continue;
    uint64_t head = 0, tail = 0, taken = 0;
    queue[tail++] = (uint32_t)root;
    part[root] = pieces;
    while (head < tail) {
      uint32_t v = queue[head++];
      if (taken++ == most) {
        taken = 1;
        pieces++;
      }
      part[v] = pieces;
      for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
        uint32_t u = graph->targets[e];
        if (part[u] != UINT32_MAX || community[u] != community[v]) continue;
        part[u] = pieces;
        queue[tail++] = u;
      }
    }
    pieces++;
  }
  return pieces;
}

/* Assigns pieces, largest first, to the client with the fewest nodes (Graham 1969). */
static void assign_pieces(uint32_t *owner, const uint32_t *part, piece *pieces, uint32_t count,
                          uint32_t *holder, uint64_t *load, uint32_t clients, uint64_t nodes) {
  qsort(pieces, count, sizeof *pieces, compare_sizes);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t least = 0;
    for (uint32_t c = 1; c < clients; c++)
      if (load[c] < load[least]) least = c;
    load[least] += pieces[i].nodes;
    holder[pieces[i].number] = least;
  }
  for (uint64_t v = 0; v < nodes; v++) owner[v] = holder[part[v]];
}

sotto_status sotto_i_deal_check_nodes(const sotto_dataset *data, uint32_t clients, const sotto_key *key,
                                      sotto_error *err) {
  if (key->origin == SOTTO_KEY_NONE) return sotto_i_fail(err, SOTTO_INVALID, "the key is empty");
  if (data->graph_count > 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "%s: is a collection of graphs; a partition by edges needs one graph", data->name);
  if (clients < 2 || clients > data->graph.nodes)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: %u clients for %llu nodes; at least 2, and one node each",
                        data->name, (unsigned)clients, (unsigned long long)data->graph.nodes);
  return SOTTO_OK;
}

sotto_status sotto_deal_communities(uint32_t *owner, const sotto_dataset *data, uint32_t clients,
                                    const sotto_key *key, sotto_error *err) {
  const sotto_graph *graph = &data->graph;
  uint32_t *community = NULL, *part = NULL, *queue = NULL, *holder = NULL, count;
  uint64_t *load = NULL;
  piece *pieces = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_deal_check_nodes(data, clients, key, err));
  SOTTO_TRY(sotto_i_new(&community, graph->nodes, sizeof *community, err));
  SOTTO_TRY(sotto_i_new(&part, graph->nodes, sizeof *part, err));
  SOTTO_TRY(sotto_i_new(&queue, graph->nodes, sizeof *queue, err));
  SOTTO_TRY(sotto_i_new(&load, clients, sizeof *load, err));
  SOTTO_TRY(sotto_graph_communities(community, &count, graph, key, err));
  uint64_t most = graph->nodes / clients; /* maximum nodes per piece, so that every client gets a piece */
  count = cut_pieces(part, queue, graph, community, most);
  SOTTO_TRY(sotto_i_new(&pieces, count, sizeof *pieces, err));
  SOTTO_TRY(sotto_i_new(&holder, count, sizeof *holder, err));
  for (uint32_t i = 0; i < count; i++) pieces[i].number = i;
  for (uint64_t v = 0; v < graph->nodes; v++) pieces[part[v]].nodes++;
  assign_pieces(owner, part, pieces, count, holder, load, clients, graph->nodes);
done:
  sotto_i_free(community);
  sotto_i_free(part);
  sotto_i_free(queue);
  sotto_i_free(load);
  sotto_i_free(pieces);
  sotto_i_free(holder);
  return status;
}
