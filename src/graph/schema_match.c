/* Names decide: features of data in the order of a model's, labels with the numbers of a model's classes. */
#include "schema_match.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "features.h"
#include "inside/graph.h"
#include "transfers.h"

/* Names with commas between, as many as fit. */
typedef struct list {
  char text[110];
  size_t count, shown;
} list;

static void add_to(char *text, size_t size, const char *name, const char *more, size_t *shown) {
  const size_t used = strlen(text), need = strlen(name) + strlen(more) + 2;
  if (used + need >= size && used > 0) return;
  (void)snprintf(text + used, size - used, "%s%.60s%s", used > 0 ? ", " : "", name, more);
  ++*shown;
}

static void put(list *l, const char *name, const char *more) {
  l->count++;
  add_to(l->text, sizeof l->text, name, more, &l->shown);
}

/* " HEAD: a, b and 3 more." of a list that has any. */
static void write(char *out, size_t size, const char *head, const list *l) {
  char more[40] = "";
  const size_t used = strlen(out);
  if (l->count == 0) return;
  if (l->count > l->shown) (void)snprintf(more, sizeof more, " and %zu more", l->count - l->shown);
  (void)snprintf(out + used, size - used, " %s: %s%s.", head, l->text, more);
}

/* A column of data can stand for one of a model: of data whose types are not known, any of one feature. */
static bool is_alike(const sotto_schema *a, const sotto_schema_column *x, const sotto_schema *b,
                     const sotto_schema_column *y) {
  if (x->kind == y->kind) return true;
  return (!a->stated || !b->stated) && x->feature_count == 1 && y->feature_count == 1 &&
         x->kind != SOTTO_COLUMN_CATEGORY && y->kind != SOTTO_COLUMN_CATEGORY;
}

static void note_types(list *out, const sotto_schema_column *model, const sotto_schema_column *data) {
  char types[60];
  (void)snprintf(types, sizeof types, " (%s in the model, %s here)", sotto_schema_type(model->kind),
                 sotto_schema_type(data->kind));
  put(out, model->name, types);
}

static sotto_status fail_unnamed(const sotto_schema *named, const char *name, bool model, sotto_error *err) {
  list columns = {.count = 0};
  char text[200] = "";
  for (uint64_t j = 0; j < named->column_count; j++)
    if (sotto_i_column_is_feature(named->columns[j].kind)) put(&columns, named->columns[j].name, "");
  write(text, sizeof text, model ? "The model reads" : "The data has", &columns);
  return sotto_i_fail(
      err, SOTTO_INVALID, "%s: columns are matched by name, and those of the %s have no names.%s %s", name,
      model ? "data" : "model", text,
      model ? "Give a table whose header has these names"
            : "Give data without names, or the run's folder with its owner-only, where schema.yaml may be");
}

/* Fails where the columns of `data` are not those that `model` reads, and names those of both sides. Columns
 * that are no features may be missing, and the order is free. */
static sotto_status compare_columns(const sotto_schema *model, const sotto_schema *data, const char *name,
                                    sotto_error *err) {
  list missing = {.count = 0}, extra = {.count = 0}, other = {.count = 0};
  char text[400] = "";
  for (uint64_t j = 0; j < model->column_count; j++) {
    const sotto_schema_column *m = &model->columns[j], *d;
    if (!sotto_i_column_is_feature(m->kind)) continue;
    d = sotto_i_schema_find(data, m->name, strlen(m->name));
    if (d == NULL)
      put(&missing, m->name, "");
    else if (!is_alike(model, m, data, d))
      note_types(&other, m, d);
  }
  for (uint64_t j = 0; j < data->column_count; j++) {
    const sotto_schema_column *d = &data->columns[j],
                              *m = sotto_i_schema_find(model, d->name, strlen(d->name));
    if (!sotto_i_column_is_feature(d->kind)) continue;
    if (m == NULL)
      put(&extra, d->name, "");
    else if (!sotto_i_column_is_feature(m->kind))
      note_types(&other, m, d);
  }
  write(text, sizeof text, "Missing", &missing);
  write(text, sizeof text, "Not in the model", &extra);
  write(text, sizeof text, "Of another type", &other);
  if (text[0] == '\0') return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID,
                      "%s: its columns are not those of the model.%s Rename, add or drop them", name, text);
}

typedef struct match {
  const sotto_schema *model;
  uint32_t class_count; /* of the model; 0: not known */
  const sotto_dataset *data;
  const char *name;  /* of the data, for messages */
  sotto_schema *own; /* of the data; NULL: no names */
  uint32_t *from;    /* of each feature of the model: the feature of the data, or UINT32_MAX */
  bool *other;       /* of each feature of the data: a word that the model lacks */
  uint32_t *classes; /* of each class of the data: the model's, or UINT32_MAX; NULL: they are the same */
  bool same;         /* the order of features is the model's */
  bool other_kinds;  /* kinds of transfers have other numbers */
  uint8_t kinds[SOTTO_I_MOST_KINDS]; /* of each kind of the data: the model's */
  sotto_unseen *unseen;
} match;

static void note_unseen(match *m, const char *column, const char *word) {
  char text[130];
  size_t shown = 0;
  sotto_unseen *u = m->unseen;
  u->count++;
  (void)snprintf(text, sizeof text, "%.60s%s%.60s", column, column[0] == '\0' ? "" : "=", word);
  add_to(u->words, sizeof u->words, text, "", &shown);
}

static uint64_t find_name(const sotto_names *names, const char *name, uint64_t guess) {
  if (guess < names->count && strcmp(sotto_name(names, guess), name) == 0) return guess;
  for (uint64_t i = 0; i < names->count; i++)
    if (strcmp(sotto_name(names, i), name) == 0) return i;
  return UINT64_MAX;
}

static void match_column(match *m, const sotto_schema_column *to) {
  const sotto_schema_column *d = sotto_i_schema_find(m->own, to->name, strlen(to->name));
  SOTTO_I_CHECK(d != NULL);
  if (to->kind != SOTTO_COLUMN_CATEGORY) {
    m->from[to->first] = (uint32_t)d->first;
    return;
  }
  for (uint64_t i = 0; i < to->feature_count; i++) {
    const uint64_t at = find_name(&d->words, sotto_name(&to->words, i), i);
    m->from[to->first + i] = at == UINT64_MAX ? UINT32_MAX : (uint32_t)(d->first + at);
  }
  for (uint64_t i = 0; i < d->feature_count; i++) {
    if (find_name(&to->words, sotto_name(&d->words, i), i) != UINT64_MAX) continue;
    m->other[d->first + i] = true;
    note_unseen(m, d->name, sotto_name(&d->words, i));
  }
}

static sotto_status match_features(match *m, sotto_error *err) {
  const sotto_schema *to = m->model;
  const size_t width = m->data->features.cols;
  const bool named = m->own != NULL && m->own->feature_count > 0;
  sotto_status status = SOTTO_OK;
  m->same = true;
  if (to->feature_count == 0) return named ? fail_unnamed(m->own, m->name, false, err) : SOTTO_OK;
  if (!named && sotto_i_schema_is_by_position(to)) return SOTTO_OK; /* how many there are is checked later */
  if (!named) return fail_unnamed(to, m->name, true, err);
  SOTTO_TRY(compare_columns(to, m->own, m->name, err));
  SOTTO_TRY(sotto_i_new_raw(&m->from, to->feature_count, sizeof *m->from, err));
  SOTTO_TRY(sotto_i_new(&m->other, width, sizeof *m->other, err));
  for (uint64_t j = 0; j < to->column_count; j++)
    if (to->columns[j].feature_count > 0) match_column(m, &to->columns[j]);
  m->same = to->feature_count == width;
  for (uint64_t j = 0; j < to->feature_count && m->same; j++) m->same = m->from[j] == j;
done:
  return status;
}

/* Classes without names are named by their numbers. */
static const char *class_name(char room[24], const sotto_names *names, uint64_t i) {
  const char *name = sotto_name(names, i);
  if (name != NULL || names->count > 0) return name == NULL ? "" : name;
  (void)snprintf(room, 24, "%llu", (unsigned long long)i);
  return room;
}

static uint64_t find_class(const match *m, const char *name, uint64_t guess) {
  const sotto_names *to = &m->model->classes;
  char room[24];
  uint64_t number;
  if (to->count > 0) return find_name(to, name, guess);
  if (sotto_i_parse_u64(&number, name, "", NULL) != SOTTO_OK || number > INT32_MAX) return UINT64_MAX;
  if (strcmp(class_name(room, to, number), name) != 0) return UINT64_MAX; /* 01 is no 1 */
  return m->class_count == 0 || number < m->class_count ? number : UINT64_MAX;
}

static sotto_status match_classes(match *m, sotto_error *err) {
  const sotto_names *of = &m->data->class_names;
  const uint32_t count = m->data->labels == NULL ? 0 : m->data->classes;
  char room[24];
  bool same = true;
  if (count == 0 || (of->count == 0 && m->model->classes.count == 0)) return SOTTO_OK;
  const sotto_status status = sotto_i_new_raw(&m->classes, count, sizeof *m->classes, err);
  if (status != SOTTO_OK) return status;
  for (uint32_t i = 0; i < count; i++) {
    const char *name = class_name(room, of, i);
    const uint64_t at = find_class(m, name, i);
    m->classes[i] = at == UINT64_MAX ? UINT32_MAX : (uint32_t)at;
    if (at == UINT64_MAX) note_unseen(m, "", name);
    same = same && at == i;
  }
  if (!same) return SOTTO_OK;
  sotto_i_free(m->classes);
  m->classes = NULL;
  return SOTTO_OK;
}

/* Of data without kinds whatever counts them says so. Rows of a kind that the model lacks would be counted as
 * another one. */
static sotto_status match_kinds(match *m, sotto_error *err) {
  const sotto_names *of = &m->data->transfers.kind_names, *to = &m->model->kinds;
  if (m->data->transfers.kinds == NULL || to->count == 0) return SOTTO_OK;
  for (uint64_t i = 0; i < of->count; i++) {
    const uint64_t at = find_name(to, sotto_name(of, i), i);
    if (at == UINT64_MAX)
      return sotto_i_fail(
          err, SOTTO_INVALID,
          "%s: transfers may be of the kind '%.80s', which the model does not have; declare the "
          "kinds that it has",
          m->name, sotto_name(of, i));
    m->kinds[i] = (uint8_t)at;
    m->other_kinds = m->other_kinds || at != i;
  }
  m->other_kinds = m->other_kinds || of->count != to->count;
  return SOTTO_OK;
}

static sotto_status take_transfers(sotto_i_transfers *out, const match *m, sotto_error *err) {
  const sotto_dataset *d = m->data;
  sotto_status status;
  SOTTO_TRY(sotto_i_transfers_of_edges(out, &d->transfers, &d->graph, err));
  if (!m->other_kinds) return SOTTO_OK;
  sotto_i_names_free(&out->kind_names);
  SOTTO_TRY(sotto_i_names_take(&out->kind_names, &m->model->kinds, NULL, 0, err));
  for (uint64_t i = 0; i < out->count; i++) out->kinds[i] = m->kinds[out->kinds[i]];
done:
  return status;
}

static sotto_status count_others(match *m, sotto_error *err) {
  const size_t width = m->data->features.cols;
  float *row = NULL;
  bool any = false;
  for (size_t j = 0; m->other != NULL && j < width; j++) any = any || m->other[j];
  if (!any) return SOTTO_OK;
  const sotto_status status = sotto_i_new_raw(&row, width, sizeof *row, err);
  if (status != SOTTO_OK) return status;
  for (uint64_t v = 0; v < m->data->graph.nodes; v++) {
    bool other = false;
    sotto_dataset_rows(row, m->data, v, 1);
    for (size_t j = 0; j < width; j++) other = other || (m->other[j] && row[j] == 1.0F);
    m->unseen->nodes += other;
  }
  sotto_i_free(row);
  return SOTTO_OK;
}

static sotto_status fill_labels(sotto_i_parts *parts, match *m, sotto_error *err) {
  const sotto_dataset *d = m->data;
  parts->classes_from = d->classes_from;
  parts->classes = d->classes;
  const bool without = d->labels == NULL && d->classes == 0;
  if (without && m->model->classes.count == 0) return SOTTO_OK; /* of a party that gives features alone */
  parts->classes = m->model->classes.count > 0 ? (uint32_t)m->model->classes.count
                   : m->class_count > 0        ? m->class_count
                                               : d->classes;
  if (d->labels == NULL) return SOTTO_OK;
  const sotto_status status = sotto_i_new_raw(&parts->labels, d->graph.nodes, sizeof *parts->labels, err);
  for (uint64_t v = 0; status == SOTTO_OK && v < d->graph.nodes; v++) {
    const int32_t label = d->labels[v];
    const uint32_t now = label < 0 || m->classes == NULL ? (uint32_t)label : m->classes[label];
    m->unseen->labels += label >= 0 && now == UINT32_MAX;
    parts->labels[v] = (int32_t)now;
  }
  return status;
}

static sotto_status fill_names(sotto_i_parts *parts, const match *m, sotto_error *err) {
  sotto_names *names = parts->names;
  sotto_status status;
  SOTTO_TRY(sotto_i_schema_features(&names[SOTTO_I_NAMES_FEATURES], m->model, err));
  SOTTO_TRY(sotto_i_names_take(&names[SOTTO_I_NAMES_CLASSES], &m->model->classes, NULL, 0, err));
  SOTTO_TRY(sotto_i_strdup(&parts->name, m->name, err));
  if (m->data->path != NULL) SOTTO_TRY(sotto_i_strdup(&parts->path, m->data->path, err));
  if (m->model->feature_count > 0) SOTTO_TRY(sotto_i_schema_copy(&parts->schema, m->model, err));
done:
  return status;
}

static sotto_status assemble(sotto_dataset *out, match *m, sotto_error *err) {
  const sotto_dataset *d = m->data;
  sotto_i_parts parts = {.nodes = d->graph.nodes,
                         .offsets = (uint64_t *)(uintptr_t)d->graph.offsets,
                         .targets = (uint32_t *)(uintptr_t)d->graph.targets,
                         .split = (uint8_t *)(uintptr_t)d->split,
                         .graph_count = d->graph_count,
                         .graph_first = (uint64_t *)(uintptr_t)d->graph_first,
                         .graph_labels = (int32_t *)(uintptr_t)d->graph_labels,
                         .graph_classes = d->graph_classes,
                         .graph_classes_from = d->graph_classes_from,
                         .borrowed = ~(1U << SOTTO_I_SUM_FEATURES | 1U << SOTTO_I_SUM_LABELS)};
  uint32_t *all = NULL;
  sotto_status status;
  if (d->transfers.sources != NULL) SOTTO_TRY(take_transfers(&parts.transfers, m, err));
  if (d->graph.offsets == NULL) { /* of a party without edges */
    parts.borrowed &= ~(1U << SOTTO_I_SUM_OFFSETS);
    SOTTO_TRY(sotto_i_new(&parts.offsets, d->graph.nodes + 1, sizeof *parts.offsets, err));
  }
  if (m->from == NULL) { /* without names: as they are */
    SOTTO_TRY(sotto_i_new_raw(&all, d->features.cols, sizeof *all, err));
    for (size_t j = 0; j < d->features.cols; j++) all[j] = (uint32_t)j;
  }
  SOTTO_TRY(sotto_i_features_of_columns(&parts, d, m->from == NULL ? all : m->from,
                                        m->from == NULL ? d->features.cols : m->model->feature_count, err));
  SOTTO_TRY(fill_labels(&parts, m, err));
  SOTTO_TRY(sotto_i_parts_numbers(&parts, d->numbers, NULL, d->graph.nodes, err));
  SOTTO_TRY(fill_names(&parts, m, err));
  SOTTO_TRY(sotto_i_foreign_copy(&parts.foreign, &d->foreign, err));
  if (d->foreign.nodes != NULL) /* which go by the ids of their own ends */
    SOTTO_TRY(sotto_i_names_take(&parts.names[SOTTO_I_NAMES_NODES], &d->node_ids, NULL, d->graph.nodes, err));
  SOTTO_TRY(sotto_i_dataset_assemble(out, &parts, err));
  if (d->foreign.nodes == NULL) out->node_ids = d->node_ids;
  out->graph_class_names = d->graph_class_names;
  /* without edges the account is of the content, and follows its new order */
  if (d->graph.entries > 0) memcpy(out->account, d->account, sizeof out->account);
done:
  sotto_i_free(all);
  sotto_i_parts_free(&parts);
  return status;
}

sotto_status sotto_i_schema_apply(sotto_dataset *out, bool *changed, sotto_unseen *unseen,
                                  const sotto_schema *model, uint32_t classes, const sotto_dataset *data,
                                  sotto_error *err) {
  match m = {.model = model, .class_count = classes, .data = data, .unseen = unseen};
  m.name = data->name == NULL ? "the data" : data->name;
  sotto_status status;
  *changed = false;
  *unseen = (sotto_unseen){0};
  SOTTO_TRY(sotto_schema_of(&m.own, data, err));
  SOTTO_TRY(match_features(&m, err));
  SOTTO_TRY(match_classes(&m, err));
  SOTTO_TRY(count_others(&m, err));
  SOTTO_TRY(match_kinds(&m, err));
  *changed = !m.same || m.classes != NULL || m.other_kinds;
  if (*changed) SOTTO_TRY(assemble(out, &m, err));
done:
  sotto_schema_free(m.own);
  sotto_i_free(m.from);
  sotto_i_free(m.other);
  sotto_i_free(m.classes);
  return status;
}
