/* Storage of the texts of a list of ids: in their file, or in memory. */
#ifndef SOTTO_SRC_PARTY_PSI_ID_STORE_H
#define SOTTO_SRC_PARTY_PSI_ID_STORE_H

#include <sys/stat.h>

#include "sotto/align.h"

/* One id in so many has its position stored in full; the others are counted from it. */
enum { SOTTO_I_ID_BLOCK = 32, SOTTO_I_ID_WINDOW = 4096 };

typedef struct sotto_i_id_mark {
  uint64_t code, file, kept; /* the next byte of each */
} sotto_i_id_mark;

/* Of each id, `code` has 2 * (bytes since the end of the id before it) + (is it in `kept`?) and its size,
 * each in groups of 7 bits, the lowest first: about 2 bytes, and 24 more for each block. */
struct sotto_ids {
  char *file;        /* NULL: all texts are in `kept` */
  int descriptor;    /* of the file */
  struct stat state; /* of the file when it was read */
  uint8_t *code, *kept;
  sotto_i_id_mark *marks; /* [block] */
  sotto_i_id_mark next;
  uint64_t changed; /* ids that were not in the form in which they are compared */
  size_t count, code_room, kept_room, mark_room;
};

typedef struct sotto_i_id_place {
  uint64_t start;
  size_t size;
  bool kept; /* in `kept`, else in the file */
} sotto_i_id_place;

/* Adds an id of at most SOTTO_MOST_ID_BYTES. It starts at byte `start` of the file; with UINT64_MAX it is
 * copied to memory. Positions in the file ascend. Errors: NOMEM. */
sotto_status sotto_i_id_store_add(sotto_ids *ids, const uint8_t *text, size_t size, uint64_t start,
                                  sotto_error *err);
sotto_i_id_place sotto_i_id_store_place(const sotto_ids *ids, size_t row);

/* A part of the file, for ids that are read in order. */
typedef struct sotto_i_id_window {
  uint64_t start;
  size_t size; /* initially 0 */
  uint8_t bytes[SOTTO_I_ID_WINDOW];
} sotto_i_id_window;
/* The text of an id, borrowed until the next call with this window. `ahead`: the following ids are read next.
 * The caller ends with sotto_i_id_store_check. Errors: IO, CORRUPT (the file became shorter). */
sotto_status sotto_i_id_store_text(const uint8_t **text, size_t *size, const sotto_ids *ids, size_t row,
                                   bool ahead, sotto_i_id_window *window, sotto_error *err);
/* Is the file unchanged, by its size and time of change? Errors: CORRUPT, IO. */
sotto_status sotto_i_id_store_check(const sotto_ids *ids, sotto_error *err);

/* Opens the file at `path` and records its state before it is read; does nothing for a file that is not
 * regular. */
void sotto_i_id_store_open(sotto_ids *ids, const char *path);
/* After reading by path: are the file at the path and the descriptor's still the same? Otherwise texts must
 * be held in memory. */
bool sotto_i_id_store_stands(const sotto_ids *ids, const char *path);
void sotto_i_id_store_close(sotto_ids *ids);

#endif
