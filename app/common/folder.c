/* Paths of the program's files in a run folder, by their reader. */
#include "folder.h"

#include <stdlib.h>

#include "base/error.h"
#include "file.h"

sotto_status app_folder_of(char **out, const char *run, const app_folder_file *file, sotto_error *err) {
  if (file->reader == APP_FOR_ANYONE) return app_join(out, run, "", err);
  sotto_status status = app_join(out, run, "owner-only", err);
  return status == SOTTO_OK ? sotto_i_make_folder(*out, err) : status;
}

sotto_status app_folder_path(char **out, const char *run, const app_folder_file *file, sotto_error *err) {
  char *own = NULL;
  sotto_status status = SOTTO_OK;
  *out = NULL;
  if (file->reader == APP_FOR_ANYONE) return app_join(out, run, file->name, err);
  SOTTO_TRY(app_folder_of(&own, run, file, err));
  SOTTO_TRY(app_join(out, own, file->name, err));
done:
  free(own);
  return status;
}
