/* The file correction.json of a seed's folder. */
#include "correction_scale.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "run/files/folder_file.h"

static const sotto_i_folder_file scale_file = {
    "seed-*/correction.json", SOTTO_I_FOR_ANYONE,
    "public features, labels that are public or reported, and counts with noise"};

sotto_status sotto_i_correction_scale_save(const sotto_i_correction_scale *scale, const char *folder,
                                           sotto_error *err) {
  json_t *root = NULL, *moments = json_array();
  bool whole = moments != NULL;
  for (size_t i = 0; i < 2 * scale->classes; i++)
    whole = json_array_append_new(moments, json_real(scale->moments[i])) == 0 && whole;
  root = json_pack("{s:o,s:b,s:f,s:b}", "moments", moments, "chosen", scale->chosen, "surest", scale->surest,
                   "training", scale->training);
  if (!whole) {
    json_decref(root);
    root = NULL;
  }
  return sotto_i_folder_save_json(root, folder, &scale_file, NULL, JSON_COMPACT | JSON_REAL_PRECISION(17),
                                  err);
}

static bool parse(sotto_i_correction_scale *out, const json_t *root) {
  const json_t *moments = json_object_get(root, "moments");
  if (json_array_size(moments) != 2 * out->classes) return false;
  for (size_t i = 0; i < 2 * out->classes; i++) {
    const json_t *number = json_array_get(moments, i);
    out->moments[i] = json_number_value(number);
    if (!json_is_number(number) || !isfinite(out->moments[i])) return false;
  }
  out->chosen = json_is_true(json_object_get(root, "chosen"));
  out->training = json_is_true(json_object_get(root, "training"));
  out->surest = json_number_value(json_object_get(root, "surest"));
  return json_is_number(json_object_get(root, "surest"));
}

sotto_status sotto_i_correction_scale_load(sotto_i_correction_scale *out, const char *folder, size_t classes,
                                           sotto_error *err) {
  char *path = NULL;
  sotto_i_map map = {0};
  json_t *root = NULL;
  sotto_status status;
  *out = (sotto_i_correction_scale){.classes = classes};
  SOTTO_TRY(sotto_i_folder_find(&path, folder, "correction.json", err));
  if (!sotto_i_is_file(path)) {
    status = sotto_i_fail(
        err, SOTTO_NOT_FOUND,
        "%s: is not there; copy it from the folder that the run was trained in, or train again", path);
    goto done;
  }
  SOTTO_TRY(sotto_i_new(&out->moments, 2 * classes, sizeof *out->moments, err));
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  root = json_loadb((const char *)map.data, map.size, 0, NULL);
  if (!parse(out, root))
    status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: is not of %zu classes", path, classes);
done:
  json_decref(root);
  sotto_i_map_close(&map);
  sotto_i_free(path);
  return status;
}

void sotto_i_correction_scale_free(sotto_i_correction_scale *scale) {
  sotto_i_free(scale->moments);
  *scale = (sotto_i_correction_scale){0};
}
