/* One rank's part of a text file: whole records, read in pieces. */
#ifndef SOTTO_SRC_GRAPH_IMPORT_TEXT_PART_H
#define SOTTO_SRC_GRAPH_IMPORT_TEXT_PART_H

#include "base/reader.h"
#include "graph/io/csv.h"
#include "graph/spread/exchange.h"

typedef struct sotto_i_text_part {
  sotto_i_reader file;
  uint64_t begin, end; /* byte range of own records */
  uint64_t line;       /* lines in the parts of earlier ranks */
  uint64_t at, line_at;
  uint8_t *text; /* the latest piece */
  size_t room;
  sotto_i_csv rules; /* separator, trim, comments: where quotes begin */
} sotto_i_text_part;

/* Opens the file and distributes its lines: nearly equal bytes per rank. Errors: NOT_FOUND, IO, NOMEM,
 * UNSUPPORTED (packed, or UTF-16). */
sotto_status sotto_i_text_part_open(sotto_i_text_part *out, sotto_ranks *ranks, const char *path,
                                    sotto_error *err);
/* Once the separator is known: records that begin in one part end there, though fields in quotes may have
 * line feeds. Goes to the first own record. Errors: IO, NOMEM, INTERRUPTED, those of another rank. */
sotto_status sotto_i_text_part_settle(sotto_i_text_part *part, sotto_ranks *ranks, char separator,
                                      bool comments, sotto_error *err);
void sotto_i_text_part_close(sotto_i_text_part *part);
/* Reads the first lines of the file, about `bytes` bytes, at every rank; *whole: they are the whole file.
 * Errors: IO, NOMEM. */
sotto_status sotto_i_text_part_head(sotto_i_text_part *part, sotto_i_source *out, size_t bytes, bool *whole,
                                    sotto_error *err);
/* Goes back to the first own record. */
void sotto_i_text_part_rewind(sotto_i_text_part *part);
bool sotto_i_text_part_ended(const sotto_i_text_part *part);
/* Opens the next own records as a table with the line numbers of the file; none at the end. Frees what was
 * opened before in *csv, so its fields are invalid. Errors: IO, NOMEM, INTERRUPTED. */
sotto_status sotto_i_text_part_next(sotto_i_text_part *part, sotto_i_csv *csv, sotto_error *err);

#endif
