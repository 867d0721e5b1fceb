/* The plots: accuracy against epsilon for each dataset and level, and one for each series. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench.h"
#include "common/memory.h"
#include "report/chart.h"

enum { most_lines = APP_BENCH_ENTRIES };

typedef struct lines {
  double x[most_lines][APP_BENCH_VALUES + 1], y[most_lines][APP_BENCH_VALUES + 1],
      spread[most_lines][APP_BENCH_VALUES + 1];
  app_series series[most_lines];
  size_t count, seeds; /* seeds: the most that a point is a mean of */
  bool noisy;          /* a point has noise */
} lines;

/* Of several numbers with ':' between them the last one, which a series varies. */
static double number(const char *text) {
  const char *last = strrchr(text, ':');
  if (last != NULL) text = last + 1;
  return strcmp(text, "inf") == 0 ? INFINITY : strtod(text, NULL);
}

static void add_point(lines *l, const app_bench *bench, const app_bench_cell *cell, double x) {
  const app_bench_figure f = app_bench_figure_of(bench, cell);
  app_series *line = &l->series[l->count];
  if (f.seeds == 0 || line->count > APP_BENCH_VALUES) return;
  if (f.seeds > l->seeds) l->seeds = f.seeds;
  l->noisy |= cell->level > 0;
  l->x[l->count][line->count] = x;
  l->y[l->count][line->count] = 100 * f.mean;
  l->spread[l->count][line->count++] = isnan(f.deviation) ? 0 : 100 * f.deviation;
}

static void begin_line(lines *l, const char *name) {
  l->series[l->count] = (app_series){
      .name = name, .x = l->x[l->count], .y = l->y[l->count], .spread = l->spread[l->count], .count = 0};
}

static void end_line(lines *l) {
  if (l->series[l->count].count > 0) l->count++;
}

static void epsilon_line(lines *l, const app_bench *bench, size_t dataset, size_t method, size_t level) {
  const app_bench_plan *plan = bench->plan;
  begin_line(l, plan->methods[method].name);
  for (int last = 0; last < 2; last++) /* what is without noise comes at the right end */
    for (size_t c = 0; c < bench->cells.count; c++) {
      const app_bench_cell *cell = &bench->cells.items[c];
      if (cell->series != NULL || cell->dataset != dataset || cell->method != method) continue;
      if (last == 0 && cell->level == level) add_point(l, bench, cell, number(cell->epsilon));
      bool edgeless = level == 1 && app_bench_figure_of(bench, cell).epsilon == 0;
      if (last == 0 && cell->level == 0 && edgeless)
        for (size_t e = 0; e < plan->epsilons.count; e++)
          if (isfinite(number(plan->epsilons.items[e])))
            add_point(l, bench, cell, number(plan->epsilons.items[e]));
      if (last == 1 && cell->level == 0) add_point(l, bench, cell, INFINITY);
    }
  end_line(l);
}

static sotto_status write_chart(const app_bench *bench, const app_chart *chart, const char *name,
                                sotto_error *err) {
  char *path = NULL;
  if (chart->series_count == 0) return SOTTO_OK; /* nothing was trained for it yet */
  sotto_status status = app_bench_file(&path, bench, name, bench->picture, err);
  if (status == SOTTO_OK) status = app_chart_write(chart, path, err);
  free(path);
  return status;
}

static void label_of(char *out, size_t size, const app_bench *bench, size_t dataset) {
  (void)snprintf(out, size, "test %s, per cent", app_bench_measure(bench, dataset));
}

/* What the drawing shows beside means, and what it leaves out. */
static void note_of(char *out, size_t size, const app_bench *bench, const lines *l, size_t most) {
  int used = l->seeds > 1
                 ? snprintf(out, size, "Means of %zu seeds; bands and bars: standard deviation.", l->seeds)
                 : snprintf(out, size, "One seed.");
  if (l->count > most)
    (void)snprintf(out + used, size - (size_t)used, " %zu more in %s.csv.", l->count - most, bench->name);
}

static size_t drawn_of(const lines *l) {
  return l->count < APP_CHART_SERIES ? l->count : APP_CHART_SERIES;
}

/* Without a method that adds noise there is nothing to see against epsilon: a bar a method. */
static sotto_status bars_plot(const app_bench *bench, const lines *l, size_t dataset, sotto_error *err) {
  const char *names[most_lines];
  double values[most_lines], spreads[most_lines];
  char title[160], note[160];
  const char *name = bench->plan->datasets[dataset].name;
  for (size_t i = 0; i < l->count; i++) {
    names[i] = l->series[i].name;
    values[i] = l->y[i][0];
    spreads[i] = l->spread[i][0];
  }
  (void)snprintf(title, sizeof title, "%s: test %s without differential privacy", name,
                 app_bench_measure(bench, dataset));
  note_of(note, sizeof note, bench, l, l->count);
  const app_bars bars = {.title = title,
                         .note = note,
                         .names = names,
                         .values = values,
                         .spreads = spreads,
                         .count = l->count,
                         .unit = " %"};
  char *path = NULL;
  sotto_status status = app_bench_file(&path, bench, name, bench->picture, err);
  if (status == SOTTO_OK) status = app_bars_write(&bars, path, err);
  free(path);
  return status;
}

static sotto_status epsilon_plot(const app_bench *bench, size_t dataset, size_t level, sotto_error *err) {
  const app_bench_plan *plan = bench->plan;
  lines l = {.count = 0};
  double ticks[APP_BENCH_VALUES];
  char title[160], name[160], label[80], note[160];
  for (size_t m = 0; m < plan->method_count; m++) epsilon_line(&l, bench, dataset, m, level);
  if (l.count > 0 && !l.noisy) return bars_plot(bench, &l, dataset, err);
  for (size_t e = 0; e < plan->epsilons.count; e++) ticks[e] = number(plan->epsilons.items[e]);
  (void)snprintf(title, sizeof title, "%s, %s level: test %s against epsilon", plan->datasets[dataset].name,
                 app_bench_levels[level], app_bench_measure(bench, dataset));
  (void)snprintf(name, sizeof name, "%s-%s", plan->datasets[dataset].name, app_bench_levels[level]);
  label_of(label, sizeof label, bench, dataset);
  note_of(note, sizeof note, bench, &l, APP_CHART_SERIES);
  const app_chart chart = {.title = title,
                           .note = note,
                           .x_label = "epsilon (inf: without noise)",
                           .y_label = label,
                           .log_x = true,
                           .x_ticks = ticks,
                           .x_tick_count = plan->epsilons.count,
                           .series = l.series,
                           .series_count = drawn_of(&l)};
  return write_chart(bench, &chart, name, err);
}

static sotto_status series_plot(const app_bench *bench, const app_bench_series *series, sotto_error *err) {
  const app_bench_plan *plan = bench->plan;
  lines l = {.count = 0};
  double ticks[APP_BENCH_VALUES];
  char title[320], label[80], note[160];
  size_t dataset = 0;
  while (strcmp(plan->datasets[dataset].name, series->dataset) != 0) dataset++; /* checked as it was read */
  label_of(label, sizeof label, bench, dataset);
  for (size_t m = 0; m < plan->method_count; m++) {
    begin_line(&l, plan->methods[m].name);
    for (size_t c = 0; c < bench->cells.count; c++) {
      const app_bench_cell *cell = &bench->cells.items[c];
      if (cell->series == series && cell->method == m) add_point(&l, bench, cell, number(cell->value));
    }
    end_line(&l);
  }
  for (size_t v = 0; v < series->values.count; v++) ticks[v] = number(series->values.items[v]);
  if (strcmp(series->level, "none") == 0)
    (void)snprintf(title, sizeof title, "%s, without differential privacy: test %s against %s",
                   series->dataset, app_bench_measure(bench, dataset), series->vary);
  else
    (void)snprintf(title, sizeof title, "%s, %s level, epsilon %s: test %s against %s", series->dataset,
                   series->level, series->epsilon, app_bench_measure(bench, dataset), series->vary);
  note_of(note, sizeof note, bench, &l, APP_CHART_SERIES);
  const app_chart chart = {.title = title,
                           .note = note,
                           .x_label = series->vary,
                           .y_label = label,
                           .log_x = series->log,
                           .x_ticks = ticks,
                           .x_tick_count = series->values.count,
                           .series = l.series,
                           .series_count = drawn_of(&l)};
  return write_chart(bench, &chart, series->name, err);
}

sotto_status app_bench_write_plots(const app_bench *bench, sotto_error *err) {
  const app_bench_plan *plan = bench->plan;
  sotto_status status = SOTTO_OK;
  for (size_t d = 0; d < plan->dataset_count; d++)
    for (size_t level = 1; level < APP_BENCH_LEVELS; level++)
      if (bench->there[d] && app_bench_listed(&plan->levels, app_bench_levels[level]))
        SOTTO_TRY(epsilon_plot(bench, d, level, err));
  for (size_t s = 0; s < plan->series_count; s++) SOTTO_TRY(series_plot(bench, &plan->series[s], err));
done:
  return status;
}
