/* Files: reading whole files, and writing by rename. */
#define _POSIX_C_SOURCE 200809L
#include "file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "text.h"
#include "threads.h"

static const char partial_mark[] = ".partial.";
enum { most_tries = 16, partial_digits = 16 };

const char *sotto_i_errno_text(int code) {
  if (code == ENOSPC) return "No space left on device: make room there, and give the same command again";
  return strerror(code);
}

static sotto_status fail_errno(sotto_error *err, const char *path, const char *doing) {
  int code = errno;
  return sotto_i_fail(err, code == ENOENT ? SOTTO_NOT_FOUND : SOTTO_IO, "%s: could not %s: %s", path, doing,
                      sotto_i_errno_text(code));
}

typedef struct whole_read {
  int descriptor;
  uint8_t *data;
  size_t size;
  atomic_int problem; /* an errno, or `cut_short` */
} whole_read;

enum { piece_size = 8 << 20, cut_short = -1, own_pages = 1 << 17 };

static void read_pieces(void *context, size_t begin, size_t end) {
  whole_read *r = context;
  const size_t last = end * piece_size < r->size ? end * piece_size : r->size;
  for (size_t at = begin * piece_size; at < last && atomic_load(&r->problem) == 0;) {
    const ssize_t count = pread(r->descriptor, r->data + at, last - at, (off_t)at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) atomic_store(&r->problem, count < 0 ? errno : cut_short);
    if (count > 0) at += (size_t)count;
  }
}

/* Large buffers are mapped, so that freeing them returns their pages to the system. malloc would raise its
 * mmap threshold and keep later blocks of that size. */
static sotto_status new_pages(uint8_t **out, size_t size, const char *path, sotto_error *err) {
  void *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED)
    return sotto_i_fail(err, SOTTO_NOMEM, "%s: no memory for its %zu bytes", path, size);
  /* 2 MB pages are zeroed faster than many small ones; best effort */
  (void)madvise(data, size, MADV_HUGEPAGE);
  *out = data;
  return SOTTO_OK;
}

/* Reads a copy on all threads, so that data checked once cannot change afterwards. A file that grows
 * meanwhile is read up to its first size; one that shrinks is an error. */
static sotto_status read_whole(sotto_i_map *out, int descriptor, size_t size, const char *path,
                               sotto_error *err) {
  whole_read r = {.descriptor = descriptor, .size = size};
  const bool pages = size >= own_pages;
  sotto_status status = pages ? new_pages(&r.data, size, path, err) : sotto_i_new_raw(&r.data, size, 1, err);
  if (status != SOTTO_OK) return status;
  sotto_i_parallel((size + piece_size - 1) / piece_size, 1, read_pieces, &r);
  const int problem = atomic_load(&r.problem);
  errno = problem;
  if (problem == cut_short) status = sotto_i_fail(err, SOTTO_IO, "%s: was cut short while it was read", path);
  if (problem > 0) status = fail_errno(err, path, "read it");
  *out = (sotto_i_map){.data = r.data, .size = size, .mapped = pages};
  if (status != SOTTO_OK) sotto_i_map_close(out);
  return status;
}

static sotto_status map_whole(sotto_i_map *out, int descriptor, size_t size, const char *path,
                              sotto_error *err) {
  void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (data == MAP_FAILED) return fail_errno(err, path, "map it into memory");
  *out = (sotto_i_map){.data = data, .size = size, .mapped = true};
  return SOTTO_OK;
}

/* size in bytes above which a file is mapped; 0: half of this machine's memory */
static _Atomic uint64_t most_read;

void sotto_i_map_most_read(uint64_t bytes) {
  atomic_store(&most_read, bytes);
}

bool sotto_i_fits_memory(uint64_t size) {
  const uint64_t most = atomic_load(&most_read);
  if (most != 0) return size <= most;
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages <= 0 || page <= 0 || size <= (uint64_t)pages / 2 * (uint64_t)page;
}

sotto_status sotto_i_map_open(sotto_i_map *out, const char *path, sotto_error *err) {
  *out = (sotto_i_map){0};
  /* O_NONBLOCK: opening a pipe without a writer must not block */
  int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return fail_errno(err, path, "open it");
  struct stat info;
  sotto_status status = SOTTO_OK;
  if (fstat(descriptor, &info) != 0) {
    status = fail_errno(err, path, "read its size");
  } else if (!S_ISREG(info.st_mode)) {
    status = sotto_i_fail(err, SOTTO_IO, "%s: is not a regular file", path);
  } else {
    const size_t size = (size_t)info.st_size;
    status = size == 0 || sotto_i_fits_memory(size) ? read_whole(out, descriptor, size, path, err)
                                                    : map_whole(out, descriptor, size, path, err);
  }
  close(descriptor);
  return status;
}

void sotto_i_map_close(sotto_i_map *map) {
  void *data = (void *)(uintptr_t)map->data;
  if (map->mapped)
    (void)munmap(data, map->size);
  else
    sotto_i_free(data);
  *map = (sotto_i_map){0};
}

/* Creates PATH.partial. plus random digits with mode 0600. The name is unpredictable and the file is new
 * (O_EXCL), so no link and no file of another user is ever written to. */
static sotto_status open_partial(sotto_i_writer *out, size_t capacity, sotto_error *err) {
  for (int tries = 0; tries < most_tries; tries++) {
    uint8_t random[partial_digits / 2];
    char digits[2 * sizeof random + 1];
    if (getentropy(random, sizeof random) != 0) return fail_errno(err, out->path, "get random bytes");
    sotto_i_hex(digits, random, sizeof random);
    (void)snprintf(out->partial, capacity, "%s%s%s", out->path, partial_mark, digits);
    out->descriptor = open(out->partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (out->descriptor >= 0) return SOTTO_OK;
    if (errno != EEXIST) break;
  }
  return fail_errno(err, out->path, "create it");
}

sotto_status sotto_i_writer_open(sotto_i_writer *out, const char *path, sotto_error *err) {
  *out = (sotto_i_writer){.descriptor = -1};
  sotto_status status;
  size_t capacity = strlen(path) + 64;
  SOTTO_TRY(sotto_i_strdup(&out->path, path, err));
  SOTTO_TRY(sotto_i_new_raw(&out->partial, capacity, 1, err));
  SOTTO_TRY(open_partial(out, capacity, err));
done:
  if (status != SOTTO_OK) sotto_i_writer_abandon(out);
  return status;
}

sotto_status sotto_i_writer_add(sotto_i_writer *writer, const void *data, size_t size, sotto_error *err) {
  const uint8_t *bytes = data;
  while (size > 0) {
    ssize_t count = write(writer->descriptor, bytes, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail_errno(err, writer->path, "write to it");
    bytes += count;
    size -= (size_t)count;
  }
  return SOTTO_OK;
}

/* Truncates `path` to its folder in place: after the rename, nothing may fail for lack of memory. */
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

sotto_status sotto_i_rename(const char *from, const char *to, sotto_error *err) {
  char *path = NULL;
  sotto_status status = sotto_i_strdup(&path, to, err);
  if (status != SOTTO_OK) return status;
  status = rename(from, to) == 0 ? sync_folder(path, err) : fail_errno(err, from, "rename it");
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_writer_commit(sotto_i_writer *writer, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (fsync(writer->descriptor) != 0) status = fail_errno(err, writer->path, "sync it");
  if (status == SOTTO_OK && rename(writer->partial, writer->path) != 0)
    status = fail_errno(err, writer->path, "replace it");
  if (status == SOTTO_OK) {
    writer->partial[0] = '\0';
    status = sync_folder(writer->path, err);
  }
  sotto_i_writer_abandon(writer);
  return status;
}

/* File systems without hard links, such as FAT, cannot decide which of several processes was first. */
static sotto_status link_new(const sotto_i_writer *w, bool *made, sotto_error *err) {
  *made = link(w->partial, w->path) == 0;
  if (*made || errno == EEXIST) return SOTTO_OK;
  if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS) return fail_errno(err, w->path, "make it");
  if (access(w->path, F_OK) == 0) return SOTTO_OK;
  *made = rename(w->partial, w->path) == 0;
  return *made ? SOTTO_OK : fail_errno(err, w->path, "make it");
}

sotto_status sotto_i_writer_commit_new(sotto_i_writer *writer, bool *made, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  *made = false;
  if (fsync(writer->descriptor) != 0) status = fail_errno(err, writer->path, "sync it");
  if (status == SOTTO_OK) status = link_new(writer, made, err);
  if (*made) status = sync_folder(writer->path, err);
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

static bool is_partial(const char *name) {
  const size_t length = strlen(name), mark = sizeof partial_mark - 1;
  if (length <= mark + partial_digits) return false;
  const char *end = name + length - partial_digits;
  return strncmp(end - mark, partial_mark, mark) == 0 && strspn(end, "0123456789abcdef") == partial_digits;
}

/* Removes partial files in the folder and its subfolders. Closes `descriptor`. Returns the errno of the
 * first failure, or 0. */
static int remove_partials_below(int descriptor, unsigned depth) {
  int problem = 0;
  DIR *listing = fdopendir(descriptor);
  if (listing == NULL) {
    problem = errno;
    (void)close(descriptor);
    return problem;
  }
  for (const struct dirent *entry = NULL; (entry = readdir(listing)) != NULL;) {
    const char *name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
    int found = 0;
    if (is_partial(name)) {
      if (unlinkat(descriptor, name, 0) != 0 && errno != ENOENT) found = errno;
    } else if (depth > 0) {
      int below = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (below >= 0) found = remove_partials_below(below, depth - 1);
    }
    if (problem == 0) problem = found;
  }
  (void)closedir(listing);
  return problem;
}

sotto_status sotto_i_remove_partials(const char *folder, sotto_error *err) {
  enum { depth = 4 };
  int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  errno = descriptor < 0 ? errno : remove_partials_below(descriptor, depth);
  return errno == 0 ? SOTTO_OK : fail_errno(err, folder, "remove the unfinished files in it");
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

sotto_status sotto_i_make_private(const char *folder, sotto_error *err) {
  struct stat info;
  if (stat(folder, &info) != 0) return fail_errno(err, folder, "read its mode");
  if ((info.st_mode & 077) == 0 || chmod(folder, 0700) == 0) return SOTTO_OK;
  return fail_errno(err, folder, "make this folder private (mode 0700)");
}

void sotto_i_last_name(char *out, size_t size, const char *path) {
  size_t end = strlen(path), begin;
  while (end > 0 && path[end - 1] == '/') end--;
  for (begin = end; begin > 0 && path[begin - 1] != '/';) begin--;
  (void)snprintf(out, size, "%.*s", (int)(end - begin), path + begin);
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
