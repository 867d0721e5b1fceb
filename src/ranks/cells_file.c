/* The file of finished cells: a header of 48 bytes (kind, identity, number of cells), the lead, then the
 * cells. One process at a time appends to it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/progress.h"
#include "cells.h"

typedef struct header {
  char kind[8];
  uint8_t identity[32];
  uint64_t total;
} header;
_Static_assert(sizeof(header) == 48, "the header of a file of cells");

static sotto_status fail_io(const char *path, const char *doing, sotto_error *err) {
  return sotto_i_fail(err, SOTTO_IO, "%s: could not %s: %s", path, doing, sotto_i_errno_text(errno));
}

static sotto_status read_at(size_t *got, const sotto_i_cells *c, void *out, size_t most, size_t from,
                            sotto_error *err) {
  for (*got = 0; *got < most;) {
    const ssize_t more = pread(c->descriptor, (uint8_t *)out + *got, most - *got, (off_t)(from + *got));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return fail_io(c->path, "read it", err);
    if (more == 0) break;
    *got += (size_t)more;
  }
  return SOTTO_OK;
}

static sotto_status write_all(const sotto_i_cells *c, const void *data, size_t bytes, sotto_error *err) {
  const uint8_t *at = data;
  for (size_t left = bytes; left > 0;) {
    const ssize_t written = write(c->descriptor, at, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail_io(c->path, "write to it", err);
    at += written;
    left -= (size_t)written;
  }
  return SOTTO_OK;
}

/* Starts a file that is new, or was truncated before its first cell. */
static sotto_status start_file(sotto_i_cells *c, const header *wanted, sotto_error *err) {
  sotto_status status;
  if (ftruncate(c->descriptor, 0) != 0 || lseek(c->descriptor, 0, SEEK_SET) < 0)
    return fail_io(c->path, "write to it", err);
  SOTTO_TRY(write_all(c, wanted, sizeof *wanted, err));
  SOTTO_TRY(write_all(c, c->lead, c->lead_bytes, err));
done:
  return status;
}

static sotto_status read_cells(sotto_i_cells *c, const header *wanted, sotto_error *err) {
  const size_t start = sizeof *wanted + c->lead_bytes;
  header found;
  size_t got, whole = 0;
  sotto_status status;
  SOTTO_TRY(read_at(&got, c, &found, sizeof found, 0, err));
  const bool own = got == sizeof found && memcmp(&found, wanted, sizeof found) == 0;
  if (got == sizeof found && !own && !c->anew)
    return sotto_i_fail(err, SOTTO_CORRUPT,
                        "%s: holds %s of other data or other options; remove it to start again", c->path,
                        c->holds);
  if (own) SOTTO_TRY(read_at(&whole, c, c->values, c->total * c->bytes, start, err));
  c->done = whole / c->bytes;
  if (c->done == 0) return start_file(c, wanted, err);
  SOTTO_TRY(read_at(&got, c, c->lead, c->lead_bytes, sizeof found, err));
  const off_t end = (off_t)(start + c->done * c->bytes);
  if (ftruncate(c->descriptor, end) != 0 || lseek(c->descriptor, end, SEEK_SET) < 0)
    status = fail_io(c->path, "find its end", err);
done:
  return status;
}

sotto_status sotto_i_cells_load(sotto_i_cells *c, sotto_error *err) {
  header wanted = {.total = c->total};
  (void)snprintf(wanted.kind, sizeof wanted.kind, "%s", c->kind);
  memcpy(wanted.identity, c->identity, sizeof wanted.identity);
  c->synced = sotto_i_seconds();
  c->descriptor = open(c->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (c->descriptor < 0) return fail_io(c->path, "open it", err);
  if (flock(c->descriptor, LOCK_EX | LOCK_NB) != 0)
    return sotto_i_fail(err, SOTTO_IO, "%s: another process is at work on it", c->path);
  return read_cells(c, &wanted, err);
}

sotto_status sotto_i_cells_append(sotto_i_cells *c, const void *values, size_t count, bool now,
                                  sotto_error *err) {
  if (c->path == NULL) return SOTTO_OK;
  const sotto_status status = write_all(c, values, count * c->bytes, err);
  if (status != SOTTO_OK || (!now && sotto_i_seconds() - c->synced < 1)) return status;
  if (fdatasync(c->descriptor) != 0) return fail_io(c->path, "sync it", err);
  c->synced = sotto_i_seconds();
  return SOTTO_OK;
}

void sotto_i_cells_close(sotto_i_cells *c, bool remove) {
  if (!c->is_open) return;
  c->is_open = false;
  if (c->path == NULL || !sotto_i_ranks_first(c->ranks) || c->descriptor < 0) return;
  if (remove) (void)unlink(c->path);
  (void)close(c->descriptor);
  c->descriptor = -1;
}
