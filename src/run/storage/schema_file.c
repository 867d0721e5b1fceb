/* schema.yaml. Its words of categories and names of classes follow from features and labels. */
#include "schema_file.h"

#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "graph/schema.h"
#include "run/files/folder_file.h"
#include "run/files/kept_check.h"

static const sotto_i_folder_file schema_file = {
    "schema.yaml", SOTTO_I_FOR_MEASURES, "names of columns and classes; words that features and labels have"};

sotto_status sotto_i_schema_keep(const sotto_dataset *data, const double *moments,
                                 const sotto_options *options, sotto_error *err) {
  sotto_schema *schema = NULL;
  char *text = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_schema_of(&schema, data, err));
  if (moments != NULL && (schema == NULL || schema->feature_count == 0)) {
    sotto_schema_free(schema);
    schema = NULL;
    SOTTO_TRY(sotto_i_schema_by_position(&schema, data, err));
  }
  if (schema == NULL) goto done;
  if (moments != NULL && schema->feature_count == data->features.cols)
    SOTTO_TRY(sotto_i_schema_set_moments(schema, moments, err));
  SOTTO_TRY(sotto_schema_yaml(&text, schema, err));
  status = sotto_i_folder_write(options->out, &schema_file, NULL, options, text, strlen(text), err);
done:
  sotto_text_free(text);
  sotto_schema_free(schema);
  return status;
}

sotto_status sotto_i_schema_load(sotto_schema **out, const char *run, sotto_error *err) {
  char *path = NULL;
  *out = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_kept_check(run, "", schema_file.name, err));
  SOTTO_TRY(sotto_i_folder_find(&path, run, schema_file.name, err));
  if (sotto_i_is_file(path)) status = sotto_schema_read(out, path, err);
done:
  sotto_i_free(path);
  return status;
}
