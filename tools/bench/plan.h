/* The content of a bench file: datasets, methods with their grids, levels, epsilons, series of plots. */
#ifndef SOTTO_TOOLS_BENCH_PLAN_H
#define SOTTO_TOOLS_BENCH_PLAN_H

#include "sotto/generate.h"
#include "sotto/methods.h"

enum {
  APP_BENCH_NAME = 64,
  APP_BENCH_SETTINGS = 24,
  APP_BENCH_AXES = 6,
  APP_BENCH_VALUES = 24, /* of one list: epsilons, an axis of a grid, values of a series */
  APP_BENCH_POINTS = 256,
  APP_BENCH_ENTRIES = 32, /* datasets, methods, series: each */
  APP_BENCH_LEVELS = 3
};

/* "none", "edge", "node": the words of the option `adjacency`, in this order. */
extern const char *const app_bench_levels[APP_BENCH_LEVELS];

typedef char app_bench_word[APP_BENCH_NAME];

typedef struct app_bench_list {
  app_bench_word items[APP_BENCH_VALUES];
  size_t count;
} app_bench_list;

/* Options of `sotto train`, each checked as it was read. */
typedef struct app_bench_settings {
  struct {
    app_bench_word key, value;
  } items[APP_BENCH_SETTINGS];
  size_t count;
} app_bench_settings;

/* All combinations of the axes' values, the last axis fastest; without axes one point, with nothing in it. */
typedef struct app_bench_grid {
  struct {
    app_bench_word key;
    app_bench_list values;
  } axes[APP_BENCH_AXES];
  size_t count;
} app_bench_grid;

/* A method at one level. */
typedef struct app_bench_level {
  bool given;
  app_bench_settings options;
  app_bench_grid grid;     /* in place of the method's, when it has axes */
  app_bench_list epsilons; /* in place of the file's, when there are any; not of level none */
} app_bench_level;

typedef struct app_bench_method {
  app_bench_word name; /* the option `method`, unless `options` say otherwise */
  app_bench_settings options;
  app_bench_grid grid;
  app_bench_level levels[APP_BENCH_LEVELS];
  bool levels_given;     /* else: every level of the file, and none */
  app_bench_list except; /* names of datasets it is not trained on */
  double seconds;        /* about, of one training on a dataset of weight 1 */
} app_bench_method;

typedef struct app_bench_dataset {
  app_bench_word name;
  char path[1024]; /* relative to the data folder; empty: made by a generator */
  app_bench_word generate;
  sotto_chains_options chains;
  sotto_sbm_options sbm;
  sotto_transactions_options transactions;
  uint64_t key; /* of the generator */
  app_bench_settings options;
  app_bench_grid grid; /* values in place of those of a method's grid, for options that it has */
  double weight;
} app_bench_dataset;

/* Accuracy against one option. */
typedef struct app_bench_series {
  app_bench_word name, dataset, level, vary, epsilon;
  app_bench_list methods, values;
  app_bench_settings options;
  bool log;
} app_bench_series;

/* A smaller bench: what is given replaces, and names what is kept. */
typedef struct app_bench_quick {
  uint64_t seeds;
  app_bench_list epsilons, datasets, methods, series;
  app_bench_settings options; /* last of all */
} app_bench_quick;

typedef struct app_bench_plan {
  uint64_t seeds, first_seed; /* of what is reported: FIRST, FIRST + 1, ... */
  uint64_t selection_seed;    /* first of the trainings that choose a point of the grid; none of the above */
  uint64_t selection_seeds;   /* how many there are of each point */
  uint64_t limit;             /* seconds a training may take; 0: any */
  app_bench_list epsilons, levels;
  app_bench_settings options;
  app_bench_dataset datasets[APP_BENCH_ENTRIES];
  app_bench_method methods[APP_BENCH_ENTRIES];
  app_bench_series series[APP_BENCH_ENTRIES];
  size_t dataset_count, method_count, series_count;
  app_bench_quick quick;
  bool is_quick;
} app_bench_plan;

/* Reads a bench file. `out` is large: allocate it. Errors name the line: PARSE; NOT_FOUND for an unknown key
 * or name, with the nearest one; those of sotto_options_set for an option. */
sotto_status app_bench_parse(app_bench_plan *out, const uint8_t *data, size_t size, sotto_error *err);
sotto_status app_bench_read(app_bench_plan *out, const char *path, sotto_error *err);
/* The part of the above that needs the whole file: names that are used, orders, ranges. */
sotto_status app_bench_check(const app_bench_plan *plan, sotto_error *err);
/* Makes it the quick bench. */
void app_bench_make_quick(app_bench_plan *plan);

/* Is the dataset part of this bench, quick or not? */
bool app_bench_wants(const app_bench_plan *plan, const char *dataset);
bool app_bench_listed(const app_bench_list *list, const char *word);
size_t app_bench_points(const app_bench_grid *grid);
/* The grid of a method at a level on a dataset. */
app_bench_grid app_bench_grid_of(const app_bench_method *method, size_t level,
                                 const app_bench_dataset *dataset);
/* "key=value key=value" of one point; "" for a grid without axes. */
void app_bench_point_text(char *out, size_t size, const app_bench_grid *grid, size_t point);

#endif
