/* Readers: files read in pieces, so that a file larger than memory need not be loaded. */
#ifndef SOTTO_SRC_BASE_READER_H
#define SOTTO_SRC_BASE_READER_H

#include "sotto/base.h"

/* An open regular file. It must not change while it is in use; replacing it by renaming is allowed. */
typedef struct sotto_i_reader {
  int descriptor; /* -1: closed */
  uint64_t size;
  char *path;
} sotto_i_reader;

/* Errors: NOT_FOUND, IO (also when it is not a regular file), naming the path. */
sotto_status sotto_i_reader_open(sotto_i_reader *out, const char *path, sotto_error *err);
/* Reads exactly `size` bytes from offset `at`. Thread-safe. Errors: IO, also when the file was truncated. */
sotto_status sotto_i_reader_at(const sotto_i_reader *reader, void *out, size_t size, uint64_t at,
                               sotto_error *err);
/* BLAKE2b-256 of bytes `begin` to `end` - 1. */
enum { SOTTO_I_READER_DIGEST = 32 };
sotto_status sotto_i_reader_digest(const sotto_i_reader *reader, uint8_t out[SOTTO_I_READER_DIGEST],
                                   uint64_t begin, uint64_t end, sotto_error *err);
/* A closed reader is allowed. */
void sotto_i_reader_close(sotto_i_reader *reader);

/* A temporary file without a name in `folder`, for data that does not fit into memory. It vanishes when it
 * is closed or the process ends. Write it from beginning to end, then read it. */
sotto_status sotto_i_spill_new(sotto_i_reader *out, const char *folder, sotto_error *err);
sotto_status sotto_i_spill_add(sotto_i_reader *spill, const void *data, size_t size, sotto_error *err);

/* Spilled arrays (files/spill.c): tables larger than memory are mappings of files without a name, whose
 * pages the system can drop. */

/* The memory limit of sotto_memory_set in bytes; 0: none. */
uint64_t sotto_i_memory_limit(void);

/* Bytes of one randomly accessed table that may be in memory; 0: all of it. */
uint64_t sotto_i_memory_table(void);

/* Under a memory limit, arrays of sotto_i_new of a sixteenth of it or more become mappings of files in
 * this folder, until the folder is NULL. Their disk space is reserved at once. They vanish with the
 * memory, or when the process ends. Do not call it while another thread allocates. */
void sotto_i_spill_into(const char *folder);

/* Peak bytes since sotto_memory_set that the system could not drop: neither file pages nor spilled arrays.
 * Measured only under a limit, when a large array is freed; 0 without a limit. */
uint64_t sotto_i_own_peak(void);

#endif
