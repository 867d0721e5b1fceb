/* The figure of a cell, and its rows in utility.csv and in the summary. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench.h"
#include "common/file.h"

static const char *select_by(const app_bench_settings *settings, const char *otherwise) {
  for (size_t s = 0; s < settings->count; s++)
    if (strcmp(settings->items[s].key, "select-by") == 0) otherwise = settings->items[s].value;
  return otherwise;
}

const char *app_bench_measure(const app_bench *bench, size_t dataset) {
  const app_bench_plan *plan = bench->plan;
  return select_by(&plan->datasets[dataset].options, select_by(&plan->options, "accuracy"));
}

sotto_status app_bench_file(char **path, const app_bench *bench, const char *middle, const char *ending,
                            sotto_error *err) {
  char name[3 * APP_BENCH_NAME];
  (void)snprintf(name, sizeof name, "%s%s%.100s.%s", bench->name, middle == NULL ? "" : "-",
                 middle == NULL ? "" : middle, ending);
  return app_join(path, bench->out, name, err);
}

/* To the digits of NAME.csv, so that a picture drawn from the file is the same. */
static double as_written(double value) {
  char text[40];
  (void)snprintf(text, sizeof text, "%.6g", value);
  return strtod(text, NULL);
}

/* Mean and sample standard deviation (0 for one value); a NAN among the values makes both NAN. */
static void summarise(double *mean, double *deviation, const double *values, size_t count) {
  double square = 0;
  *mean = count == 0 ? NAN : 0;
  for (size_t i = 0; i < count; i++) *mean += values[i] / (double)count;
  for (size_t i = 0; i < count; i++) square += (values[i] - *mean) * (values[i] - *mean);
  *deviation = count > 1 ? sqrt(square / (double)(count - 1)) : *mean * 0;
}

app_bench_figure app_bench_figure_of(const app_bench *bench, const app_bench_cell *cell) {
  if (bench->drawn != NULL) return bench->drawn[cell - bench->cells.items];
  app_bench_figure f = {.epsilon = 0};
  double tests[1000], validation = 0;
  size_t seeds = bench->plan->seeds;
  for (size_t p = 0; p < cell->choices; p++)
    if (cell->scores[p] != APP_BENCH_MISSING) f.seconds += bench->state.items[cell->scores[p]].seconds;
  for (size_t s = 0; s < seeds && s < sizeof tests / sizeof *tests; s++) {
    if (cell->figures[s] == APP_BENCH_MISSING) continue;
    const app_bench_trial *trial = &bench->state.items[cell->figures[s]];
    f.seconds += trial->seconds;
    f.failed += trial->failed;
    if (trial->failed) continue;
    tests[f.seeds++] = trial->test;
    validation += trial->validation;
    f.epsilon = fmax(f.epsilon, trial->epsilon);
  }
  summarise(&f.mean, &f.deviation, tests, f.seeds);
  f.mean = as_written(f.mean);
  f.deviation = f.seeds > 1 ? as_written(f.deviation) : NAN;
  f.validation = f.seeds > 0 ? as_written(validation / (double)f.seeds) : NAN;
  if (f.seeds == 0) f.epsilon = NAN;
  app_bench_point_text(f.options, sizeof f.options, &cell->grid, cell->chosen);
  return f;
}

static void real(FILE *out, double value, const char *end) {
  if (isfinite(value))
    (void)fprintf(out, "%.6g%s", value, end);
  else
    (void)fprintf(out, "%s%s", isinf(value) ? "inf" : "", end);
}

static double delta_of(const app_bench *bench, const app_bench_cell *cell) {
  sotto_options options;
  SOTTO_I_CHECK(app_bench_options(&options, bench->plan, cell, &bench->data[cell->dataset], cell->chosen,
                                  bench->plan->first_seed, NULL) == SOTTO_OK);
  return cell->level == 0 ? 0 : options.delta;
}

static void row(FILE *out, const app_bench *bench, const app_bench_cell *cell) {
  const app_bench_figure f = app_bench_figure_of(bench, cell);
  const app_bench_plan *plan = bench->plan;
  (void)fprintf(out, "%s,%s,%s,%s,", plan->datasets[cell->dataset].name, plan->methods[cell->method].name,
                app_bench_levels[cell->level], cell->epsilon);
  real(out, delta_of(bench, cell), ",");
  (void)fprintf(out, "%zu,%zu,%s,", f.seeds, f.failed, app_bench_measure(bench, cell->dataset));
  real(out, f.mean, ",");
  real(out, f.deviation, ",");
  real(out, f.validation, ",");
  (void)fprintf(out, "%s,%zu,", f.options, cell->points);
  real(out, round(f.seconds * 10) / 10, ",");
  real(out, f.epsilon, ",");
  (void)fprintf(out, "%s,%s\n", cell->series == NULL ? "" : cell->series->name,
                cell->series == NULL ? "" : cell->value);
}

sotto_status app_bench_write_csv(const app_bench *bench, const char *path, sotto_error *err) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) return sotto_i_fail(err, SOTTO_NOMEM, "no memory for %s", path);
  (void)fputs(
      "dataset,method,level,epsilon,delta,seeds,failed,measure,mean,deviation,validation,options,grid,"
      "seconds,stated_epsilon,series,value\n",
      out);
  for (size_t c = 0; c < bench->cells.count; c++) row(out, bench, &bench->cells.items[c]);
  bool failed = ferror(out) != 0;
  sotto_status status = SOTTO_OK;
  if (fclose(out) != 0 || failed) status = sotto_i_fail(err, SOTTO_NOMEM, "no memory for %s", path);
  if (status == SOTTO_OK) status = app_write_file(path, text, size, err);
  free(text);
  return status;
}

static json_t *number(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

char *app_bench_summary(const app_bench *bench) {
  const app_bench_plan *plan = bench->plan;
  app_bench_count count = app_bench_counted(bench);
  json_t *cells = json_array();
  for (size_t c = 0; c < bench->cells.count; c++) {
    const app_bench_cell *cell = &bench->cells.items[c];
    const app_bench_figure f = app_bench_figure_of(bench, cell);
    json_array_append_new(
        cells, json_pack("{s:s,s:s,s:s,s:s,s:s?,s:s?,s:I,s:I,s:s,s:o,s:o,s:o,s:s,s:I}", "dataset",
                         plan->datasets[cell->dataset].name, "method", plan->methods[cell->method].name,
                         "level", app_bench_levels[cell->level], "epsilon", cell->epsilon, "series",
                         cell->series == NULL ? NULL : cell->series->name, "value",
                         cell->series == NULL ? NULL : cell->value, "seeds", (json_int_t)f.seeds, "failed",
                         (json_int_t)f.failed, "measure", app_bench_measure(bench, cell->dataset), "mean",
                         number(f.mean), "deviation", number(f.deviation), "validation", number(f.validation),
                         "options", f.options, "grid", (json_int_t)cell->points));
  }
  json_t *root =
      json_pack("{s:s,s:I,s:I,s:I,s:o}", "out", bench->out, "trainings", (json_int_t)count.all, "done",
                (json_int_t)count.done, "failed", (json_int_t)count.failed, "cells", cells);
  char *text = root == NULL ? NULL : json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(10));
  json_decref(root);
  return text;
}
