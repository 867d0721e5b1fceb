/* alerts.json of one seed: the rare class, the threshold and the calibration that later commands go by. */
#include "alerts_file.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/reader.h"
#include "run/files/folder_file.h"
#include "run/files/kept_check.h"
#include "sotto/model.h"

static const sotto_i_folder_file alerts_file = {
    "seed-*/alerts.json", SOTTO_I_FOR_MEASURES,
    "how rare a class is; labels of validation items, by this seed's model"};
static const char *const rule_words[] = {"rate", "cost", "f1"};
enum { rules = sizeof rule_words / sizeof *rule_words };

/* The threshold is null where nothing is an alert. All digits of a double: scores are compared with it. */
sotto_status sotto_i_alerts_write(const sotto_rare_result *rare, const char *folder,
                                  const sotto_options *options, sotto_error *err) {
  const sotto_alerts *a = &rare->alerts;
  json_t *root = json_pack("{s:i,s:f,s:s,s:f,s:f,s:o,s:f,s:f}", "class", (int)a->class_number, "share",
                           a->share, "by", rule_words[a->rule.by], "rate", a->rule.rate, "cost", a->rule.cost,
                           "threshold", isfinite(a->threshold) ? json_real(a->threshold) : json_null(),
                           "slope", a->slope, "offset", a->offset);
  return sotto_i_folder_save_json(root, folder, &alerts_file, options, JSON_INDENT(2), err);
}

/* *good becomes false where the member is no finite number. */
static double number_at(const json_t *root, const char *key, bool *good) {
  const json_t *value = json_object_get(root, key);
  *good = *good && json_is_number(value);
  return json_number_value(value);
}

static bool parse(sotto_alerts *out, const json_t *root) {
  const char *by = json_string_value(json_object_get(root, "by"));
  const json_t *threshold = json_object_get(root, "threshold");
  bool good = by != NULL && json_is_integer(json_object_get(root, "class"));
  const json_int_t number = json_integer_value(json_object_get(root, "class"));
  size_t rule = 0;
  while (good && rule < rules && strcmp(by, rule_words[rule]) != 0) rule++;
  good = good && rule < rules && number >= 0 && number <= INT32_MAX;
  *out = (sotto_alerts){.class_number = (int32_t)number, .rule.by = (sotto_alert_by)rule};
  out->share = number_at(root, "share", &good);
  out->rule.rate = number_at(root, "rate", &good);
  out->rule.cost = number_at(root, "cost", &good);
  out->slope = number_at(root, "slope", &good);
  out->offset = number_at(root, "offset", &good);
  out->threshold = json_is_null(threshold) ? INFINITY : number_at(root, "threshold", &good);
  return good && out->slope >= 0;
}

sotto_status sotto_alerts_read(sotto_alerts *out, bool *found, const char *run, uint64_t seed,
                               sotto_error *err) {
  char below[40], *folder = NULL, *path = NULL;
  sotto_i_map map = {0};
  json_t *root = NULL;
  sotto_status status;
  *found = false;
  (void)snprintf(below, sizeof below, "seed-%llu/", (unsigned long long)seed);
  SOTTO_TRY(sotto_i_join(&folder, run, below, err));
  SOTTO_TRY(sotto_i_folder_find(&path, folder, "alerts.json", err));
  if (!sotto_i_is_file(path)) goto done;
  SOTTO_TRY(sotto_i_kept_check(run, below, "alerts.json", err));
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  root = json_loadb((const char *)map.data, map.size, JSON_REJECT_DUPLICATES, NULL);
  *found = root != NULL && parse(out, root);
  if (!*found)
    status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: is not what a run keeps of its alerts; train again", path);
done:
  json_decref(root);
  sotto_i_map_close(&map);
  sotto_i_free(folder);
  sotto_i_free(path);
  return status;
}
