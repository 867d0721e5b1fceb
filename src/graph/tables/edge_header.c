/* Whether the first line of an edge list names its columns, and which two are the ends of an edge. */
#include <ctype.h>
#include <string.h>

#include "base/error.h"
#include "cell.h"
#include "name_words.h"
#include "tables.h"

enum { longest = 80 }; /* bytes of a name in a message */

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

/* The columns of the first pair of words that are names of both ends, or of the next one behind `after`; the
 * pair's number, or SIZE_MAX. */
static size_t find_pair(size_t found[2], const sotto_i_edge_text *e, const sotto_i_field *fields,
                        size_t after) {
  for (size_t i = after; i < sizeof ends / sizeof ends[0]; i++) {
    found[0] = found[1] = SIZE_MAX;
    for (size_t j = e->width; j-- > 0;)
      for (size_t k = 0; k < 2; k++)
        if (sotto_i_name_has_word(&fields[j], ends[i][k])) found[k] = j;
    if (found[0] != SIZE_MAX && found[1] != SIZE_MAX && found[0] != found[1]) return i;
  }
  return SIZE_MAX;
}

static bool find_ends(sotto_i_edge_text *e, const sotto_i_field *fields) {
  size_t found[2];
  if (find_pair(found, e, fields, 0) == SIZE_MAX) return false;
  e->from = found[0];
  e->to = found[1];
  return true;
}

static sotto_status ask(const sotto_i_csv *csv, const char *what, sotto_error *err) {
  return sotto_i_fail(err, SOTTO_INVALID, "%s: %s", csv->lines.file, what);
}

/* Two more columns may be the ends, by their names, and hold no dates. */
static sotto_status check_one_pair(const sotto_i_edge_text *e, const sotto_i_field *first, sotto_error *err) {
  const sotto_i_csv *second = &e->csv;
  size_t found[2];
  for (size_t i = 0; (i = find_pair(found, e, first, i)) != SIZE_MAX; i++) {
    bool other = true;
    for (size_t k = 0; k < 2; k++) {
      const size_t j = found[k];
      other = other && j != e->from && j != e->to && j < second->count && second->fields[j].size > 0 &&
              sotto_i_cell_read(&second->fields[j], false).kind != SOTTO_I_CELL_DATE;
    }
    if (other)
      return sotto_i_fail(
          err, SOTTO_INVALID,
          "%s: edges may go from '%.*s' to '%.*s', or from '%.*s' to '%.*s'; name the columns "
          "of the two ends when the list is imported, as its source and its target",
          second->lines.file, (int)(first[e->from].size < longest ? first[e->from].size : longest),
          (const char *)first[e->from].text, (int)(first[e->to].size < longest ? first[e->to].size : longest),
          (const char *)first[e->to].text,
          (int)(first[found[0]].size < longest ? first[found[0]].size : longest),
          (const char *)first[found[0]].text,
          (int)(first[found[1]].size < longest ? first[found[1]].size : longest),
          (const char *)first[found[1]].text);
  }
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

sotto_status sotto_i_edge_header(sotto_i_edge_text *e, const sotto_i_field *first, sotto_error *err) {
  const sotto_i_csv *second = &e->csv;
  const sotto_header said = e->options == NULL ? SOTTO_HEADER_GUESS : e->options->header;
  bool named;
  const sotto_status status = take_named(&named, e, first, err);
  if (status != SOTTO_OK) return status;
  e->header = named || said == SOTTO_HEADER_YES;
  if (named) return SOTTO_OK;
  if (said == SOTTO_HEADER_NO) return SOTTO_OK;
  const int whole = is_whole(&first[0]) + is_whole(&first[1]);
  const bool again = second->count >= 2 && stands_again(first, second);
  const bool known = whole == 0 && !again && find_ends(e, first);
  if (known) e->header = true;
  if (known) return check_one_pair(e, first, err);
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
