/* The file correction.json of a seed's folder. */
#include "correction_scale.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "feature_sums.h"
#include "run/files/folder_file.h"
#include "transfer_cells.h"

static const sotto_i_folder_file scale_file = {
    "seed-*/correction.json", SOTTO_I_FOR_ANYONE,
    "public features, labels that are public or reported, and counts with noise"};

static const char *const kinds[SOTTO_I_CLUSTER_KINDS] = {"classes", "features", "transfers", "kinds", "sums"};

/* Files of runs without transfers and sums are as they always were. */
static const char *word_of_choice(sotto_i_cluster_choice choice) {
  if (choice.sums || choice.alone) return choice.sums ? "sums" : "classes";
  if (choice.kinds) return choice.features ? "features transfers kinds" : "transfers kinds";
  return choice.features ? "features transfers" : "transfers";
}

static json_t *numbers(const double *from, size_t count) {
  json_t *out = json_array();
  for (size_t i = 0; i < count; i++)
    if (json_array_append_new(out, json_real(from[i])) != 0) {
      json_decref(out);
      return NULL;
    }
  return out;
}

sotto_status sotto_i_correction_scale_save(const sotto_i_correction_scale *scale, const char *folder,
                                           sotto_error *err) {
  json_t *moments = numbers(scale->moments, 2 * scale->classes);
  json_t *own = numbers(scale->own_moments, 2 * scale->own);
  json_t *expected = numbers(scale->expected, SOTTO_I_KEPT_LEVELS);
  json_t *root = json_pack("{s:o,s:o,s:b,s:f,s:b,s:b,s:b,s:b,s:s,s:o}", "moments", moments, "own-moments",
                           own, "chosen", scale->chosen, "surest", scale->surest, "training", scale->training,
                           "sure", scale->sure, "even", scale->even, "pilots", scale->pilots, "clusters",
                           kinds[scale->kind], "expected", expected);
  if (scale->choice.transfers || scale->choice.sums || scale->choice.alone)
    json_object_set_new(root, "choice", json_string(word_of_choice(scale->choice)));
  if (scale->weighed) json_object_set_new(root, "weighed", json_true());
  if (scale->cells > 0) json_object_set_new(root, "cells", json_integer((json_int_t)scale->cells));
  return sotto_i_folder_save_json(root, folder, &scale_file, NULL, JSON_COMPACT | JSON_REAL_PRECISION(17),
                                  err);
}

static bool read_numbers(double *out, size_t count, const json_t *from) {
  if (json_array_size(from) != count) return false;
  for (size_t i = 0; i < count; i++) {
    const json_t *number = json_array_get(from, i);
    out[i] = json_number_value(number);
    if (!json_is_number(number) || !isfinite(out[i])) return false;
  }
  return true;
}

static bool read_kind(sotto_i_cluster_kind *out, const json_t *word) {
  for (int k = 0; k < SOTTO_I_CLUSTER_KINDS; k++) {
    *out = (sotto_i_cluster_kind)k;
    if (json_is_string(word) && strcmp(json_string_value(word), kinds[k]) == 0) return true;
  }
  return false;
}

static bool read_cells(sotto_i_correction_scale *out, const json_t *root) {
  const json_int_t cells = json_integer_value(json_object_get(root, "cells"));
  out->cells = (size_t)cells;
  if (out->kind == SOTTO_I_BY_KINDS) return cells > 0 && cells <= SOTTO_I_MOST_KIND_CELLS && cells % 2 == 0;
  if (out->kind == SOTTO_I_BY_SUMS)
    return out->own > 0 && cells == (json_int_t)sotto_i_sum_directions(out->classes);
  return out->kind == SOTTO_I_BY_TRANSFERS ? cells > 0 && cells <= SOTTO_I_MOST_TRANSFER_CELLS : cells == 0;
}

static bool parse(sotto_i_correction_scale *out, const json_t *root) {
  const json_t *own = json_object_get(root, "own-moments");
  if (!json_is_array(own) || json_array_size(own) > 2 * (size_t)SOTTO_I_MOST_SUM_COLUMNS) return false;
  out->own = json_array_size(own) / 2;
  if (!read_numbers(out->moments, 2 * out->classes, json_object_get(root, "moments")) ||
      !read_numbers(out->own_moments, 2 * out->own, own) ||
      !read_numbers(out->expected, SOTTO_I_KEPT_LEVELS, json_object_get(root, "expected")) ||
      !read_kind(&out->kind, json_object_get(root, "clusters")) || !read_cells(out, root))
    return false;
  out->chosen = json_is_true(json_object_get(root, "chosen"));
  out->training = json_is_true(json_object_get(root, "training"));
  out->sure = json_is_true(json_object_get(root, "sure"));
  out->even = json_is_true(json_object_get(root, "even"));
  out->pilots = json_is_true(json_object_get(root, "pilots"));
  out->weighed = json_is_true(json_object_get(root, "weighed"));
  const char *choice = json_string_value(json_object_get(root, "choice"));
  out->choice.sums = choice != NULL && strcmp(choice, "sums") == 0;
  out->choice.alone = choice != NULL && strcmp(choice, "classes") == 0;
  out->choice.transfers = choice != NULL && !out->choice.sums && !out->choice.alone;
  out->choice.features = choice == NULL ? out->pilots : strncmp(choice, "features ", 9) == 0;
  out->choice.kinds = choice != NULL && strstr(choice, " kinds") != NULL;
  out->surest = json_number_value(json_object_get(root, "surest"));
  const bool can_weigh =
      out->classes == 2 && (out->kind == SOTTO_I_BY_TRANSFERS || out->kind == SOTTO_I_BY_KINDS);
  return json_is_number(json_object_get(root, "surest")) && (can_weigh || !out->weighed);
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
  SOTTO_TRY(sotto_i_new(&out->own_moments, 2 * SOTTO_I_MOST_SUM_COLUMNS, sizeof *out->own_moments, err));
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
  sotto_i_free(scale->own_moments);
  *scale = (sotto_i_correction_scale){0};
}
