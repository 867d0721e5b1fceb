/* Cells, options of their trainings, keys. */
#include "cells.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/progress.h"
#include "base/text.h"
#include "common/memory.h"

static sotto_status apply(sotto_options *o, const app_bench_settings *settings, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; status == SOTTO_OK && i < settings->count; i++)
    status = sotto_options_set(o, settings->items[i].key, settings->items[i].value, err);
  return status;
}

static sotto_status apply_point(sotto_options *o, const app_bench_grid *grid, size_t point,
                                sotto_error *err) {
  sotto_status status = SOTTO_OK;
  size_t rest = app_bench_points(grid);
  for (size_t a = 0; status == SOTTO_OK && a < grid->count; a++) {
    const app_bench_list *values = &grid->axes[a].values;
    rest /= values->count;
    status = sotto_options_set(o, grid->axes[a].key, values->items[point / rest % values->count], err);
  }
  return status;
}

sotto_status app_bench_options(sotto_options *out, const app_bench_plan *plan, const app_bench_cell *cell,
                               const sotto_dataset *data, size_t point, uint64_t seed, sotto_error *err) {
  const app_bench_method *method = &plan->methods[cell->method];
  const app_bench_dataset *dataset = &plan->datasets[cell->dataset];
  sotto_status status;
  bool renamed = false;
  sotto_options_default(out);
  for (size_t i = 0; i < method->options.count; i++)
    renamed |= strcmp(method->options.items[i].key, "method") == 0;
  if (!renamed) SOTTO_TRY(sotto_options_set(out, "method", method->name, err));
  SOTTO_TRY(apply(out, &plan->options, err));
  SOTTO_TRY(apply(out, &dataset->options, err));
  SOTTO_TRY(apply(out, &method->options, err));
  SOTTO_TRY(apply(out, &method->levels[cell->level].options, err));
  SOTTO_TRY(apply_point(out, &cell->grid, point, err));
  if (cell->series != NULL) {
    SOTTO_TRY(apply(out, &cell->series->options, err));
    SOTTO_TRY(sotto_options_set(out, cell->series->vary, cell->value, err));
  }
  if (plan->is_quick) SOTTO_TRY(apply(out, &plan->quick.options, err));
  SOTTO_TRY(sotto_options_set(out, "adjacency", app_bench_levels[cell->level], err));
  if (cell->level > 0) SOTTO_TRY(sotto_options_set(out, "epsilon", cell->epsilon, err));
  SOTTO_TRY(sotto_options_set(out, "data", dataset->name, err));
  sotto_options_prune(out); /* what is set for all methods is for those that have it */
  if (data != NULL) sotto_options_settle(out, data->graph.nodes);
  out->seed = seed;
done:
  return status;
}

void app_bench_key(char out[APP_BENCH_KEY], const sotto_options *options, const uint8_t digest[32]) {
  static const char *const without[] = {"out",     "ledger", "account",       "anyway",
                                        "threads", "resume", "encoder-cache", "record-wire"};
  sotto_options resolved = *options, defaults;
  crypto_generichash_state hash;
  uint8_t bytes[16];
  size_t count;
  const sotto_option_info *infos = sotto_option_table(&count);
  sotto_options_resolve(&resolved);
  sotto_options_default(&defaults);
  (void)crypto_generichash_init(&hash, NULL, 0, sizeof bytes);
  (void)crypto_generichash_update(&hash, digest, 32);
  for (size_t i = 0; i < count; i++) {
    char value[1024], usual[1024], line[1100];
    bool left_out = false;
    for (size_t k = 0; k < sizeof without / sizeof *without; k++)
      left_out |= strcmp(infos[i].key, without[k]) == 0;
    if (left_out) continue;
    sotto_option_text(&resolved, i, value, sizeof value);
    sotto_option_text(&defaults, i, usual, sizeof usual);
    if (strcmp(value, usual) == 0) continue;
    int size = snprintf(line, sizeof line, "%s=%s\n", infos[i].key, value);
    (void)crypto_generichash_update(&hash, (const uint8_t *)line, (size_t)size);
  }
  (void)crypto_generichash_final(&hash, bytes, sizeof bytes);
  sotto_i_hex(out, bytes, sizeof bytes);
}

typedef struct maker {
  app_bench_cells *cells;
  const app_bench_plan *plan;
  const sotto_observer *observer;
  bool told[APP_BENCH_ENTRIES][APP_BENCH_LEVELS];
} maker;

static sotto_status add(maker *m, const app_bench_cell *wanted, sotto_error *err) {
  sotto_options options;
  sotto_error refused = {0};
  app_bench_cell cell = *wanted;
  sotto_status status;
  cell.points = app_bench_points(&cell.grid);
  if (cell.points > APP_BENCH_POINTS)
    return sotto_i_fail(err, SOTTO_RANGE, "%s on %s: a grid of more than %d points",
                        m->plan->methods[cell.method].name, m->plan->datasets[cell.dataset].name,
                        APP_BENCH_POINTS);
  SOTTO_TRY(app_bench_options(&options, m->plan, &cell, NULL, 0, m->plan->first_seed, err));
  sotto_options_resolve(&options);
  sotto_status possible = sotto_options_check(&options, &refused);
  if (possible == SOTTO_UNSUPPORTED) {
    if (!m->told[cell.method][cell.level])
      sotto_i_log(m->observer, SOTTO_LOG_INFO, "left out: %s at level %s: %s",
                  m->plan->methods[cell.method].name, app_bench_levels[cell.level], refused.text);
    m->told[cell.method][cell.level] = true;
    return SOTTO_OK;
  }
  if (possible != SOTTO_OK)
    return sotto_i_fail(err, possible, "%s on %s, level %s: %s", m->plan->methods[cell.method].name,
                        m->plan->datasets[cell.dataset].name, app_bench_levels[cell.level], refused.text);
  SOTTO_TRY(
      app_grow(&m->cells->items, &m->cells->capacity, m->cells->count + 1, sizeof *m->cells->items, err));
  cell.choices = cell.points > 1 ? cell.points * m->plan->selection_seeds : 0;
  SOTTO_TRY(app_new(&cell.scores, cell.choices, sizeof *cell.scores, err));
  SOTTO_TRY(app_new(&cell.figures, m->plan->seeds, sizeof *cell.figures, err));
  for (size_t i = 0; i < cell.choices; i++) cell.scores[i] = APP_BENCH_MISSING;
  for (size_t i = 0; i < m->plan->seeds; i++) cell.figures[i] = APP_BENCH_MISSING;
  m->cells->items[m->cells->count++] = cell;
  return SOTTO_OK;
done:
  free(cell.scores);
  return status;
}

/* Cells of one method on one dataset at one level. */
static sotto_status add_level(maker *m, size_t dataset, size_t method, size_t level, sotto_error *err) {
  const app_bench_plan *plan = m->plan;
  const app_bench_method *from = &plan->methods[method];
  const app_bench_list *own = &from->levels[level].epsilons;
  const app_bench_list *epsilons = own->count > 0 ? own : &plan->epsilons;
  app_bench_cell cell = {.dataset = dataset,
                         .method = method,
                         .level = level,
                         .grid = app_bench_grid_of(from, level, &plan->datasets[dataset])};
  sotto_status status = SOTTO_OK;
  bool asked = level == 0 || app_bench_listed(&plan->levels, app_bench_levels[level]);
  if (from->levels_given && !from->levels[level].given) return SOTTO_OK;
  if (!asked) return SOTTO_OK;
  for (size_t e = 0; status == SOTTO_OK && e < epsilons->count; e++) {
    bool infinite = strcmp(epsilons->items[e], "inf") == 0;
    if (infinite != (level == 0)) continue;
    cell.epsilon = epsilons->items[e];
    status = add(m, &cell, err);
  }
  return status;
}

static sotto_status add_series(maker *m, const app_bench_series *series, const bool *there,
                               sotto_error *err) {
  const app_bench_plan *plan = m->plan;
  app_bench_cell cell = {.series = series, .epsilon = series->epsilon};
  sotto_status status = SOTTO_OK;
  while (strcmp(plan->datasets[cell.dataset].name, series->dataset) != 0) cell.dataset++;
  while (strcmp(app_bench_levels[cell.level], series->level) != 0) cell.level++;
  if (cell.level == 0) cell.epsilon = "inf";
  if (!there[cell.dataset]) return SOTTO_OK;
  for (cell.method = 0; cell.method < plan->method_count; cell.method++) {
    if (!app_bench_listed(&series->methods, plan->methods[cell.method].name)) continue;
    for (size_t v = 0; status == SOTTO_OK && v < series->values.count; v++) {
      cell.value = series->values.items[v];
      status = add(m, &cell, err);
    }
  }
  return status;
}

static bool wanted(const app_bench_plan *plan, const app_bench_list *of_quick, const char *name) {
  return !plan->is_quick || of_quick->count == 0 || app_bench_listed(of_quick, name);
}

sotto_status app_bench_cells_new(app_bench_cells *out, const app_bench_plan *plan, const bool *there,
                                 const sotto_observer *observer, sotto_error *err) {
  maker m = {.cells = out, .plan = plan, .observer = observer};
  sotto_status status = SOTTO_OK;
  *out = (app_bench_cells){0};
  for (size_t d = 0; d < plan->dataset_count; d++) {
    if (!there[d]) continue;
    for (size_t k = 0; k < plan->method_count; k++) {
      if (!wanted(plan, &plan->quick.methods, plan->methods[k].name)) continue;
      if (app_bench_listed(&plan->methods[k].except, plan->datasets[d].name)) continue;
      for (size_t level = 0; level < APP_BENCH_LEVELS; level++) SOTTO_TRY(add_level(&m, d, k, level, err));
    }
  }
  for (size_t s = 0; s < plan->series_count; s++) {
    bool all = !plan->is_quick; /* the quick bench has the series that it names */
    if (!all && !app_bench_listed(&plan->quick.series, plan->series[s].name)) continue;
    SOTTO_TRY(add_series(&m, &plan->series[s], there, err));
  }
done:
  if (status != SOTTO_OK) app_bench_cells_free(out);
  return status;
}

static void cell_free(const app_bench_cell *cell) {
  free(cell->scores);
  free(cell->figures);
}

void app_bench_cells_share(app_bench_cells *cells, unsigned shard, unsigned shards) {
  size_t kept = 0;
  SOTTO_I_CHECK(shard >= 1 && shard <= shards);
  for (size_t i = 0; i < cells->count; i++) {
    if (i % shards == shard - 1)
      cells->items[kept++] = cells->items[i];
    else
      cell_free(&cells->items[i]);
  }
  cells->count = kept;
}

void app_bench_cells_free(app_bench_cells *cells) {
  for (size_t i = 0; i < cells->count; i++) cell_free(&cells->items[i]);
  free(cells->items);
  *cells = (app_bench_cells){0};
}
