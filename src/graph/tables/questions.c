/* What a table leaves open: two readings, and the option for each. A guess that is not safe is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "columns.h"

enum { most_exact = 1 << 24 }; /* larger whole numbers are not all in single precision */

enum { few_classes = 20, few_nodes = 20, longest_name = 32, most_compared = 5000 };

static sotto_status ask(const sotto_i_columns *columns, size_t j, const char *what, sotto_error *err) {
  return sotto_i_fail(err, SOTTO_INVALID, "%s: column '%.80s' %s", columns->file->file,
                      columns->items[j].name, what);
}

/* Are the texts equal but for one letter put in, left out or changed, or two neighbours changed over? */
static bool is_slip_of(const char *text, const char *word) {
  const size_t a = strlen(text), b = strlen(word);
  size_t front = 0, back = 0;
  const size_t shorter = a < b ? a : b;
  while (front < shorter && (text[front] | 0x20) == word[front]) front++;
  while (back < shorter - front && (text[a - 1 - back] | 0x20) == word[b - 1 - back]) back++;
  const size_t left_a = a - front - back, left_b = b - front - back;
  if (left_a <= 1 && left_b <= 1) return true;
  return left_a == 2 && left_b == 2 && (text[front] | 0x20) == word[front + 1] &&
         (text[front + 1] | 0x20) == word[front];
}

static bool has_column(const sotto_i_columns *columns, const char *name) {
  for (size_t j = 0; j < columns->count; j++)
    if (strcmp(columns->items[j].name, name) == 0) return true;
  return false;
}

/* A column that may be the one of classes under another name; y beside x is a coordinate. */
static bool may_be_label(const sotto_i_columns *columns, const char *name) {
  static const char *const usual[] = {"class", "classes", "target", "outcome", "y"};
  const sotto_i_field field = {(const uint8_t *)name, strlen(name)};
  if (strcmp(name, "y") == 0 && has_column(columns, "x")) return false;
  for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
    if (sotto_i_field_is(&field, usual[i])) return true;
  return is_slip_of(name, "label");
}

/* The number of a row, which pandas wrote, and later read as a column without a name: "Unnamed: 0". */
static bool is_index(const char *name) {
  static const char front[] = "Unnamed: ";
  const size_t size = sizeof front - 1;
  return strncmp(name, front, size) == 0 && name[size] != '\0' &&
         strspn(name + size, "0123456789") == strlen(name + size);
}

/* node_id, CustomerID. */
static bool ends_with_id(const char *name) {
  const size_t size = strlen(name);
  if (size < 3 || strcasecmp(name + size - 2, "id") != 0) return false;
  return name[size - 3] == '_' || name[size - 3] == '-' || name[size - 3] == ' ' || name[size - 2] == 'I';
}

sotto_status sotto_i_columns_check_id(const sotto_i_columns *columns, sotto_error *err) {
  if (ends_with_id(columns->items[0].name)) return SOTTO_OK;
  for (size_t j = 1; j < columns->count; j++)
    if (!columns->items[j].decided && ends_with_id(columns->items[j].name))
      return ask(columns, j,
                 "may have the ids, or they are in the first column; give the type id to one of the two when "
                 "the file is "
                 "imported",
                 err);
  return SOTTO_OK;
}

/* A feature is NAME=WORD where its column is a category: a column of that name would be the same feature. */
static sotto_status check_equals(const sotto_i_columns *columns, size_t j, sotto_error *err) {
  const char *name = columns->items[j].name, *equals = strchr(name, '=');
  for (size_t k = 0; equals != NULL && k < columns->count; k++)
    if (strlen(columns->items[k].name) == (size_t)(equals - name) &&
        memcmp(columns->items[k].name, name, (size_t)(equals - name)) == 0)
      return sotto_i_fail(
          err, SOTTO_PARSE,
          "%s: columns '%.80s' and '%.80s' may be the same feature, a word of the second; rename "
          "or drop one of them",
          columns->file->file, name, columns->items[k].name);
  return SOTTO_OK;
}

/* Each feature has a name, and no other has it: names decide. */
static sotto_status check_distinct_names(const sotto_i_columns *columns, sotto_error *err) {
  for (size_t j = 0; j < columns->count && columns->count <= most_compared; j++) {
    const sotto_i_column *c = &columns->items[j];
    if (c->decided && c->kind != SOTTO_COLUMN_CATEGORY && c->kind != SOTTO_COLUMN_NUMBER) continue;
    if (c->name[0] == '\0')
      return sotto_i_fail(
          err, SOTTO_PARSE,
          "%s: column %zu has no name; give it one, or leave it out (an index of pandas: index=False)",
          columns->file->file, j + 1);
    for (size_t k = 0; k < j; k++)
      if (strcmp(columns->items[k].name, c->name) == 0)
        return sotto_i_fail(err, SOTTO_PARSE,
                            "%s: columns %zu and %zu have the name '%.80s'; rename one of them",
                            columns->file->file, k + 1, j + 1, c->name);
      else if (!c->chosen && !columns->items[k].chosen && strcasecmp(columns->items[k].name, c->name) == 0)
        return sotto_i_fail(
            err, SOTTO_INVALID,
            "%s: columns '%.80s' and '%.80s' differ in capitals alone; rename or drop one of them, "
            "or give their types, which keeps both",
            columns->file->file, columns->items[k].name, c->name);
    const sotto_status status = check_equals(columns, j, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

sotto_status sotto_i_columns_check_names(const sotto_i_columns *columns, sotto_error *err) {
  const sotto_status status = check_distinct_names(columns, err);
  if (status != SOTTO_OK) return status;
  const bool labelled = sotto_i_columns_find(columns, SOTTO_COLUMN_LABEL) != SIZE_MAX ||
                        sotto_i_columns_find(columns, SOTTO_COLUMN_OUTCOME) != SIZE_MAX;
  const bool parted = sotto_i_columns_find(columns, SOTTO_COLUMN_SPLIT) != SIZE_MAX;
  for (size_t j = 0; j < columns->count; j++) {
    const sotto_i_column *c = &columns->items[j];
    if (c->decided || strlen(c->name) > longest_name) continue;
    if (strpbrk(c->name, ";\t") != NULL)
      return ask(columns, j,
                 "has another separator in its name, and may be two columns; write the same one in all "
                 "lines, or give "
                 "its type when the file is imported",
                 err);
    if (is_index(c->name))
      return ask(
          columns, j,
          "is the name that pandas gives to a column without one, mostly the numbers of rows; drop it, or "
          "give its type when the file is imported",
          err);
    if (!labelled && may_be_label(columns, c->name))
      return ask(
          columns, j,
          "may have the classes, or be a feature; say which when the file is imported: name it as the label, "
          "or give its type",
          err);
    if (labelled && strcasecmp(c->name, "label") == 0)
      return ask(columns, j,
                 "would be a feature, since another column is the label, and may have the classes too; give "
                 "its type "
                 "when the file is imported, or drop it",
                 err);
    if (!parted && is_slip_of(c->name, "split"))
      return ask(columns, j,
                 "may have the split, or be a feature; rename it 'split', or give its type when the file is "
                 "imported",
                 err);
  }
  return SOTTO_OK;
}

const char *sotto_i_whole_see(sotto_i_whole *whole, const sotto_i_field *cell) {
  const size_t sign = cell->size > 1 && (cell->text[0] == '-' || cell->text[0] == '+') ? 1 : 0;
  const sotto_i_field digits = {cell->text + sign, cell->size - sign};
  int64_t value;
  for (size_t i = 0; i < digits.size; i++)
    if (digits.text[i] < '0' || digits.text[i] > '9') {
      whole->below += cell->text[0] == '-';
      return NULL;
    }
  if (digits.size > 1 && digits.text[0] == '0')
    return "begins with a zero, as zip codes and account numbers do; say when the file is imported whether "
           "the "
           "column is of numbers or of categories, by its type, or drop it";
  const bool fits = sotto_i_text_integer(digits.text, digits.size, &value);
  if (!fits || (value > most_exact && (int64_t)(float)value != value))
    return "is a whole number with more digits than a feature holds, as account and telephone numbers are; "
           "say "
           "when the file is imported whether the column is of numbers or of categories, by its type, or "
           "drop it";
  if (sign == 1 && cell->text[0] == '-') value = -value;
  const bool sentinel = value == -99 || value == -999 || value == -9999 || value == -99999;
  sotto_i_whole_merge(whole, &(sotto_i_whole){.count = 1,
                                              .least = value,
                                              .most = value,
                                              .sentinels = sentinel,
                                              .below = value < 0 && !sentinel,
                                              .sum = (uint64_t)value,
                                              .squares = (uint64_t)value * (uint64_t)value});
  return NULL;
}

void sotto_i_whole_merge(sotto_i_whole *into, const sotto_i_whole *other) {
  into->below += other->below;
  into->sentinels += other->sentinels;
  if (other->count == 0) return;
  if (into->count == 0 || other->least < into->least) into->least = other->least;
  if (into->count == 0 || other->most > into->most) into->most = other->most;
  into->count += other->count;
  into->sum += other->sum;
  into->squares += other->squares;
}

/* Does each whole number between the least and the most stand once? By sums, so that no list is kept; an
 * error is a question too many. */
static bool counts_nodes(const sotto_i_whole *w, uint64_t nodes) {
  uint64_t sum = 0, squares = 0;
  if (w->count != nodes || (uint64_t)w->most - (uint64_t)w->least != nodes - 1) return false;
  for (uint64_t i = 0; i < nodes; i++) {
    const uint64_t value = (uint64_t)w->least + i;
    sum += value;
    squares += value * value;
  }
  return sum == w->sum && squares == w->squares;
}

/* Two words of the column that differ in case alone? */
static bool differ_in_case(const sotto_i_column *c) {
  for (size_t i = 0; i < c->words.count && c->words.count <= SOTTO_I_MOST_CATEGORIES; i++)
    for (size_t k = 0; k < i; k++) {
      const sotto_i_field *a = &c->words.names[i], *b = &c->words.names[k];
      if (a->size == b->size && strncasecmp((const char *)a->text, (const char *)b->text, a->size) == 0)
        return true;
    }
  return false;
}

typedef struct valued {
  long double value;
  const sotto_i_field *word;
} valued;

static int compare_valued(const void *left, const void *right) {
  const valued *a = left, *b = right;
  return (a->value > b->value) - (a->value < b->value);
}

/* Two words that are one number: 1 and 1.0, 01 and 1. */
static sotto_status find_same_number(const sotto_i_field *found[2], const sotto_i_column *c,
                                     sotto_error *err) {
  valued *all = NULL;
  size_t count = 0;
  found[0] = found[1] = NULL;
  const sotto_status status = sotto_i_new_raw(&all, c->words.count, sizeof *all, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < c->words.count; i++) {
    char text[40], *end;
    const sotto_i_field *w = &c->words.names[i];
    if (w->size == 0 || w->size >= sizeof text || strchr("+-.0123456789", w->text[0]) == NULL) continue;
    memcpy(text, w->text, w->size);
    text[w->size] = '\0';
    all[count] = (valued){strtold(text, &end), w};
    count += *end == '\0';
  }
  qsort(all, count, sizeof *all, compare_valued);
  for (size_t i = 1; i < count && found[0] == NULL; i++)
    if (all[i].value == all[i - 1].value) found[0] = all[i - 1].word, found[1] = all[i].word;
  sotto_i_free(all);
  return SOTTO_OK;
}

static sotto_status check_numbers_alike(const sotto_i_columns *columns, size_t j, sotto_error *err) {
  const sotto_i_column *c = &columns->items[j];
  const sotto_i_field *found[2];
  char what[300];
  const sotto_status status = find_same_number(found, c, err);
  if (status != SOTTO_OK || found[0] == NULL) return status;
  (void)snprintf(
      what, sizeof what,
      "has '%.*s' and '%.*s', which may be one class or two; write them alike, or name the column as "
      "the label when the file is imported, which keeps them apart",
      (int)found[0]->size, (const char *)found[0]->text, (int)found[1]->size, (const char *)found[1]->text);
  return ask(columns, j, what, err);
}

/* Are all words numbers, and one of them not whole? */
static bool are_real_numbers(const sotto_i_column *c) {
  bool real = false;
  for (size_t i = 0; i < c->words.count; i++) {
    double value;
    const sotto_i_field *w = &c->words.names[i];
    if (!sotto_i_text_double(w->text, w->size, &value)) return false;
    real = real || value != floor(value);
  }
  return real;
}

/* A class that is a word for none in some program, beside those that are missing values anyway; NULL: no. */
static const sotto_i_field *find_word_for_none(const sotto_i_column *c) {
  static const char *const usual[] = {"-",   "--",      ".",      "..",        "n.a.",    "n. a.",
                                      "nil", "missing", "(null)", "\\N",       "(blank)", "empty",
                                      "#NV", "#REF!",   "#N/A!",  "undefined", "not set", "unspecified"};
  for (size_t i = 0; i < c->words.count; i++)
    for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
      if (sotto_i_field_is(&c->words.names[i], usual[k])) return &c->words.names[i];
  return NULL;
}

static sotto_status check_words_for_none(const sotto_i_columns *columns, size_t j, sotto_error *err) {
  const sotto_i_field *none = find_word_for_none(&columns->items[j]);
  char what[300];
  if (none == NULL) return SOTTO_OK;
  (void)snprintf(
      what, sizeof what,
      "has '%.*s' among its labels, which may be a class or stand for no label; list the words of cells "
      "without a value when the file is imported, it among them or not",
      (int)none->size, (const char *)none->text);
  return ask(columns, j, what, err);
}

/* Are all classes beside -1 of the few that signs stand for: 0, 1, +1? */
static bool are_signs(const sotto_i_column *c) {
  for (size_t i = 0; i < c->words.count; i++) {
    const sotto_i_field *w = &c->words.names[i];
    if (!sotto_i_field_is(w, "0") && !sotto_i_field_is(w, "1") && !sotto_i_field_is(w, "+1")) return false;
  }
  return true;
}

/* Numbers to learn that may stand for none: -1, -99 and so on, where all others are 0 or more. */
static sotto_status check_outcome(const sotto_i_columns *columns, size_t j, sotto_error *err) {
  const sotto_i_column *c = &columns->items[j];
  const sotto_import_options *o = columns->options;
  const uint64_t odd = c->whole.sentinels + c->minus_ones;
  if (o != NULL && (o->missing_words != NULL || o->schema != NULL)) return SOTTO_OK;
  if (odd == 0 || odd == c->present || c->whole.below > c->minus_ones) return SOTTO_OK;
  return ask(columns, j,
             "has -1, -99 or the like where all other numbers to learn are 0 or more, which often stands for "
             "no number; list the words of cells without a value (missing-words), it among them or not",
             err);
}

/* Labels that may be classes or stand for no label. */
static sotto_status check_no_label(const sotto_i_columns *columns, size_t j, sotto_error *err) {
  const sotto_i_column *c = &columns->items[j];
  if (c->minus_ones > 0 && are_signs(c))
    return ask(columns, j,
               "has -1 among its labels, which may be a class or stand for no label; list the words of cells "
               "without "
               "a value when the file is imported, -1 among them or not",
               err);
  return c->stated == 0 ? check_words_for_none(columns, j, err) : SOTTO_OK;
}

sotto_status sotto_i_columns_check_words(const sotto_i_columns *columns, size_t j, uint64_t nodes,
                                         sotto_error *err) {
  const sotto_i_column *c = &columns->items[j];
  const bool all_differ = c->words.count == c->present && c->present == nodes;
  const bool said = columns->options != NULL && columns->options->missing_words != NULL;
  if (c->kind == SOTTO_COLUMN_OUTCOME) return check_outcome(columns, j, err);
  if (c->kind == SOTTO_COLUMN_LABEL && !said) {
    const sotto_status status = check_no_label(columns, j, err);
    if (status != SOTTO_OK) return status;
  }
  if (c->kind == SOTTO_COLUMN_NUMBER && !c->chosen && c->whole.sentinels > 0 && c->whole.below == 0 &&
      c->whole.sentinels < c->present)
    return ask(
        columns, j,
        "has -99, -999 or the like where all other numbers are 0 or more, which often stands for no value; "
        "list it among the words of missing values when the file is imported, or give the column the type "
        "number",
        err);
  if (c->kind == SOTTO_COLUMN_LABEL && !c->chosen) {
    const sotto_status status = check_numbers_alike(columns, j, err);
    if (status != SOTTO_OK) return status;
  }
  if (c->kind == SOTTO_COLUMN_LABEL && are_real_numbers(c))
    return ask(
        columns, j,
        "has real numbers, and classes are words or whole numbers; to learn the numbers say so when the file "
        "is read (task regression), else write classes, such as ranges of the number, or name another "
        "column as the label",
        err);
  if (c->kind == SOTTO_COLUMN_LABEL && !c->chosen && c->words.count > few_classes &&
      c->words.count > c->present / 10)
    return ask(columns, j,
               "has more classes than a tenth of its labels; if they are classes all the same, name the "
               "column as the "
               "label when the file is imported, else give its type",
               err);
  if (c->kind == SOTTO_COLUMN_NUMBER && !c->chosen && nodes > few_nodes && counts_nodes(&c->whole, nodes))
    return ask(
        columns, j,
        "numbers the nodes: each whole number from its least to its largest stands once; say when the file "
        "is imported whether it is an id, a number or to be dropped, by its type",
        err);
  if ((c->kind == SOTTO_COLUMN_CATEGORY || c->kind == SOTTO_COLUMN_LABEL) && !c->chosen && differ_in_case(c))
    return ask(
        columns, j,
        "has words that differ in their capitals alone; write them alike, or choose the column's type when "
        "the file is imported, which keeps them apart",
        err);
  if (c->kind == SOTTO_COLUMN_CATEGORY && !c->chosen && all_differ && nodes > few_nodes)
    return ask(
        columns, j,
        "has another word in each line, as ids and texts have; drop it when the file is imported, or name it "
        "as one of categories",
        err);
  return SOTTO_OK;
}
