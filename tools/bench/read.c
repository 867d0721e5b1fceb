/* Bench files: one table a kind of mapping. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "common/file.h"
#include "sotto/generate.h"
#include "values.h"

#define FIELD(type, member, key, take)                                                                       \
  { key, take, offsetof(type, member) }
#define COUNT(table) (sizeof(table) / sizeof *(table))

static sotto_status take_level(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                               sotto_error *err) {
  typedef app_bench_level self;
  static const app_yaml_field fields[] = {FIELD(self, options, "options", app_bench_take_settings),
                                          FIELD(self, grid, "grid", app_bench_take_grid),
                                          FIELD(self, epsilons, "epsilons", app_bench_take_list)};
  (void)key;
  ((self *)target)->given = true;
  if (value->type == YAML_SCALAR_NODE && value->data.scalar.length == 0) return SOTTO_OK;
  return app_yaml_mapping(target, yaml, value, fields, COUNT(fields), err);
}

static sotto_status take_levels(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                sotto_error *err) {
  static const app_yaml_field fields[] = {{"none", take_level, 0},
                                          {"edge", take_level, sizeof(app_bench_level)},
                                          {"node", take_level, 2 * sizeof(app_bench_level)}};
  (void)key;
  return app_yaml_mapping(target, yaml, value, fields, COUNT(fields), err);
}

static sotto_status take_preset(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                sotto_error *err) {
  app_bench_word name;
  sotto_error own = {0};
  sotto_status status = app_bench_take_word(name, yaml, value, key, err);
  if (status != SOTTO_OK) return status;
  status = sotto_chains_preset(target, name, &own);
  return status == SOTTO_OK ? status : app_yaml_fail(value, status, err, "%s: %.200s", key, own.text);
}

/* `preset` fills all; what stands after it replaces a part. */
static sotto_status take_chains(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                sotto_error *err) {
  typedef app_bench_dataset self;
  static const app_yaml_field fields[] = {FIELD(self, chains, "preset", take_preset),
                                          FIELD(self, chains.classes, "classes", app_bench_take_u32),
                                          FIELD(self, chains.length, "length", app_bench_take_u32),
                                          FIELD(self, chains.chains_per_class, "chains", app_bench_take_u32),
                                          FIELD(self, chains.features, "features", app_bench_take_u32)};
  (void)snprintf(((self *)target)->generate, APP_BENCH_NAME, "%s", key);
  return app_yaml_mapping(target, yaml, value, fields, COUNT(fields), err);
}

static sotto_status take_sbm(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                             sotto_error *err) {
  typedef app_bench_dataset self;
  static const app_yaml_field fields[] = {FIELD(self, sbm.nodes, "nodes", app_bench_take_count),
                                          FIELD(self, sbm.classes, "classes", app_bench_take_u32),
                                          FIELD(self, sbm.features, "features", app_bench_take_u32),
                                          FIELD(self, sbm.degree_inside, "inside", app_bench_take_real),
                                          FIELD(self, sbm.degree_outside, "outside", app_bench_take_real),
                                          FIELD(self, sbm.feature_signal, "signal", app_bench_take_real)};
  (void)snprintf(((self *)target)->generate, APP_BENCH_NAME, "%s", key);
  return app_yaml_mapping(target, yaml, value, fields, COUNT(fields), err);
}

static sotto_status take_transactions(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                      sotto_error *err) {
  typedef app_bench_dataset self;
  static const app_yaml_field fields[] = {FIELD(self, transactions.nodes, "nodes", app_bench_take_count),
                                          FIELD(self, key, "seed", app_bench_take_count)};
  (void)snprintf(((self *)target)->generate, APP_BENCH_NAME, "%s", key);
  return app_yaml_mapping(target, yaml, value, fields, COUNT(fields), err);
}

static sotto_status room_for(const yaml_node_t *at, size_t *count, size_t *place, sotto_error *err) {
  if (*count == APP_BENCH_ENTRIES)
    return app_yaml_fail(at, SOTTO_RANGE, err, "more than %d entries", APP_BENCH_ENTRIES);
  *place = (*count)++;
  return SOTTO_OK;
}

static sotto_status add_dataset(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                sotto_error *err) {
  typedef app_bench_dataset self;
  static const app_yaml_field fields[] = {FIELD(self, path, "path", app_bench_take_path),
                                          {"chains", take_chains, 0},
                                          {"sbm", take_sbm, 0},
                                          {"transactions", take_transactions, 0},
                                          FIELD(self, options, "options", app_bench_take_settings),
                                          FIELD(self, grid, "grid", app_bench_take_grid),
                                          FIELD(self, weight, "weight", app_bench_take_real)};
  app_bench_plan *plan = target;
  size_t i = 0;
  sotto_status status = room_for(value, &plan->dataset_count, &i, err);
  if (status != SOTTO_OK) return status;
  self *dataset = &plan->datasets[i];
  dataset->weight = 1;
  dataset->key = 1;
  (void)snprintf(dataset->name, APP_BENCH_NAME, "%s", key);
  status = app_yaml_mapping(dataset, yaml, value, fields, COUNT(fields), err);
  if (status != SOTTO_OK) return status;
  if ((dataset->path[0] == '\0') == (dataset->generate[0] == '\0'))
    return app_yaml_fail(value, SOTTO_INVALID, err, "%s: give one of path, chains, sbm, transactions", key);
  return SOTTO_OK;
}

static sotto_status add_method(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                               sotto_error *err) {
  typedef app_bench_method self;
  static const app_yaml_field fields[] = {FIELD(self, options, "options", app_bench_take_settings),
                                          FIELD(self, grid, "grid", app_bench_take_grid),
                                          FIELD(self, levels, "levels", take_levels),
                                          FIELD(self, except, "except", app_bench_take_list),
                                          FIELD(self, seconds, "seconds", app_bench_take_real)};
  app_bench_plan *plan = target;
  size_t i = 0;
  sotto_status status = room_for(value, &plan->method_count, &i, err);
  if (status != SOTTO_OK) return status;
  self *method = &plan->methods[i];
  method->seconds = 10;
  (void)snprintf(method->name, APP_BENCH_NAME, "%s", key);
  status = app_yaml_mapping(method, yaml, value, fields, COUNT(fields), err);
  if (status != SOTTO_OK) return status;
  bool renamed = false;
  for (size_t s = 0; s < method->options.count; s++)
    renamed |= strcmp(method->options.items[s].key, "method") == 0;
  for (size_t k = 0; k < APP_BENCH_LEVELS; k++) method->levels_given |= method->levels[k].given;
  return renamed ? SOTTO_OK : app_bench_check_setting(value, "method", key, err);
}

static sotto_status add_series(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                               sotto_error *err) {
  typedef app_bench_series self;
  static const app_yaml_field fields[] = {FIELD(self, dataset, "dataset", app_bench_take_word),
                                          FIELD(self, level, "level", app_bench_take_word),
                                          FIELD(self, vary, "vary", app_bench_take_word),
                                          FIELD(self, epsilon, "epsilon", app_bench_take_word),
                                          FIELD(self, methods, "methods", app_bench_take_list),
                                          FIELD(self, values, "values", app_bench_take_list),
                                          FIELD(self, log, "log", app_bench_take_switch),
                                          FIELD(self, options, "options", app_bench_take_settings)};
  app_bench_plan *plan = target;
  size_t i = 0;
  sotto_status status = room_for(value, &plan->series_count, &i, err);
  if (status != SOTTO_OK) return status;
  self *series = &plan->series[i];
  (void)snprintf(series->name, APP_BENCH_NAME, "%s", key);
  status = app_yaml_mapping(series, yaml, value, fields, COUNT(fields), err);
  for (size_t v = 0; status == SOTTO_OK && v < series->values.count; v++)
    status = app_bench_check_setting(value, series->vary, series->values.items[v], err);
  return status;
}

static sotto_status take_datasets(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                  sotto_error *err) {
  (void)key;
  return app_yaml_pairs(target, yaml, value, add_dataset, err);
}

static sotto_status take_methods(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                 sotto_error *err) {
  (void)key;
  return app_yaml_pairs(target, yaml, value, add_method, err);
}

static sotto_status take_series(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                sotto_error *err) {
  (void)key;
  return app_yaml_pairs(target, yaml, value, add_series, err);
}

static sotto_status take_quick(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                               sotto_error *err) {
  typedef app_bench_quick self;
  static const app_yaml_field fields[] = {FIELD(self, seeds, "seeds", app_bench_take_count),
                                          FIELD(self, epsilons, "epsilons", app_bench_take_list),
                                          FIELD(self, datasets, "datasets", app_bench_take_list),
                                          FIELD(self, methods, "methods", app_bench_take_list),
                                          FIELD(self, series, "series", app_bench_take_list),
                                          FIELD(self, options, "options", app_bench_take_settings)};
  (void)key;
  return app_yaml_mapping(target, yaml, value, fields, COUNT(fields), err);
}

static const app_yaml_field top[] = {
    FIELD(app_bench_plan, seeds, "seeds", app_bench_take_count),
    FIELD(app_bench_plan, first_seed, "first-seed", app_bench_take_count),
    FIELD(app_bench_plan, selection_seed, "selection-seed", app_bench_take_count),
    FIELD(app_bench_plan, selection_seeds, "selection-seeds", app_bench_take_count),
    FIELD(app_bench_plan, limit, "limit", app_bench_take_count),
    FIELD(app_bench_plan, epsilons, "epsilons", app_bench_take_list),
    FIELD(app_bench_plan, levels, "levels", app_bench_take_list),
    FIELD(app_bench_plan, options, "options", app_bench_take_settings),
    FIELD(app_bench_plan, quick, "quick", take_quick),
    {"datasets", take_datasets, 0},
    {"methods", take_methods, 0},
    {"series", take_series, 0},
};

sotto_status app_bench_parse(app_bench_plan *out, const uint8_t *data, size_t size, sotto_error *err) {
  app_yaml yaml;
  *out = (app_bench_plan){.seeds = 3, .first_seed = 1, .selection_seed = 1000, .selection_seeds = 1};
  sotto_status status = app_yaml_open(&yaml, data, size, err);
  if (status != SOTTO_OK) return status;
  const yaml_node_t *root = app_yaml_root(&yaml);
  status = root == NULL ? sotto_i_fail(err, SOTTO_PARSE, "is empty")
                        : app_yaml_mapping(out, &yaml, root, top, COUNT(top), err);
  if (status == SOTTO_OK) status = app_bench_check(out, err);
  app_yaml_close(&yaml);
  return status;
}

sotto_status app_bench_read(app_bench_plan *out, const char *path, sotto_error *err) {
  char *text;
  size_t size;
  sotto_status status = app_read_file(&text, &size, path, err);
  if (status != SOTTO_OK) return status;
  status = app_bench_parse(out, (const uint8_t *)text, size, err);
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "%s", path);
  free(text);
  return status;
}
