/* Small files of JSON: whole or not at all. */
#include "json_file.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "file.h"
#include "memory.h"

sotto_status sotto_i_json_save(json_t *root, const char *folder, const char *name, size_t flags,
                               sotto_error *err) {
  char *path = NULL, *text = root == NULL ? NULL : json_dumps(root, flags);
  sotto_status status;
  SOTTO_TRY(sotto_i_join(&path, folder, name, err));
  if (text == NULL)
    status = sotto_i_fail(err, SOTTO_NOMEM, "%s: no memory to write it", path);
  else
    status = sotto_i_write_file(path, text, strlen(text), err);
done:
  json_decref(root);
  free(text);
  sotto_i_free(path);
  return status;
}
