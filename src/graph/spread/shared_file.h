/* A native file that all ranks write: each rank its own bytes of every section. */
#ifndef SOTTO_SRC_GRAPH_SPREAD_SHARED_FILE_H
#define SOTTO_SRC_GRAPH_SPREAD_SHARED_FILE_H

#include "exchange.h"
#include "graph/io/native.h"

typedef struct sotto_i_shared_file {
  sotto_ranks *ranks; /* borrowed */
  sotto_i_writer writer;
  sotto_i_native_header header; /* equal in all ranks; checksums only at rank 0 until commit */
} sotto_i_shared_file;

/* Opens a new partial file for `path`, with sections of the counts and sizes in the header
 * (sotto_i_native_place); the header is the same in all ranks. Errors: IO, INVALID (too large for any
 * file), NOMEM, those of another rank. */
sotto_status sotto_i_shared_file_open(sotto_i_shared_file *out, sotto_ranks *ranks, const char *path,
                                      const sotto_i_native_header *header,
                                      const bool present[SOTTO_I_NATIVE_KINDS], sotto_error *err);
/* All ranks sync; then rank 0 writes the header, syncs, and renames the file to its path. Errors: IO,
 * those of another rank; then the path is unchanged. */
sotto_status sotto_i_shared_file_commit(sotto_i_shared_file *file, sotto_error *err);
/* Removes the partial file unless it was committed. */
void sotto_i_shared_file_close(sotto_i_shared_file *file);

/* The bytes of one section, written by ranks in consecutive ranges: range i belongs to rank i modulo the
 * number of ranks. Most sections have one range per rank. The checksum is computed while writing. */
typedef struct sotto_i_strip {
  sotto_i_shared_file *file;
  sotto_i_native_kind kind;
  /* for rank 0: digests of pieces; before: bytes that belong to pieces of other ranks */
  sotto_i_exchange mail;
  uint64_t *begin;                    /* ranges + 1 */
  size_t ranges, range;               /* range: the own range being written */
  uint64_t at;                        /* position of the next byte */
  struct sotto_i_strip_piece *pieces; /* the last piece of each range, which later ranges may continue */
  uint8_t *head;                      /* bytes of this range that belong to a piece of an earlier range */
  size_t head_size;
  uint8_t (**digests)[32]; /* of the whole pieces of each range */
  size_t *digest_count, *digest_room;
} sotto_i_strip;

/* sizes[parts]: bytes of this rank's ranges. Errors: NOMEM, those of another rank. */
sotto_status sotto_i_strip_begin(sotto_i_strip *out, sotto_i_shared_file *file, sotto_i_native_kind kind,
                                 const uint64_t *sizes, size_t parts, sotto_error *err);
/* Writes the next bytes of this rank, through its ranges in order. Errors: IO, NOMEM. */
sotto_status sotto_i_strip_add(sotto_i_strip *strip, const void *data, size_t size, sotto_error *err);
/* Stores the checksum in rank 0's header. Errors: NOMEM, those of another rank. */
sotto_status sotto_i_strip_end(sotto_i_strip *strip, sotto_error *err);
void sotto_i_strip_free(sotto_i_strip *strip);
/* Begins, writes and ends a strip for one range in memory. */
sotto_status sotto_i_strip_write(sotto_i_shared_file *file, sotto_i_native_kind kind, const void *data,
                                 uint64_t size, sotto_error *err);

#endif
