/* Names of columns and classes of several owners, joined into one list. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "graph/io/csv.h"
#include "graph/io/words.h"
#include "naming.h"

/* A name of a column. NAME=WORD is a word of the category NAME; another name is a column of numbers. */
typedef struct item {
  const char *text;
  size_t base;    /* bytes of NAME */
  bool category;  /* a word follows */
  uint32_t place; /* of NAME in the first owner's table */
  bool number;    /* all words of the category are whole numbers */
  int64_t value;
} item;

static item item_of(const char *text) {
  const char *equals = strchr(text, '=');
  return (item){.text = text,
                .base = equals == NULL ? strlen(text) : (size_t)(equals - text),
                .category = equals != NULL};
}

static const char *word_of(const item *i) {
  return i->category ? i->text + i->base + 1 : i->text;
}

/* Columns of a table: NAMEs in their order, each with its kind. */
typedef struct table {
  sotto_i_ids bases;
  bool *category;
} table;

static sotto_status table_of(table *out, const sotto_names *names, sotto_error *err) {
  sotto_status status;
  sotto_i_ids_init(&out->bases);
  SOTTO_TRY(sotto_i_new(&out->category, names->count, sizeof *out->category, err));
  for (uint64_t i = 0; i < names->count; i++) {
    const item column = item_of(sotto_name(names, i));
    const sotto_i_field base = {(const uint8_t *)column.text, column.base};
    if (sotto_i_ids_find(&out->bases, &base) != UINT32_MAX) continue;
    out->category[out->bases.count] = column.category;
    SOTTO_TRY(sotto_i_ids_add(&out->bases, &base, err));
  }
done:
  return status;
}

static void table_free(table *t) {
  sotto_i_ids_free(&t->bases);
  sotto_i_free(t->category);
}

enum { most_listed = 5, room = 600 };

/* Writes the first columns of `of` that `other` lacks; how many it lacks. */
static size_t list_missing(char *out, const table *of, const table *other) {
  size_t used = 0, count = 0;
  out[0] = '\0';
  for (size_t i = 0; i < of->bases.count; i++) {
    const sotto_i_field *base = &of->bases.names[i];
    if (sotto_i_ids_find(&other->bases, base) != UINT32_MAX) continue;
    if (count++ < most_listed)
      used += (size_t)snprintf(out + used, room - used, "%s'%.*s'", used == 0 ? "" : ", ",
                               (int)(base->size < 60 ? base->size : 60), (const char *)base->text);
  }
  if (count > most_listed) (void)snprintf(out + used, room - used, " and %zu more", count - most_listed);
  return count;
}

static sotto_status check_columns(const table *known, const char *first, const table *said, const char *who,
                                  sotto_error *err) {
  char lacks[room], more[room];
  const size_t lacking = list_missing(lacks, known, said), adding = list_missing(more, said, known);
  if (lacking > 0 && adding > 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "columns: %s has no %s, and %s has no %s. Give all tables the same columns, by name",
                        who, lacks, first, more);
  if (lacking > 0 || adding > 0)
    return sotto_i_fail(err, SOTTO_INVALID, "columns: %s has no %s, which %s has. Add it, or drop it there",
                        lacking > 0 ? who : first, lacking > 0 ? lacks : more, lacking > 0 ? first : who);
  for (size_t i = 0; i < known->bases.count; i++) {
    const sotto_i_field *base = &known->bases.names[i];
    const bool there = said->category[sotto_i_ids_find(&said->bases, base)];
    if (there == known->category[i]) continue;
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "columns: '%.*s' is %s at %s, and %s at %s. State its type (`types`) where it is wrong",
        (int)(base->size < 60 ? base->size : 60), (const char *)base->text, there ? "a category" : "a number",
        who, there ? "a number" : "a category", first);
  }
  return SOTTO_OK;
}

static bool is_among(const sotto_names *names, const char *name) {
  for (uint64_t i = 0; i < names->count; i++)
    if (strcmp(sotto_name(names, i), name) == 0) return true;
  return false;
}

/* A date is days, which no other number is. */
static sotto_status check_dates(const sotto_i_naming *a, const char *first, const sotto_i_naming *b,
                                const char *second, sotto_error *err) {
  if (!a->typed || !b->typed) return SOTTO_OK;
  for (uint64_t i = 0; i < a->dates.count; i++) {
    const char *name = sotto_name(&a->dates, i);
    if (is_among(&b->dates, name)) continue;
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "columns: '%.60s' is a date at %s, and none at %s. State its type (`types`) where it is wrong", name,
        first, second);
  }
  return SOTTO_OK;
}

/* Words that differ in capitals alone mean one thing, and would be two. */
static sotto_status check_capitals(const item *items, size_t count, const char *what, sotto_error *err) {
  sotto_i_ids seen;
  sotto_i_texts texts = {0};
  uint32_t *of = NULL;
  sotto_status status;
  sotto_i_ids_init(&seen);
  SOTTO_TRY(sotto_i_new(&of, count, sizeof *of, err));
  for (size_t i = 0; i < count; i++) {
    sotto_i_field low;
    SOTTO_TRY(sotto_i_texts_copy(&texts, &low, items[i].text, strlen(items[i].text), err));
    uint8_t *bytes = (uint8_t *)(uintptr_t)low.text;
    for (size_t j = items[i].category ? items[i].base : 0; j < low.size; j++)
      if (bytes[j] >= 'A' && bytes[j] <= 'Z') bytes[j] = (uint8_t)(bytes[j] + 'a' - 'A');
    const uint32_t at = sotto_i_ids_find(&seen, &low);
    if (at == UINT32_MAX) {
      of[seen.count] = (uint32_t)i;
      SOTTO_TRY(sotto_i_ids_add(&seen, &low, err));
    } else if (strcmp(items[of[at]].text, items[i].text) != 0) {
      status =
          sotto_i_fail(err, SOTTO_INVALID,
                       "%s: '%.60s' and '%.60s' differ in capitals alone. Write them alike in all tables",
                       what, items[of[at]].text, items[i].text);
      goto done;
    }
  }
done:
  sotto_i_ids_free(&seen);
  sotto_i_texts_free(&texts);
  sotto_i_free(of);
  return status;
}

static int by_place(const void *left, const void *right) {
  const item *a = left, *b = right;
  if (a->place != b->place) return (a->place > b->place) - (a->place < b->place);
  if (a->number && a->value != b->value) return (a->value > b->value) - (a->value < b->value);
  return strcmp(word_of(a), word_of(b));
}

/* Sorts by place and word, and keeps each name once. Words are sorted by value where all of a place are whole
 * numbers. */
static sotto_status sort_items(sotto_names *out, item *items, size_t count, size_t places, sotto_error *err) {
  sotto_i_names_maker maker = {0};
  bool *other = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&other, places, sizeof *other, err));
  for (size_t i = 0; i < count; i++) {
    const char *word = word_of(&items[i]);
    if (!sotto_i_text_integer((const uint8_t *)word, strlen(word), &items[i].value))
      other[items[i].place] = true;
  }
  for (size_t i = 0; i < count; i++) items[i].number = !other[items[i].place];
  qsort(items, count, sizeof *items, by_place);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || strcmp(items[i].text, items[i - 1].text) != 0)
      SOTTO_TRY(sotto_i_names_add(&maker, items[i].text, strlen(items[i].text), err));
  SOTTO_TRY(sotto_i_names_finish(out, &maker, err));
done:
  sotto_i_names_maker_free(&maker);
  sotto_i_free(other);
  return status;
}

static bool are_same(const sotto_names *a, const sotto_names *b) {
  if (a->count != b->count) return false;
  for (uint64_t i = 0; i < a->count; i++)
    if (strcmp(sotto_name(a, i), sotto_name(b, i)) != 0) return false;
  return true;
}

static void replace(sotto_names *names, sotto_names *with) {
  sotto_i_names_free(names);
  *names = *with;
  *with = (sotto_names){0};
}

static sotto_status join_words(sotto_i_naming *known, const table *columns, const sotto_names *said,
                               sotto_error *err) {
  const sotto_names *const lists[2] = {&known->features, said};
  sotto_names joined = {0};
  item *items = NULL;
  size_t count = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&items, known->features.count + said->count, sizeof *items, err));
  for (int list = 0; list < 2; list++)
    for (uint64_t i = 0; i < lists[list]->count; i++) {
      items[count] = item_of(sotto_name(lists[list], i));
      const sotto_i_field base = {(const uint8_t *)items[count].text, items[count].base};
      items[count++].place = sotto_i_ids_find(&columns->bases, &base);
    }
  SOTTO_TRY(check_capitals(items, count, "columns", err));
  SOTTO_TRY(sort_items(&joined, items, count, columns->bases.count, err));
  known->columns = joined.count;
  replace(&known->features, &joined);
done:
  sotto_i_free(items);
  return status;
}

static sotto_status join_columns(sotto_i_naming *known, const char *first, const sotto_i_naming *said,
                                 const char *who, sotto_error *err) {
  table have = {.category = NULL}, came = {.category = NULL};
  sotto_status status = SOTTO_OK;
  if (known->features.count == 0 && said->features.count == 0) {
    if (known->columns == said->columns) return SOTTO_OK;
    return sotto_i_fail(err, SOTTO_INVALID, "%s has %llu columns of features, and %s %llu", who,
                        (unsigned long long)said->columns, first, (unsigned long long)known->columns);
  }
  if (known->features.count == 0 || said->features.count == 0)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "columns: those of %s have names, and those of %s have none. Names decide which column "
        "is which: give both, or neither",
        known->features.count > 0 ? first : who, known->features.count > 0 ? who : first);
  SOTTO_TRY(check_dates(known, first, said, who, err));
  SOTTO_TRY(check_dates(said, who, known, first, err));
  if (are_same(&known->features, &said->features)) return SOTTO_OK;
  SOTTO_TRY(table_of(&have, &known->features, err));
  SOTTO_TRY(table_of(&came, &said->features, err));
  SOTTO_TRY(check_columns(&have, first, &came, who, err));
  SOTTO_TRY(join_words(known, &have, &said->features, err));
done:
  table_free(&have);
  table_free(&came);
  return status;
}

static bool are_numbers(const sotto_names *names) {
  int64_t value;
  for (uint64_t i = 0; i < names->count; i++)
    if (!sotto_i_text_integer((const uint8_t *)sotto_name(names, i), strlen(sotto_name(names, i)), &value))
      return false;
  return true;
}

/* Writes the classes of a list, which may be numbers from 0, to items; texts of numbers go to `numbers`. */
static size_t add_classes(item *items, char (*numbers)[12], const sotto_i_naming *from) {
  for (uint32_t i = 0; i < from->classes; i++) {
    if (from->labels.count == 0) (void)snprintf(numbers[i], sizeof numbers[i], "%u", (unsigned)i);
    items[i] = (item){.text = from->labels.count == 0 ? numbers[i] : sotto_name(&from->labels, i)};
  }
  return from->classes;
}

static bool are_from_zero(const sotto_names *names) {
  char number[24];
  for (uint64_t i = 0; i < names->count; i++) {
    (void)snprintf(number, sizeof number, "%llu", (unsigned long long)i);
    if (strcmp(number, sotto_name(names, i)) != 0) return false;
  }
  return true;
}

static sotto_status unite_classes(sotto_i_naming *known, const sotto_i_naming *said, sotto_error *err) {
  enum { most_classes = 1 << 20 };
  const size_t most = (size_t)known->classes + said->classes;
  item *items = NULL;
  char(*numbers)[12] = NULL;
  sotto_names joined = {0};
  sotto_status status;
  if (most > most_classes)
    return sotto_i_fail(err, SOTTO_INVALID, "%zu classes are too many to be joined by name; at most %d", most,
                        most_classes);
  SOTTO_TRY(sotto_i_new(&items, most, sizeof *items, err));
  SOTTO_TRY(sotto_i_new(&numbers, most, sizeof *numbers, err));
  size_t count = add_classes(items, numbers, known);
  count += add_classes(items + count, numbers + count, said);
  SOTTO_TRY(check_capitals(items, count, "classes", err));
  SOTTO_TRY(sort_items(&joined, items, count, 1, err));
  known->classes = (uint32_t)joined.count;
  if (are_from_zero(&joined)) sotto_i_names_free(&joined);
  replace(&known->labels, &joined);
done:
  sotto_i_free(items);
  sotto_i_free(numbers);
  return status;
}

static sotto_status join_classes(sotto_i_naming *known, const char *first, const sotto_i_naming *said,
                                 const char *who, sotto_error *err) {
  if (said->classes == 0) return SOTTO_OK;
  if (known->classes == 0) { /* none of the others has labels */
    known->classes = said->classes;
    known->declared = said->declared;
    return sotto_i_names_take(&known->labels, &said->labels, NULL, 0, err);
  }
  if (known->labels.count == 0 && said->labels.count == 0) {
    const bool fits = !known->declared || said->classes <= known->classes;
    if (!fits || (said->declared &&
                  (said->classes < known->classes || (known->declared && said->classes != known->classes))))
      return sotto_i_fail(err, SOTTO_INVALID, "%s has %u classes, and %s %u", who, (unsigned)said->classes,
                          first, (unsigned)known->classes);
    if (said->classes > known->classes) known->classes = said->classes;
    known->declared = known->declared || said->declared;
    return SOTTO_OK;
  }
  if (are_numbers(&known->labels) != are_numbers(&said->labels))
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "classes: those of %s are words, and those of %s are numbers. Give both the same names",
        are_numbers(&known->labels) ? who : first, are_numbers(&known->labels) ? first : who);
  if (are_same(&known->labels, &said->labels)) return SOTTO_OK;
  return unite_classes(known, said, err);
}

sotto_status sotto_i_naming_join(sotto_i_naming *known, const char *first, const sotto_i_naming *said,
                                 const char *who, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(join_columns(known, first, said, who, err));
  SOTTO_TRY(sotto_i_naming_join_fills(known, said, who, err));
  known->suited = known->suited && said->suited;
  if (strcmp(known->scaling, said->scaling) != 0)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "scaling: the means and variances that %s declares are not those of %s, and all clients "
        "need one scaling. Give all the same schema (schema)",
        who, first);
  status = join_classes(known, first, said, who, err);
done:
  return status;
}
