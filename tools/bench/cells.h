/* Cells of a bench: one figure each, with several trainings. */
#ifndef SOTTO_TOOLS_BENCH_CELLS_H
#define SOTTO_TOOLS_BENCH_CELLS_H

#include "plan.h"
#include "state.h"

/* One figure of the result: a mean over seeds. Borrows from the plan. */
typedef struct app_bench_cell {
  size_t dataset, method, level;
  const char *epsilon;            /* "inf" at level none */
  const app_bench_series *series; /* NULL: of the table */
  const char *value;              /* of the series' option */
  app_bench_grid grid;
  size_t points;   /* of the grid; 1: nothing to choose */
  size_t choices;  /* trainings that choose: points times selection seeds, or 0 */
  size_t *scores;  /* owned: each of them, point by point, or APP_BENCH_MISSING */
  size_t *figures; /* owned: the training of each seed */
  size_t chosen;   /* the point, once every score is there */
} app_bench_cell;

/* A training: of one point of a cell's grid, with one seed. */
typedef struct app_bench_task {
  size_t cell, point;
  uint64_t seed;
  bool selects; /* for the choice of the point, not for a figure */
} app_bench_task;

typedef struct app_bench_cells {
  app_bench_cell *items;
  size_t count, capacity;
} app_bench_cells;

/* All cells of the datasets that are there, in the order of the file. Pairs of method and level that
 * sotto_options_check refuses as UNSUPPORTED are left out and told to the observer, once each. Errors: those
 * of sotto_options_check otherwise. */
sotto_status app_bench_cells_new(app_bench_cells *out, const app_bench_plan *plan, const bool *there,
                                 const sotto_observer *observer, sotto_error *err);
/* Keeps every cell whose number leaves `shard` - 1 when divided by `shards`; 1 <= shard <= shards. */
void app_bench_cells_share(app_bench_cells *cells, unsigned shard, unsigned shards);
void app_bench_cells_free(app_bench_cells *cells);

/* The options of one training, with delta by the size of the cell's data; `data` NULL: as if it were small.
 */
sotto_status app_bench_options(sotto_options *out, const app_bench_plan *plan, const app_bench_cell *cell,
                               const sotto_dataset *data, size_t point, uint64_t seed, sotto_error *err);
/* What a training is known by: a digest of its data and of every option that can change its result and is not
 * as usual, so that a new option does not make old trainings unknown. */
void app_bench_key(char out[APP_BENCH_KEY], const sotto_options *options, const uint8_t digest[32]);

#endif
