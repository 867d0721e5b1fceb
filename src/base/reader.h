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

/* files/spill.c: tables that are larger than memory are mappings of files without a name, whose pages the system
 * can drop. */

/* The bytes of sotto_memory_set; 0: those of the machine. */
uint64_t sotto_i_memory_limit(void);

/* How much of one table that is read at random may be in memory; 0: all of it. */
uint64_t sotto_i_memory_table(void);

/* From now on, and under a limit alone, arrays of sotto_i_new of a sixteenth of it and more are mappings of
 * files in this folder, until the folder is NULL. Their room on the disk is set aside at once; they go with
 * the memory, or with the process, however that ends. Not to be called while another thread allocates. */
void sotto_i_spill_into(const char *folder);

/* The most memory that this process held since sotto_memory_set that the system could not drop: neither pages
 * of files nor spilled arrays. Looked at under a limit alone, when a large array goes; 0 without one. */
uint64_t sotto_i_own_peak(void);

#endif
