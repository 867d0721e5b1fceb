/* Ids that are numbers in a form that a program gave them: 1.0 of pandas, 1.23E+12 and lost zeros of
 * spreadsheets. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "tables.h"

enum { longest = 40, most_compared = 50000 };

static bool is_digit(uint8_t byte) {
  return byte >= '0' && byte <= '9';
}

static size_t digits_at(const sotto_i_field *id, size_t at) {
  size_t count = 0;
  while (at + count < id->size && is_digit(id->text[at + count])) count++;
  return count;
}

static bool is_shortened(const sotto_i_field *id) {
  size_t at = digits_at(id, 0);
  if (at != 1 || id->size < 5) return false;
  if (id->text[at] == '.') at += 1 + digits_at(id, at + 1);
  if (at + 2 >= id->size || id->text[at] != 'E' || id->text[at + 1] != '+') return false;
  return digits_at(id, at + 2) >= 2 && at + 2 + digits_at(id, at + 2) == id->size;
}

/* The digits of a whole number in another form, as 12 of 0012 and of 12.0; false: it is none. *point: it has
 * a decimal point. */
static bool whole_form(sotto_i_field *out, bool *point, const sotto_i_field *id) {
  const size_t whole = digits_at(id, 0);
  size_t zeros = 0, rest = whole + 1;
  if (whole == 0 || id->size > longest) return false;
  while (zeros + 1 < whole && id->text[zeros] == '0') zeros++;
  *point = whole < id->size;
  if (*point && (id->text[whole] != '.' || rest == id->size)) return false;
  while (rest < id->size && id->text[rest] == '0') rest++;
  *out = (sotto_i_field){id->text + zeros, whole - zeros};
  return (*point && rest == id->size) || (!*point && zeros > 0);
}

static int compare_capitals(const void *left, const void *right) {
  const sotto_i_field *a = left, *b = right;
  const int order =
      strncasecmp((const char *)a->text, (const char *)b->text, a->size < b->size ? a->size : b->size);
  return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

/* Counts neighbours in the order without capitals; only where there are few ids, so that it takes no time. */
static sotto_status count_capitals(sotto_i_id_forms *out, const sotto_i_ids *ids, size_t count,
                                   sotto_error *err) {
  sotto_i_field *all = NULL;
  if (count > most_compared) return SOTTO_OK;
  const sotto_status status = sotto_i_new_raw(&all, count, sizeof *all, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < count; i++) all[i] = ids->names[i];
  if (count > 0) qsort(all, count, sizeof *all, compare_capitals);
  for (size_t i = 1; i < count; i++)
    if (compare_capitals(&all[i - 1], &all[i]) == 0 && out->capitals++ == 0) out->first_capitals = all[i];
  sotto_i_free(all);
  return SOTTO_OK;
}

sotto_status sotto_i_ids_check_forms(sotto_i_id_forms *out, const sotto_i_ids *ids, const char *file,
                                     sotto_error *err) {
  const size_t count = ids->plain_below > 0 ? ids->hashed : ids->count;
  for (size_t i = 0; i < count; i++) {
    const sotto_i_field *id = &ids->names[i];
    sotto_i_field number;
    bool point;
    if (id->size == 0 || !is_digit(id->text[0]) || !whole_form(&number, &point, id) ||
        sotto_i_ids_find(ids, &number) == UINT32_MAX)
      continue;
    if (point)
      return sotto_i_fail(err, SOTTO_PARSE,
                          "%s: '%.*s' and '%.*s' are two ids and one number; pandas writes whole numbers so "
                          "where another cell is empty: write them alike",
                          file, (int)id->size, (const char *)id->text, (int)number.size,
                          (const char *)number.text);
    if (out->count++ == 0) out->first = *id;
  }
  return count_capitals(out, ids, count, err);
}

/* The value of an id that is a number, as strtold reads it. */
static bool value_of(long double *out, const sotto_i_field *id) {
  char text[longest + 1], *end;
  if (id->size == 0 || id->size > longest || !is_digit(id->text[0])) return false;
  memcpy(text, id->text, id->size);
  text[id->size] = '\0';
  *out = strtold(text, &end);
  return *end == '\0';
}

bool sotto_i_ids_alike(sotto_i_field *out, uint8_t room[SOTTO_I_PLAIN_ROOM], const sotto_i_ids *ids,
                       const sotto_i_field *id) {
  long double wanted, value;
  if (!value_of(&wanted, id)) return false;
  for (size_t i = 0; i < ids->count; i++) {
    *out = sotto_i_ids_name(ids, i, room);
    if (value_of(&value, out) && value == wanted) return true;
  }
  return false;
}

/* Total, as the last line of a report has. */
bool sotto_i_id_is_total(const sotto_i_field *id) {
  static const char *const words[] = {"total",  "totals",      "grand total", "sum",   "summe",
                                      "gesamt", "gesamtsumme", "subtotal",    "somme", "suma"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (sotto_i_field_is(id, words[i])) return true;
  return false;
}

static sotto_status fail_shortened(const sotto_i_csv *csv, size_t column, sotto_error *err) {
  return sotto_i_csv_fail(
      csv, SOTTO_PARSE, column,
      "is a long number that a spreadsheet shortened, so that several ids may have become "
      "one; make its column one of text there, and export it again",
      err);
}

sotto_status sotto_i_id_check(const sotto_i_csv *csv, size_t column, sotto_error *err) {
  const sotto_i_field *id = &csv->fields[column];
  if (id->size > SOTTO_I_LONGEST_WORD)
    return sotto_i_csv_fail(
        csv, SOTTO_PARSE, column,
        "begins an id of more than 65536 bytes; see whether a separator or a line end is missing", err);
  if (id->text[0] == '=')
    return sotto_i_csv_fail(
        csv, SOTTO_PARSE, column,
        "is a formula of a spreadsheet; make its column one of text there, and export it again", err);
  if (sotto_i_word_is_spoilt(id))
    return sotto_i_csv_fail(
        csv, SOTTO_PARSE, column,
        "was spoilt by a program that took its UTF-8 for another encoding; export the file again", err);
  return is_shortened(id) ? fail_shortened(csv, column, err) : SOTTO_OK;
}
