/* Reading of whole files, and writing by rename. */
#include "file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "memory.h"

static sotto_status fail_errno(sotto_error *err, const char *path, const char *doing) {
  return sotto_i_fail(err, errno == ENOENT ? SOTTO_NOT_FOUND : SOTTO_IO, "%s: could not %s: %s", path, doing,
                      sotto_i_errno_text(errno));
}

/* Names what was asked for, not the partial file. */
static const char *name_of(const app_writer *writer) {
  return writer->printed ? "standard output" : writer->file.path;
}

sotto_status app_read_file(char **out, size_t *size, const char *path, sotto_error *err) {
  struct stat info;
  sotto_status status;
  *out = NULL;
  *size = 0;
  FILE *stream = fopen(path, "rbe");
  if (stream == NULL) return fail_errno(err, path, "open it");
  if (fstat(fileno(stream), &info) != 0) {
    status = fail_errno(err, path, "read its size");
  } else if (!S_ISREG(info.st_mode)) {
    status = sotto_i_fail(err, SOTTO_IO, "%s: is not a regular file", path);
  } else {
    status = app_new(out, (size_t)info.st_size + 1, 1, err);
    if (status == SOTTO_OK) *size = fread(*out, 1, (size_t)info.st_size, stream);
    if (status == SOTTO_OK && ferror(stream) != 0) status = fail_errno(err, path, "read it");
  }
  (void)fclose(stream);
  if (status != SOTTO_OK) {
    free(*out);
    *out = NULL;
  }
  return status;
}

sotto_status app_writer_open(app_writer *out, const char *path, sotto_error *err) {
  *out = (app_writer){.file = {.descriptor = -1}, .printed = strcmp(path, "-") == 0};
  int descriptor = -1;
  sotto_status status = SOTTO_OK;
  if (!out->printed) SOTTO_TRY(sotto_i_writer_open(&out->file, path, err));
  if (!out->printed || fflush(stdout) == 0)
    descriptor = dup(out->printed ? STDOUT_FILENO : out->file.descriptor);
  if (descriptor >= 0) out->stream = fdopen(descriptor, "wb");
  if (out->stream == NULL) status = fail_errno(err, name_of(out), "create it");
  if (descriptor >= 0 && out->stream == NULL) (void)close(descriptor);
done:
  if (status != SOTTO_OK) app_writer_abandon(out);
  return status;
}

sotto_status app_writer_add(app_writer *writer, const void *data, size_t size, sotto_error *err) {
  if (size == 0 || fwrite(data, 1, size, writer->stream) == size) return SOTTO_OK;
  return fail_errno(err, name_of(writer), "write to it");
}

sotto_status app_writer_commit(app_writer *writer, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (fflush(writer->stream) != 0) status = fail_errno(err, name_of(writer), "write to it");
  if (status == SOTTO_OK && !writer->printed) status = sotto_i_writer_commit(&writer->file, err);
  app_writer_abandon(writer);
  return status;
}

void app_writer_abandon(app_writer *writer) {
  if (writer->stream != NULL) (void)fclose(writer->stream);
  writer->stream = NULL;
  if (writer->file.path != NULL) sotto_i_writer_abandon(&writer->file);
}

sotto_status app_write_file(const char *path, const void *data, size_t size, sotto_error *err) {
  app_writer writer;
  sotto_status status = app_writer_open(&writer, path, err);
  if (status != SOTTO_OK) return status;
  status = app_writer_add(&writer, data, size, err);
  if (status == SOTTO_OK) return app_writer_commit(&writer, err);
  app_writer_abandon(&writer);
  return status;
}

sotto_status app_join(char **out, const char *folder, const char *name, sotto_error *err) {
  size_t capacity = strlen(folder) + strlen(name) + 2;
  sotto_status status = app_new(out, capacity, 1, err);
  if (status == SOTTO_OK) (void)snprintf(*out, capacity, "%s/%s", folder, name);
  return status;
}
