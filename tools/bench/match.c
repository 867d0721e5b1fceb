/* Matching cells with trainings: finished ones, the next one, the remaining time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "bench.h"

/* The training's number, or MISSING. Its options were checked when the cell was made. */
static size_t look_up(const app_bench *bench, const app_bench_cell *cell, size_t point, uint64_t seed,
                      sotto_options *options, char key[APP_BENCH_KEY]) {
  const sotto_dataset *data = &bench->data[cell->dataset];
  SOTTO_I_CHECK(app_bench_options(options, bench->plan, cell, data, point, seed, NULL) == SOTTO_OK);
  app_bench_key(key, options, data->digest);
  return app_bench_state_find(&bench->state, key);
}

static bool scored(const app_bench_cell *cell) {
  for (size_t i = 0; i < cell->choices; i++)
    if (cell->scores[i] == APP_BENCH_MISSING) return false;
  return true;
}

/* By the mean over the seeds that choose; a point with a training that failed is none. */
static void choose(const app_bench *bench, app_bench_cell *cell) {
  const app_bench_trial *trials[APP_BENCH_POINTS];
  app_bench_trial means[APP_BENCH_POINTS];
  size_t seeds = bench->plan->selection_seeds;
  for (size_t p = 0; p < cell->points; p++) {
    means[p] = (app_bench_trial){.validation = 0};
    for (size_t s = 0; s < seeds; s++) {
      const app_bench_trial *trial = &bench->state.items[cell->scores[p * seeds + s]];
      means[p].failed |= trial->failed;
      means[p].validation += trial->validation / (double)seeds;
    }
    trials[p] = &means[p];
  }
  cell->chosen = app_bench_choose(trials, cell->points);
  if (cell->chosen == cell->points) cell->chosen = 0; /* all failed: the figures will say why */
}

/* Looks for what a cell lacks; true with the first training that is neither done nor running. */
static bool match_cell(app_bench *bench, size_t number, app_bench_task *task, sotto_options *options,
                       char key[APP_BENCH_KEY], const char (*running)[APP_BENCH_KEY], size_t running_count) {
  app_bench_cell *cell = &bench->cells.items[number];
  const app_bench_plan *plan = bench->plan;
  bool selecting = !scored(cell);
  size_t steps = selecting ? cell->choices : plan->seeds;
  size_t *places = selecting ? cell->scores : cell->figures;
  for (size_t i = 0; i < steps; i++) {
    bool busy = false;
    *task = (app_bench_task){number, cell->chosen, plan->first_seed + i, selecting};
    if (selecting) {
      task->point = i / plan->selection_seeds;
      task->seed = plan->selection_seed + i % plan->selection_seeds;
    }
    if (places[i] != APP_BENCH_MISSING) continue;
    places[i] = look_up(bench, cell, task->point, task->seed, options, key);
    if (places[i] != APP_BENCH_MISSING) continue;
    for (size_t r = 0; r < running_count; r++) busy |= strcmp(running[r], key) == 0;
    if (!busy) return true;
  }
  if (!selecting || !scored(cell)) return false;
  choose(bench, cell);
  return match_cell(bench, number, task, options, key, running, running_count);
}

void app_bench_match(app_bench *bench) {
  sotto_options options;
  char key[APP_BENCH_KEY];
  for (size_t c = 0; c < bench->cells.count; c++) {
    app_bench_cell *cell = &bench->cells.items[c];
    size_t seeds = bench->plan->selection_seeds;
    for (size_t i = 0; i < cell->choices; i++)
      cell->scores[i] =
          look_up(bench, cell, i / seeds, bench->plan->selection_seed + i % seeds, &options, key);
    if (!scored(cell)) continue;
    if (cell->choices > 0) choose(bench, cell);
    for (size_t s = 0; s < bench->plan->seeds; s++)
      cell->figures[s] = look_up(bench, cell, cell->chosen, bench->plan->first_seed + s, &options, key);
  }
}

bool app_bench_next(app_bench *bench, app_bench_task *task, sotto_options *options, char key[APP_BENCH_KEY],
                    const char (*running)[APP_BENCH_KEY], size_t running_count) {
  for (size_t c = 0; c < bench->cells.count; c++)
    if (match_cell(bench, c, task, options, key, running, running_count)) return true;
  return false;
}

typedef struct tally {
  size_t done;
  double seconds;
} tally;

/* Adds what a list of trainings has to the counts. */
static void count_places(const app_bench *bench, const size_t *places, size_t size, tally *own,
                         app_bench_count *out) {
  for (size_t i = 0; i < size; i++) {
    out->all++;
    if (places[i] == APP_BENCH_MISSING) continue;
    const app_bench_trial *trial = &bench->state.items[places[i]];
    out->done++;
    out->failed += trial->failed;
    own->done++;
    own->seconds += trial->seconds;
  }
}

app_bench_count app_bench_counted(const app_bench *bench) {
  const app_bench_plan *plan = bench->plan;
  static tally seen[APP_BENCH_ENTRIES][APP_BENCH_ENTRIES][APP_BENCH_LEVELS];
  app_bench_count out = {0};
  double measured = 0, expected = 0;
  memset(seen, 0, sizeof seen);
  for (size_t c = 0; c < bench->cells.count; c++) {
    const app_bench_cell *cell = &bench->cells.items[c];
    tally *own = &seen[cell->dataset][cell->method][cell->level], before = *own;
    count_places(bench, cell->scores, cell->choices, own, &out);
    count_places(bench, cell->figures, plan->seeds, own, &out);
    measured += own->seconds - before.seconds;
    expected += (double)(own->done - before.done) * plan->methods[cell->method].seconds *
                plan->datasets[cell->dataset].weight;
  }
  double scale = expected > 0 && measured > 0 ? measured / expected : 1;
  for (size_t c = 0; c < bench->cells.count; c++) {
    const app_bench_cell *cell = &bench->cells.items[c];
    const tally *own = &seen[cell->dataset][cell->method][cell->level];
    double each = own->done > 0
                      ? own->seconds / (double)own->done
                      : plan->methods[cell->method].seconds * plan->datasets[cell->dataset].weight * scale;
    for (size_t p = 0; p < cell->choices; p++)
      if (cell->scores[p] == APP_BENCH_MISSING) out.seconds_left += each;
    for (size_t s = 0; s < plan->seeds; s++)
      if (cell->figures[s] == APP_BENCH_MISSING) out.seconds_left += each;
  }
  return out;
}
