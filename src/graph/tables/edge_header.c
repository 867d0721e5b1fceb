/* Whether the first line of an edge list names its columns, and which two are the ends of an edge. */
#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "cell.h"
#include "name_words.h"
#include "tables.h"

enum {
  longest = 80,     /* bytes of a name in a message */
  most_named = 1000 /* columns whose names are compared: each with each */
};

/* Words that stand at the two ends of an edge, as parts of names: acct_from and acct_to, nameOrig and
 * nameDest. */
static const char *const ends[][2] = {{"source", "target"},
                                      {"source", "destination"},
                                      {"src", "dst"},
                                      {"src", "dest"},
                                      {"from", "to"},
                                      {"sender", "receiver"},
                                      {"sender", "recipient"},
                                      {"payer", "payee"},
                                      {"orig", "dest"},
                                      {"origin", "destination"},
                                      {"head", "tail"},
                                      {"follower", "followee"},
                                      {"debtor", "creditor"},
                                      {"buyer", "seller"},
                                      {"caller", "callee"},
                                      {"out", "in"},
                                      {"u", "v"},
                                      {"a", "b"},
                                      {"1", "2"}};

/* An id is no date, no number with a point, and no amount or time by its name: amount_from, to_date. */
static bool may_be_id(const sotto_i_edge_text *e, const sotto_i_field *fields, size_t column) {
  int64_t whole;
  if (sotto_i_transfer_named(&fields[column], SOTTO_I_AMOUNT) ||
      sotto_i_transfer_named(&fields[column], SOTTO_I_TIME))
    return false;
  if (column >= e->csv.count) return true;
  const sotto_i_field *field = &e->csv.fields[column];
  const sotto_i_cell cell = sotto_i_cell_read(field, false);
  if (cell.kind == SOTTO_I_CELL_DATE) return false;
  return cell.kind != SOTTO_I_CELL_NUMBER || sotto_i_text_integer(field->text, field->size, &whole);
}

/* The columns that a word of a name makes ends: found[0] the first, found[1] one more; SIZE_MAX: none. Where
 * the word alone is a name, no other is meant. `any`: whatever their cells are. */
static void find_word(size_t found[2], const sotto_i_edge_text *e, const sotto_i_field *fields,
                      const char *word, bool any) {
  found[0] = found[1] = SIZE_MAX;
  for (size_t j = 0; j < e->width; j++) {
    if (!sotto_i_name_has_word(&fields[j], word) || (!any && !may_be_id(e, fields, j))) continue;
    if (sotto_i_field_is(&fields[j], word)) {
      found[0] = j;
      found[1] = SIZE_MAX;
      return;
    }
    if (found[0] == SIZE_MAX)
      found[0] = j;
    else if (found[1] == SIZE_MAX)
      found[1] = j;
  }
}

/* The columns of the first pair of words that are names of both ends, or of the next one behind `after`; the
 * pair's number, or SIZE_MAX. `more`: another column of each end, the same where there is one alone. */
static size_t find_pair(size_t found[2], size_t more[2], const sotto_i_edge_text *e,
                        const sotto_i_field *fields, size_t after, bool any) {
  for (size_t i = after; i < sizeof ends / sizeof ends[0]; i++) {
    for (size_t k = 0; k < 2; k++) {
      size_t of[2];
      find_word(of, e, fields, ends[i][k], any);
      found[k] = of[0];
      more[k] = of[1] == SIZE_MAX ? of[0] : of[1];
    }
    if (found[0] != SIZE_MAX && found[1] != SIZE_MAX && found[0] != found[1]) return i;
  }
  return SIZE_MAX;
}

static sotto_status ask_which(const sotto_i_edge_text *e, const sotto_i_field *first, const size_t other[2],
                              sotto_error *err) {
#define NAME(column)                                                                                         \
  (int)(first[column].size < longest ? first[column].size : longest), (const char *)first[column].text
  return sotto_i_fail(err, SOTTO_INVALID,
                      "%s: edges may go from '%.*s' to '%.*s', or from '%.*s' to '%.*s'; name the columns "
                      "of the two ends when the list is imported, as its source and its target",
                      e->csv.lines.file, NAME(e->from), NAME(e->to), NAME(other[0]), NAME(other[1]));
#undef NAME
}

static sotto_status ask(const sotto_i_csv *csv, const char *what, sotto_error *err) {
  return sotto_i_fail(err, SOTTO_INVALID, "%s: %s", csv->lines.file, what);
}

/* Ends by the names of columns: one pair alone may be meant. */
static sotto_status find_ends(sotto_i_edge_text *e, const sotto_i_field *first, sotto_error *err) {
  size_t found[2], more[2];
  size_t i = find_pair(found, more, e, first, 0, false);
  if (i == SIZE_MAX)
    i = find_pair(found, more, e, first, 0, true); /* ids that are refused where they are read */
  e->known = i != SIZE_MAX;
  if (!e->known) return SOTTO_OK;
  e->from = found[0];
  e->to = found[1];
  if (more[0] != e->from || more[1] != e->to) return ask_which(e, first, more, err);
  while ((i = find_pair(found, more, e, first, i + 1, false)) != SIZE_MAX)
    if (found[0] != e->from && found[0] != e->to && found[1] != e->from && found[1] != e->to)
      return ask_which(e, first, found, err);
  return SOTTO_OK;
}

static sotto_status check_names(const sotto_i_edge_text *e, const sotto_i_field *first, sotto_error *err) {
  for (size_t j = 1; j < e->width && e->width <= most_named; j++)
    for (size_t k = 0; k < j; k++)
      if (first[j].size > 0 && first[j].size == first[k].size &&
          memcmp(first[j].text, first[k].text, first[j].size) == 0)
        return sotto_i_fail(
            err, SOTTO_PARSE, "%s: columns %zu and %zu have the name '%.*s'; rename one of them",
            e->csv.lines.file, k + 1, j + 1, (int)(first[j].size < longest ? first[j].size : longest),
            (const char *)first[j].text);
  return SOTTO_OK;
}

/* The column of that name; it stands once. */
static sotto_status find_named(size_t *out, const sotto_i_edge_text *e, const sotto_i_field *first,
                               const char *name, sotto_error *err) {
  *out = SIZE_MAX;
  for (size_t j = 0; j < e->width; j++) {
    if (first[j].size != strlen(name) || memcmp(first[j].text, name, first[j].size) != 0) continue;
    if (*out != SIZE_MAX)
      return sotto_i_fail(err, SOTTO_PARSE,
                          "%s: columns %zu and %zu have the name '%.80s'; rename one of them",
                          e->csv.lines.file, *out + 1, j + 1, name);
    *out = j;
  }
  if (*out != SIZE_MAX) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_NOT_FOUND,
                      "%s: has no column '%.80s' for an end of edges; names of columns are in its first line",
                      e->csv.lines.file, name);
}

/* The ends that options name, or a schema. A schema of a model's training may be of another list: its names
 * count where both are there. *named: they are known. */
static sotto_status take_named(bool *named, sotto_i_edge_text *e, const sotto_i_field *first,
                               sotto_error *err) {
  const sotto_import_options *o = e->options;
  const sotto_schema *schema = o == NULL ? NULL : o->schema;
  const bool said = o != NULL && (o->source != NULL || o->target != NULL);
  const char *names[2] = {said             ? o->source
                          : schema == NULL ? NULL
                                           : schema->source,
                          said             ? o->target
                          : schema == NULL ? NULL
                                           : schema->target};
  const bool must = said || (o != NULL && !o->others);
  size_t found[2] = {0, 0};
  *named = false;
  if (names[0] == NULL && names[1] == NULL) return SOTTO_OK;
  if (names[0] == NULL || names[1] == NULL)
    return ask(&e->csv, "source and target name the columns of the two ends of an edge; give both", err);
  if (o->header == SOTTO_HEADER_NO && must)
    return ask(&e->csv,
               "without a header no column has the name of an end of edges; leave one of the two out", err);
  for (size_t k = 0; k < 2; k++) {
    const sotto_status status = find_named(&found[k], e, first, names[k], must ? err : NULL);
    if (status != SOTTO_OK) return must ? status : SOTTO_OK;
  }
  if (found[0] == found[1]) return ask(&e->csv, "source and target are the same column; name two", err);
  e->from = found[0];
  e->to = found[1];
  return *named = true, SOTTO_OK;
}

static bool is_whole(const sotto_i_field *field) {
  int64_t value;
  return sotto_i_text_integer(field->text, field->size, &value);
}

static bool has_digit(const sotto_i_field *field) {
  for (size_t i = 0; i < field->size; i++)
    if (isdigit(field->text[i])) return true;
  return false;
}

/* Is a word above a number or a date in a column behind the first two? */
static bool has_word_over_number(const sotto_i_field *first, const sotto_i_csv *second) {
  for (size_t j = 2; j < second->count; j++)
    if (sotto_i_cell_read(&first[j], false).kind == SOTTO_I_CELL_WORD && first[j].size > 0 &&
        sotto_i_cell_read(&second->fields[j], false).kind != SOTTO_I_CELL_WORD)
      return true;
  return false;
}

/* Does an id of the first line stand in the second one too? */
static bool stands_again(const sotto_i_field *first, const sotto_i_csv *second) {
  for (size_t j = 0; j < 2; j++)
    for (size_t k = 0; k < 2; k++)
      if (first[j].size == second->fields[k].size &&
          memcmp(first[j].text, second->fields[k].text, first[j].size) == 0)
        return true;
  return false;
}

static bool is_bit(const sotto_i_field *field) {
  return field->size == 1 && (field->text[0] == '0' || field->text[0] == '1');
}

/* As many lines as columns, and 0 or 1 in all that are seen: a matrix. */
static bool is_square_of_bits(const sotto_i_field *first, const sotto_i_csv *second) {
  const uint64_t lines = sotto_i_csv_lines_about(second);
  if (second->count < 3 || lines < second->count || lines > second->count + 1) return false;
  for (size_t j = 0; j < second->count; j++)
    if (!is_bit(&first[j]) || !is_bit(&second->fields[j])) return false;
  return true;
}

/* Do both first fields stand in the table of nodes, or neither? 1, 0; -1: one of them, or there is no table.
 */
static int are_in_table(const sotto_i_edge_text *e, const sotto_i_field *first) {
  if (e->table == NULL) return -1;
  const int found = (sotto_i_ids_find(e->table, &first[0]) != UINT32_MAX) +
                    (sotto_i_ids_find(e->table, &first[1]) != UINT32_MAX);
  return found == 2 ? 1 : found == 0 ? 0 : -1;
}

static bool is_of_nodes(const sotto_i_field *name) {
  return sotto_i_field_is(name, "id") || sotto_i_field_is(name, "label") || sotto_i_field_is(name, "split");
}

static sotto_status find_header(sotto_i_edge_text *e, const sotto_i_field *first, sotto_error *err) {
  const sotto_i_csv *second = &e->csv;
  const sotto_header said = e->options == NULL ? SOTTO_HEADER_GUESS : e->options->header;
  bool named;
  sotto_status status = take_named(&named, e, first, err);
  if (status != SOTTO_OK) return status;
  e->known = named;
  e->header = named || said == SOTTO_HEADER_YES;
  if (named) return SOTTO_OK;
  if (said == SOTTO_HEADER_NO) return SOTTO_OK;
  const int whole = is_whole(&first[0]) + is_whole(&first[1]);
  const bool again = second->count >= 2 && stands_again(first, second);
  if (whole == 0 && !again) status = find_ends(e, first, err);
  if (e->known) e->header = true;
  if (e->known) return status;
  if (said == SOTTO_HEADER_YES || whole > 0 || second->count < 2) {
    if (!e->header && second->count == e->width && is_square_of_bits(first, second))
      return ask(
          second,
          "may be a square matrix of 0 and 1, or a list of edges; save a matrix as .npz or .mtx, or say that "
          "the list has no header when it is imported",
          err);
    return SOTTO_OK;
  }
  for (size_t j = 0; j < e->width; j++)
    if (is_of_nodes(&first[j]))
      return ask(
          second,
          "its first line has names of a table of nodes (id, label, split); give it as that table, "
          "beside a list "
          "of edges, or, of nodes without edges, as both, the list and its table of nodes; or rename the two "
          "columns of ids "
          "source and target",
          err);
  e->header = (is_whole(&second->fields[0]) && is_whole(&second->fields[1])) ||
              (second->count == e->width && has_word_over_number(first, second));
  if (e->header || has_digit(&first[0]) || has_digit(&first[1]) || stands_again(first, second))
    return SOTTO_OK;
  const int listed = are_in_table(e, first);
  e->header = listed == 0;
  if (listed >= 0) return SOTTO_OK;
  return ask(second,
             "its first line may name the columns, or be an edge; say which when the list is imported: with "
             "a header, "
             "or without one",
             err);
}

sotto_status sotto_i_edge_header(sotto_i_edge_text *e, const sotto_i_field *first, sotto_error *err) {
  const sotto_status status = find_header(e, first, err);
  return status == SOTTO_OK && e->header ? check_names(e, first, err) : status;
}
