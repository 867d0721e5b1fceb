/* Names that clients agreed on, in a file of the run folder. */
#include "names_file.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "run/files/folder_file.h"

static const sotto_i_folder_file names_file = {"names", SOTTO_I_FOR_SIZES,
                                               "names of columns and classes that all clients agreed on"};

sotto_status sotto_i_names_save(const sotto_i_naming *names, const sotto_options *options, sotto_error *err) {
  char *text = NULL;
  size_t size = 0;
  sotto_status status = sotto_i_naming_write(&text, &size, names, err);
  if (status == SOTTO_OK)
    status = sotto_i_folder_write(options->out, &names_file, NULL, options, text, size, err);
  sotto_i_free(text);
  return status;
}

/* Data with fewer labels are the model's; a column or class more is not. */
static sotto_status check_known(sotto_i_naming *known, const sotto_dataset *data, sotto_error *err) {
  const uint64_t columns = known->columns;
  const uint32_t classes = known->classes;
  const sotto_i_naming said =
      sotto_i_naming_of(data, data->features.cols == 0 ? columns : data->features.cols, false);
  const sotto_status status = sotto_i_naming_join(known, "the model", &said, data->name, err);
  if (status != SOTTO_OK || (known->columns == columns && known->classes == classes)) return status;
  return sotto_i_fail(err, SOTTO_INVALID, "%s: has %s that the model was not trained on", data->name,
                      known->columns > columns ? "words of categories" : "classes");
}

sotto_status sotto_i_names_arrange(sotto_i_arranged *out, bool *found, const sotto_dataset *data,
                                   const char *run, sotto_error *err) {
  sotto_i_naming names = {0}, known = {0};
  sotto_i_map map = {0};
  char *path = NULL;
  sotto_status status;
  *found = false;
  SOTTO_TRY(sotto_i_folder_find(&path, run, "names", err));
  if (!sotto_i_is_file(path)) goto done;
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  status = sotto_i_naming_read(&names, (const char *)map.data, map.size, err);
  if (status == SOTTO_OK) status = sotto_i_naming_read(&known, (const char *)map.data, map.size, err);
  if (status == SOTTO_PROTOCOL) status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: does not list names", path);
  if (status != SOTTO_OK) goto done;
  SOTTO_TRY(check_known(&known, data, err));
  SOTTO_TRY(sotto_i_dataset_arrange(out, data, &names, err));
  *found = true;
done:
  sotto_i_naming_free(&names);
  sotto_i_naming_free(&known);
  sotto_i_map_close(&map);
  sotto_i_free(path);
  return status;
}
