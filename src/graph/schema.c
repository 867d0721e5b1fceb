/* Schemas: columns in the order of their table, with their types and words. */
#include "schema.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Names of columns, one behind the other: a block for each took most of the time of a wide schema. */
typedef struct texts {
  struct texts *next;
  size_t used, room;
  char bytes[];
} texts;
enum { first_texts = 256, largest_texts = 1 << 16 };

/* What is behind a schema: the columns can still grow. */
typedef struct built {
  sotto_schema view; /* first: the schema is the whole */
  sotto_schema_column *columns;
  size_t room;
  texts *texts; /* owned; the one with room comes first */
  /* look-up by name: slots with 1 + the number of a column, 0 where free; a power of two, at most half full
   */
  uint32_t *slots;
  size_t slot_count;
} built;

/* A copy of the text, up to the end of the schema. */
static sotto_status keep_text(const char **out, built *b, const char *text, size_t size, sotto_error *err) {
  texts *t = b->texts;
  if (t == NULL || t->room - t->used <= size) {
    size_t room = t == NULL ? first_texts : t->room < largest_texts ? 2 * t->room : largest_texts;
    if (room <= size) room = size + 1;
    const sotto_status status = sotto_i_new_raw(&t, sizeof *t + room, 1, err);
    if (status != SOTTO_OK) return status;
    t->next = b->texts;
    t->used = 0;
    t->room = room;
    b->texts = t;
  }
  *out = memcpy(t->bytes + t->used, text, size);
  t->bytes[t->used + size] = '\0';
  t->used += size + 1;
  return SOTTO_OK;
}

/* Eight bytes at a time; the last multiplication spreads the last ones over all bits. */
static uint64_t hash_of(const char *name, size_t size) {
  const uint64_t odd = 0x9E3779B97F4A7C15ULL;
  uint64_t hash = size, word = 0;
  for (; size >= 8; size -= 8, name += 8) {
    memcpy(&word, name, 8);
    hash = (hash ^ word) * odd;
    hash ^= hash >> 32;
  }
  for (word = 0; size > 0; size--) word = word << 8 | (uint8_t)name[size - 1];
  hash = (hash ^ word) * odd;
  hash = (hash ^ hash >> 32) * odd;
  return hash ^ hash >> 32;
}

/* Where the name is, or where it would go. */
static size_t slot_of(const built *b, const char *name, size_t size) {
  for (size_t at = (size_t)hash_of(name, size);; at++) {
    const uint32_t number = b->slots[at &= b->slot_count - 1];
    const char *own = number == 0 ? NULL : b->columns[number - 1].name;
    if (own == NULL || (strlen(own) == size && memcmp(own, name, size) == 0)) return at;
  }
}

/* Of columns with one name the first is found. */
static void index_column(built *b, size_t number) {
  const char *name = b->columns[number].name;
  uint32_t *slot = &b->slots[slot_of(b, name, strlen(name))];
  if (*slot == 0) *slot = (uint32_t)number + 1;
}

static sotto_status make_slots(built *b, size_t columns, sotto_error *err) {
  size_t count = b->slot_count < 16 ? 16 : b->slot_count;
  uint32_t *slots = NULL;
  if (b->slot_count >= 2 * columns) return SOTTO_OK;
  while (count < 2 * columns) count *= 2;
  const sotto_status status = sotto_i_new(&slots, count, sizeof *slots, err);
  if (status != SOTTO_OK) return status;
  sotto_i_free(b->slots);
  b->slots = slots;
  b->slot_count = count;
  for (size_t j = 0; j < b->view.column_count; j++) index_column(b, j);
  return SOTTO_OK;
}

const sotto_i_column_type sotto_i_column_types[] = {
    {"number", SOTTO_COLUMN_NUMBER}, {"date", SOTTO_COLUMN_DATE},   {"category", SOTTO_COLUMN_CATEGORY},
    {"flag", SOTTO_COLUMN_FLAG},     {"label", SOTTO_COLUMN_LABEL}, {"outcome", SOTTO_COLUMN_OUTCOME},
    {"id", SOTTO_COLUMN_ID},         {"split", SOTTO_COLUMN_SPLIT}, {"drop", SOTTO_COLUMN_UNUSED},
    {NULL, SOTTO_COLUMN_UNUSED}};

bool sotto_i_column_type_find(sotto_column_kind *out, const char *word, size_t size) {
  for (const sotto_i_column_type *t = sotto_i_column_types; t->word != NULL; t++)
    if (strlen(t->word) == size && memcmp(t->word, word, size) == 0) return *out = t->kind, true;
  return false;
}

const char *sotto_schema_type(sotto_column_kind kind) {
  const sotto_i_column_type *t = sotto_i_column_types;
  while (t->word != NULL && t->kind != kind) t++;
  return t->word == NULL ? "drop" : t->word;
}

const char *const sotto_i_missing_rules[] = {"refuse", "mean", "zero", "value", NULL};

const char *sotto_schema_missing(sotto_missing rule) {
  return (size_t)rule < sizeof sotto_i_missing_rules / sizeof *sotto_i_missing_rules - 1
             ? sotto_i_missing_rules[rule]
             : "refuse";
}

sotto_status sotto_i_schema_new(sotto_schema **out, sotto_error *err) {
  built *made = NULL;
  const sotto_status status = sotto_i_new(&made, 1, sizeof *made, err);
  *out = NULL;
  if (status != SOTTO_OK) return status;
  made->view.stated = true;
  *out = &made->view;
  return SOTTO_OK;
}

sotto_status sotto_i_schema_reserve(sotto_schema *schema, size_t columns, sotto_error *err) {
  built *b = (built *)schema;
  const sotto_status status = sotto_i_grow(&b->columns, &b->room, columns, sizeof *b->columns, err);
  b->view.columns = b->columns;
  return status == SOTTO_OK ? make_slots(b, columns, err) : status;
}

sotto_status sotto_i_schema_add(sotto_schema *schema, const char *name, sotto_column_kind kind,
                                sotto_missing missing, sotto_i_names_maker *words, sotto_error *err) {
  built *b = (built *)schema;
  const size_t count = (size_t)b->view.column_count;
  const size_t size = strlen(name);
  const char *copy = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_name_check(name, size, err));
  SOTTO_TRY(sotto_i_schema_reserve(schema, count + 1, err));
  SOTTO_TRY(keep_text(&copy, b, name, size, err));
  sotto_schema_column *added = &b->columns[count];
  *added =
      (sotto_schema_column){.name = copy, .kind = kind, .missing = missing, .first = b->view.feature_count};
  b->view.column_count++;
  index_column(b, count);
  if (kind == SOTTO_COLUMN_CATEGORY && words != NULL)
    SOTTO_TRY(sotto_i_names_finish(&added->words, words, err));
  if (sotto_i_column_is_feature(kind))
    added->feature_count = kind == SOTTO_COLUMN_CATEGORY ? added->words.count : 1;
  b->view.feature_count += added->feature_count;
done:
  return status;
}

sotto_status sotto_i_schema_set_ends(sotto_schema *schema, const char *source, const char *target,
                                     sotto_error *err) {
  char *from = NULL, *to = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_name_check(source, strlen(source), err));
  SOTTO_TRY(sotto_i_name_check(target, strlen(target), err));
  SOTTO_TRY(sotto_i_strdup(&from, source, err));
  SOTTO_TRY(sotto_i_strdup(&to, target, err));
  schema->source = from;
  schema->target = to;
  from = NULL;
done:
  sotto_i_free(from);
  return status;
}

sotto_status sotto_i_schema_set_classes(sotto_schema *schema, const sotto_names *classes, sotto_error *err) {
  sotto_i_names_free(&schema->classes);
  return sotto_i_names_take(&schema->classes, classes, NULL, 0, err);
}

sotto_status sotto_i_schema_set_kinds(sotto_schema *schema, const sotto_names *kinds, sotto_error *err) {
  sotto_i_names_free(&schema->kinds);
  return sotto_i_names_take(&schema->kinds, kinds, NULL, 0, err);
}

sotto_status sotto_i_schema_set_fill(sotto_schema *schema, const double *fill, sotto_error *err) {
  built *b = (built *)schema;
  sotto_schema_column *c = &b->columns[schema->column_count - 1];
  double *copy = NULL;
  const sotto_status status = sotto_i_new_raw(&copy, (size_t)c->feature_count, sizeof *copy, err);
  if (status != SOTTO_OK) return status;
  if (c->feature_count > 0) memcpy(copy, fill, (size_t)c->feature_count * sizeof *copy);
  sotto_i_free((void *)(uintptr_t)c->fill);
  c->fill = copy;
  return SOTTO_OK;
}

sotto_status sotto_i_schema_set_moments(sotto_schema *schema, const double *moments, sotto_error *err) {
  const size_t count = 2 * (size_t)schema->feature_count;
  double *copy = NULL;
  const sotto_status status = sotto_i_new_raw(&copy, count, sizeof *copy, err);
  if (status != SOTTO_OK) return status;
  if (count > 0) memcpy(copy, moments, count * sizeof *copy);
  sotto_i_free((void *)(uintptr_t)schema->moments);
  schema->moments = copy;
  return SOTTO_OK;
}

static sotto_status copy_column(sotto_schema *out, const sotto_schema_column *from, sotto_error *err) {
  sotto_i_names_maker words = {0};
  sotto_status status = SOTTO_OK;
  for (uint64_t i = 0; i < from->words.count; i++) {
    const char *word = sotto_name(&from->words, i);
    SOTTO_TRY(sotto_i_names_add(&words, word, strlen(word), err));
  }
  SOTTO_TRY(sotto_i_schema_add(out, from->name, from->kind, from->missing, &words, err));
  if (from->fill != NULL) SOTTO_TRY(sotto_i_schema_set_fill(out, from->fill, err));
done:
  sotto_i_names_maker_free(&words);
  return status;
}

sotto_status sotto_i_schema_copy(sotto_schema **out, const sotto_schema *from, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  *out = NULL;
  if (from == NULL) return SOTTO_OK;
  SOTTO_TRY(sotto_i_schema_new(out, err));
  (*out)->stated = from->stated;
  SOTTO_TRY(sotto_i_schema_reserve(*out, (size_t)from->column_count, err));
  for (uint64_t j = 0; j < from->column_count; j++) SOTTO_TRY(copy_column(*out, &from->columns[j], err));
  if (from->moments != NULL) SOTTO_TRY(sotto_i_schema_set_moments(*out, from->moments, err));
  (*out)->edgeless = from->edgeless;
  if (from->source != NULL) SOTTO_TRY(sotto_i_schema_set_ends(*out, from->source, from->target, err));
  SOTTO_TRY(sotto_i_schema_set_classes(*out, &from->classes, err));
  status = sotto_i_schema_set_kinds(*out, &from->kinds, err);
done:
  if (status != SOTTO_OK) {
    sotto_schema_free(*out);
    *out = NULL;
  }
  return status;
}

void sotto_schema_free(sotto_schema *schema) {
  built *b = (built *)schema;
  if (b == NULL) return;
  for (uint64_t j = 0; j < b->view.column_count; j++) {
    sotto_i_names_free(&b->columns[j].words);
    sotto_i_free((void *)(uintptr_t)b->columns[j].fill);
  }
  sotto_i_free(b->columns);
  sotto_i_free(b->slots);
  while (b->texts != NULL) {
    texts *next = b->texts->next;
    sotto_i_free(b->texts);
    b->texts = next;
  }
  sotto_i_free((void *)(uintptr_t)b->view.source);
  sotto_i_free((void *)(uintptr_t)b->view.target);
  sotto_i_free((void *)(uintptr_t)b->view.moments);
  sotto_i_names_free(&b->view.classes);
  sotto_i_names_free(&b->view.kinds);
  sotto_i_free(b);
}

const sotto_schema_column *sotto_i_schema_find(const sotto_schema *schema, const char *name, size_t size) {
  const built *b = (const built *)schema;
  const uint32_t number = b->slot_count == 0 ? 0 : b->slots[slot_of(b, name, size)];
  return number == 0 ? NULL : &b->columns[number - 1];
}

/* Adds NAME, or NAME=WORD. */
static sotto_status add_feature(sotto_i_names_maker *maker, const char *name, const char *word,
                                sotto_error *err) {
  char *text = NULL;
  if (word == NULL) return sotto_i_names_add(maker, name, strlen(name), err);
  const size_t size = strlen(name) + strlen(word) + 1;
  sotto_status status = sotto_i_new(&text, size + 1, 1, err);
  if (status != SOTTO_OK) return status;
  (void)snprintf(text, size + 1, "%s=%s", name, word);
  status = sotto_i_names_add(maker, text, size, err);
  sotto_i_free(text);
  return status;
}

sotto_status sotto_i_schema_features(sotto_names *out, const sotto_schema *schema, sotto_error *err) {
  sotto_i_names_maker maker = {0};
  sotto_status status = SOTTO_OK;
  *out = (sotto_names){0};
  for (uint64_t j = 0; j < schema->column_count; j++) {
    const sotto_schema_column *c = &schema->columns[j];
    for (uint64_t i = 0; i < c->feature_count; i++)
      SOTTO_TRY(add_feature(&maker, c->name, sotto_name(&c->words, i), err));
  }
  if (maker.count > 0) status = sotto_i_names_finish(out, &maker, err);
done:
  sotto_i_names_maker_free(&maker);
  return status;
}
