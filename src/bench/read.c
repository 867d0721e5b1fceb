/* Bench files: one table a kind of mapping. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "plan.h"
#include "yaml.h"

#define FIELD(type, member, key, take)                                                                       \
  { key, take, offsetof(type, member) }
#define COUNT(table) (sizeof(table) / sizeof *(table))

static sotto_status take_word(void *target, sotto_i_yaml *yaml, const yaml_node_t *value, const char *key,
                              sotto_error *err) {
  (void)yaml;
  return sotto_i_yaml_text(target, SOTTO_I_BENCH_NAME, value, key, err);
}

static sotto_status take_path(void *target, sotto_i_yaml *yaml, const yaml_node_t *value, const char *key,
                              sotto_error *err) {
  (void)yaml;
  return sotto_i_yaml_text(target, 1024, value, key, err);
}

static sotto_status take_count(void *target, sotto_i_yaml *yaml, const yaml_node_t *value, const char *key,
                               sotto_error *err) {
  sotto_i_bench_word text;
  sotto_status status = take_word(text, yaml, value, key, err);
  if (status != SOTTO_OK) return status;
  status = sotto_i_parse_u64(target, text, key, err);
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "line %zu", value->start_mark.line + 1);
  return status;
}

static sotto_status take_u32(void *target, sotto_i_yaml *yaml, const yaml_node_t *value, const char *key,
                             sotto_error *err) {
  uint64_t number = 0;
  sotto_status status = take_count(&number, yaml, value, key, err);
  if (status != SOTTO_OK) return status;
  if (number > UINT32_MAX) return sotto_i_yaml_fail(value, SOTTO_RANGE, err, "%s: is too large", key);
  *(uint32_t *)target = (uint32_t)number;
  return SOTTO_OK;
}

static sotto_status take_real(void *target, sotto_i_yaml *yaml, const yaml_node_t *value, const char *key,
                              sotto_error *err) {
  sotto_i_bench_word text;
  sotto_status status = take_word(text, yaml, value, key, err);
  if (status != SOTTO_OK) return status;
  status = sotto_i_parse_double(target, text, key, err);
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "line %zu", value->start_mark.line + 1);
  return status;
}

static sotto_status take_switch(void *target, sotto_i_yaml *yaml, const yaml_node_t *value, const char *key,
                                sotto_error *err) {
  sotto_i_bench_word text;
  sotto_status status = take_word(text, yaml, value, key, err);
  if (status != SOTTO_OK) return status;
  if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
    return sotto_i_yaml_fail(value, SOTTO_INVALID, err, "%s: '%s' is neither true nor false", key, text);
  *(bool *)target = text[0] == 't';
  return SOTTO_OK;
}

static sotto_status add_word(void *target, sotto_i_yaml *yaml, const yaml_node_t *value, const char *key,
                             sotto_error *err) {
  sotto_i_bench_list *list = target;
  (void)key;
  if (list->count == SOTTO_I_BENCH_VALUES)
    return sotto_i_yaml_fail(value, SOTTO_RANGE, err, "more than %d values", SOTTO_I_BENCH_VALUES);
  return take_word(list->items[list->count++], yaml, value, "a value", err);
}

static sotto_status take_list(void *target, sotto_i_yaml *yaml, const yaml_node_t *value, const char *key,
                              sotto_error *err) {
  (void)key;
  return sotto_i_yaml_items(target, yaml, value, add_word, err);
}

/* Options that the bench itself sets. */
static sotto_status check_setting(const yaml_node_t *at, const char *key, const char *value,
                                  sotto_error *err) {
  static const char *const ours[] = {"data",  "out",     "ledger",  "resume",        "seed",
                                     "seeds", "epsilon", "threads", "insecure-seed", "encoder-cache"};
  sotto_options options;
  for (size_t i = 0; i < COUNT(ours); i++)
    if (strcmp(key, ours[i]) == 0)
      return sotto_i_yaml_fail(at, SOTTO_INVALID, err, "'%s' is set by the bench", key);
  sotto_options_default(&options);
  sotto_status status = sotto_options_set(&options, key, value, err);
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "line %zu", at->start_mark.line + 1);
  return status;
}

static sotto_status add_setting(void *target, sotto_i_yaml *yaml, const yaml_node_t *value, const char *key,
                                sotto_error *err) {
  sotto_i_bench_settings *settings = target;
  if (settings->count == SOTTO_I_BENCH_SETTINGS)
    return sotto_i_yaml_fail(value, SOTTO_RANGE, err, "more than %d options", SOTTO_I_BENCH_SETTINGS);
  size_t i = settings->count++;
  (void)snprintf(settings->items[i].key, SOTTO_I_BENCH_NAME, "%s", key);
  sotto_status status = take_word(settings->items[i].value, yaml, value, key, err);
  return status == SOTTO_OK ? check_setting(value, key, settings->items[i].value, err) : status;
}

static sotto_status take_settings(void *target, sotto_i_yaml *yaml, const yaml_node_t *value, const char *key,
                                  sotto_error *err) {
  (void)key;
  return sotto_i_yaml_pairs(target, yaml, value, add_setting, err);
}

static sotto_status add_axis(void *target, sotto_i_yaml *yaml, const yaml_node_t *value, const char *key,
                             sotto_error *err) {
  sotto_i_bench_grid *grid = target;
  if (grid->count == SOTTO_I_BENCH_AXES)
    return sotto_i_yaml_fail(value, SOTTO_RANGE, err, "more than %d options", SOTTO_I_BENCH_AXES);
  size_t a = grid->count++;
  (void)snprintf(grid->axes[a].key, SOTTO_I_BENCH_NAME, "%s", key);
  sotto_i_bench_list *values = &grid->axes[a].values;
  sotto_status status = take_list(values, yaml, value, key, err);
  for (size_t i = 0; status == SOTTO_OK && i < values->count; i++)
    status = check_setting(value, key, values->items[i], err);
  if (status != SOTTO_OK) return status;
  if (values->count == 0) return sotto_i_yaml_fail(value, SOTTO_RANGE, err, "%s: an empty list", key);
  if (sotto_i_bench_points(grid) > SOTTO_I_BENCH_POINTS)
    return sotto_i_yaml_fail(value, SOTTO_RANGE, err, "a grid of more than %d points", SOTTO_I_BENCH_POINTS);
  return SOTTO_OK;
}

static sotto_status take_grid(void *target, sotto_i_yaml *yaml, const yaml_node_t *value, const char *key,
                              sotto_error *err) {
  (void)key;
  return sotto_i_yaml_pairs(target, yaml, value, add_axis, err);
}

static sotto_status take_level(void *target, sotto_i_yaml *yaml, const yaml_node_t *value, const char *key,
                               sotto_error *err) {
  typedef sotto_i_bench_level self;
  static const sotto_i_yaml_field fields[] = {FIELD(self, options, "options", take_settings),
                                              FIELD(self, grid, "grid", take_grid),
                                              FIELD(self, epsilons, "epsilons", take_list)};
  (void)key;
  ((self *)target)->given = true;
  if (value->type == YAML_SCALAR_NODE && value->data.scalar.length == 0) return SOTTO_OK;
  return sotto_i_yaml_mapping(target, yaml, value, fields, COUNT(fields), err);
}

static sotto_status take_levels(void *target, sotto_i_yaml *yaml, const yaml_node_t *value, const char *key,
                                sotto_error *err) {
  static const sotto_i_yaml_field fields[] = {{"none", take_level, 0},
                                              {"edge", take_level, sizeof(sotto_i_bench_level)},
                                              {"node", take_level, 2 * sizeof(sotto_i_bench_level)}};
  (void)key;
  return sotto_i_yaml_mapping(target, yaml, value, fields, COUNT(fields), err);
}

static sotto_status take_chains(void *target, sotto_i_yaml *yaml, const yaml_node_t *value, const char *key,
                                sotto_error *err) {
  typedef sotto_i_bench_dataset self;
  static const sotto_i_yaml_field fields[] = {FIELD(self, chains.classes, "classes", take_u32),
                                              FIELD(self, chains.length, "length", take_u32),
                                              FIELD(self, chains.chains_per_class, "chains", take_u32),
                                              FIELD(self, chains.features, "features", take_u32)};
  (void)snprintf(((self *)target)->generate, SOTTO_I_BENCH_NAME, "%s", key);
  return sotto_i_yaml_mapping(target, yaml, value, fields, COUNT(fields), err);
}

static sotto_status take_sbm(void *target, sotto_i_yaml *yaml, const yaml_node_t *value, const char *key,
                             sotto_error *err) {
  typedef sotto_i_bench_dataset self;
  static const sotto_i_yaml_field fields[] = {FIELD(self, sbm.nodes, "nodes", take_count),
                                              FIELD(self, sbm.classes, "classes", take_u32),
                                              FIELD(self, sbm.features, "features", take_u32),
                                              FIELD(self, sbm.degree_inside, "inside", take_real),
                                              FIELD(self, sbm.degree_outside, "outside", take_real),
                                              FIELD(self, sbm.feature_signal, "signal", take_real)};
  (void)snprintf(((self *)target)->generate, SOTTO_I_BENCH_NAME, "%s", key);
  return sotto_i_yaml_mapping(target, yaml, value, fields, COUNT(fields), err);
}

static sotto_status room_for(const yaml_node_t *at, size_t *count, size_t *place, sotto_error *err) {
  if (*count == SOTTO_I_BENCH_ENTRIES)
    return sotto_i_yaml_fail(at, SOTTO_RANGE, err, "more than %d entries", SOTTO_I_BENCH_ENTRIES);
  *place = (*count)++;
  return SOTTO_OK;
}

static sotto_status add_dataset(void *target, sotto_i_yaml *yaml, const yaml_node_t *value, const char *key,
                                sotto_error *err) {
  typedef sotto_i_bench_dataset self;
  static const sotto_i_yaml_field fields[] = {FIELD(self, path, "path", take_path),
                                              {"chains", take_chains, 0},
                                              {"sbm", take_sbm, 0},
                                              FIELD(self, options, "options", take_settings),
                                              FIELD(self, grid, "grid", take_grid),
                                              FIELD(self, weight, "weight", take_real)};
  sotto_i_bench_plan *plan = target;
  size_t i = 0;
  sotto_status status = room_for(value, &plan->dataset_count, &i, err);
  if (status != SOTTO_OK) return status;
  self *dataset = &plan->datasets[i];
  dataset->weight = 1;
  (void)snprintf(dataset->name, SOTTO_I_BENCH_NAME, "%s", key);
  status = sotto_i_yaml_mapping(dataset, yaml, value, fields, COUNT(fields), err);
  if (status != SOTTO_OK) return status;
  if ((dataset->path[0] == '\0') == (dataset->generate[0] == '\0'))
    return sotto_i_yaml_fail(value, SOTTO_INVALID, err, "%s: give one of path, chains, sbm", key);
  return SOTTO_OK;
}

static sotto_status add_method(void *target, sotto_i_yaml *yaml, const yaml_node_t *value, const char *key,
                               sotto_error *err) {
  typedef sotto_i_bench_method self;
  static const sotto_i_yaml_field fields[] = {
      FIELD(self, options, "options", take_settings), FIELD(self, grid, "grid", take_grid),
      FIELD(self, levels, "levels", take_levels), FIELD(self, except, "except", take_list),
      FIELD(self, seconds, "seconds", take_real)};
  sotto_i_bench_plan *plan = target;
  size_t i = 0;
  sotto_status status = room_for(value, &plan->method_count, &i, err);
  if (status != SOTTO_OK) return status;
  self *method = &plan->methods[i];
  method->seconds = 10;
  (void)snprintf(method->name, SOTTO_I_BENCH_NAME, "%s", key);
  status = sotto_i_yaml_mapping(method, yaml, value, fields, COUNT(fields), err);
  if (status != SOTTO_OK) return status;
  bool renamed = false;
  for (size_t s = 0; s < method->options.count; s++)
    renamed |= strcmp(method->options.items[s].key, "method") == 0;
  for (size_t k = 0; k < SOTTO_I_BENCH_LEVELS; k++) method->levels_given |= method->levels[k].given;
  return renamed ? SOTTO_OK : check_setting(value, "method", key, err);
}

static sotto_status add_series(void *target, sotto_i_yaml *yaml, const yaml_node_t *value, const char *key,
                               sotto_error *err) {
  typedef sotto_i_bench_series self;
  static const sotto_i_yaml_field fields[] = {
      FIELD(self, dataset, "dataset", take_word), FIELD(self, level, "level", take_word),
      FIELD(self, vary, "vary", take_word),       FIELD(self, epsilon, "epsilon", take_word),
      FIELD(self, methods, "methods", take_list), FIELD(self, values, "values", take_list),
      FIELD(self, log, "log", take_switch),       FIELD(self, options, "options", take_settings)};
  sotto_i_bench_plan *plan = target;
  size_t i = 0;
  sotto_status status = room_for(value, &plan->series_count, &i, err);
  if (status != SOTTO_OK) return status;
  self *series = &plan->series[i];
  (void)snprintf(series->name, SOTTO_I_BENCH_NAME, "%s", key);
  status = sotto_i_yaml_mapping(series, yaml, value, fields, COUNT(fields), err);
  for (size_t v = 0; status == SOTTO_OK && v < series->values.count; v++)
    status = check_setting(value, series->vary, series->values.items[v], err);
  return status;
}

static sotto_status take_datasets(void *target, sotto_i_yaml *yaml, const yaml_node_t *value, const char *key,
                                  sotto_error *err) {
  (void)key;
  return sotto_i_yaml_pairs(target, yaml, value, add_dataset, err);
}

static sotto_status take_methods(void *target, sotto_i_yaml *yaml, const yaml_node_t *value, const char *key,
                                 sotto_error *err) {
  (void)key;
  return sotto_i_yaml_pairs(target, yaml, value, add_method, err);
}

static sotto_status take_series(void *target, sotto_i_yaml *yaml, const yaml_node_t *value, const char *key,
                                sotto_error *err) {
  (void)key;
  return sotto_i_yaml_pairs(target, yaml, value, add_series, err);
}

static sotto_status take_quick(void *target, sotto_i_yaml *yaml, const yaml_node_t *value, const char *key,
                               sotto_error *err) {
  typedef sotto_i_bench_quick self;
  static const sotto_i_yaml_field fields[] = {
      FIELD(self, seeds, "seeds", take_count),      FIELD(self, epsilons, "epsilons", take_list),
      FIELD(self, datasets, "datasets", take_list), FIELD(self, methods, "methods", take_list),
      FIELD(self, series, "series", take_list),     FIELD(self, options, "options", take_settings)};
  (void)key;
  return sotto_i_yaml_mapping(target, yaml, value, fields, COUNT(fields), err);
}

static const sotto_i_yaml_field top[] = {
    FIELD(sotto_i_bench_plan, seeds, "seeds", take_count),
    FIELD(sotto_i_bench_plan, first_seed, "first-seed", take_count),
    FIELD(sotto_i_bench_plan, selection_seed, "selection-seed", take_count),
    FIELD(sotto_i_bench_plan, limit, "limit", take_count),
    FIELD(sotto_i_bench_plan, epsilons, "epsilons", take_list),
    FIELD(sotto_i_bench_plan, levels, "levels", take_list),
    FIELD(sotto_i_bench_plan, options, "options", take_settings),
    FIELD(sotto_i_bench_plan, quick, "quick", take_quick),
    {"datasets", take_datasets, 0},
    {"methods", take_methods, 0},
    {"series", take_series, 0},
};

sotto_status sotto_i_bench_parse(sotto_i_bench_plan *out, const uint8_t *data, size_t size,
                                 sotto_error *err) {
  sotto_i_yaml yaml;
  *out = (sotto_i_bench_plan){.seeds = 3, .first_seed = 1, .selection_seed = 1000};
  sotto_status status = sotto_i_yaml_open(&yaml, data, size, err);
  if (status != SOTTO_OK) return status;
  const yaml_node_t *root = sotto_i_yaml_root(&yaml);
  status = root == NULL ? sotto_i_fail(err, SOTTO_PARSE, "is empty")
                        : sotto_i_yaml_mapping(out, &yaml, root, top, COUNT(top), err);
  if (status == SOTTO_OK) status = sotto_i_bench_check(out, err);
  sotto_i_yaml_close(&yaml);
  return status;
}

sotto_status sotto_i_bench_read(sotto_i_bench_plan *out, const char *path, sotto_error *err) {
  sotto_i_map map;
  sotto_status status = sotto_i_map_open(&map, path, err);
  if (status != SOTTO_OK) return status;
  status = sotto_i_bench_parse(out, map.data, map.size, err);
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "%s", path);
  sotto_i_map_close(&map);
  return status;
}
