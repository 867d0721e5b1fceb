/* Private folders: created by mkdtemp, removed with all their contents. */
#include "scratch.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

sotto_status sotto_i_scratch_new(char **out, sotto_error *err) {
  const char *parent = getenv("TMPDIR");
  sotto_status status =
      sotto_i_join(out, parent == NULL || parent[0] == '\0' ? "/tmp" : parent, "sotto-run-XXXXXX", err);
  if (status != SOTTO_OK || mkdtemp(*out) != NULL) return status;
  status = sotto_i_fail(err, SOTTO_IO, "%s: could not make this folder: %s", *out, strerror(errno));
  sotto_i_free(*out);
  *out = NULL;
  return status;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where) {
  (void)info, (void)kind, (void)where;
  (void)remove(path);
  return 0;
}

void sotto_i_scratch_free(char *path) {
  if (path == NULL) return;
  (void)nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
  sotto_i_free(path);
}
