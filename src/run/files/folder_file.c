/* Paths of files in a run folder, by their reader. */
#include "folder_file.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "inside/base.h"
#include "run/method/method.h"

static const char owners[] = "owner-only";

static bool is_owners(const sotto_i_folder_file *file, const sotto_options *options) {
  switch (file->reader) {
  case SOTTO_I_FOR_ANYONE:
    return false;
  case SOTTO_I_FOR_MEASURES:
    return options == NULL || sotto_options_hide_measures(options);
  case SOTTO_I_FOR_SIZES:
    return options == NULL || sotto_options_hide_sizes(options);
  case SOTTO_I_FOR_LABELS:
    return options == NULL || sotto_i_model_has_labels(options);
  case SOTTO_I_FOR_PARTY:
  case SOTTO_I_FOR_OWNER:
    return true;
  }
  return true;
}

static const char *last_of(const char *name) {
  const char *slash = strrchr(name, '/');
  return slash == NULL ? name : slash + 1;
}

/* Is it the end of the declared name, from the start or from a slash? */
static bool is_declared(const sotto_i_folder_file *file, const char *name) {
  const char *at = file->name, *slash = NULL;
  while (fnmatch(at, name, FNM_PATHNAME) != 0 && (slash = strchr(at, '/')) != NULL) at = slash + 1;
  return fnmatch(at, name, FNM_PATHNAME) == 0;
}

sotto_status sotto_i_folder_path(char **out, const char *folder, const sotto_i_folder_file *file,
                                 const char *name, const sotto_options *options, sotto_error *err) {
  char *own = NULL;
  sotto_status status = SOTTO_OK;
  if (name == NULL) name = last_of(file->name);
  SOTTO_I_CHECK(strchr(name, '*') == NULL && is_declared(file, name));
  if (!is_owners(file, options)) return sotto_i_join(out, folder, name, err);
  SOTTO_TRY(sotto_i_join(&own, folder, owners, err));
  SOTTO_TRY(sotto_i_make_folder(own, err));
  SOTTO_TRY(sotto_i_join(out, own, name, err));
done:
  sotto_i_free(own);
  return status;
}

sotto_status sotto_i_folder_write(const char *folder, const sotto_i_folder_file *file, const char *name,
                                  const sotto_options *options, const void *data, size_t size,
                                  sotto_error *err) {
  char *path = NULL;
  sotto_status status = sotto_i_folder_path(&path, folder, file, name, options, err);
  if (status == SOTTO_OK) status = sotto_i_write_file(path, data, size, err);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_folder_save_json(json_t *root, const char *folder, const sotto_i_folder_file *file,
                                      const sotto_options *options, size_t flags, sotto_error *err) {
  char *text = root == NULL ? NULL : json_dumps(root, flags);
  sotto_status status =
      text == NULL ? sotto_i_fail(err, SOTTO_NOMEM, "%s/%s: no memory to write it", folder, file->name)
                   : sotto_i_folder_write(folder, file, NULL, options, text, strlen(text), err);
  json_decref(root);
  free(text);
  return status;
}

sotto_status sotto_i_folder_find(char **out, const char *folder, const char *name, sotto_error *err) {
  char *own = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_join(&own, folder, owners, err));
  SOTTO_TRY(sotto_i_join(out, own, name, err));
  if (sotto_i_is_file(*out)) goto done;
  sotto_i_free(*out);
  *out = NULL;
  SOTTO_TRY(sotto_i_join(out, folder, name, err));
done:
  sotto_i_free(own);
  return status;
}
