/* A native file that all ranks write: each its own bytes of every section, at their places. */
#ifndef SOTTO_SRC_GRAPH_SPREAD_SHARED_FILE_H
#define SOTTO_SRC_GRAPH_SPREAD_SHARED_FILE_H

#include "exchange.h"
#include "graph/io/native.h"

typedef struct sotto_i_shared_file {
  sotto_ranks *ranks; /* borrowed */
  sotto_i_writer writer;
  sotto_i_native_header header; /* the same in all ranks, but checksums at rank 0 alone until commit */
} sotto_i_shared_file;

/* A new file beside `path`, with sections as the header's counts and sizes say (sotto_i_native_place); the
 * header is the same in all ranks. Errors: IO, INVALID (beyond any file), NOMEM, those of another rank. */
sotto_status sotto_i_shared_file_open(sotto_i_shared_file *out, sotto_ranks *ranks, const char *path,
                                      const sotto_i_native_header *header,
                                      const bool present[SOTTO_I_NATIVE_KINDS], sotto_error *err);
/* All ranks sync what they wrote; then rank 0 writes the header, syncs, and renames the file to its path.
 * Errors: IO, those of another rank; then nothing is at the path that was not there. */
sotto_status sotto_i_shared_file_commit(sotto_i_shared_file *file, sotto_error *err);
/* Removes what was written, unless it was committed. */
void sotto_i_shared_file_close(sotto_i_shared_file *file);

/* The bytes of one section, as ranks write them: ranges follow one another, and range i is of rank i modulo
 * the number of ranks. Most sections have one range a rank. Its checksum is made as the bytes are written. */
typedef struct sotto_i_strip {
  sotto_i_shared_file *file;
  sotto_i_native_kind kind;
  sotto_i_exchange mail; /* for rank 0: digests of pieces; before: what belongs to pieces of other ranks */
  uint64_t *begin;       /* ranges + 1 */
  size_t ranges, range;  /* range: the own one that is being written */
  uint64_t at;           /* of the next byte */
  struct sotto_i_strip_piece *pieces; /* the last one of each range, which the next ranges may go on with */
  uint8_t *head;                      /* bytes of this range that belong to a piece of an earlier one */
  size_t head_size;
  uint8_t (**digests)[32]; /* of whole pieces of each range */
  size_t *digest_count, *digest_room;
} sotto_i_strip;

/* sizes[parts]: bytes of this rank's ranges. Errors: NOMEM, those of another rank. */
sotto_status sotto_i_strip_begin(sotto_i_strip *out, sotto_i_shared_file *file, sotto_i_native_kind kind,
                                 const uint64_t *sizes, size_t parts, sotto_error *err);
/* The next bytes of this rank, through its ranges in their order. Errors: IO, NOMEM. */
sotto_status sotto_i_strip_add(sotto_i_strip *strip, const void *data, size_t size, sotto_error *err);
/* Puts the checksum into rank 0's header. Errors: NOMEM, those of another rank. */
sotto_status sotto_i_strip_end(sotto_i_strip *strip, sotto_error *err);
void sotto_i_strip_free(sotto_i_strip *strip);
/* The three of them, for one range in memory. */
sotto_status sotto_i_strip_write(sotto_i_shared_file *file, sotto_i_native_kind kind, const void *data,
                                 uint64_t size, sotto_error *err);

#endif
