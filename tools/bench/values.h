/* Takers of values for the tables of read.c; `target` is what the name says. */
#ifndef SOTTO_TOOLS_BENCH_VALUES_H
#define SOTTO_TOOLS_BENCH_VALUES_H

#include "plan.h"
#include "yaml.h"

sotto_status app_bench_take_word(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                 sotto_error *err);
sotto_status app_bench_take_path(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                 sotto_error *err);
sotto_status app_bench_take_count(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                  sotto_error *err);
sotto_status app_bench_take_u32(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                sotto_error *err);
sotto_status app_bench_take_real(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                 sotto_error *err);
sotto_status app_bench_take_switch(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                   sotto_error *err);
sotto_status app_bench_take_list(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                 sotto_error *err);
sotto_status app_bench_take_settings(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                     sotto_error *err);
sotto_status app_bench_take_grid(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                 sotto_error *err);

/* Is it an option of `sotto train` with such a value, and not one that the bench sets itself? */
sotto_status app_bench_check_setting(const yaml_node_t *at, const char *key, const char *value,
                                     sotto_error *err);

#endif
