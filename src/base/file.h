/* Files: read whole, map, and write so that a crash leaves either the old or the new one. */
#ifndef SOTTO_SRC_BASE_FILE_H
#define SOTTO_SRC_BASE_FILE_H

#include "sotto/base.h"

/* A read-only file in memory; `data` is borrowed from the map and dies with it. */
typedef struct sotto_i_map {
  const uint8_t *data;
  size_t size;
} sotto_i_map;

/* Errors: NOT_FOUND, IO (also for a folder), each naming the path. An empty file gives size 0. */
sotto_status sotto_i_map_open(sotto_i_map *out, const char *path, sotto_error *err);
void sotto_i_map_close(sotto_i_map *map);

/* A file being replaced: written to "PATH.partial.PID.N", synced, renamed over PATH by commit. */
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
/* Closes and removes what was written so far; harmless after commit. */
void sotto_i_writer_abandon(sotto_i_writer *writer);

/* The three steps above for a buffer. */
sotto_status sotto_i_write_file(const char *path, const void *data, size_t size, sotto_error *err);

/* mkdir -p with mode 0700 for new folders. */
sotto_status sotto_i_make_folder(const char *path, sotto_error *err);

/* "FOLDER/NAME" in fresh memory. */
sotto_status sotto_i_join(char **out, const char *folder, const char *name, sotto_error *err);

bool sotto_i_is_file(const char *path);
bool sotto_i_is_folder(const char *path);

#endif
