/* POST /predict with rows of new nodes by column name: a table of them, read as files are, and its answers.
 * The rows have no edges, so no answer follows from an edge, and none is a release. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "common/memory.h"
#include "common/print.h"

static const char row_form[] =
    "send {\"rows\": [{\"id\": \"C-1\", \"age\": 40}], \"top\": 3}; id and top may be left "
    "out, and a column where the training says what fills it";

/* A request, and its columns and words that the training did not have. */
typedef struct question {
  const serve_source *source;
  const json_t *rows;
  size_t count, top;
  const char *id;   /* the name of the column of ids */
  serve_page table; /* CSV, whose ids are the numbers of the rows */
  json_t *unknown, *unused,
      *known; /* columns of no name; labels and others that are not read; ids of the run */
} question;

static bool is_feature(const sotto_schema_column *c) {
  return c->kind == SOTTO_COLUMN_NUMBER || c->kind == SOTTO_COLUMN_DATE || c->kind == SOTTO_COLUMN_CATEGORY ||
         c->kind == SOTTO_COLUMN_FLAG;
}

static bool add(serve_page *p, const char *text) {
  return serve_add_text(p, text, strlen(text));
}

/* A cell in double quotes. A line end would move the numbers of lines in messages, and is a blank in words.
 */
static bool add_cell(serve_page *p, const char *text) {
  bool good = add(p, "\"");
  for (; good && *text != '\0'; text++) {
    const char byte = *text == '\n' || *text == '\r' ? ' ' : *text;
    good = serve_add_text(p, byte == '"' ? "\"\"" : &byte, byte == '"' ? 2 : 1);
  }
  return good && add(p, "\"");
}

/* False for lists and objects; memory that lacks is found at the end of the row. */
static bool add_value(serve_page *p, const json_t *value) {
  char text[40] = "";
  if (json_is_array(value) || json_is_object(value)) return false;
  if (json_is_string(value)) return (void)add_cell(p, json_string_value(value)), true;
  if (json_is_integer(value)) (void)snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
  if (json_is_real(value)) (void)snprintf(text, sizeof text, "%.17g", json_real_value(value));
  if (json_is_boolean(value)) (void)snprintf(text, sizeof text, "%s", json_is_true(value) ? "true" : "false");
  return (void)add(p, text), true; /* null: no value */
}

static bool add_header(question *q) {
  const sotto_schema *s = q->source->schema;
  bool good = add_cell(&q->table, q->id);
  for (uint64_t j = 0; good && j < s->column_count; j++)
    if (is_feature(&s->columns[j])) good = add(&q->table, ",") && add_cell(&q->table, s->columns[j].name);
  return good && add(&q->table, "\n");
}

static bool refuse_cell(http_reply *reply, size_t row, const char *column, const char *what) {
  char where[160];
  (void)snprintf(where, sizeof where, "rows[%zu].%.100s", row, column);
  sotto_text_clean(where, false);
  http_reply_error(reply, 400, what, where, row_form);
  return false;
}

/* Adds the name to the list, once. */
static void note_name(json_t *list, const char *name) {
  size_t i;
  json_t *value;
  json_array_foreach(list, i, value) if (strcmp(json_string_value(value), name) == 0) return;
  (void)json_array_append_new(list, json_string(name));
}

/* Lists the columns of a row that are not read, at most so many that a look-up stays short. */
static void note_columns(question *q, const json_t *row) {
  enum { most_listed = 100 };
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)row, key, value) {
    const sotto_schema_column *c = serve_column(q->source, key);
    if (strcmp(key, q->id) == 0 || (c != NULL && is_feature(c))) continue;
    json_t *list = c == NULL ? q->unknown : q->unused;
    if (json_array_size(list) < most_listed) note_name(list, key);
  }
}

static bool add_row(question *q, size_t number, http_reply *reply) {
  const sotto_schema *s = q->source->schema;
  const json_t *row = json_array_get(q->rows, number), *id;
  char text[40], where[40];
  uint32_t node;
  if (!json_is_object(row)) {
    (void)snprintf(where, sizeof where, "rows[%zu]", number);
    http_reply_error(reply, 400, "is not an object of columns and values", where, row_form);
    return false;
  }
  id = json_object_get(row, q->id);
  if (id != NULL && !json_is_string(id) && !json_is_integer(id))
    return refuse_cell(reply, number, q->id, "is no id: a text or a whole number");
  if (json_is_string(id) && serve_find(&node, &q->source->ids, json_string_value(id)))
    note_name(q->known, json_string_value(id));
  (void)snprintf(text, sizeof text, "r%zu", number);
  bool good = add(&q->table, text);
  for (uint64_t j = 0; good && j < s->column_count; j++) {
    const sotto_schema_column *c = &s->columns[j];
    const json_t *value = is_feature(c) ? json_object_get(row, c->name) : NULL;
    if (!is_feature(c)) continue;
    if (value == NULL && c->missing == SOTTO_MISSING_REFUSE)
      return refuse_cell(reply, number, c->name,
                         "has no value, and the training has no rule that fills this column");
    good = add(&q->table, ",");
    if (good && value != NULL && !add_value(&q->table, value))
      return refuse_cell(reply, number, c->name, "is a list or an object, and a cell has one value");
  }
  note_columns(q, row);
  return good && add(&q->table, "\n");
}

/* False with a reply. */
static bool check_source(question *q, http_reply *reply) {
  const serve_source *s = q->source;
  for (uint64_t j = 0; s->schema != NULL && j < s->schema->column_count; j++)
    if (s->schema->columns[j].kind == SOTTO_COLUMN_ID) q->id = s->schema->columns[j].name;
  if (s->answer_rows == NULL)
    http_reply_error(reply, 403, "this party answers about the nodes that both have, and rows are new data",
                     "rows", "put the new nodes into both tables, and make the next release with --epsilon");
  else if (q->id == NULL || !s->schema->stated)
    http_reply_error(reply, 400, "the run was trained on data without a table, so rows have no columns",
                     "rows", "ask by \"nodes\", or train on a table of nodes with a column of ids");
  return s->answer_rows != NULL && q->id != NULL && s->schema->stated;
}

static bool check_size(const question *q, http_reply *reply) {
  const size_t widest = (size_t)q->source->schema->feature_count + q->top;
  char what[160];
  if (!json_is_array(q->rows) || q->count == 0) {
    http_reply_error(reply, 400, "'rows' is not a list of one or more rows", "rows", row_form);
    return false;
  }
  if (q->count <= SERVE_MOST_ROWS && q->count * widest <= SERVE_MOST_VALUES) return true;
  (void)snprintf(what, sizeof what, "%zu rows of %zu features are too many for one answer", q->count,
                 (size_t)q->source->schema->feature_count);
  http_reply_error(reply, 413, what, "rows",
                   "ask for at most 1000 rows, and 1000000 features and probabilities, at a time");
  return false;
}

static bool read_rows(question *q, const json_t *body, size_t classes, http_reply *reply) {
  q->rows = json_object_get(body, "rows");
  q->count = json_array_size(q->rows);
  if (json_object_get(body, "nodes") != NULL || json_object_get(body, "ids") != NULL) {
    http_reply_error(reply, 400, "'rows' goes with neither 'nodes' nor 'ids'", "body", row_form);
    return false;
  }
  if (!serve_read_top(&q->top, json_object_get(body, "top"), classes, reply)) return false;
  if (!check_source(q, reply) || !check_size(q, reply)) return false;
  q->unknown = json_array();
  q->unused = json_array();
  q->known = json_array();
  bool good = q->unknown != NULL && q->unused != NULL && q->known != NULL && add_header(q);
  for (size_t i = 0; good && i < q->count; i++) good = add_row(q, i, reply);
  return good;
}

/* "rows: line 3, column 2: WHAT" is about the second row. */
static void reply_bad_row(const question *q, http_reply *reply, const sotto_error *problem) {
  unsigned long long line = 0, column = 0;
  char where[160] = "rows";
  int used = 0;
  const char *what = problem->text;
  if (sscanf(what, SERVE_ROWS_NAME ": line %llu, column %llu: %n", &line, &column, &used) == 2 && used > 0 &&
      line >= 2) {
    const sotto_schema *s = q->source->schema;
    const char *name = "";
    uint64_t at = 1;
    for (uint64_t j = 0; j < s->column_count; j++)
      if (is_feature(&s->columns[j]) && ++at == column) name = s->columns[j].name;
    (void)snprintf(where, sizeof where, "rows[%llu].%.100s", line - 2, name);
    what += used;
  }
  char text[SOTTO_ERROR_TEXT];
  (void)snprintf(text, sizeof text, "%s", what);
  app_hide_folders(text);
  sotto_text_clean(where, false);
  http_reply_error(reply, problem->status == SOTTO_UNSUPPORTED ? 403 : 400, text, where, row_form);
}

static bool add_list(serve_page *p, const char *name, const json_t *list) {
  if (json_array_size(list) == 0) return true;
  char *text = json_dumps(list, JSON_COMPACT);
  const bool good = text != NULL && add(p, ",\"") && add(p, name) && add(p, "\":") && add(p, text);
  free(text);
  return good;
}

static bool add_start(serve_page *p, const question *q, size_t number) {
  const json_t *id = json_object_get(json_array_get(q->rows, number), q->id);
  char piece[64];
  (void)snprintf(piece, sizeof piece, "%s{\"row\":%zu", number > 0 ? "," : "", number);
  if (!add(p, piece)) return false;
  if (json_is_string(id)) return add(p, ",\"id\":") && serve_add_name(p, json_string_value(id));
  if (!json_is_integer(id)) return true;
  (void)snprintf(piece, sizeof piece, ",\"id\":\"%lld\"", (long long)json_integer_value(id));
  return add(p, piece);
}

static char *write_rows(const char *name, const question *q, const serve_answered *of, size_t classes) {
  serve_page p = {NULL, 0, 0};
  bool good =
      add(&p, "{\"run\":\"") && add(&p, name) && add(&p, "\",\"from\":\"columns alone\",\"answers\":[");
  for (size_t i = 0; good && i < q->count; i++)
    good = add_start(&p, q, i) && serve_add_classes(&p, q->source, of->rows + i * classes, classes, q->top) &&
           add(&p, "}");
  good = good && add(&p, "]") && add_list(&p, "unknown_columns", q->unknown) &&
         add_list(&p, "unused_columns", q->unused) && add_list(&p, "known_ids", q->known);
  if (of->unseen.nodes > 0)
    good = good && add(&p, ",\"unknown_words\":") && serve_add_name(&p, of->unseen.words);
  if (good && add(&p, "}\n")) return p.text;
  free(p.text);
  return NULL;
}

void serve_predict_rows(serve_slot *slot, const serve_source *source, const json_t *body, size_t classes,
                        http_reply *reply) {
  question q = {.source = source};
  serve_answered answered = {.rows = NULL};
  sotto_error problem = {0};
  if (read_rows(&q, body, classes, reply)) {
    const sotto_status status =
        source->answer_rows(source->context, &answered, q.table.text, q.table.size, &problem);
    if (status == SOTTO_OK) {
      http_reply_text(reply, 200, HTTP_JSON, write_rows(slot->name, &q, &answered, classes));
      atomic_fetch_add_explicit(&slot->predictions, q.count, memory_order_relaxed);
    } else if (status == SOTTO_NOMEM || status == SOTTO_IO || status == SOTTO_CORRUPT) {
      serve_reply_failure(reply, status, &problem);
    } else {
      reply_bad_row(&q, reply, &problem);
    }
  }
  free(answered.rows);
  free(q.table.text);
  json_decref(q.unknown);
  json_decref(q.unused);
  json_decref(q.known);
}
