/* What stands behind the keys of a bench file: words, numbers, lists, options, grids. */
#include "values.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

sotto_status app_bench_take_word(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                 sotto_error *err) {
  (void)yaml;
  return app_yaml_text(target, APP_BENCH_NAME, value, key, err);
}

sotto_status app_bench_take_path(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                 sotto_error *err) {
  (void)yaml;
  return app_yaml_text(target, 1024, value, key, err);
}

sotto_status app_bench_take_count(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                  sotto_error *err) {
  app_bench_word text;
  sotto_status status = app_bench_take_word(text, yaml, value, key, err);
  if (status != SOTTO_OK) return status;
  status = sotto_i_parse_u64(target, text, key, err);
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "line %zu", value->start_mark.line + 1);
  return status;
}

sotto_status app_bench_take_u32(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                sotto_error *err) {
  uint64_t number = 0;
  sotto_status status = app_bench_take_count(&number, yaml, value, key, err);
  if (status != SOTTO_OK) return status;
  if (number > UINT32_MAX) return app_yaml_fail(value, SOTTO_RANGE, err, "%s: is too large", key);
  *(uint32_t *)target = (uint32_t)number;
  return SOTTO_OK;
}

sotto_status app_bench_take_real(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                 sotto_error *err) {
  app_bench_word text;
  sotto_status status = app_bench_take_word(text, yaml, value, key, err);
  if (status != SOTTO_OK) return status;
  status = sotto_i_parse_double(target, text, key, err);
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "line %zu", value->start_mark.line + 1);
  return status;
}

sotto_status app_bench_take_switch(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                   sotto_error *err) {
  app_bench_word text;
  sotto_status status = app_bench_take_word(text, yaml, value, key, err);
  if (status != SOTTO_OK) return status;
  if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
    return app_yaml_fail(value, SOTTO_INVALID, err, "%s: '%s' is neither true nor false", key, text);
  *(bool *)target = text[0] == 't';
  return SOTTO_OK;
}

static sotto_status add_word(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                             sotto_error *err) {
  app_bench_list *list = target;
  (void)key;
  if (list->count == APP_BENCH_VALUES)
    return app_yaml_fail(value, SOTTO_RANGE, err, "more than %d values", APP_BENCH_VALUES);
  return app_bench_take_word(list->items[list->count++], yaml, value, "a value", err);
}

sotto_status app_bench_take_list(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                 sotto_error *err) {
  (void)key;
  return app_yaml_items(target, yaml, value, add_word, err);
}

/* Options that the bench itself sets. */
sotto_status app_bench_check_setting(const yaml_node_t *at, const char *key, const char *value,
                                     sotto_error *err) {
  static const char *const ours[] = {"data", "out",   "ledger",  "account", "anyway",        "resume",
                                     "seed", "seeds", "epsilon", "threads", "insecure-seed", "encoder-cache"};
  sotto_options options;
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    if (strcmp(key, ours[i]) == 0)
      return app_yaml_fail(at, SOTTO_INVALID, err, "'%s' is set by the bench", key);
  sotto_options_default(&options);
  sotto_status status = sotto_options_set(&options, key, value, err);
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "line %zu", at->start_mark.line + 1);
  return status;
}

static sotto_status add_setting(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                sotto_error *err) {
  app_bench_settings *settings = target;
  if (settings->count == APP_BENCH_SETTINGS)
    return app_yaml_fail(value, SOTTO_RANGE, err, "more than %d options", APP_BENCH_SETTINGS);
  size_t i = settings->count++;
  (void)snprintf(settings->items[i].key, APP_BENCH_NAME, "%s", key);
  sotto_status status = app_bench_take_word(settings->items[i].value, yaml, value, key, err);
  return status == SOTTO_OK ? app_bench_check_setting(value, key, settings->items[i].value, err) : status;
}

sotto_status app_bench_take_settings(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                     sotto_error *err) {
  (void)key;
  return app_yaml_pairs(target, yaml, value, add_setting, err);
}

static sotto_status add_axis(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                             sotto_error *err) {
  app_bench_grid *grid = target;
  if (grid->count == APP_BENCH_AXES)
    return app_yaml_fail(value, SOTTO_RANGE, err, "more than %d options", APP_BENCH_AXES);
  size_t a = grid->count++;
  (void)snprintf(grid->axes[a].key, APP_BENCH_NAME, "%s", key);
  app_bench_list *values = &grid->axes[a].values;
  sotto_status status = app_bench_take_list(values, yaml, value, key, err);
  for (size_t i = 0; status == SOTTO_OK && i < values->count; i++)
    status = app_bench_check_setting(value, key, values->items[i], err);
  if (status != SOTTO_OK) return status;
  if (values->count == 0) return app_yaml_fail(value, SOTTO_RANGE, err, "%s: an empty list", key);
  if (app_bench_points(grid) > APP_BENCH_POINTS)
    return app_yaml_fail(value, SOTTO_RANGE, err, "a grid of more than %d points", APP_BENCH_POINTS);
  return SOTTO_OK;
}

sotto_status app_bench_take_grid(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                 sotto_error *err) {
  (void)key;
  return app_yaml_pairs(target, yaml, value, add_axis, err);
}
