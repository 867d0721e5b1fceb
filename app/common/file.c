/* Reading of whole files, and writing by rename. */
#include "file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "memory.h"
#include "text.h"

static const char partial_mark[] = ".partial.";
enum { most_tries = 16, partial_digits = 16 };

static bool is_stdout(const char *path) {
  return strcmp(path, "-") == 0;
}

/* Names the requested path, not the partial file. */
static sotto_status fail_errno(sotto_error *err, const char *path, const char *doing) {
  int code = errno;
  if (is_stdout(path)) path = "standard output";
  return app_fail(err, code == ENOENT ? SOTTO_NOT_FOUND : SOTTO_IO, "%s: could not %s: %s%s", path, doing,
                  strerror(code), code == ENOSPC ? ": make room there, and give the same command again" : "");
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
    status = app_fail(err, SOTTO_IO, "%s: is not a regular file", path);
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

/* A new file with an unpredictable name: no existing link is followed. */
static int open_partial(app_writer *out, size_t capacity) {
  for (int tries = 0; tries < most_tries; tries++) {
    uint8_t random[partial_digits / 2];
    char digits[2 * sizeof random + 1];
    if (getentropy(random, sizeof random) != 0) return -1;
    app_hex(digits, random, sizeof random);
    (void)snprintf(out->partial, capacity, "%s%s%s", out->path, partial_mark, digits);
    int descriptor = open(out->partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

sotto_status app_writer_open(app_writer *out, const char *path, sotto_error *err) {
  *out = (app_writer){.stream = NULL};
  sotto_status status;
  size_t capacity = strlen(path) + 32;
  SOTTO_TRY(app_strdup(&out->path, path, err));
  SOTTO_TRY(app_new(&out->partial, capacity, 1, err));
  const bool printed = is_stdout(path);
  int descriptor = printed ? (fflush(stdout) == 0 ? dup(STDOUT_FILENO) : -1) : open_partial(out, capacity);
  if (printed) out->partial[0] = '\0';
  if (descriptor >= 0) out->stream = fdopen(descriptor, "wb");
  if (out->stream == NULL) status = fail_errno(err, out->path, "create it");
  if (descriptor >= 0 && out->stream == NULL) (void)close(descriptor);
done:
  if (status != SOTTO_OK) app_writer_abandon(out);
  return status;
}

sotto_status app_writer_add(app_writer *writer, const void *data, size_t size, sotto_error *err) {
  if (size == 0 || fwrite(data, 1, size, writer->stream) == size) return SOTTO_OK;
  return fail_errno(err, writer->path, "write to it");
}

/* Shortens `path` to its folder in place: after the rename, a lack of memory must not cause a failure. */
static sotto_status sync_folder(char *path, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  char *slash = strrchr(path, '/');
  if (slash == path)
    slash[1] = '\0';
  else if (slash != NULL)
    *slash = '\0';
  const char *folder = slash == NULL ? "." : path;
  int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0 || fsync(descriptor) != 0) status = fail_errno(err, folder, "sync this folder");
  if (descriptor >= 0) (void)close(descriptor);
  return status;
}

sotto_status app_writer_commit(app_writer *writer, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (is_stdout(writer->path)) {
    if (fflush(writer->stream) != 0) status = fail_errno(err, writer->path, "write to it");
    app_writer_abandon(writer);
    return status;
  }
  if (fflush(writer->stream) != 0 || fsync(fileno(writer->stream)) != 0)
    status = fail_errno(err, writer->path, "sync it");
  if (status == SOTTO_OK && rename(writer->partial, writer->path) != 0)
    status = fail_errno(err, writer->path, "replace it");
  if (status == SOTTO_OK) {
    writer->partial[0] = '\0';
    status = sync_folder(writer->path, err);
  }
  app_writer_abandon(writer);
  return status;
}

void app_writer_abandon(app_writer *writer) {
  if (writer->stream != NULL) {
    (void)fclose(writer->stream);
    if (writer->partial[0] != '\0') (void)unlink(writer->partial);
  }
  free(writer->path);
  free(writer->partial);
  *writer = (app_writer){.stream = NULL};
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

static bool is_partial(const char *name) {
  const size_t length = strlen(name), mark = sizeof partial_mark - 1;
  if (length <= mark + partial_digits) return false;
  const char *end = name + length - partial_digits;
  return strncmp(end - mark, partial_mark, mark) == 0 && strspn(end, "0123456789abcdef") == partial_digits;
}

sotto_status app_remove_partials(const char *folder, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  DIR *listing = opendir(folder);
  if (listing == NULL) return fail_errno(err, folder, "list it");
  for (const struct dirent *entry = NULL; status == SOTTO_OK && (entry = readdir(listing)) != NULL;)
    if (is_partial(entry->d_name) && unlinkat(dirfd(listing), entry->d_name, 0) != 0 && errno != ENOENT)
      status = fail_errno(err, folder, "remove an unfinished file in it");
  (void)closedir(listing);
  return status;
}

sotto_status app_make_folder(const char *path, sotto_error *err) {
  char *copy = NULL;
  sotto_status status = app_strdup(&copy, path, err);
  if (status != SOTTO_OK) return status;
  for (char *at = copy + (copy[0] != '\0'); status == SOTTO_OK; at++) {
    if (*at != '/' && *at != '\0') continue;
    char held = *at;
    *at = '\0';
    if (mkdir(copy, 0700) != 0 && errno != EEXIST) status = fail_errno(err, copy, "make this folder");
    *at = held;
    if (held == '\0') break;
  }
  if (status == SOTTO_OK && !app_is_folder(path))
    status = app_fail(err, SOTTO_IO, "%s: exists and is not a folder", path);
  free(copy);
  return status;
}

sotto_status app_join(char **out, const char *folder, const char *name, sotto_error *err) {
  size_t capacity = strlen(folder) + strlen(name) + 2;
  sotto_status status = app_new(out, capacity, 1, err);
  if (status == SOTTO_OK) (void)snprintf(*out, capacity, "%s/%s", folder, name);
  return status;
}

bool app_is_file(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool app_is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}
