/* Schemas as YAML: one mapping, with a line for each column. Texts are quoted as in JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "graph/days.h"
#include "graph/schema.h"
#include "graph/transfers.h"
#include "schema_nodes.h"
#include "words.h"

enum { longest_file = 1 << 26, usual_line = 56 /* bytes of a column */ };
static const char first_day[] = "2000-01-01"; /* dates are days since then (cell.h) */

/* A text that grows; once memory lacks, it stays as it is. */
typedef struct writer {
  char *text;
  size_t used, room;
  sotto_error *err;
  sotto_status status;
} writer;

static void put_bytes(writer *w, const char *bytes, size_t size) {
  if (w->status == SOTTO_OK && w->room - w->used <= size)
    w->status = sotto_i_grow(&w->text, &w->room, w->used + size + 1, 1, w->err);
  if (w->status != SOTTO_OK) return;
  memcpy(w->text + w->used, bytes, size);
  w->used += size;
  w->text[w->used] = '\0';
}

static void put(writer *w, const char *text) {
  put_bytes(w, text, strlen(text));
}

/* With all digits, so that answers are the same to the last bit. */
static void put_number(writer *w, double number) {
  char digits[40];
  (void)snprintf(digits, sizeof digits, "%.17g", number);
  put(w, digits);
}

/* Clean text has no control characters. U+FFFE and U+FFFF are escaped: libyaml refuses them in a file. */
static void put_quoted(writer *w, const char *text) {
  put_bytes(w, "\"", 1);
  for (const char *from = text;;) {
    const size_t plain = strcspn(from, "\"\\\xEF");
    put_bytes(w, from, plain);
    from += plain;
    if (*from == '\0') break;
    if (strncmp(from, "\xEF\xBF\xBE", 3) == 0 || strncmp(from, "\xEF\xBF\xBF", 3) == 0) {
      put(w, from[2] == '\xBE' ? "\\uFFFE" : "\\uFFFF");
      from += 3;
      continue;
    }
    if (*from == '"' || *from == '\\') put_bytes(w, "\\", 1);
    put_bytes(w, from++, 1);
  }
  put_bytes(w, "\"", 1);
}

static void put_list(writer *w, const char *key, const sotto_names *names) {
  put(w, key);
  put(w, ": [");
  for (uint64_t i = 0; i < names->count; i++) {
    if (i > 0) put(w, ", ");
    put_quoted(w, sotto_name(names, i));
  }
  put(w, "]");
}

static void put_numbers(writer *w, const char *key, const double *numbers, uint64_t count) {
  put(w, key);
  for (uint64_t i = 0; i < count; i++) {
    if (i > 0) put(w, ", ");
    put_number(w, numbers[i]);
  }
  put(w, "]");
}

/* A mean as numbers; a declared value as it is in a cell, but for days. */
static void put_fill(writer *w, const sotto_schema_column *c) {
  uint64_t word = 0;
  if (c->fill == NULL) return;
  while (word + 1 < c->feature_count && c->fill[word] != 1) word++;
  if (c->missing != SOTTO_MISSING_VALUE || c->kind == SOTTO_COLUMN_DATE) {
    put_numbers(w, ", fill: [", c->fill, c->feature_count);
  } else if (c->kind == SOTTO_COLUMN_CATEGORY) {
    put(w, ", fill: ");
    put_quoted(w, sotto_name(&c->words, word));
  } else {
    put(w, ", fill: ");
    put_number(w, c->fill[0]);
  }
}

static void put_column(writer *w, const sotto_schema *schema, const sotto_schema_column *c) {
  const double *means = schema->moments;
  put(w, "- {name: ");
  put_quoted(w, c->name);
  put(w, ", type: ");
  put(w, sotto_schema_type(c->kind));
  if (sotto_i_column_is_feature(c->kind)) {
    put(w, ", missing: ");
    put(w, sotto_schema_missing(c->missing));
  }
  if (c->kind == SOTTO_COLUMN_DATE) {
    put(w, ", since: ");
    put(w, first_day);
  }
  if (c->kind == SOTTO_COLUMN_CATEGORY) put_list(w, ", words", &c->words);
  put_fill(w, c);
  if (means != NULL && c->feature_count > 0) {
    put_numbers(w, ", mean: [", means + c->first, c->feature_count);
    put_numbers(w, ", variance: [", means + schema->feature_count + c->first, c->feature_count);
  }
  put(w, "}\n");
}

sotto_status sotto_schema_yaml(char **out, const sotto_schema *schema, sotto_error *err) {
  writer w = {.err = err, .status = SOTTO_OK};
  w.status = sotto_i_grow(&w.text, &w.room, usual_line * (size_t)(schema->column_count + 1), 1, err);
  put(&w, "sotto-schema: 1\n");
  if (!schema->stated) put(&w, "stated: no\n");
  if (schema->edgeless) put(&w, "edges: none\n");
  if (schema->source != NULL) {
    put(&w, "edges: {source: ");
    put_quoted(&w, schema->source);
    put(&w, ", target: ");
    put_quoted(&w, schema->target);
    put(&w, "}\n");
  }
  if (schema->classes.count > 0) {
    put_list(&w, "classes", &schema->classes);
    put(&w, "\n");
  }
  if (schema->kinds.count > 0) {
    put_list(&w, "kinds", &schema->kinds);
    put(&w, "\n");
  }
  put(&w, schema->column_count == 0 ? "columns: []\n" : "columns:\n");
  for (uint64_t j = 0; j < schema->column_count; j++) put_column(&w, schema, &schema->columns[j]);
  *out = w.status == SOTTO_OK ? w.text : NULL;
  if (w.status != SOTTO_OK) sotto_i_free(w.text);
  return w.status;
}

typedef sotto_i_yaml_node node;

typedef struct reader {
  sotto_i_yaml tree;
  sotto_i_texts texts; /* of the tree that were brought to the form of cells */
  const char *file;
  sotto_schema *schema;
  double *numbers[3]; /* means and variances of the features so far; what fills the column at hand */
  size_t count[3], room[3];
} reader;

static sotto_status refuse(const reader *r, const node *at, const char *what, sotto_error *err) {
  return sotto_i_fail(err, SOTTO_PARSE, "%s: line %llu: %s", r->file, (unsigned long long)at->line, what);
}

static const node *child(const reader *r, const node *of) {
  return of->first == 0 ? NULL : &r->tree.nodes[of->first];
}

static const node *next(const reader *r, const node *of) {
  return of->next == 0 ? NULL : &r->tree.nodes[of->next];
}

/* The node of each of the keys, up to a NULL, in a mapping; it stays NULL where there is none. */
static sotto_status find_keys(const node **found, const reader *r, const node *of, const char *const *keys,
                              sotto_error *err) {
  if (of->kind != SOTTO_I_YAML_MAPPING) return refuse(r, of, "is not a mapping of keys to values", err);
  for (const node *value = child(r, of); value != NULL; value = next(r, value)) {
    size_t k = 0;
    while (keys[k] != NULL && strcmp(keys[k], value->key) != 0) k++;
    if (keys[k] == NULL)
      return sotto_i_fail(err, SOTTO_PARSE, "%s: line %llu: '%.40s' is no key of a schema here", r->file,
                          (unsigned long long)value->line, value->key);
    if (found[k] != NULL) return refuse(r, value, "a key stands twice", err);
    found[k] = value;
  }
  return SOTTO_OK;
}

typedef struct listed {
  const node *at;
} listed;

static int by_text(const void *a, const void *b) {
  const node *x = ((const listed *)a)->at, *y = ((const listed *)b)->at;
  const int order = strcmp(x->text, y->text);
  return order != 0 ? order : (x > y) - (x < y);
}

/* A list of texts, each once. */
static sotto_status check_list(const reader *r, const node *list, sotto_error *err) {
  listed *all = NULL;
  size_t count = 0, room = 0;
  sotto_status status = SOTTO_OK;
  if (list->kind != SOTTO_I_YAML_LIST) return refuse(r, list, "is not a list of words", err);
  for (const node *one = child(r, list); one != NULL; one = next(r, one)) {
    SOTTO_TRY(one->text == NULL ? refuse(r, one, "is not a word", err) : SOTTO_OK);
    SOTTO_TRY(sotto_i_grow(&all, &room, count + 1, sizeof *all, err));
    all[count++].at = one;
  }
  if (count > 0) qsort(all, count, sizeof *all, by_text);
  for (size_t i = 1; i < count; i++)
    if (strcmp(all[i].at->text, all[i - 1].at->text) == 0)
      SOTTO_TRY(refuse(r, all[i].at, "a word stands twice", err));
done:
  sotto_i_free(all);
  return status;
}

static sotto_status read_list(sotto_i_names_maker *out, const reader *r, const node *list, sotto_error *err) {
  sotto_status status = check_list(r, list, err);
  for (const node *one = child(r, list); status == SOTTO_OK && one != NULL; one = next(r, one)) {
    status = sotto_i_names_add(out, one->text, strlen(one->text), err);
    if (status == SOTTO_PARSE)
      sotto_i_error_prefix(err, "%s: line %llu: a word", r->file, (unsigned long long)one->line);
  }
  return status;
}

/* Adds one number for each feature of the column that was added last: means, variances, or what fills. */
static sotto_status read_numbers(reader *r, int which, const node *list, sotto_error *err) {
  const sotto_schema_column *c = &r->schema->columns[r->schema->column_count - 1];
  uint64_t count = 0;
  if (list->kind == SOTTO_I_YAML_LIST)
    for (const node *one = child(r, list); one != NULL; one = next(r, one)) count++;
  if (list->kind != SOTTO_I_YAML_LIST || count != c->feature_count)
    return refuse(r, list, "is not a list of one number for each feature", err);
  for (const node *one = child(r, list); one != NULL; one = next(r, one)) {
    double number;
    if (one->text == NULL || sotto_i_parse_double(&number, one->text, "", NULL) != SOTTO_OK ||
        !isfinite(number) || (which == 1 && number < 0))
      return refuse(r, one, "is no mean or variance", err);
    const sotto_status status = sotto_i_grow(&r->numbers[which], &r->room[which], r->count[which] + 1,
                                             sizeof *r->numbers[which], err);
    if (status != SOTTO_OK) return status;
    r->numbers[which][r->count[which]++] = number;
  }
  return SOTTO_OK;
}

/* A declared value as it stands in a cell: a word of the category, a day, a number. */
static sotto_status read_value(reader *r, const char *text, const node *at, sotto_error *err) {
  const sotto_schema_column *c = &r->schema->columns[r->schema->column_count - 1];
  const size_t count = (size_t)c->feature_count;
  bool found = false;
  sotto_status status;
  SOTTO_TRY(sotto_i_grow(&r->numbers[2], &r->room[2], count + 1, sizeof *r->numbers[2], err));
  if (c->kind == SOTTO_COLUMN_CATEGORY) {
    for (size_t i = 0; i < count; i++) {
      const bool is = strcmp(sotto_name(&c->words, i), text) == 0;
      r->numbers[2][i] = is;
      found = found || is;
    }
  } else {
    found =
        c->kind == SOTTO_COLUMN_DATE
            ? strlen(text) == SOTTO_I_DAY_SIZE &&
                  sotto_i_day_parse(r->numbers[2], (const uint8_t *)text, strlen(text))
            : sotto_i_parse_double(r->numbers[2], text, "", NULL) == SOTTO_OK && isfinite(r->numbers[2][0]);
    if (c->kind == SOTTO_COLUMN_FLAG) found = found && (r->numbers[2][0] == 0 || r->numbers[2][0] == 1);
  }
  r->count[2] = count;
  if (!found) status = refuse(r, at, "fills a column of this type with no value of it", err);
done:
  return status;
}

/* A rule by statistics keeps their values, and a declared value is there. */
static sotto_status read_fill(reader *r, const node *at, const node *column, sotto_error *err) {
  const sotto_schema_column *c = &r->schema->columns[r->schema->column_count - 1];
  const char *text = at == NULL ? NULL : at->text;
  sotto_status status;
  if (at == NULL && c->missing == SOTTO_MISSING_VALUE && c->feature_count > 0)
    return refuse(r, column, "missing: value needs the value, as in fill: 40", err);
  if (at == NULL) return SOTTO_OK;
  if (c->missing != SOTTO_MISSING_VALUE && c->missing != SOTTO_MISSING_MEAN)
    return refuse(r, at, "fill goes with missing: value, and with missing: mean", err);
  r->count[2] = 0;
  if (text != NULL && c->missing == SOTTO_MISSING_VALUE && c->feature_count > 0)
    SOTTO_TRY(read_value(r, text, at, err));
  else
    SOTTO_TRY(read_numbers(r, 2, at, err));
  status = sotto_i_schema_set_fill(r->schema, r->numbers[2], err);
done:
  return status;
}

/* All features have both numbers, or none has. */
static sotto_status set_moments(reader *r, sotto_error *err) {
  const size_t features = (size_t)r->schema->feature_count;
  sotto_status status;
  if (r->count[0] == 0 && r->count[1] == 0) return SOTTO_OK;
  if (r->count[0] != features || r->count[1] != features)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: some features have a mean and a variance, and others have not",
                        r->file);
  SOTTO_TRY(sotto_i_grow(&r->numbers[0], &r->room[0], 2 * features, sizeof *r->numbers[0], err));
  memcpy(r->numbers[0] + features, r->numbers[1], features * sizeof *r->numbers[0]);
  status = sotto_i_schema_set_moments(r->schema, r->numbers[0], err);
done:
  return status;
}

static sotto_status read_missing(sotto_missing *out, const reader *r, const node *at, sotto_error *err) {
  if (at == NULL) return *out = SOTTO_MISSING_REFUSE, SOTTO_OK;
  const char *word = at->text;
  for (size_t i = 0; word != NULL && sotto_i_missing_rules[i] != NULL; i++)
    if (strcmp(sotto_i_missing_rules[i], word) == 0) return *out = (sotto_missing)i, SOTTO_OK;
  return refuse(r, at, "missing is refuse, mean, zero or value", err);
}

static sotto_status read_kind(sotto_column_kind *kind, const reader *r, const node *at, sotto_error *err) {
  const char *word = at->text;
  if (word == NULL || !sotto_i_column_type_find(kind, word, strlen(word)))
    return refuse(r, at, "type is number, date, category, flag, label, outcome, id, split or drop", err);
  const bool alone = sotto_i_column_is_alone(*kind);
  for (uint64_t j = 0; alone && j < r->schema->column_count; j++)
    if (r->schema->columns[j].kind == *kind) return refuse(r, at, "is a second column of this type", err);
  return SOTTO_OK;
}

static sotto_status read_column(reader *r, const node *at, sotto_error *err) {
  enum { NAME, TYPE, MISSING, SINCE, WORDS, FILL, MEAN, VARIANCE, KEYS };
  static const char *const keys[KEYS + 1] = {"name", "type", "missing",  "since", "words",
                                             "fill", "mean", "variance", NULL};
  const node *found[KEYS] = {NULL};
  sotto_column_kind kind = SOTTO_COLUMN_UNUSED;
  sotto_missing missing = SOTTO_MISSING_REFUSE;
  sotto_i_names_maker words = {0};
  sotto_status status = find_keys(found, r, at, keys, err);
  if (status != SOTTO_OK) return status;
  if (found[NAME] == NULL || found[TYPE] == NULL)
    return refuse(r, at, "a column needs a name and a type", err);
  const char *name = found[NAME]->text;
  if (name == NULL) return refuse(r, found[NAME], "is not the name of a column", err);
  if (sotto_i_schema_find(r->schema, name, strlen(name)) != NULL)
    return refuse(r, found[NAME], "a column stands twice", err);
  SOTTO_TRY(read_kind(&kind, r, found[TYPE], err));
  SOTTO_TRY(read_missing(&missing, r, found[MISSING], err));
  if ((kind == SOTTO_COLUMN_CATEGORY) != (found[WORDS] != NULL))
    return refuse(r, at, "a category has words, and no other type has", err);
  if (found[WORDS] != NULL) SOTTO_TRY(read_list(&words, r, found[WORDS], err));
  if (found[SINCE] != NULL && (kind != SOTTO_COLUMN_DATE || found[SINCE]->text == NULL ||
                               strcmp(found[SINCE]->text, first_day) != 0)) {
    status = refuse(r, found[SINCE], "since is for dates, and is 2000-01-01", err);
    goto done;
  }
  status = sotto_i_schema_add(r->schema, name, kind, missing, &words, err);
  if (status == SOTTO_PARSE)
    sotto_i_error_prefix(err, "%s: line %llu: a name", r->file, (unsigned long long)found[NAME]->line);
  if (status == SOTTO_OK) status = read_fill(r, found[FILL], at, err);
  for (int which = 0; status == SOTTO_OK && which < 2; which++)
    if (found[MEAN + which] != NULL) status = read_numbers(r, which, found[MEAN + which], err);
done:
  sotto_i_names_maker_free(&words);
  return status;
}

static sotto_status read_ends(reader *r, const node *at, sotto_error *err) {
  static const char *const keys[] = {"source", "target", NULL};
  const node *found[2] = {NULL};
  if (at->text != NULL && strcmp(at->text, "none") == 0) return r->schema->edgeless = true, SOTTO_OK;
  const sotto_status status = find_keys(found, r, at, keys, err);
  if (status != SOTTO_OK) return status;
  if (found[0] == NULL || found[1] == NULL || found[0]->text == NULL || found[1]->text == NULL)
    return refuse(r, at, "edges have a source and a target, or are none", err);
  return sotto_i_schema_set_ends(r->schema, found[0]->text, found[1]->text, err);
}

static sotto_status read_names(sotto_names *out, const reader *r, const node *at, sotto_error *err) {
  sotto_i_names_maker maker = {0};
  sotto_status status;
  SOTTO_TRY(read_list(&maker, r, at, err));
  SOTTO_TRY(sotto_i_names_finish(out, &maker, err));
done:
  sotto_i_names_maker_free(&maker);
  return status;
}

static sotto_status read_kinds(reader *r, const node *at, sotto_error *err) {
  const sotto_status status = read_names(&r->schema->kinds, r, at, err);
  const uint64_t count = r->schema->kinds.count;
  if (status != SOTTO_OK || (count >= 1 && count <= SOTTO_I_MOST_KINDS)) return status;
  return refuse(r, at, "kinds are 1 to 16 names; join the rare ones under one name", err);
}

static sotto_status read_document(reader *r, sotto_error *err) {
  enum { VERSION, STATED, EDGES, CLASSES, KINDS, COLUMNS, KEYS };
  static const char *const keys[KEYS + 1] = {"sotto-schema", "stated",  "edges", "classes",
                                             "kinds",        "columns", NULL};
  const node *found[KEYS] = {NULL}, *root = &r->tree.nodes[1];
  sotto_status status;
  SOTTO_TRY(find_keys(found, r, root, keys, err));
  if (found[VERSION] == NULL || found[VERSION]->text == NULL || strcmp(found[VERSION]->text, "1") != 0)
    return refuse(r, found[VERSION] == NULL ? root : found[VERSION], "is not sotto-schema: 1", err);
  if (found[COLUMNS] == NULL || found[COLUMNS]->kind != SOTTO_I_YAML_LIST)
    return refuse(r, found[COLUMNS] == NULL ? root : found[COLUMNS], "columns is a list of columns", err);
  if (found[STATED] != NULL) {
    const char *word = found[STATED]->text;
    if (word == NULL || (strcmp(word, "no") != 0 && strcmp(word, "yes") != 0))
      return refuse(r, found[STATED], "stated is yes or no", err);
    r->schema->stated = word[0] == 'y';
  }
  if (found[EDGES] != NULL) SOTTO_TRY(read_ends(r, found[EDGES], err));
  if (found[CLASSES] != NULL) SOTTO_TRY(read_names(&r->schema->classes, r, found[CLASSES], err));
  if (found[KINDS] != NULL) SOTTO_TRY(read_kinds(r, found[KINDS], err));
  size_t count = 0;
  for (const node *column = child(r, found[COLUMNS]); column != NULL; column = next(r, column)) count++;
  SOTTO_TRY(sotto_i_schema_reserve(r->schema, count, err));
  for (const node *column = child(r, found[COLUMNS]); column != NULL; column = next(r, column))
    SOTTO_TRY(read_column(r, column, err));
  status = set_moments(r, err);
done:
  return status;
}

/* Names and words are compared with those of tables, and have their form: an editor may write another. */
static sotto_status settle_texts(reader *r, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (size_t i = 1; status == SOTTO_OK && i < r->tree.count; i++)
    if (r->tree.nodes[i].text != NULL && !r->tree.nodes[i].settled)
      status = sotto_i_text_settle(&r->tree.nodes[i].text, &r->texts, err);
  return status;
}

sotto_status sotto_schema_parse(sotto_schema **out, const char *file, const void *text, size_t size,
                                sotto_error *err) {
  reader r = {.file = file};
  sotto_status status;
  *out = NULL;
  if (size > longest_file) return sotto_i_fail(err, SOTTO_PARSE, "%s: is too long for a schema", file);
  SOTTO_TRY(sotto_i_yaml_read(&r.tree, file, text, size, err));
  SOTTO_TRY(settle_texts(&r, err));
  SOTTO_TRY(sotto_i_schema_new(&r.schema, err));
  SOTTO_TRY(read_document(&r, err));
  *out = r.schema;
  r.schema = NULL;
done:
  sotto_schema_free(r.schema);
  for (size_t i = 0; i < sizeof r.numbers / sizeof *r.numbers; i++) sotto_i_free(r.numbers[i]);
  sotto_i_yaml_free(&r.tree);
  sotto_i_texts_free(&r.texts);
  return status;
}

sotto_status sotto_schema_read(sotto_schema **out, const char *path, sotto_error *err) {
  sotto_i_map map;
  *out = NULL;
  sotto_status status = sotto_i_map_open(&map, path, err);
  if (status != SOTTO_OK) return status;
  status = sotto_schema_parse(out, path, map.data, map.size, err);
  sotto_i_map_close(&map);
  return status;
}
