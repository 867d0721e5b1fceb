/* Horizontal partition of one graph whose owners keep the edges to one another. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "graph/features.h"
#include "sotto/split.h"
#include "take.h"

/* An id as text: its name, or the number of the node in the whole. */
static const char *id_of(char room[24], const sotto_dataset *data, uint32_t node) {
  const char *name = sotto_name(&data->node_ids, node);
  if (name != NULL) return name;
  (void)snprintf(room, 24, "%u", (unsigned)node);
  return room;
}

/* Ids of `count` nodes, where the whole has none. */
static sotto_status name_nodes(sotto_names *out, const sotto_dataset *data, const uint32_t *nodes,
                               size_t count, sotto_error *err) {
  sotto_i_names_maker maker = {0};
  char room[24];
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < count; i++) {
    const char *id = id_of(room, data, nodes[i]);
    SOTTO_TRY(sotto_i_names_add(&maker, id, strlen(id), err));
  }
  status = sotto_i_names_finish(out, &maker, err);
done:
  sotto_i_names_maker_free(&maker);
  return status;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The foreign neighbours of one node, ascending by id. */
typedef struct neighbours {
  char (*room)[24];
  const char **ids;
} neighbours;

static size_t list_foreign(neighbours *n, const sotto_dataset *data, const uint32_t *owner, uint32_t node) {
  const sotto_graph *g = &data->graph;
  size_t count = 0;
  for (uint64_t e = g->offsets[node]; e < g->offsets[node + 1]; e++) {
    const uint32_t other = g->targets[e];
    if (owner[other] == owner[node]) continue;
    n->ids[count] = id_of(n->room[count], data, other);
    count++;
  }
  if (count > 1) qsort(n->ids, count, sizeof *n->ids, by_text);
  return count;
}

static sotto_status neighbours_new(neighbours *out, const sotto_graph *g, sotto_error *err) {
  uint64_t most = 0;
  for (uint64_t v = 0; v < g->nodes; v++)
    if (sotto_graph_degree(g, v) > most) most = sotto_graph_degree(g, v);
  sotto_status status = sotto_i_new(&out->room, most, sizeof *out->room, err);
  return status == SOTTO_OK ? sotto_i_new(&out->ids, most, sizeof *out->ids, err) : status;
}

/* The edges of nodes[0..count), which one client has, to nodes of others. */
static sotto_status keep_foreign(sotto_i_foreign *out, const sotto_dataset *data, const uint32_t *owner,
                                 const uint32_t *nodes, size_t count, sotto_error *err) {
  sotto_i_names_maker maker = {0};
  neighbours n = {.ids = NULL};
  size_t room = 0;
  sotto_status status;
  SOTTO_TRY(neighbours_new(&n, &data->graph, err));
  for (size_t i = 0; i < count; i++) {
    const size_t some = list_foreign(&n, data, owner, nodes[i]);
    SOTTO_TRY(sotto_i_grow(&out->nodes, &room, maker.count + some + 1, sizeof *out->nodes, err));
    for (size_t j = 0; j < some; j++) {
      out->nodes[maker.count] = (uint32_t)i;
      SOTTO_TRY(sotto_i_names_add(&maker, n.ids[j], strlen(n.ids[j]), err));
    }
  }
  status = sotto_i_names_finish(&out->ids, &maker, err);
done:
  sotto_i_names_maker_free(&maker);
  sotto_i_free(n.room);
  sotto_i_free(n.ids);
  return status;
}

static sotto_status take_client(sotto_dataset *out, const sotto_dataset *data, const uint32_t *owner,
                                const uint32_t *nodes, size_t count, uint32_t client, sotto_error *err) {
  sotto_i_parts parts = {0};
  char name[256];
  sotto_status status;
  (void)snprintf(name, sizeof name, "%.*s.client-%u", sotto_i_fitting(data->name, 200), data->name,
                 (unsigned)client + 1);
  SOTTO_TRY(sotto_i_take_items(&parts, data, nodes, count, name, err));
  if (data->node_ids.count == 0)
    SOTTO_TRY(name_nodes(&parts.names[SOTTO_I_NAMES_NODES], data, nodes, count, err));
  SOTTO_TRY(keep_foreign(&parts.foreign, data, owner, nodes, count, err));
  SOTTO_TRY(sotto_i_dataset_assemble(out, &parts, err));
done:
  sotto_i_parts_free(&parts);
  return status;
}

sotto_status sotto_split_linked(sotto_dataset *out, const sotto_dataset *data, const uint32_t *owner,
                                uint32_t clients, sotto_error *err) {
  uint32_t *nodes = NULL;
  sotto_status status;
  for (uint32_t c = 0; c < clients; c++) out[c] = (sotto_dataset){0};
  if (data->graph_count > 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "%s: is a collection of graphs; only nodes of one graph have edges to other clients",
                        data->name);
  SOTTO_TRY(sotto_i_new_raw(&nodes, data->graph.nodes, sizeof *nodes, err));
  for (uint32_t c = 0; c < clients; c++) {
    size_t count = 0;
    for (uint32_t v = 0; v < data->graph.nodes; v++)
      if (owner[v] == c) nodes[count++] = v;
    SOTTO_TRY(take_client(&out[c], data, owner, nodes, count, c, err));
  }
done:
  sotto_i_free(nodes);
  for (uint32_t c = 0; status != SOTTO_OK && c < clients; c++) sotto_dataset_free(&out[c]);
  return status;
}
