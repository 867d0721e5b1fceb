/* Tables of text: lines split into fields, and ids that are any text. */
#ifndef SOTTO_SRC_GRAPH_IO_CSV_H
#define SOTTO_SRC_GRAPH_IO_CSV_H

#include "base/reader.h"
#include "read.h"

typedef struct sotto_i_field {
  const uint8_t *text;
  size_t size;
} sotto_i_field;

/* A table being read. Fields may stand in double quotes (a doubled quote inside means one), and stay good
 * until the table is freed and the source is closed; of a source that is read in pieces until the next line
 * is read. Empty lines are stepped over. With the separator ' ' any blanks and tabs stand between fields. */
typedef struct sotto_i_csv {
  sotto_i_lines lines;
  const uint8_t *text; /* the source's own, the copy or the window; lines.end is its end */
  uint8_t *copy;       /* of a text with quotes, changed in place where they are taken off; or the window */
  const sotto_i_reader *reader; /* of a source that is read in pieces, with a window on it; else NULL */
  uint64_t base, size;          /* where the window begins in the source; of the source */
  size_t window;                /* bytes that it has room for */
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
/* The same of a file that is read in pieces, in a window of so many bytes, or as many as the longest line
 * has; the separator is a comma until sotto_i_csv_choose. Errors: IO, NOMEM. */
sotto_status sotto_i_csv_open_pieces(sotto_i_csv *out, const sotto_i_reader *reader, size_t window,
                                     sotto_error *err);
/* Which of the separators, most likely first, stands outside of quotes in the first line that says something;
 * the first of them if none does. */
char sotto_i_csv_guess(const sotto_i_source *source, const char *separators, bool comments);
/* Makes that the separator of a table of which nothing is read yet. Errors: IO, NOMEM. */
sotto_status sotto_i_csv_choose(sotto_i_csv *csv, const char *separators, sotto_error *err);
/* About how many lines the source has, by those of the text that is in memory. */
uint64_t sotto_i_csv_lines_about(const sotto_i_csv *csv);
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
void sotto_i_field_trim(sotto_i_field *field);                       /* takes blanks and tabs off both ends */
bool sotto_i_field_is(const sotto_i_field *field, const char *word); /* whatever the case */

/* Ids numbered in the order in which they came. A hash table keyed at random (SipHash), so no choice of ids
 * makes it slow. An id of at most 8 bytes stands in its slot, so that to find it takes one look at memory.
 * Ids that are small numbers, written without signs or zeros before them, have no slot and no text: their
 * numbers stand in an array, and their values in the order in which they came. */
typedef struct sotto_i_id_slot {
  uint64_t word;   /* the bytes of a short id, 0 after its end; the hash of a long one */
  uint32_t number; /* + 1; 0: the slot is free */
  uint32_t size;   /* of a short id; one more than the longest has: see its name */
} sotto_i_id_slot;
typedef struct sotto_i_ids {
  size_t count;
  sotto_i_field *names; /* of ids in slots */
  size_t room, hashed;
  sotto_i_id_slot *slots;
  size_t slot_count;
  uint32_t *plain; /* + 1, by the value of a small number; 0: it is no id yet */
  size_t plain_room;
  uint64_t plain_below; /* numbers below it are small; 0: none is, and names are those of all ids */
  uint32_t *items;      /* of each id its value, or plain_below + its place among the names */
  size_t item_room;
  bool copies;
  uint8_t *texts; /* the last of the blocks that copies lie in; a block begins with the address of the one
                     before */
  uint8_t *texts_next;
  size_t texts_left;
  uint8_t key[16];
} sotto_i_ids;

void sotto_i_ids_init(sotto_i_ids *ids);
/* Before the first id: how many bytes the text has that ids come from. Numbers below a quarter of that stand
 * in the array; else none does. */
void sotto_i_ids_expect(sotto_i_ids *ids, size_t bytes);
/* Before the first id: texts are copied, with a zero behind them, and not borrowed. */
void sotto_i_ids_copy(sotto_i_ids *ids);
/* The number of an id, or UINT32_MAX. */
uint32_t sotto_i_ids_find(const sotto_i_ids *ids, const sotto_i_field *name);
/* The number of the id that is a number below plain_below, or UINT32_MAX. */
static inline uint32_t sotto_i_ids_plain(const sotto_i_ids *ids, uint64_t value) {
  return value < ids->plain_room ? ids->plain[value] - 1 : UINT32_MAX;
}
/* Adds an id that is not there yet. The text is borrowed, unless it is copied. Errors: NOMEM, RANGE (2^32 - 2
 * ids, or so many texts that plain_below and they are as many). */
sotto_status sotto_i_ids_add(sotto_i_ids *ids, const sotto_i_field *name, sotto_error *err);
/* The same for the number `value`, below plain_below. */
sotto_status sotto_i_ids_add_plain(sotto_i_ids *ids, uint32_t value, sotto_error *err);
/* Whether id `number` is a small number, whose text nobody needs to check. */
static inline bool sotto_i_ids_is_plain(const sotto_i_ids *ids, size_t number) {
  return ids->plain_below > 0 && ids->items[number] < ids->plain_below;
}
/* The text of id `number`, in `room` if it is a small number. */
enum { SOTTO_I_PLAIN_ROOM = 10 };
sotto_i_field sotto_i_ids_name(const sotto_i_ids *ids, size_t number, uint8_t room[SOTTO_I_PLAIN_ROOM]);
size_t sotto_i_ids_size(const sotto_i_ids *ids, size_t number);
/* Frees what finding ids needs, and keeps their texts. */
void sotto_i_ids_close(sotto_i_ids *ids);
void sotto_i_ids_free(sotto_i_ids *ids);

#endif
