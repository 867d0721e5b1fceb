/* Files: read whole or map, and write so that a crash leaves either the old or the new file. */
#ifndef SOTTO_SRC_BASE_FILE_H
#define SOTTO_SRC_BASE_FILE_H

#include "sotto/base.h"

/* Text of strerror; for a full disk it also says what to do. */
const char *sotto_i_errno_text(int code);

/* A read-only file in memory, aligned to 64 bytes. `data` belongs to the map and is freed with it. It is a
 * copy that no other process can change or truncate. Only a file larger than half of the machine's memory
 * is mapped; that file must not change while it is in use. */
typedef struct sotto_i_map {
  const uint8_t *data;
  size_t size;
  bool mapped; /* true: the pages are mapped, from the file or anonymous; close unmaps them */
} sotto_i_map;

/* Errors: NOT_FOUND, IO (also for a folder, and for a file truncated meanwhile), each naming the path;
 * NOMEM. An empty file gives size 0 and data that may not be read. */
sotto_status sotto_i_map_open(sotto_i_map *out, const char *path, sotto_error *err);
void sotto_i_map_close(sotto_i_map *map);
/* Is it at most half of the machine's memory? For what a file or a peer asks for. */
bool sotto_i_fits_memory(uint64_t size);
/* For tests: only so many bytes fit; 0 restores the default. */
void sotto_i_map_most_read(uint64_t bytes);

/* A file being replaced. It is written to "PATH.partial." plus random digits (a new file of mode 0600),
 * synced, and renamed to PATH by commit. */
typedef struct sotto_i_writer {
  int descriptor;
  char *path;
  char *partial;
} sotto_i_writer;

sotto_status sotto_i_writer_open(sotto_i_writer *out, const char *path, sotto_error *err);
sotto_status sotto_i_writer_add(sotto_i_writer *writer, const void *data, size_t size, sotto_error *err);
/* Syncs, renames, syncs the folder, and closes. On failure the old file is unchanged. */
sotto_status sotto_i_writer_commit(sotto_i_writer *writer, sotto_error *err);
/* The same, but only if PATH does not exist yet: exactly one of several processes creates it. *made is
 * false when PATH exists; the existing file is unchanged. */
sotto_status sotto_i_writer_commit_new(sotto_i_writer *writer, bool *made, sotto_error *err);
/* Closes, and removes the partial file. Does nothing after commit. */
void sotto_i_writer_abandon(sotto_i_writer *writer);

/* A partial file that several processes write. The process that opened it gives its name, `partial`, to
 * the others. A joined writer is closed by abandon, which keeps the file, and is never committed. Errors:
 * IO. */
sotto_status sotto_i_writer_join(sotto_i_writer *out, const char *path, const char *partial,
                                 sotto_error *err);
/* Extends the file to `size` bytes, filled with zeros. */
sotto_status sotto_i_writer_size(const sotto_i_writer *writer, uint64_t size, sotto_error *err);
sotto_status sotto_i_writer_at(const sotto_i_writer *writer, const void *data, size_t size, uint64_t at,
                               sotto_error *err);
sotto_status sotto_i_writer_sync(const sotto_i_writer *writer, sotto_error *err);

/* Opens, writes and commits a file from one buffer. */
sotto_status sotto_i_write_file(const char *path, const void *data, size_t size, sotto_error *err);

/* Removes the partial files of killed processes, in the folder and its subfolders up to depth four. Does
 * not follow links. No other process may be writing there. Errors: IO, naming the folder. */
sotto_status sotto_i_remove_partials(const char *folder, sotto_error *err);

/* Gives a file, whose bytes are synced, another name in its folder, and syncs the folder. Errors: IO, NOMEM.
 */
sotto_status sotto_i_rename(const char *from, const char *to, sotto_error *err);

/* mkdir -p with mode 0700 for new folders. */
sotto_status sotto_i_make_folder(const char *path, sotto_error *err);

/* Restricts a folder to its owner (mode 0700). Errors: IO (it belongs to another user). */
sotto_status sotto_i_make_private(const char *folder, sotto_error *err);

/* The last name of a path, without slashes: what may be said of a place on this machine. Cut short where it
 * does not fit. */
void sotto_i_last_name(char *out, size_t size, const char *path);

/* "FOLDER/NAME" in fresh memory. */
sotto_status sotto_i_join(char **out, const char *folder, const char *name, sotto_error *err);

bool sotto_i_is_file(const char *path);
bool sotto_i_is_folder(const char *path);

#endif
