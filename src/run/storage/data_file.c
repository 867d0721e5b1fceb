/* The file that names the dataset of a run. */
#include "data_file.h"

#include <jansson.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "run/files/folder_file.h"

enum { digits = 64 };
static const sotto_i_folder_file digest_file = {"data.digest", SOTTO_I_FOR_OWNER,
                                                "all of the data, private edges too: their digest"};

static sotto_status file_is(bool *same, const char *path, const uint8_t digest[32], sotto_error *err) {
  sotto_i_map map;
  char hex[digits + 1];
  sotto_status status = sotto_i_map_open(&map, path, err);
  if (status != SOTTO_OK) return status;
  sotto_i_hex(hex, digest, 32);
  *same = map.size >= digits && memcmp(map.data, hex, digits) == 0;
  sotto_i_map_close(&map);
  return SOTTO_OK;
}

sotto_status sotto_i_data_file_keep(const char *run, const sotto_dataset *data, sotto_error *err) {
  char *path = NULL, hex[digits + 1];
  bool same = true;
  sotto_status status;
  SOTTO_TRY(sotto_i_folder_path(&path, run, &digest_file, NULL, NULL, err));
  if (sotto_i_is_file(path)) {
    SOTTO_TRY(file_is(&same, path, data->digest, err));
  } else {
    sotto_i_hex(hex, data->digest, 32);
    SOTTO_TRY(sotto_i_folder_write(run, &digest_file, NULL, NULL, hex, digits, err));
  }
  if (!same)
    status = sotto_i_fail(err, SOTTO_INVALID,
                          "%s: was begun on other data than %s, and its releases are of that; go on with the "
                          "same data, or train in a new folder",
                          run, data->name);
done:
  sotto_i_free(path);
  return status;
}

static bool is_hex_of(const char *text, const uint8_t digest[32]) {
  char hex[digits + 1];
  sotto_i_hex(hex, digest, 32);
  return text != NULL && strcmp(text, hex) == 0;
}

/* By what statement.json says; false where it says nothing. Versions before this had the digest of all. */
static sotto_status statement_is(bool *same, const char *run, const sotto_dataset *data, sotto_error *err) {
  char *path = NULL;
  sotto_i_map map = {0};
  json_t *root = NULL;
  sotto_status status;
  *same = false;
  SOTTO_TRY(sotto_i_join(&path, run, "statement.json", err));
  if (!sotto_i_is_file(path)) goto done;
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  root = json_loadb((const char *)map.data, map.size, 0, NULL);
  const char *told = json_string_value(json_object_get(json_object_get(root, "dataset"), "digest"));
  *same = is_hex_of(told, data->features_digest) || is_hex_of(told, data->digest);
done:
  json_decref(root);
  sotto_i_map_close(&map);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_data_file_is_of(bool *same, const char *run, const sotto_dataset *data,
                                     sotto_error *err) {
  char *path = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_folder_find(&path, run, digest_file.name, err));
  status =
      sotto_i_is_file(path) ? file_is(same, path, data->digest, err) : statement_is(same, run, data, err);
done:
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_data_file_open(sotto_dataset *out, const sotto_options *o, sotto_error *err) {
  const sotto_import_options import = {.target = o->target,
                                       .min_class_size = o->min_class_size,
                                       .nodes_table = o->nodes[0] == '\0' ? NULL : o->nodes};
  return sotto_dataset_open(out, o->data, &import, err);
}
