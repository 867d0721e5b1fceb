/* The statement of a run by the version before, which wrote privacy.json. To be removed with the next
 * version. */
#include <stdio.h>
#include <string.h>

#include "common/error.h"
#include "common/file.h"
#include "common/memory.h"
#include "object.h"
#include "report.h"

static const char *words(const json_t *object, const char *key) {
  const char *found = json_string_value(json_object_get(object, key));
  return found == NULL ? "(not in the file)" : found;
}

/* null stood for no guarantee, 0 for no private edge used. */
static void write_epsilon(FILE *out, const json_t *statement) {
  const json_t *epsilon = json_object_get(statement, "epsilon");
  if (json_is_number(epsilon))
    fprintf(out, "epsilon %.4g at delta %.3g for each training (epsilon %.4g for all), adjacency %s\n",
            json_number_value(epsilon), json_number_value(json_object_get(statement, "delta")),
            json_number_value(json_object_get(statement, "total_epsilon")), words(statement, "adjacency"));
  else
    fprintf(out, "no guarantee, adjacency %s\n", words(statement, "adjacency"));
}

/* Method and dataset are in result.json, which stands beside the statement. */
static void write_statement(FILE *out, const char *folder, const json_t *statement, const json_t *result) {
  const json_t *sound = json_object_get(statement, "sound");
  fprintf(out,
          "%s: an older version of sotto wrote this statement (privacy.json); the next version will not read "
          "it\n",
          folder);
  fprintf(out, "  method    %s\n  dataset   %s\n  privacy   ", words(result, "method"),
          words(result, "data"));
  write_epsilon(out, statement);
  fprintf(out, "  verdict   %s\n  sound     %s\n", words(statement, "verdict"),
          json_is_boolean(sound) ? json_is_true(sound) ? "yes" : "no" : "(not in the file)");
}

sotto_status sotto_report_old_statement(char **out, const char *folder, sotto_error *err) {
  char *path = NULL, *text = NULL;
  size_t size = 0;
  json_t *statement = NULL, *result = NULL;
  FILE *stream = NULL;
  sotto_status status;
  *out = NULL;
  SOTTO_TRY(app_join(&path, folder, "statement.json", err));
  if (app_is_file(path)) goto done;
  SOTTO_TRY(page_load_json(&statement, folder, "privacy.json", err));
  if (statement == NULL) goto done;
  SOTTO_TRY(page_load_json(&result, folder, "result.json", err));
  stream = open_memstream(&text, &size);
  if (stream != NULL) write_statement(stream, folder, statement, result);
  if (stream == NULL || fclose(stream) != 0) {
    free(text);
    status = app_fail(err, SOTTO_NOMEM, "no memory for the statement");
    goto done;
  }
  *out = text;
done:
  free(path);
  json_decref(statement);
  json_decref(result);
  return status;
}
