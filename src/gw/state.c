/* Keeping finished pairs on disk. */
#include "gw/state.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/progress.h"

typedef struct header {
  char magic[8];
  uint8_t identity[32];
  uint64_t total;
} header;
_Static_assert(sizeof(header) == 48, "the header of a state file");

static sotto_status fail_io(const char *path, const char *doing, sotto_error *err) {
  return sotto_i_fail(err, SOTTO_IO, "%s: could not %s: %s", path, doing, sotto_i_errno_text(errno));
}

static sotto_status read_values(sotto_i_gw_state *s, const header *wanted, double *values, size_t *done,
                                sotto_error *err) {
  header found;
  const ssize_t got = pread(s->descriptor, &found, sizeof found, 0);
  if (got < 0) return fail_io(s->path, "read it", err);
  if (got < (ssize_t)sizeof found) { /* new, or cut before it held a value */
    if (ftruncate(s->descriptor, 0) != 0 ||
        pwrite(s->descriptor, wanted, sizeof *wanted, 0) != (ssize_t)sizeof *wanted)
      return fail_io(s->path, "write to it", err);
    return SOTTO_OK;
  }
  if (memcmp(&found, wanted, sizeof found) != 0)
    return sotto_i_fail(err, SOTTO_CORRUPT,
                        "%s: holds pairs of other data or other options; remove it to begin anew", s->path);
  const size_t most = wanted->total * sizeof *values;
  size_t bytes = 0;
  while (bytes < most) {
    const ssize_t more =
        pread(s->descriptor, (uint8_t *)values + bytes, most - bytes, (off_t)(sizeof found + bytes));
    if (more < 0) return fail_io(s->path, "read it", err);
    if (more == 0) break;
    bytes += (size_t)more;
  }
  *done = bytes / sizeof *values;
  for (size_t k = 0; k < *done; k++)
    if (!(values[k] >= 0 && isfinite(values[k])))
      return sotto_i_fail(err, SOTTO_CORRUPT, "%s: value %zu is %g, no distance; remove the file", s->path, k,
                          values[k]);
  return SOTTO_OK;
}

sotto_status sotto_i_gw_state_open(sotto_i_gw_state *out, const char *path, const uint8_t identity[32],
                                   double *values, size_t total, size_t *done, sotto_error *err) {
  header wanted = {.magic = "SOTTOGW", .total = total};
  *out = (sotto_i_gw_state){.descriptor = -1, .path = path, .synced = sotto_i_seconds()};
  *done = 0;
  if (path == NULL) return SOTTO_OK;
  memcpy(wanted.identity, identity, sizeof wanted.identity);
  out->descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (out->descriptor < 0) return fail_io(path, "open it", err);
  sotto_status status;
  if (flock(out->descriptor, LOCK_EX | LOCK_NB) != 0) {
    status = sotto_i_fail(err, SOTTO_IO, "%s: another process is at work on it", path);
  } else {
    status = read_values(out, &wanted, values, done, err);
    const off_t end = (off_t)(sizeof wanted + *done * sizeof *values);
    if (status == SOTTO_OK &&
        (ftruncate(out->descriptor, end) != 0 || lseek(out->descriptor, end, SEEK_SET) < 0))
      status = fail_io(path, "find its end", err);
  }
  if (status != SOTTO_OK) sotto_i_gw_state_close(out, false);
  return status;
}

sotto_status sotto_i_gw_state_add(sotto_i_gw_state *state, const double *values, size_t count, bool now,
                                  sotto_error *err) {
  if (state->descriptor < 0) return SOTTO_OK;
  const uint8_t *at = (const uint8_t *)values;
  for (size_t left = count * sizeof *values; left > 0;) {
    const ssize_t written = write(state->descriptor, at, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail_io(state->path, "write to it", err);
    at += written;
    left -= (size_t)written;
  }
  if (!now && sotto_i_seconds() - state->synced < 1) return SOTTO_OK;
  if (fdatasync(state->descriptor) != 0) return fail_io(state->path, "sync it", err);
  state->synced = sotto_i_seconds();
  return SOTTO_OK;
}

void sotto_i_gw_state_close(sotto_i_gw_state *state, bool remove) {
  if (state->descriptor < 0) return;
  if (remove) unlink(state->path);
  close(state->descriptor);
  state->descriptor = -1;
}
