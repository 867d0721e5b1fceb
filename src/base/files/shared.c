/* A partial file that several processes write: one opens and commits it, the others join. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

static sotto_status fail_errno(const sotto_i_writer *writer, const char *doing, sotto_error *err) {
  return sotto_i_fail(err, SOTTO_IO, "%s: could not %s: %s", writer->path, doing, sotto_i_errno_text(errno));
}

sotto_status sotto_i_writer_join(sotto_i_writer *out, const char *path, const char *partial,
                                 sotto_error *err) {
  sotto_status status;
  *out = (sotto_i_writer){.descriptor = -1};
  SOTTO_TRY(sotto_i_strdup(&out->path, path, err));
  SOTTO_TRY(sotto_i_strdup(&out->partial, "", err)); /* only the process that opened the file removes it */
  out->descriptor = open(partial, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  if (out->descriptor < 0)
    status = fail_errno(
        out, "open the partial file of another process (all processes must see the same folder)", err);
done:
  if (status != SOTTO_OK) sotto_i_writer_abandon(out);
  return status;
}

sotto_status sotto_i_writer_size(const sotto_i_writer *writer, uint64_t size, sotto_error *err) {
  return ftruncate(writer->descriptor, (off_t)size) == 0 ? SOTTO_OK : fail_errno(writer, "set its size", err);
}

sotto_status sotto_i_writer_at(const sotto_i_writer *writer, const void *data, size_t size, uint64_t at,
                               sotto_error *err) {
  const uint8_t *bytes = data;
  while (size > 0) {
    const ssize_t count = pwrite(writer->descriptor, bytes, size, (off_t)at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail_errno(writer, "write to it", err);
    bytes += count;
    at += (uint64_t)count;
    size -= (size_t)count;
  }
  return SOTTO_OK;
}

sotto_status sotto_i_writer_sync(const sotto_i_writer *writer, sotto_error *err) {
  return fsync(writer->descriptor) == 0 ? SOTTO_OK : fail_errno(writer, "sync it", err);
}
