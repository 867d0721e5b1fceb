/* Files that are read in pieces, where they stand: what is larger than memory need not be in it. */
#ifndef SOTTO_SRC_BASE_READER_H
#define SOTTO_SRC_BASE_READER_H

#include "sotto/base.h"

/* A regular file, open. It must stay as it is while it is in use; a file that is replaced by renaming does.
 */
typedef struct sotto_i_reader {
  int descriptor; /* -1: closed */
  uint64_t size;
  char *path;
} sotto_i_reader;

/* Errors: NOT_FOUND, IO (also for what is no regular file), naming the path. */
sotto_status sotto_i_reader_open(sotto_i_reader *out, const char *path, sotto_error *err);
/* Exactly `size` bytes from offset `at`. From several threads at once. Errors: IO, also when the file was cut
 * short.
 */
sotto_status sotto_i_reader_at(const sotto_i_reader *reader, void *out, size_t size, uint64_t at,
                               sotto_error *err);
/* BLAKE2b-256 of bytes `begin` to `end` - 1. */
enum { SOTTO_I_READER_DIGEST = 32 };
sotto_status sotto_i_reader_digest(const sotto_i_reader *reader, uint8_t out[SOTTO_I_READER_DIGEST],
                                   uint64_t begin, uint64_t end, sotto_error *err);
/* A closed one is fine. */
void sotto_i_reader_close(sotto_i_reader *reader);

/* A file in a folder that has no name, and is gone when it is closed, however the process ends: what does not
 * fit into memory. It is written from its beginning to its end, and then read. */
sotto_status sotto_i_spill_new(sotto_i_reader *out, const char *folder, sotto_error *err);
sotto_status sotto_i_spill_add(sotto_i_reader *spill, const void *data, size_t size, sotto_error *err);

#endif
