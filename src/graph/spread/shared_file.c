/* A native file that all ranks write: opening and commit. */
#include "shared_file.h"

#include <stdio.h>

#include "base/memory.h"

enum { most_path = 4200 };

/* Rank 0 creates the file and broadcasts its name. */
static sotto_status open_all(sotto_i_shared_file *f, const char *path, sotto_error *err) {
  char *name = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&name, most_path, 1, err));
  if (sotto_i_ranks_first(f->ranks)) {
    SOTTO_TRY(sotto_i_writer_open(&f->writer, path, err));
    if (strlen(f->writer.partial) >= most_path) {
      status = sotto_i_fail(err, SOTTO_RANGE, "%s: the path is too long", path);
      goto done;
    }
    SOTTO_TRY(sotto_i_writer_size(&f->writer, f->header.file_size, err));
    (void)snprintf(name, most_path, "%s", f->writer.partial);
  }
  SOTTO_TRY(sotto_i_ranks_give(f->ranks, name, most_path, err));
  if (!sotto_i_ranks_first(f->ranks)) SOTTO_TRY(sotto_i_writer_join(&f->writer, path, name, err));
done:
  sotto_i_free(name);
  return status;
}

sotto_status sotto_i_shared_file_open(sotto_i_shared_file *out, sotto_ranks *ranks, const char *path,
                                      const sotto_i_native_header *header,
                                      const bool present[SOTTO_I_NATIVE_KINDS], sotto_error *err) {
  *out = (sotto_i_shared_file){.ranks = ranks, .writer = {.descriptor = -1}, .header = *header};
  if (!sotto_i_native_place(&out->header, present))
    return sotto_i_fail(err, SOTTO_INVALID, "%s: the data are too large for any file", path);
  return open_all(out, path, err);
}

sotto_status sotto_i_shared_file_commit(sotto_i_shared_file *f, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_writer_sync(&f->writer, err));
  /* the bytes stay for the other ranks */
  if (!sotto_i_ranks_first(f->ranks)) sotto_i_writer_abandon(&f->writer);
  SOTTO_TRY(sotto_i_ranks_meet(f->ranks, err));
  if (sotto_i_ranks_first(f->ranks)) {
    sotto_i_native_seal(&f->header);
    SOTTO_TRY(sotto_i_writer_at(&f->writer, &f->header, sizeof f->header, 0, err));
    SOTTO_TRY(sotto_i_writer_commit(&f->writer, err));
  }
  SOTTO_TRY(sotto_i_ranks_give(f->ranks, &f->header, sizeof f->header, err));
done:
  return status;
}

void sotto_i_shared_file_close(sotto_i_shared_file *f) {
  sotto_i_writer_abandon(&f->writer);
}
