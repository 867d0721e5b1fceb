/* JSON objects in files. */
#include "object.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "common/file.h"

sotto_status page_load_json(json_t **out, const char *folder, const char *name, sotto_error *err) {
  char *path = NULL, *text = NULL;
  size_t size = 0;
  json_error_t where;
  sotto_status status;
  *out = NULL;
  SOTTO_TRY(app_join(&path, folder, name, err));
  if (!sotto_i_is_file(path)) goto done;
  SOTTO_TRY(app_read_file(&text, &size, path, err));
  *out = json_loadb(text, size, 0, &where);
  if (*out == NULL)
    status = sotto_i_fail(err, SOTTO_PARSE, "%s: line %d is not JSON: %s", path, where.line, where.text);
  else if (!json_is_object(*out))
    status = sotto_i_fail(err, SOTTO_PARSE, "%s: is not a JSON object", path);
done:
  free(path);
  free(text);
  return status;
}
