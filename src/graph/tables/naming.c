/* Names of columns and classes as text that is sent and kept, and a dataset in their order. */
#include "naming.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "graph/features.h"
#include "graph/io/csv.h"

sotto_i_naming sotto_i_naming_of(const sotto_dataset *data, uint64_t columns, bool declared) {
  const bool graphs = data->graph_count > 0;
  const sotto_classes_from from = graphs ? data->graph_classes_from : data->classes_from;
  return (sotto_i_naming){.columns = columns,
                          .classes = graphs ? data->graph_classes : data->classes,
                          .declared = declared || from == SOTTO_CLASSES_DECLARED,
                          .features = data->feature_names,
                          .labels = graphs ? data->graph_class_names : data->class_names,
                          .schema = data->schema != NULL && data->schema->stated ? data->schema : NULL};
}

void sotto_i_naming_free(sotto_i_naming *naming) {
  sotto_i_names_free(&naming->features);
  sotto_i_names_free(&naming->labels);
  sotto_i_names_free(&naming->dates);
  sotto_i_names_free(&naming->filled);
  sotto_i_names_free(&naming->fills);
  *naming = (sotto_i_naming){0};
}

/* Text being written; room is counted before. */
typedef struct writer {
  char *text;
  size_t used, room;
} writer;

static size_t room_of(const sotto_names *names, const char *word) {
  return names->count == 0 ? 0 : names->starts[names->count] + names->count * strlen(word);
}

static void put(writer *w, const char *word, const sotto_names *names, uint64_t count) {
  if (names->count == 0)
    w->used += (size_t)snprintf(w->text + w->used, w->room - w->used, "%s%s %llu\n", word,
                                strcmp(word, "class") == 0 ? "es" : "s", (unsigned long long)count);
  for (uint64_t i = 0; i < names->count; i++)
    w->used += (size_t)snprintf(w->text + w->used, w->room - w->used, "%s %s\n", word, sotto_name(names, i));
}

static void put_types(writer *w, const sotto_i_naming *naming) {
  const sotto_schema *s = naming->schema;
  if (s == NULL && !naming->typed) return;
  w->used += (size_t)snprintf(w->text + w->used, w->room - w->used, "typed\n");
  for (uint64_t i = 0; i < naming->dates.count; i++)
    w->used +=
        (size_t)snprintf(w->text + w->used, w->room - w->used, "date %s\n", sotto_name(&naming->dates, i));
  for (uint64_t i = 0; s != NULL && i < s->column_count; i++)
    if (s->columns[i].kind == SOTTO_COLUMN_DATE)
      w->used += (size_t)snprintf(w->text + w->used, w->room - w->used, "date %s\n", s->columns[i].name);
}

static void put_fill(writer *w, const char *name, const char *rule) {
  w->used += (size_t)snprintf(w->text + w->used, w->room - w->used, "filled %s\nfill %s\n", name, rule);
}

/* A declared value with all digits, or the word of a category. The mean of an owner's rows stays there. */
static void put_fill_of(writer *w, const sotto_schema_column *c) {
  const char *word = sotto_schema_missing(c->missing);
  uint64_t i = 0;
  if (c->feature_count == 0 || c->missing == SOTTO_MISSING_REFUSE) return;
  if (c->missing != SOTTO_MISSING_VALUE || c->fill == NULL) {
    put_fill(w, c->name, word);
    return;
  }
  while (i + 1 < c->feature_count && c->fill[i] != 1) i++;
  w->used += (size_t)snprintf(w->text + w->used, w->room - w->used, "filled %s\n", c->name);
  if (c->kind == SOTTO_COLUMN_CATEGORY)
    w->used +=
        (size_t)snprintf(w->text + w->used, w->room - w->used, "fill value %s\n", sotto_name(&c->words, i));
  else
    w->used += (size_t)snprintf(w->text + w->used, w->room - w->used, "fill value %.17g\n", c->fill[0]);
}

static void put_fills(writer *w, const sotto_i_naming *naming) {
  const sotto_schema *s = naming->schema;
  for (uint64_t i = 0; i < naming->filled.count; i++)
    put_fill(w, sotto_name(&naming->filled, i), sotto_name(&naming->fills, i));
  for (uint64_t j = 0; s != NULL && j < s->column_count; j++) put_fill_of(w, &s->columns[j]);
}

/* Of the lines of put_fills: names of columns and words are among the features, too. */
static size_t room_of_fills(const sotto_i_naming *naming) {
  const sotto_schema *s = naming->schema;
  size_t room = room_of(&naming->filled, "filled ") + room_of(&naming->fills, "fill ");
  for (uint64_t j = 0; s != NULL && j < s->column_count; j++) {
    const sotto_names *words = &s->columns[j].words;
    room += strlen(s->columns[j].name) + 60 + (words->count == 0 ? 0 : (size_t)words->starts[words->count]);
  }
  return room;
}

sotto_status sotto_i_naming_write(char **out, size_t *size, const sotto_i_naming *naming, sotto_error *err) {
  const size_t features = room_of(&naming->features, "column ");
  writer w = {.room = 200 + 2 * features + room_of(&naming->labels, "class ") +
                      room_of_fills(naming)}; /* dates are features, too */
  const sotto_status status = sotto_i_new(&w.text, w.room, 1, err);
  if (status != SOTTO_OK) return status;
  put(&w, "column", &naming->features, naming->columns);
  put(&w, "class", &naming->labels, naming->classes);
  put_types(&w, naming);
  put_fills(&w, naming);
  if (naming->suited) w.used += (size_t)snprintf(w.text + w.used, w.room - w.used, "suited\n");
  if (naming->scaling[0] != '\0')
    w.used += (size_t)snprintf(w.text + w.used, w.room - w.used, "scaling %.64s\n", naming->scaling);
  if (naming->declared) w.used += (size_t)snprintf(w.text + w.used, w.room - w.used, "declared\n");
  *out = w.text;
  *size = w.used;
  return SOTTO_OK;
}

/* Names and numbers being read. */
typedef struct reading {
  sotto_i_names_maker features, labels, dates, filled, fills;
  sotto_i_naming *out;
} reading;

static bool take_number(uint64_t *out, const char *text, size_t size, uint64_t most) {
  if (size == 0 || size > 10) return false;
  uint64_t value = 0;
  for (size_t i = 0; i < size; i++) {
    if (text[i] < '0' || text[i] > '9') return false;
    value = value * 10 + (uint64_t)(text[i] - '0');
  }
  *out = value;
  return value <= most;
}

static bool has_word(const char **text, size_t *size, const char *word) {
  const size_t length = strlen(word);
  if (*size < length || memcmp(*text, word, length) != 0) return false;
  *text += length;
  *size -= length;
  return true;
}

static bool is_digest(const char *text, size_t size) {
  for (size_t i = 0; i < size; i++)
    if ((text[i] < '0' || text[i] > '9') && (text[i] < 'a' || text[i] > 'f')) return false;
  return size == 64;
}

static sotto_status take_line(reading *r, const char *text, size_t size, sotto_error *err) {
  uint64_t number = 0;
  sotto_status status = SOTTO_OK;
  bool good = true;
  if (has_word(&text, &size, "column "))
    status = sotto_i_names_add(&r->features, text, size, err);
  else if (has_word(&text, &size, "class "))
    status = sotto_i_names_add(&r->labels, text, size, err);
  else if (has_word(&text, &size, "date "))
    status = sotto_i_names_add(&r->dates, text, size, err);
  else if (has_word(&text, &size, "filled "))
    status = sotto_i_names_add(&r->filled, text, size, err);
  else if (has_word(&text, &size, "fill "))
    status = sotto_i_names_add(&r->fills, text, size, err);
  else if (has_word(&text, &size, "typed") && size == 0)
    r->out->typed = true;
  else if (has_word(&text, &size, "columns "))
    good = take_number(&r->out->columns, text, size, UINT32_MAX);
  else if (has_word(&text, &size, "classes ") && take_number(&number, text, size, INT32_MAX))
    r->out->classes = (uint32_t)number;
  else if (has_word(&text, &size, "suited") && size == 0)
    r->out->suited = true;
  else if (has_word(&text, &size, "scaling ") && is_digest(text, size))
    (void)snprintf(r->out->scaling, sizeof r->out->scaling, "%.*s", (int)size, text);
  else if (has_word(&text, &size, "declared") && size == 0)
    r->out->declared = true;
  else
    good = false;
  if (good && (status == SOTTO_OK || status == SOTTO_NOMEM)) return status;
  return sotto_i_fail(err, SOTTO_PROTOCOL, "what was sent are not names of columns and classes");
}

static sotto_i_field field_of(const char *text) {
  return (sotto_i_field){(const uint8_t *)text, strlen(text)};
}

/* Adds all names to `ids`, each of which stands once. */
static sotto_status index_names(sotto_i_ids *ids, const sotto_names *names, const char *what,
                                sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (uint64_t i = 0; i < names->count; i++) {
    const sotto_i_field name = field_of(sotto_name(names, i));
    if (sotto_i_ids_find(ids, &name) != UINT32_MAX)
      return sotto_i_fail(err, SOTTO_INVALID, "%s '%.80s' was sent twice", what, sotto_name(names, i));
    SOTTO_TRY(sotto_i_ids_add(ids, &name, err));
  }
done:
  return status;
}

static sotto_status check_distinct(const sotto_names *names, const char *what, sotto_error *err) {
  sotto_i_ids ids;
  sotto_i_ids_init(&ids);
  const sotto_status status = index_names(&ids, names, what, err);
  sotto_i_ids_free(&ids);
  return status;
}

sotto_status sotto_i_naming_read(sotto_i_naming *out, const char *text, size_t size, sotto_error *err) {
  reading r = {.out = out};
  sotto_status status = SOTTO_OK;
  *out = (sotto_i_naming){0};
  for (size_t at = 0; at < size;) {
    const char *end = memchr(text + at, '\n', size - at);
    const size_t length = end == NULL ? size - at : (size_t)(end - (text + at));
    SOTTO_TRY(take_line(&r, text + at, length, err));
    at += length + 1;
  }
  if (r.features.count > 0) {
    out->columns = r.features.count;
    SOTTO_TRY(sotto_i_names_finish(&out->features, &r.features, err));
  }
  if (r.labels.count > 0) {
    out->classes = (uint32_t)r.labels.count;
    SOTTO_TRY(sotto_i_names_finish(&out->labels, &r.labels, err));
  }
  if (r.dates.count > 0) SOTTO_TRY(sotto_i_names_finish(&out->dates, &r.dates, err));
  if (r.filled.count != r.fills.count)
    SOTTO_TRY(sotto_i_fail(err, SOTTO_PROTOCOL, "what was sent are not names of columns and classes"));
  if (r.filled.count > 0) {
    SOTTO_TRY(sotto_i_names_finish(&out->filled, &r.filled, err));
    SOTTO_TRY(sotto_i_names_finish(&out->fills, &r.fills, err));
  }
  SOTTO_TRY(check_distinct(&out->features, "column", err));
  SOTTO_TRY(check_distinct(&out->labels, "class", err));
  SOTTO_TRY(check_distinct(&out->filled, "column", err));
done:
  sotto_i_names_maker_free(&r.dates);
  sotto_i_names_maker_free(&r.filled);
  sotto_i_names_maker_free(&r.fills);
  sotto_i_names_maker_free(&r.features);
  sotto_i_names_maker_free(&r.labels);
  if (status != SOTTO_OK) sotto_i_naming_free(out);
  return status;
}

/* map[i]: place of item i of `own` among `names`. Without names an item's name is its number. */
static sotto_status map_names(uint32_t **map, const sotto_names *own, uint64_t count,
                              const sotto_names *names, uint64_t most, const char *what, sotto_error *err) {
  sotto_i_ids ids;
  sotto_status status = SOTTO_OK;
  char number[24];
  sotto_i_ids_init(&ids);
  SOTTO_TRY(sotto_i_new(map, count, sizeof **map, err));
  SOTTO_TRY(index_names(&ids, names, what, err));
  for (uint64_t i = 0; i < count; i++) {
    (void)snprintf(number, sizeof number, "%llu", (unsigned long long)i);
    const char *text = own->count > 0 ? sotto_name(own, i) : number;
    const sotto_i_field name = field_of(text);
    uint64_t value;
    if (names->count > 0)
      (*map)[i] = sotto_i_ids_find(&ids, &name);
    else
      (*map)[i] =
          take_number(&value, text, name.size, UINT32_MAX) && value < most ? (uint32_t)value : UINT32_MAX;
    if ((*map)[i] != UINT32_MAX) continue;
    status = sotto_i_fail(err, SOTTO_INVALID, "%s '%.80s' is not among those that the parties agreed on",
                          what, text);
    goto done;
  }
done:
  sotto_i_ids_free(&ids);
  return status;
}

static sotto_status check_once(const uint32_t *map, const sotto_names *own, uint64_t count, uint64_t most,
                               const char *what, sotto_error *err) {
  uint8_t *seen = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&seen, most, 1, err));
  for (uint64_t i = 0; i < count; i++) {
    if (seen[map[i]]) {
      status = sotto_i_fail(err, SOTTO_INVALID, "%s '%.80s' is there twice; rename one of them", what,
                            sotto_name(own, i));
      break;
    }
    seen[map[i]] = 1;
  }
done:
  sotto_i_free(seen);
  return status;
}

static bool is_identity(const uint32_t *map, uint64_t count, uint64_t most) {
  for (uint64_t i = 0; i < count; i++)
    if (map[i] != i) return false;
  return count == most;
}

typedef struct mapped_rows {
  const sotto_dataset *data;
  const uint32_t *map;
  float *row;
} mapped_rows;

static void add_row(const void *context, uint64_t v, float *row) {
  const mapped_rows *m = context;
  sotto_dataset_rows(m->row, m->data, v, 1);
  for (size_t j = 0; j < m->data->features.cols; j++) row[m->map[j]] = m->row[j];
}

static sotto_status arrange_features(sotto_i_arranged *a, const sotto_dataset *data, sotto_error *err) {
  const uint64_t *offsets = data->entries.offsets;
  mapped_rows m = {.data = data};
  uint32_t *map = NULL;
  sotto_status status;
  if (a->names.features.count == 0 || data->features.cols == 0) return SOTTO_OK;
  SOTTO_TRY(map_names(&map, &data->feature_names, data->features.cols, &a->names.features, a->names.columns,
                      "column", err));
  if (is_identity(map, data->features.cols, a->names.columns)) goto done;
  SOTTO_TRY(check_once(map, &data->feature_names, data->features.cols, a->names.columns, "column", err));
  SOTTO_TRY(sotto_i_new_raw(&m.row, data->features.cols, sizeof *m.row, err));
  m.map = map;
  a->own.nodes = data->graph.nodes;
  a->own.width = a->names.columns;
  SOTTO_TRY(sotto_i_features_fill(&a->own, offsets != NULL, offsets == NULL ? 0 : offsets[data->graph.nodes],
                                  &(sotto_i_feature_reader){&m, add_row, NULL}, err));
  a->view.features = (sotto_matrix){a->own.features, data->graph.nodes, a->own.width};
  a->view.entries = (sotto_entries){a->own.entries.offsets, a->own.entries.columns, a->own.entries.values};
  a->view.feature_names = a->names.features;
  a->view.schema = NULL; /* the names say what columns are */
done:
  sotto_i_free(m.row);
  sotto_i_free(map);
  return status;
}

static sotto_status arrange_labels(sotto_i_arranged *a, const sotto_dataset *data, sotto_error *err) {
  const bool graphs = data->graph_count > 0;
  const sotto_names *names = graphs ? &data->graph_class_names : &data->class_names;
  const int32_t *labels = graphs ? data->graph_labels : data->labels;
  const uint64_t count = graphs ? data->graph_count : data->graph.nodes;
  const uint32_t classes = graphs ? data->graph_classes : data->classes;
  int32_t **own = graphs ? &a->own.graph_labels : &a->own.labels;
  uint32_t *map = NULL;
  sotto_status status;
  SOTTO_TRY(map_names(&map, names, classes, &a->names.labels, a->names.classes, "class", err));
  *(graphs ? &a->view.graph_classes : &a->view.classes) = a->names.classes;
  *(graphs ? &a->view.graph_class_names : &a->view.class_names) = a->names.labels;
  if (labels == NULL || is_identity(map, classes, classes)) goto done;
  SOTTO_TRY(sotto_i_new(own, count, sizeof **own, err));
  for (uint64_t i = 0; i < count; i++) (*own)[i] = labels[i] < 0 ? labels[i] : (int32_t)map[labels[i]];
  *(graphs ? &a->view.graph_labels : &a->view.labels) = *own;
done:
  sotto_i_free(map);
  return status;
}

sotto_status sotto_i_dataset_arrange(sotto_i_arranged *out, const sotto_dataset *data,
                                     const sotto_i_naming *names, sotto_error *err) {
  sotto_status status;
  *out = (sotto_i_arranged){.view = *data};
  out->names =
      (sotto_i_naming){.columns = names->columns, .classes = names->classes, .declared = names->declared};
  SOTTO_TRY(sotto_i_names_take(&out->names.features, &names->features, NULL, 0, err));
  SOTTO_TRY(sotto_i_names_take(&out->names.labels, &names->labels, NULL, 0, err));
  SOTTO_TRY(arrange_features(out, data, err));
  SOTTO_TRY(sotto_i_arranged_scale(out, data, err));
  SOTTO_TRY(arrange_labels(out, data, err));
done:
  if (status != SOTTO_OK) sotto_i_arranged_free(out);
  return status;
}

void sotto_i_arranged_free(sotto_i_arranged *arranged) {
  sotto_i_parts_free(&arranged->own);
  sotto_i_naming_free(&arranged->names);
  sotto_schema_free(arranged->schema);
  *arranged = (sotto_i_arranged){0};
}
