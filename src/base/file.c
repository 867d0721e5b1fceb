/* Reading by mmap, writing by rename. */
#define _POSIX_C_SOURCE 200809L
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"

static sotto_status fail_errno(sotto_error *err, const char *path, const char *doing) {
  int code = errno;
  return sotto_i_fail(err, code == ENOENT ? SOTTO_NOT_FOUND : SOTTO_IO, "%s: could not %s: %s", path, doing,
                      strerror(code));
}

sotto_status sotto_i_map_open(sotto_i_map *out, const char *path, sotto_error *err) {
  *out = (sotto_i_map){0};
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return fail_errno(err, path, "open it");
  struct stat info;
  sotto_status status = SOTTO_OK;
  if (fstat(descriptor, &info) != 0) {
    status = fail_errno(err, path, "read its size");
  } else if (!S_ISREG(info.st_mode)) {
    status = sotto_i_fail(err, SOTTO_IO, "%s: is not a regular file", path);
  } else if (info.st_size > 0) {
    void *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data == MAP_FAILED)
      status = fail_errno(err, path, "map it into memory");
    else
      *out = (sotto_i_map){.data = data, .size = (size_t)info.st_size};
  }
  close(descriptor);
  return status;
}

void sotto_i_map_close(sotto_i_map *map) {
  if (map->data != NULL) munmap((void *)(uintptr_t)map->data, map->size);
  *map = (sotto_i_map){0};
}

static _Atomic uint64_t opened; /* writers of this process: two threads may write one path */

sotto_status sotto_i_writer_open(sotto_i_writer *out, const char *path, sotto_error *err) {
  *out = (sotto_i_writer){.descriptor = -1};
  sotto_status status;
  size_t capacity = strlen(path) + 64;
  SOTTO_TRY(sotto_i_strdup(&out->path, path, err));
  SOTTO_TRY(sotto_i_new_raw(&out->partial, capacity, 1, err));
  (void)snprintf(out->partial, capacity, "%s.partial.%ld.%llu", path, (long)getpid(),
                 (unsigned long long)atomic_fetch_add(&opened, 1));
  out->descriptor = open(out->partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (out->descriptor < 0) status = fail_errno(err, out->partial, "create it");
done:
  if (status != SOTTO_OK) sotto_i_writer_abandon(out);
  return status;
}

sotto_status sotto_i_writer_add(sotto_i_writer *writer, const void *data, size_t size, sotto_error *err) {
  const uint8_t *bytes = data;
  while (size > 0) {
    ssize_t count = write(writer->descriptor, bytes, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail_errno(err, writer->partial, "write to it");
    bytes += count;
    size -= (size_t)count;
    writer->written += (uint64_t)count;
  }
  return SOTTO_OK;
}

/* Cuts `path` down to its folder, in place: once the file is renamed, nothing may fail for want of memory. */
static sotto_status sync_folder(char *path, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  char *slash = strrchr(path, '/');
  if (slash == path)
    slash[1] = '\0';
  else if (slash != NULL)
    *slash = '\0';
  int descriptor = open(slash == NULL ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0 || fsync(descriptor) != 0)
    status = fail_errno(err, slash == NULL ? "." : path, "sync this folder");
  if (descriptor >= 0) close(descriptor);
  return status;
}

sotto_status sotto_i_writer_commit(sotto_i_writer *writer, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (fsync(writer->descriptor) != 0) status = fail_errno(err, writer->partial, "sync it");
  if (status == SOTTO_OK && rename(writer->partial, writer->path) != 0)
    status = fail_errno(err, writer->path, "replace it");
  if (status == SOTTO_OK) {
    writer->partial[0] = '\0';
    status = sync_folder(writer->path, err);
  }
  sotto_i_writer_abandon(writer);
  return status;
}

void sotto_i_writer_abandon(sotto_i_writer *writer) {
  if (writer->descriptor >= 0) {
    close(writer->descriptor);
    if (writer->partial[0] != '\0') unlink(writer->partial);
  }
  sotto_i_free(writer->path);
  sotto_i_free(writer->partial);
  *writer = (sotto_i_writer){.descriptor = -1};
}

sotto_status sotto_i_write_file(const char *path, const void *data, size_t size, sotto_error *err) {
  sotto_i_writer writer;
  sotto_status status = sotto_i_writer_open(&writer, path, err);
  if (status != SOTTO_OK) return status;
  status = sotto_i_writer_add(&writer, data, size, err);
  if (status == SOTTO_OK) return sotto_i_writer_commit(&writer, err);
  sotto_i_writer_abandon(&writer);
  return status;
}

sotto_status sotto_i_make_folder(const char *path, sotto_error *err) {
  char *copy = NULL;
  sotto_status status = sotto_i_strdup(&copy, path, err);
  if (status != SOTTO_OK) return status;
  for (char *at = copy + 1; status == SOTTO_OK; at++) {
    if (*at != '/' && *at != '\0') continue;
    char held = *at;
    *at = '\0';
    if (mkdir(copy, 0700) != 0 && errno != EEXIST) status = fail_errno(err, copy, "make this folder");
    *at = held;
    if (held == '\0') break;
  }
  if (status == SOTTO_OK && !sotto_i_is_folder(path))
    status = sotto_i_fail(err, SOTTO_IO, "%s: exists and is not a folder", path);
  sotto_i_free(copy);
  return status;
}

sotto_status sotto_i_join(char **out, const char *folder, const char *name, sotto_error *err) {
  size_t capacity = strlen(folder) + strlen(name) + 2;
  sotto_status status = sotto_i_new_raw(out, capacity, 1, err);
  if (status == SOTTO_OK) (void)snprintf(*out, capacity, "%s/%s", folder, name);
  return status;
}

bool sotto_i_is_file(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool sotto_i_is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}
