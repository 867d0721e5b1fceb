/* result.json of one seed. */
#include "seed_file.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "nn/quality.h"
#include "run/files/folder_file.h"

static const sotto_i_folder_file result_file = {"seed-*/result.json", SOTTO_I_FOR_MEASURES,
                                                "labels of validation and test items, by this seed's model"};

static json_t *quality_json(const sotto_quality *q, const sotto_options *options) {
  json_t *object = json_object();
  for (int m = sotto_i_measures_begin(options->task); m < sotto_i_measures_end(options->task); m++)
    json_object_set_new(object, sotto_measure_name((sotto_measure)m),
                        isfinite(q->of[m]) ? json_real(q->of[m]) : json_null());
  return object;
}

static sotto_quality quality_from(const json_t *object) {
  sotto_quality out = sotto_i_quality_none();
  for (int m = 0; m < SOTTO_MEASURES; m++) {
    const json_t *value = json_object_get(object, sotto_measure_name((sotto_measure)m));
    if (json_is_number(value)) out.of[m] = json_number_value(value);
  }
  return out;
}

static json_t *traffic_json(const sotto_traffic *t) {
  json_t *sent = json_array(), *received = json_array();
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++) {
    json_array_append_new(sent, json_integer((json_int_t)t->sent[kind]));
    json_array_append_new(received, json_integer((json_int_t)t->received[kind]));
  }
  return json_pack("{s:o,s:o}", "sent", sent, "received", received);
}

static sotto_traffic traffic_from(const json_t *object) {
  sotto_traffic t = {{0}, {0}};
  for (size_t kind = 0; kind < SOTTO_WIRE_KINDS; kind++) {
    t.sent[kind] = (uint64_t)json_integer_value(json_array_get(json_object_get(object, "sent"), kind));
    t.received[kind] =
        (uint64_t)json_integer_value(json_array_get(json_object_get(object, "received"), kind));
  }
  return t;
}

bool sotto_i_seed_file_exists(const char *folder) {
  char *path = NULL;
  if (sotto_i_folder_find(&path, folder, "result.json", NULL) != SOTTO_OK) return false;
  bool exists = sotto_i_is_file(path);
  sotto_i_free(path);
  return exists;
}

sotto_status sotto_i_seed_path(char **out, const char *run, uint64_t seed, sotto_error *err) {
  char name[40];
  (void)snprintf(name, sizeof name, "seed-%llu", (unsigned long long)seed);
  return sotto_i_join(out, run, name, err);
}

sotto_status sotto_i_seed_file_check(const char *run, const char *folder, sotto_error *err) {
  char *statement = NULL;
  sotto_status status = SOTTO_OK;
  if (sotto_i_seed_file_exists(folder)) return SOTTO_OK;
  if (run != NULL) SOTTO_TRY(sotto_i_join(&statement, run, "statement.json", err));
  if (run == NULL || !sotto_i_is_file(statement))
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: is not finished; give the command of the training again",
                          folder);
done:
  sotto_i_free(statement);
  return status;
}

/* NULL: nothing was expected. */
static json_t *expected_json(const sotto_expected *e) {
  if (!e->there) return NULL;
  return json_pack("{s:s,s:f,s:f,s:f,s:f,s:f}", "measure", sotto_measure_name(e->measure), "alone", e->alone,
                   "classes", e->classes, "others", e->others, "homophily", e->homophily, "larger",
                   e->larger);
}

static sotto_expected expected_from(const json_t *from) {
  const char *measure = json_string_value(json_object_get(from, "measure"));
  const bool auc = measure != NULL && strcmp(measure, sotto_measure_name(SOTTO_MEASURE_AUC)) == 0;
  return (sotto_expected){.there = json_is_object(from),
                          .measure = auc ? SOTTO_MEASURE_AUC : SOTTO_MEASURE_ACCURACY,
                          .alone = json_number_value(json_object_get(from, "alone")),
                          .classes = json_number_value(json_object_get(from, "classes")),
                          .others = json_number_value(json_object_get(from, "others")),
                          .homophily = json_number_value(json_object_get(from, "homophily")),
                          .larger = json_number_value(json_object_get(from, "larger"))};
}

sotto_status sotto_i_seed_file_write(const sotto_i_outcome *outcome, const char *folder,
                                     const sotto_options *options, sotto_error *err) {
  const sotto_seed_result *q = &outcome->quality;
  json_t *exposures = json_array();
  for (size_t i = 0; i < outcome->exposure_count; i++)
    json_array_append_new(
        exposures, json_pack("{s:s,s:s,s:s}", "party", i < outcome->data_exposures ? "data" : "label", "name",
                             outcome->exposures[i].name, "reason", outcome->exposures[i].reason));
  json_t *root = json_pack(
      "{s:I,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:[f,f,I],s:s,s:o*}", "seed", (json_int_t)q->seed, "test",
      quality_json(&q->test, options), "validation", quality_json(&q->validation, options), "baseline_test",
      quality_json(&q->baseline_test, options), "baseline_validation",
      quality_json(&q->baseline_validation, options), "data_party", traffic_json(&outcome->data_party),
      "label_party", traffic_json(&outcome->label_party), "exposures", exposures, "graph_epsilon",
      outcome->graph_epsilon.least, outcome->graph_epsilon.most, (json_int_t)outcome->graph_epsilon.releases,
      "left_out", outcome->left_out, "expected", expected_json(&q->expected));
  return sotto_i_folder_save_json(root, folder, &result_file, options, JSON_INDENT(2), err);
}

static void exposures_from(sotto_i_outcome *out, const json_t *list) {
  size_t most = sizeof out->exposures / sizeof *out->exposures;
  for (size_t i = 0; i < json_array_size(list) && i < most; i++) {
    const json_t *item = json_array_get(list, i);
    const char *party = json_string_value(json_object_get(item, "party"));
    const char *name = json_string_value(json_object_get(item, "name"));
    const char *reason = json_string_value(json_object_get(item, "reason"));
    if (party == NULL || name == NULL || reason == NULL) continue;
    sotto_exposure *exposure = &out->exposures[out->exposure_count++];
    (void)snprintf(exposure->name, sizeof exposure->name, "%s", name);
    (void)snprintf(exposure->reason, sizeof exposure->reason, "%s", reason);
    if (strcmp(party, "data") == 0) out->data_exposures = out->exposure_count;
  }
}

sotto_status sotto_i_seed_file_read(sotto_i_outcome *out, const char *folder, sotto_error *err) {
  char *path = NULL;
  sotto_i_map map = {0};
  json_error_t problem;
  json_t *root = NULL;
  sotto_status status;
  *out = (sotto_i_outcome){.exposure_count = 0};
  SOTTO_TRY(sotto_i_folder_find(&path, folder, "result.json", err));
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  root = json_loadb((const char *)map.data, map.size, 0, &problem);
  if (root == NULL) {
    status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: line %d: %s", path, problem.line, problem.text);
    goto done;
  }
  out->quality =
      (sotto_seed_result){.seed = (uint64_t)json_integer_value(json_object_get(root, "seed")),
                          .test = quality_from(json_object_get(root, "test")),
                          .validation = quality_from(json_object_get(root, "validation")),
                          .baseline_test = quality_from(json_object_get(root, "baseline_test")),
                          .baseline_validation = quality_from(json_object_get(root, "baseline_validation")),
                          .expected = expected_from(json_object_get(root, "expected"))};
  out->data_party = traffic_from(json_object_get(root, "data_party"));
  out->label_party = traffic_from(json_object_get(root, "label_party"));
  exposures_from(out, json_object_get(root, "exposures"));
  const json_t *graph = json_object_get(root, "graph_epsilon");
  out->graph_epsilon =
      (sotto_graph_epsilon){.least = json_number_value(json_array_get(graph, 0)),
                            .most = json_number_value(json_array_get(graph, 1)),
                            .releases = (uint64_t)json_integer_value(json_array_get(graph, 2))};
  const char *left_out = json_string_value(json_object_get(root, "left_out"));
  (void)snprintf(out->left_out, sizeof out->left_out, "%s", left_out == NULL ? "" : left_out);
done:
  json_decref(root);
  sotto_i_map_close(&map);
  sotto_i_free(path);
  return status;
}
