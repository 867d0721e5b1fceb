/* Files: read whole, map, and write so that a crash leaves either the old or the new one. */
#ifndef SOTTO_SRC_BASE_FILE_H
#define SOTTO_SRC_BASE_FILE_H

#include "sotto/base.h"

/* What strerror says; of a full disk, what to do as well. */
const char *sotto_i_errno_text(int code);

/* A read-only file in memory, aligned to 64 bytes; `data` is borrowed from the map and dies with it. It is a
 * copy, which nothing outside of the process can change or cut short; only a file that is larger than half of
 * the machine's memory is mapped, and must stay as it is while it is in use. */
typedef struct sotto_i_map {
  const uint8_t *data;
  size_t size;
  bool mapped; /* its pages are its own, or the file's */
} sotto_i_map;

/* Errors: NOT_FOUND, IO (also for a folder, and for a file that is cut short meanwhile), each naming the
 * path; NOMEM. An empty file gives size 0, and data that
 * may not be read. */
sotto_status sotto_i_map_open(sotto_i_map *out, const char *path, sotto_error *err);
void sotto_i_map_close(sotto_i_map *map);
/* For tests: larger files are mapped; 0: as usual. */
void sotto_i_map_most_read(uint64_t bytes);

/* A file being replaced: written to "PATH.partial." and random digits, a new file of mode 0600, synced, and
 * renamed over PATH by commit. */
typedef struct sotto_i_writer {
  int descriptor;
  char *path;
  char *partial;
  uint64_t written;
} sotto_i_writer;

sotto_status sotto_i_writer_open(sotto_i_writer *out, const char *path, sotto_error *err);
sotto_status sotto_i_writer_add(sotto_i_writer *writer, const void *data, size_t size, sotto_error *err);
/* Syncs, renames, syncs the folder, and closes. On failure the old file stands. */
sotto_status sotto_i_writer_commit(sotto_i_writer *writer, sotto_error *err);
/* The same where there is no such file yet: of several processes one makes it. *made: false where there is
 * one, which stands. */
sotto_status sotto_i_writer_commit_new(sotto_i_writer *writer, bool *made, sotto_error *err);
/* Closes and removes what was written so far; harmless after commit. */
void sotto_i_writer_abandon(sotto_i_writer *writer);

/* Several processes write to one such file: the one that opened it gives the others the name `partial`. A
 * writer that joined is closed by abandon, which leaves the file alone, and is never committed. Errors: IO.
 */
sotto_status sotto_i_writer_join(sotto_i_writer *out, const char *path, const char *partial,
                                 sotto_error *err);
/* Zeros up to so many bytes. */
sotto_status sotto_i_writer_size(const sotto_i_writer *writer, uint64_t size, sotto_error *err);
sotto_status sotto_i_writer_at(const sotto_i_writer *writer, const void *data, size_t size, uint64_t at,
                               sotto_error *err);
sotto_status sotto_i_writer_sync(const sotto_i_writer *writer, sotto_error *err);

/* The three steps above for a buffer. */
sotto_status sotto_i_write_file(const char *path, const void *data, size_t size, sotto_error *err);

/* Removes what writers left behind whose processes were killed, in the folder and in those below it, four
 * deep. Links are not followed. Nobody else may be writing there. Errors: IO, naming the folder. */
sotto_status sotto_i_remove_partials(const char *folder, sotto_error *err);

/* mkdir -p with mode 0700 for new folders. */
sotto_status sotto_i_make_folder(const char *path, sotto_error *err);

/* Takes from all but the owner what they may do in a folder. Errors: IO (it is another user's). */
sotto_status sotto_i_make_private(const char *folder, sotto_error *err);

/* "FOLDER/NAME" in fresh memory. */
sotto_status sotto_i_join(char **out, const char *folder, const char *name, sotto_error *err);

bool sotto_i_is_file(const char *path);
bool sotto_i_is_folder(const char *path);

#endif
