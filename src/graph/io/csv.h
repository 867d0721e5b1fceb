/* Text tables: lines split into fields, and ids that are any text. */
#ifndef SOTTO_SRC_GRAPH_IO_CSV_H
#define SOTTO_SRC_GRAPH_IO_CSV_H

#include "base/reader.h"
#include "read.h"
#include "words.h"

/* A table being read, record by record. Fields may be in double quotes, with a quote inside doubled; they may
 * hold separators and line feeds, so a record may have several lines. Fields are valid until the table is
 * freed and the source closed; in a source read in pieces, until the next record is read. Empty lines are
 * skipped. With the separator ' ', any number of blanks and tabs separate fields. */
typedef struct sotto_i_csv {
  sotto_i_lines lines;          /* lines.line is the first line of the current record */
  uint64_t inside;              /* further lines of the current record, not yet in lines.line */
  const uint8_t *text;          /* the source's text, the copy, or the window; lines.end is its end */
  uint8_t *copy;                /* copy of a text with quotes, which are removed in place; or the window */
  const sotto_i_reader *reader; /* a source read in pieces, with a window on it; else NULL */
  uint64_t base, size;          /* position of the window in the source; size of the source */
  size_t window;                /* capacity of the window in bytes */
  size_t checked;               /* bytes from `text` on that are known to be UTF-8 */
  bool bad;                     /* the byte behind them is not: its record is an error */
  char separator;
  bool comments; /* set after opening: skip and count lines that start with # or % */
  bool trim;     /* set after opening: fields are settled (words.h), and blanks may stand outside of quotes */
  bool passing;  /* set after opening, and in pieces: fields are valid until the next record only */
  uint64_t comment_lines;
  const sotto_observer *observer; /* set after opening: receives the progress of long tables; or NULL */
  bool reporting;                 /* a progress report was made and is not finished */
  sotto_i_field *fields;          /* fields of the current record */
  bool *changed;                  /* of each, whether it was not in the form that `trim` gives it */
  size_t count, room, changed_room;
  sotto_i_texts texts; /* of fields that were brought to that form */
} sotto_i_csv;

sotto_status sotto_i_csv_open(sotto_i_csv *out, const sotto_i_source *source, char separator,
                              sotto_error *err);
/* The same for a file read in pieces, with a window of `window` bytes, or of the longest line. The
 * separator is a comma until sotto_i_csv_choose. Errors: IO, NOMEM. */
sotto_status sotto_i_csv_open_pieces(sotto_i_csv *out, const sotto_i_reader *reader, size_t window,
                                     sotto_error *err);
/* The first of the separators, most likely first, that occurs outside of quotes in the first line with
 * content; separators[0] if none does. */
char sotto_i_csv_guess(const sotto_i_source *source, const char *separators, bool comments);
/* Sets that separator for a table of which nothing is read yet. Errors: IO, NOMEM. */
sotto_status sotto_i_csv_choose(sotto_i_csv *csv, const char *separators, sotto_error *err);
/* Estimated number of lines of the source, from the text in memory. */
uint64_t sotto_i_csv_lines_about(const sotto_i_csv *csv);
/* "commas" and so on. */
const char *sotto_i_csv_separator_name(char separator);
/* Lines between reports to the observer. */
enum { SOTTO_I_REPORT_LINES = 1 << 15 };
/* Maximum bytes of a field behind the line in which its quote opens; so that a quote which is never closed is
 * found before the rest of the file is in memory. */
enum { SOTTO_I_LONGEST_QUOTE = 1 << 20 };
/* Reads the next record; count is 0 at the end of the text. Errors: PARSE naming line and column, or the byte
 * that is not UTF-8; INTERRUPTED. */
sotto_status sotto_i_csv_next(sotto_i_csv *csv, sotto_error *err);
/* Whether a quoted field is open at the end of a line; `open`: one is at its beginning. The table gives the
 * separator, `trim` and `comments`. */
bool sotto_i_csv_opens(const sotto_i_csv *csv, const uint8_t *line, size_t size, bool open);
/* The end of what is known to be UTF-8 in memory. */
static inline const uint8_t *sotto_i_csv_good_end(const sotto_i_csv *csv) {
  return csv->bad ? csv->text + csv->checked : csv->lines.end;
}
/* Counts the lines of the current record: lines.line is its last line. */
static inline void sotto_i_csv_settle(sotto_i_csv *csv) {
  csv->lines.line += csv->inside;
  csv->inside = 0;
}
void sotto_i_csv_free(sotto_i_csv *csv);
/* Fails with "FILE: line L, column C: 'text of the field' what"; `column` counts from 0. */
sotto_status sotto_i_csv_fail(const sotto_i_csv *csv, sotto_status status, size_t column, const char *what,
                              sotto_error *err);
bool sotto_i_field_is(const sotto_i_field *field, const char *word); /* whatever the case */

/* Ids numbered in order of arrival.
 *
 * - A hash table with a random key (SipHash), so that no choice of ids makes it slow.
 * - An id of at most 8 bytes is stored in its slot, so that a lookup takes one memory access.
 * - Small numbers without sign or leading zeros have no slot and no text. Their numbers are in an array by
 *   value, and their values in order of arrival. */
typedef struct sotto_i_id_slot {
  uint64_t word;   /* bytes of a short id, padded with 0; hash of a long one */
  uint32_t number; /* number + 1; 0: the slot is free */
  uint32_t size;   /* size of a short id; long ids have one more than the longest short id, and their text in
                      `names` */
} sotto_i_id_slot;
typedef struct sotto_i_ids {
  size_t count;
  sotto_i_field *names; /* ids that have slots */
  size_t room, hashed;
  sotto_i_id_slot *slots;
  size_t slot_count;
  uint32_t *plain; /* number + 1 by value of a small number; 0: not an id yet */
  size_t plain_room;
  uint64_t plain_below; /* smaller numbers have no slot; 0: all ids have slots, and names holds all ids */
  uint32_t *items;      /* for each id its value, or plain_below + its index in names */
  size_t item_room;
  bool copies;
  /* the latest block of copied texts; each block starts with the address of the previous one */
  uint8_t *texts;
  uint8_t *texts_next;
  size_t texts_left;
  uint8_t key[16];
} sotto_i_ids;

void sotto_i_ids_init(sotto_i_ids *ids);
/* Call before the first id: size in bytes of the text that contains the ids. Numbers below a quarter of it
 * need no slot. */
void sotto_i_ids_expect(sotto_i_ids *ids, size_t bytes);
/* Call before the first id: texts are copied, with a zero byte at the end, instead of borrowed. */
void sotto_i_ids_copy(sotto_i_ids *ids);
/* The number of an id, or UINT32_MAX. */
uint32_t sotto_i_ids_find(const sotto_i_ids *ids, const sotto_i_field *name);
/* The number of the id `value`, a number below plain_below; or UINT32_MAX. */
static inline uint32_t sotto_i_ids_plain(const sotto_i_ids *ids, uint64_t value) {
  return value < ids->plain_room ? ids->plain[value] - 1 : UINT32_MAX;
}
/* Adds a new id; the text is borrowed unless copied. Errors: NOMEM, RANGE (2^32 - 2 ids; or plain_below
 * and the number of texts exceed that together). */
sotto_status sotto_i_ids_add(sotto_i_ids *ids, const sotto_i_field *name, sotto_error *err);
/* Adds the number `value`, below plain_below. */
sotto_status sotto_i_ids_add_plain(sotto_i_ids *ids, uint32_t value, sotto_error *err);
/* Whether id `number` is a small number, whose text needs no check. */
static inline bool sotto_i_ids_is_plain(const sotto_i_ids *ids, size_t number) {
  return ids->plain_below > 0 && ids->items[number] < ids->plain_below;
}
/* The text of id `number`; a small number is written to `room`. */
enum { SOTTO_I_PLAIN_ROOM = 10 };
sotto_i_field sotto_i_ids_name(const sotto_i_ids *ids, size_t number, uint8_t room[SOTTO_I_PLAIN_ROOM]);
size_t sotto_i_ids_size(const sotto_i_ids *ids, size_t number);
/* Frees what lookups need; texts stay. */
void sotto_i_ids_close(sotto_i_ids *ids);
void sotto_i_ids_free(sotto_i_ids *ids);

#endif
