/* Tables of text: lines split into fields, and ids that are any text. */
#ifndef SOTTO_SRC_GRAPH_IO_CSV_H
#define SOTTO_SRC_GRAPH_IO_CSV_H

#include "read.h"

typedef struct sotto_i_field {
  const uint8_t *text;
  size_t size;
} sotto_i_field;

/* A table being read. Fields may stand in double quotes (a doubled quote inside means one), and stay good
 * until the table is freed and the source is closed. Empty lines are stepped over. With the separator ' ' any
 * blanks and tabs stand between fields. */
typedef struct sotto_i_csv {
  sotto_i_lines lines;
  const uint8_t *text; /* the source's own, or the copy */
  uint8_t *copy;       /* of a text with quotes, changed in place where they are taken off; else NULL */
  char separator;
  bool comments; /* set after opening: lines that begin with # or % are stepped over, and counted */
  bool trim;     /* set after opening: blanks around fields without quotes are left out */
  uint64_t comment_lines;
  const sotto_observer *observer; /* set after opening: told how far a long table is read; or NULL */
  bool told;
  sotto_i_field *fields; /* of the line last read */
  size_t count, room;
} sotto_i_csv;

sotto_status sotto_i_csv_open(sotto_i_csv *out, const sotto_i_source *source, char separator,
                              sotto_error *err);
/* Which of the separators, most likely first, stands outside of quotes in the first line that says something;
 * the first of them if none does. */
char sotto_i_csv_guess(const sotto_i_source *source, const char *separators, bool comments);
/* "commas" and so on. */
const char *sotto_i_csv_separator_name(char separator);
/* The observer is told after as many lines. */
enum { SOTTO_I_TOLD_LINES = 1 << 15 };
/* Reads the next line; count is 0 at the end of the text. Errors: PARSE naming line and column, INTERRUPTED.
 */
sotto_status sotto_i_csv_next(sotto_i_csv *csv, sotto_error *err);
void sotto_i_csv_free(sotto_i_csv *csv);
/* Fails with "FILE: line L, column C: what 'text of the field'"; column counts from 0. */
sotto_status sotto_i_csv_fail(const sotto_i_csv *csv, sotto_status status, size_t column, const char *what,
                              sotto_error *err);
bool sotto_i_field_is(const sotto_i_field *field, const char *word); /* whatever the case */

/* Ids numbered in the order in which they came. A hash table keyed at random (SipHash), so no choice of ids
 * makes it slow. An id of at most 8 bytes stands in its slot, so that to find it takes one look at memory.
 * Ids that are small numbers, written without signs or zeros before them, have no slot: their numbers stand
 * in an array. */
typedef struct sotto_i_id_slot {
  uint64_t word;   /* the bytes of a short id, 0 after its end; the hash of a long one */
  uint32_t number; /* + 1; 0: the slot is free */
  uint32_t size;   /* of a short id; one more than the longest has: see its name */
} sotto_i_id_slot;
typedef struct sotto_i_ids {
  sotto_i_field *names;
  size_t count, room;
  sotto_i_id_slot *slots;
  size_t slot_count, hashed; /* ids in slots */
  uint32_t *plain;           /* + 1, by the value of a small number; 0: it is no id yet */
  size_t plain_room;
  uint64_t plain_below; /* numbers below it are small */
  uint8_t key[16];
} sotto_i_ids;

void sotto_i_ids_init(sotto_i_ids *ids);
/* Before the first id: how many bytes the text has that ids come from. Numbers below a quarter of that stand
 * in the array; else none does. */
void sotto_i_ids_expect(sotto_i_ids *ids, size_t bytes);
/* The number of an id, or UINT32_MAX. */
uint32_t sotto_i_ids_find(const sotto_i_ids *ids, const sotto_i_field *name);
/* The number of the id that is a number below plain_below, or UINT32_MAX. */
static inline uint32_t sotto_i_ids_plain(const sotto_i_ids *ids, uint64_t value) {
  return value < ids->plain_room ? ids->plain[value] - 1 : UINT32_MAX;
}
/* Adds an id that is not there yet. The text is borrowed. Errors: NOMEM, RANGE (2^32 - 2 ids). */
sotto_status sotto_i_ids_add(sotto_i_ids *ids, const sotto_i_field *name, sotto_error *err);
void sotto_i_ids_free(sotto_i_ids *ids);

#endif
