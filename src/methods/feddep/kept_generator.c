/* The file of a client's trained generator. */
#include "kept_generator.h"

#include <stdio.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "run/files/folder_file.h"
#include "run/files/job_file.h"

static void name_file(char out[64], const sotto_i_fed_client *c, size_t fold) {
  (void)snprintf(out, 64, "generator-%u-%zu.safetensors", (unsigned)c->number + 1, fold + 1);
}

sotto_status sotto_i_generator_keep(const sotto_i_generator *generator, const sotto_i_fed_client *c,
                                    size_t fold, sotto_error *err) {
  char file[64];
  name_file(file, c, fold);
  return sotto_i_job_save_table(c->federation->job, file, generator->params, err);
}

sotto_status sotto_i_generator_load(sotto_i_generator *out, const sotto_i_fed_client *c, size_t fold,
                                    const char *folder, sotto_error *err) {
  char file[64], *path = NULL;
  sotto_status status;
  name_file(file, c, fold);
  SOTTO_TRY(sotto_i_folder_find(&path, folder, file, err));
  if (sotto_i_is_file(path))
    status = sotto_params_load(&out->params, 1, path, err);
  else
    status = sotto_i_fail(err, SOTTO_NOT_FOUND,
                          "%s: is not there, and answers about other data need this client's generator; copy "
                          "owner-only, or train again",
                          path);
done:
  sotto_i_free(path);
  return status;
}
