/* Reading files in pieces, and spill files without a name. */
#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "memory.h"

enum { piece = 1 << 20 };

static sotto_status fail_errno(sotto_error *err, const char *path, const char *doing) {
  const int code = errno;
  return sotto_i_fail(err, code == ENOENT ? SOTTO_NOT_FOUND : SOTTO_IO, "%s: could not %s: %s", path, doing,
                      sotto_i_errno_text(code));
}

sotto_status sotto_i_reader_open(sotto_i_reader *out, const char *path, sotto_error *err) {
  sotto_status status;
  struct stat info;
  *out = (sotto_i_reader){.descriptor = -1};
  SOTTO_TRY(sotto_i_strdup(&out->path, path, err));
  out->descriptor =
      /* O_NONBLOCK: opening a pipe without a writer must not block */
      open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (out->descriptor < 0) {
    status = fail_errno(err, path, "open it");
  } else if (fstat(out->descriptor, &info) != 0) {
    status = fail_errno(err, path, "read its size");
  } else if (!S_ISREG(info.st_mode)) {
    status = sotto_i_fail(err, SOTTO_IO, "%s: is not a regular file", path);
  } else {
    out->size = (uint64_t)info.st_size;
  }
done:
  if (status != SOTTO_OK) sotto_i_reader_close(out);
  return status;
}

sotto_status sotto_i_reader_at(const sotto_i_reader *reader, void *out, size_t size, uint64_t at,
                               sotto_error *err) {
  uint8_t *bytes = out;
  while (size > 0) {
    const ssize_t count = pread(reader->descriptor, bytes, size, (off_t)at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail_errno(err, reader->path, "read it");
    if (count == 0) return sotto_i_fail(err, SOTTO_IO, "%s: was cut short while it was read", reader->path);
    bytes += count;
    size -= (size_t)count;
    at += (uint64_t)count;
  }
  return SOTTO_OK;
}

sotto_status sotto_i_reader_digest(const sotto_i_reader *reader, uint8_t out[SOTTO_I_READER_DIGEST],
                                   uint64_t begin, uint64_t end, sotto_error *err) {
  crypto_generichash_state state;
  uint8_t *bytes = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&bytes, piece, 1, err));
  crypto_generichash_init(&state, NULL, 0, SOTTO_I_READER_DIGEST);
  for (uint64_t at = begin; at < end; at += piece) {
    const size_t size = end - at < piece ? (size_t)(end - at) : piece;
    SOTTO_TRY(sotto_i_reader_at(reader, bytes, size, at, err));
    crypto_generichash_update(&state, bytes, size);
  }
  crypto_generichash_final(&state, out, SOTTO_I_READER_DIGEST);
done:
  sotto_i_free(bytes);
  return status;
}

void sotto_i_reader_close(sotto_i_reader *reader) {
  if (reader->path == NULL) return;
  if (reader->descriptor >= 0) close(reader->descriptor);
  sotto_i_free(reader->path);
  *reader = (sotto_i_reader){.descriptor = -1};
}

/* Opens a file without a name. Where the file system cannot, it creates a file and unlinks it at once. */
static int open_nameless(const char *folder, char *name) {
  int descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0) return descriptor;
  descriptor = mkostemp(name, O_CLOEXEC);
  if (descriptor >= 0) (void)unlink(name);
  return descriptor;
}

sotto_status sotto_i_spill_new(sotto_i_reader *out, const char *folder, sotto_error *err) {
  sotto_status status;
  char *name = NULL;
  *out = (sotto_i_reader){.descriptor = -1};
  SOTTO_TRY(sotto_i_join(&name, folder, ".spill.XXXXXX", err));
  SOTTO_TRY(sotto_i_strdup(&out->path, folder, err));
  out->descriptor = open_nameless(folder, name);
  if (out->descriptor < 0) status = fail_errno(err, folder, "create a temporary file in this folder");
done:
  sotto_i_free(name);
  if (status != SOTTO_OK) sotto_i_reader_close(out);
  return status;
}

sotto_status sotto_i_spill_add(sotto_i_reader *spill, const void *data, size_t size, sotto_error *err) {
  const uint8_t *bytes = data;
  while (size > 0) {
    const ssize_t count = pwrite(spill->descriptor, bytes, size, (off_t)spill->size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail_errno(err, spill->path, "write to a temporary file in this folder");
    bytes += count;
    size -= (size_t)count;
    spill->size += (uint64_t)count;
  }
  return SOTTO_OK;
}
