/* Data of a night in the order of its plan. */
#include "tonight.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "graph/features.h"
#include "graph/tables/row_ids.h"
#include "other_data.h"
#include "run/storage/data_file.h"
#include "run/storage/night_log.h"
#include "sotto/model.h"

static const char nodes_file[] = "owner-only/nodes.sotto", own_file[] = "owner-only/trained-on.sotto",
                  log_file[] = "owner-only/edges.bin";

/* The nodes of the plan. */
typedef struct roster {
  sotto_dataset data; /* its first `count` rows are nodes of the plan */
  uint64_t count;
  bool known;
} roster;

static sotto_status open_roster(roster *out, const char *run, const sotto_options *options, uint64_t night,
                                sotto_error *err) {
  char *folder = NULL, *nodes = NULL, *own = NULL, *log = NULL;
  sotto_i_night_log made = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_join(&folder, run, "nights", err));
  SOTTO_TRY(sotto_i_join(&nodes, folder, nodes_file, err));
  SOTTO_TRY(sotto_i_join(&own, folder, own_file, err));
  SOTTO_TRY(sotto_i_join(&log, folder, log_file, err));
  const bool begun = sotto_i_is_file(log);
  if (begun && !sotto_i_is_file(nodes)) goto done; /* nodes had no ids */
  if (begun) {
    SOTTO_TRY(sotto_dataset_open(&out->data, nodes, NULL, err));
    SOTTO_TRY(sotto_i_night_log_load(&made, log, err));
    if (night > made.night) goto done; /* which is refused later */
    out->count = made.nodes[night > 0 ? night : made.night];
    out->known = out->count <= out->data.graph.nodes;
    goto done;
  }
  SOTTO_TRY(sotto_i_is_file(own) ? sotto_dataset_open(&out->data, own, NULL, err)
                                 : sotto_run_data_open(&out->data, options, run, NULL, err));
  out->count = out->data.graph.nodes;
  out->known = true;
done:
  sotto_i_night_log_free(&made);
  sotto_i_free(folder);
  sotto_i_free(nodes);
  sotto_i_free(own);
  sotto_i_free(log);
  return status;
}

/* rows[v]: row of node v of tonight's data in the plan; new nodes get the rows after it. *all: with these. */
static sotto_status place(uint32_t *rows, uint64_t *all, const roster *r, const sotto_dataset *data,
                          uint64_t night, sotto_error *err) {
  sotto_i_ids ids;
  sotto_status status;
  *all = r->count;
  SOTTO_TRY(sotto_i_row_ids(&ids, &r->data, r->count, err));
  for (uint64_t v = 0; v < data->graph.nodes; v++) {
    const char *id = sotto_name(&data->node_ids, v);
    const sotto_i_field field = {(const uint8_t *)id, strlen(id)};
    rows[v] = sotto_i_ids_find(&ids, &field);
    if (rows[v] == UINT32_MAX) rows[v] = (uint32_t)(*all)++;
    if (night == 0 || *all == r->count) continue;
    status = sotto_i_fail(err, SOTTO_INVALID, "night: night %llu had no node '%.80s'; give its data",
                          (unsigned long long)night, id);
    goto done;
  }
done:
  sotto_i_ids_free(&ids);
  return status;
}

static bool is_in_place(const uint32_t *rows, uint64_t nodes, uint64_t all) {
  for (uint64_t v = 0; v < nodes; v++)
    if (rows[v] != v) return false;
  return nodes == all;
}

/* Where each row of the night comes from. */
typedef struct source {
  const sotto_dataset *data, *before;
  const uint32_t *given; /* row of tonight's data; UINT32_MAX: absent */
} source;

static void add_row(const void *context, uint64_t v, float *row) {
  const source *s = context;
  if (s->given[v] == UINT32_MAX)
    sotto_dataset_rows(row, s->before, v, 1);
  else
    sotto_dataset_rows(row, s->data, s->given[v], 1);
}

static sotto_status fill_edges(sotto_i_parts *parts, const source *s, const uint32_t *rows,
                               sotto_error *err) {
  const sotto_graph *g = &s->data->graph;
  uint64_t *next = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&parts->offsets, parts->nodes + 1, sizeof *parts->offsets, err));
  SOTTO_TRY(sotto_i_new_raw(&parts->targets, g->entries, sizeof *parts->targets, err));
  SOTTO_TRY(sotto_i_new_raw(&next, parts->nodes, sizeof *next, err));
  for (uint64_t v = 0; v < parts->nodes; v++)
    parts->offsets[v + 1] =
        parts->offsets[v] + (s->given[v] == UINT32_MAX ? 0 : sotto_graph_degree(g, s->given[v]));
  if (parts->nodes > 0) memcpy(next, parts->offsets, parts->nodes * sizeof *next);
  for (uint64_t v = 0; v < parts->nodes;
       v++) { /* an edge stands in the rows of both ends, so rows are sorted */
    if (s->given[v] == UINT32_MAX) continue;
    for (uint64_t e = g->offsets[s->given[v]]; e < g->offsets[s->given[v] + 1]; e++)
      parts->targets[next[rows[g->targets[e]]]++] = (uint32_t)v;
  }
done:
  sotto_i_free(next);
  return status;
}

static sotto_status fill_names(sotto_i_parts *parts, const source *s, const roster *r, sotto_error *err) {
  const sotto_dataset *d = s->data;
  sotto_i_names_maker ids = {0};
  char number[24];
  sotto_status status;
  for (uint64_t v = 0; v < parts->nodes; v++) {
    const char *id = v < r->count ? sotto_name(&r->data.node_ids, v) : sotto_name(&d->node_ids, s->given[v]);
    (void)snprintf(number, sizeof number, "%llu", (unsigned long long)v);
    if (id == NULL) id = number;
    SOTTO_TRY(sotto_i_names_add(&ids, id, strlen(id), err));
  }
  SOTTO_TRY(sotto_i_names_finish(&parts->names[SOTTO_I_NAMES_NODES], &ids, err));
  SOTTO_TRY(sotto_i_names_take(&parts->names[SOTTO_I_NAMES_FEATURES], &d->feature_names, NULL, 0, err));
  SOTTO_TRY(sotto_i_names_take(&parts->names[SOTTO_I_NAMES_CLASSES], &d->class_names, NULL, 0, err));
  SOTTO_TRY(sotto_i_strdup(&parts->name, d->name, err));
  if (d->path != NULL) SOTTO_TRY(sotto_i_strdup(&parts->path, d->path, err));
  status = sotto_i_schema_copy(&parts->schema, d->schema, err);
done:
  sotto_i_names_maker_free(&ids);
  return status;
}

static sotto_status assemble(sotto_i_tonight *out, const roster *r, const sotto_dataset *data, uint64_t all,
                             sotto_error *err) {
  sotto_i_parts parts = {.nodes = all,
                         .width = data->features.cols,
                         .classes = data->classes,
                         .classes_from = data->classes_from};
  const uint64_t *sparse = data->entries.offsets, *before = r->data.entries.offsets;
  uint32_t *given = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&given, all, sizeof *given, err));
  for (uint64_t v = 0; v < all; v++) given[v] = UINT32_MAX;
  for (uint64_t v = 0; v < data->graph.nodes; v++) given[out->rows[v]] = (uint32_t)v;
  const source s = {data, &r->data, given};
  const uint64_t most = sparse == NULL
                            ? 0
                            : sparse[data->graph.nodes] +
                                  (before == NULL ? r->count * parts.width : before[r->data.graph.nodes]);
  SOTTO_TRY(
      sotto_i_features_fill(&parts, sparse != NULL, most, &(sotto_i_feature_reader){&s, add_row, NULL}, err));
  SOTTO_TRY(fill_edges(&parts, &s, out->rows, err));
  SOTTO_TRY(fill_names(&parts, &s, r, err));
  if (data->labels != NULL) SOTTO_TRY(sotto_i_new_raw(&parts.labels, all, sizeof *parts.labels, err));
  for (uint64_t v = 0; data->labels != NULL && v < all; v++)
    parts.labels[v] = given[v] == UINT32_MAX ? -1 : data->labels[given[v]];
  SOTTO_TRY(sotto_i_parts_numbers(&parts, data->numbers, given, all, err));
  SOTTO_TRY(sotto_i_dataset_assemble(&out->data, &parts, err));
  if (data->graph.entries > 0) memcpy(out->data.account, data->account, sizeof data->account);
done:
  sotto_i_free(given);
  sotto_i_parts_free(&parts);
  return status;
}

sotto_status sotto_i_tonight_open(sotto_i_tonight *out, const char *run, const sotto_options *options,
                                  const sotto_dataset *data, uint64_t night, sotto_error *err) {
  roster r = {.known = false};
  uint64_t all = 0;
  sotto_status status = SOTTO_OK;
  *out = (sotto_i_tonight){.rows = NULL};
  if (data->node_ids.count == 0) return SOTTO_OK;
  SOTTO_TRY(open_roster(&r, run, options, night, err));
  if (!r.known || r.data.features.cols != data->features.cols) goto done;
  SOTTO_TRY(sotto_i_new_raw(&out->rows, data->graph.nodes, sizeof *out->rows, err));
  SOTTO_TRY(place(out->rows, &all, &r, data, night, err));
  if (!is_in_place(out->rows, data->graph.nodes, all)) {
    SOTTO_TRY(assemble(out, &r, data, all, err));
    goto done;
  }
  sotto_i_free(out->rows);
  out->rows = NULL;
done:
  sotto_dataset_free(&r.data);
  return status;
}

void sotto_i_tonight_free(sotto_i_tonight *tonight) {
  sotto_dataset_free(&tonight->data);
  sotto_i_free(tonight->rows);
  *tonight = (sotto_i_tonight){.rows = NULL};
}

sotto_status sotto_i_tonight_keep(const char *nights, const sotto_dataset *data, sotto_error *err) {
  sotto_dataset bare = {0};
  char *path = NULL;
  sotto_status status = SOTTO_OK;
  if (data->node_ids.count == 0) return SOTTO_OK;
  SOTTO_TRY(sotto_i_join(&path, nights, nodes_file, err));
  SOTTO_TRY(sotto_i_edgeless_new(&bare, data, err));
  bare.labels = NULL;
  bare.numbers = NULL;
  bare.split = NULL;
  bare.classes = 0;
  bare.class_names = (sotto_names){0};
  status = sotto_dataset_save(&bare, path, err);
done:
  sotto_i_edgeless_free(&bare);
  sotto_i_free(path);
  return status;
}
