/* Files of the program: read whole, and written so that a crash leaves either the old file or the new one. */
#ifndef SOTTO_APP_COMMON_FILE_H
#define SOTTO_APP_COMMON_FILE_H

#include <stdio.h>

#include "base/file.h"

/* The bytes of a file, fresh, with a zero byte after them. Errors: NOT_FOUND, IO, NOMEM, naming the path. */
sotto_status app_read_file(char **out, size_t *size, const char *path, sotto_error *err);

/* A file that is being replaced (base/file.h), with a buffer; or standard output. */
typedef struct app_writer {
  FILE *stream;
  sotto_i_writer file;
  bool printed;
} app_writer;

/* "-" is standard output, which is written directly. */
sotto_status app_writer_open(app_writer *out, const char *path, sotto_error *err);
sotto_status app_writer_add(app_writer *writer, const void *data, size_t size, sotto_error *err);
/* Syncs, renames, syncs the folder, and closes. On failure the old file stays. */
sotto_status app_writer_commit(app_writer *writer, sotto_error *err);
/* Closes, and removes what was written so far. No effect after a commit or for a zeroed writer. */
void app_writer_abandon(app_writer *writer);

/* Opens, writes and commits a buffer. */
sotto_status app_write_file(const char *path, const void *data, size_t size, sotto_error *err);

/* "FOLDER/NAME", fresh. */
sotto_status app_join(char **out, const char *folder, const char *name, sotto_error *err);

#endif
