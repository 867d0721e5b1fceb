/* A list of its own of edges whose other ends are nodes of other owners, such as accounts at other banks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tables.h"

typedef struct edge {
  uint32_t node; /* the own end */
  sotto_i_field id;
} edge;

typedef struct others {
  sotto_i_csv csv;
  sotto_i_ids own;           /* ids of the own nodes */
  sotto_i_texts texts;       /* of own ids that are not in the form in which ids are compared */
  sotto_i_names_maker tried; /* an id, while its form is checked */
  uint64_t changed;
  size_t width, ends[2]; /* columns */
  edge *edges;
  size_t count, room;
} others;

/* Own ids, which the data may have as numbers alone. */
static sotto_status list_own(others *o, const sotto_i_parts *parts, sotto_error *err) {
  const sotto_names *names = &parts->names[SOTTO_I_NAMES_NODES];
  char room[24];
  for (uint64_t v = 0; v < parts->nodes; v++) {
    const char *name = sotto_name(names, v);
    bool changed;
    if (name == NULL) (void)snprintf(room, sizeof room, "%llu", (unsigned long long)v);
    sotto_i_field field = {(const uint8_t *)(name == NULL ? room : name), strlen(name == NULL ? room : name)};
    sotto_status status = sotto_i_word_settle(&field, &o->texts, &changed, err);
    if (status == SOTTO_OK) status = sotto_i_ids_add(&o->own, &field, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

static bool is_named(const sotto_i_field *field, const char *name) {
  return field->size == strlen(name) && memcmp(field->text, name, field->size) == 0;
}

/* The columns of both ends: those that the options name, else the first two. The first line names them. */
static sotto_status find_ends(others *o, const sotto_import_options *options, sotto_error *err) {
  const char *const stated[2] = {options->source, options->target};
  const sotto_i_csv *csv = &o->csv;
  o->width = csv->count;
  if (csv->count < 2)
    return sotto_i_fail(
        err, SOTTO_PARSE,
        "%s: needs a first line with names of columns, and two columns of ids: of the own node, and "
        "of the one at another owner",
        csv->lines.file);
  for (size_t k = 0; k < 2; k++) {
    o->ends[k] = k;
    for (size_t j = 0; stated[k] != NULL && j < csv->count; j++)
      if (is_named(&csv->fields[j], stated[k])) o->ends[k] = j;
  }
  for (size_t k = 0; k < 2; k++)
    if (sotto_i_ids_find(&o->own, &csv->fields[o->ends[k]]) != UINT32_MAX)
      return sotto_i_csv_fail(csv, SOTTO_PARSE, o->ends[k],
                              "is an id, and the first line of this list must name its columns", err);
  if (o->ends[0] == o->ends[1])
    return sotto_i_csv_fail(csv, SOTTO_PARSE, o->ends[0], "is named as the column of both ends", err);
  return SOTTO_OK;
}

/* One end is an own node, and the other is none. */
static sotto_status add_line(others *o, sotto_error *err) {
  const sotto_i_csv *csv = &o->csv;
  const sotto_i_field *const ends[2] = {&csv->fields[o->ends[0]], &csv->fields[o->ends[1]]};
  const uint32_t found[2] = {sotto_i_ids_find(&o->own, ends[0]), sotto_i_ids_find(&o->own, ends[1])};
  const size_t own = found[0] == UINT32_MAX;
  if (found[0] != UINT32_MAX && found[1] != UINT32_MAX)
    return sotto_i_csv_fail(
        csv, SOTTO_PARSE, o->ends[1],
        "is an own node, as the other end is; an edge between own nodes stands in the list of "
        "edges of the data",
        err);
  if (found[own] == UINT32_MAX)
    return sotto_i_csv_fail(
        csv, SOTTO_RANGE, o->ends[0],
        "is no node of the data, and the other end is none either; one end of each edge is an "
        "own node",
        err);
  const sotto_i_field *other = ends[1 - own];
  sotto_error problem = {0};
  o->tried.count = o->tried.used = 0;
  sotto_status status = sotto_i_names_add(&o->tried, other->text, other->size, &problem);
  if (status == SOTTO_NOMEM) return sotto_i_fail(err, status, "%s", problem.text);
  if (other->size == 0 || status != SOTTO_OK)
    return sotto_i_csv_fail(csv, SOTTO_PARSE, o->ends[1 - own], "is not an id", err);
  status = sotto_i_grow(&o->edges, &o->room, o->count + 1, sizeof *o->edges, err);
  if (status == SOTTO_OK) o->edges[o->count++] = (edge){found[own], *other};
  return status;
}

static sotto_status read_lines(others *o, sotto_error *err) {
  sotto_status status;
  for (;;) {
    SOTTO_TRY(sotto_i_csv_next(&o->csv, err));
    if (o->csv.count == 0) return SOTTO_OK;
    if (o->csv.count != o->width)
      return sotto_i_fail(err, SOTTO_PARSE, "%s: line %llu: has %zu fields, but the header has %zu",
                          o->csv.lines.file, (unsigned long long)o->csv.lines.line, o->csv.count, o->width);
    SOTTO_TRY(add_line(o, err));
    o->changed += o->csv.changed[o->ends[0]] + o->csv.changed[o->ends[1]];
  }
done:
  return status;
}

static int by_bytes(const sotto_i_field *a, const sotto_i_field *b) {
  const int order = memcmp(a->text, b->text, a->size < b->size ? a->size : b->size);
  return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

static int compare_edges(const void *left, const void *right) {
  const edge *a = left, *b = right;
  return a->node != b->node ? (a->node > b->node) - (a->node < b->node) : by_bytes(&a->id, &b->id);
}

/* Each edge once, in order. */
static sotto_status keep_edges(sotto_i_foreign *out, others *o, sotto_error *err) {
  sotto_i_names_maker maker = {0};
  sotto_status status;
  if (o->count > 1) qsort(o->edges, o->count, sizeof *o->edges, compare_edges);
  SOTTO_TRY(sotto_i_new_raw(&out->nodes, o->count + 1, sizeof *out->nodes, err));
  for (size_t i = 0; i < o->count; i++) {
    if (i > 0 && compare_edges(&o->edges[i], &o->edges[i - 1]) == 0) continue;
    out->nodes[maker.count] = o->edges[i].node;
    SOTTO_TRY(sotto_i_names_add(&maker, o->edges[i].id.text, o->edges[i].id.size, err));
  }
  status = sotto_i_names_finish(&out->ids, &maker, err);
done:
  sotto_i_names_maker_free(&maker);
  return status;
}

/* Other owners know the own nodes by ids, also where these are 0, 1, 2, ... */
static sotto_status name_own(sotto_i_parts *parts, const sotto_i_ids *own, sotto_error *err) {
  sotto_i_names_maker maker = {0};
  uint8_t room[SOTTO_I_PLAIN_ROOM];
  sotto_status status = SOTTO_OK;
  if (parts->names[SOTTO_I_NAMES_NODES].count > 0) return SOTTO_OK;
  for (size_t v = 0; v < own->count; v++) {
    const sotto_i_field id = sotto_i_ids_name(own, v, room);
    SOTTO_TRY(sotto_i_names_add(&maker, id.text, id.size, err));
  }
  status = sotto_i_names_finish(&parts->names[SOTTO_I_NAMES_NODES], &maker, err);
done:
  sotto_i_names_maker_free(&maker);
  return status;
}

sotto_status sotto_i_read_others(sotto_i_parts *parts, const sotto_i_source *file,
                                 const sotto_import_options *options, sotto_error *err) {
  others o = {.edges = NULL};
  sotto_status status;
  sotto_i_ids_init(&o.own);
  sotto_i_ids_copy(&o.own);
  if (parts->graph_count > 0)
    SOTTO_TRY(
        sotto_i_fail(err, SOTTO_UNSUPPORTED,
                     "%s: the data are a collection of graphs; only nodes of one graph have edges to other "
                     "owners",
                     file->file));
  SOTTO_TRY(list_own(&o, parts, err));
  SOTTO_TRY(sotto_i_csv_open(&o.csv, file, sotto_i_csv_guess(file, ",;\t ", true), err));
  o.csv.trim = o.csv.comments = true;
  SOTTO_TRY(sotto_i_csv_next(&o.csv, err));
  SOTTO_TRY(find_ends(&o, options, err));
  SOTTO_TRY(read_lines(&o, err));
  SOTTO_TRY(name_own(parts, &o.own, err));
  SOTTO_TRY(keep_edges(&parts->foreign, &o, err));
  SOTTO_TRY(sotto_i_reading_changed(parts, o.changed, err));
done:
  sotto_i_csv_free(&o.csv);
  sotto_i_ids_free(&o.own);
  sotto_i_texts_free(&o.texts);
  sotto_i_names_maker_free(&o.tried);
  sotto_i_free(o.edges);
  return status;
}
