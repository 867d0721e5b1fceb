/* utility.md: a table a level and dataset, methods down, epsilons across. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench.h"
#include "common/file.h"
#include "common/memory.h"

/* The cell for a column: of that level and epsilon; of level none for inf, and everywhere at edge level for a
 * method that uses no edge. */
static const app_bench_cell *find(const app_bench *bench, size_t dataset, size_t method, size_t level,
                                  const char *epsilon) {
  const app_bench_cell *without = NULL;
  for (size_t c = 0; c < bench->cells.count; c++) {
    const app_bench_cell *cell = &bench->cells.items[c];
    if (cell->series != NULL || cell->dataset != dataset || cell->method != method) continue;
    if (cell->level == level && strcmp(cell->epsilon, epsilon) == 0) return cell;
    if (cell->level == 0) without = cell;
  }
  if (without == NULL || strcmp(epsilon, "inf") == 0) return without;
  return level == 1 && app_bench_figure_of(bench, without).epsilon == 0 ? without : NULL;
}

static void show(FILE *out, const app_bench *bench, const app_bench_cell *cell) {
  if (cell == NULL) {
    (void)fputs(" |", out);
    return;
  }
  const app_bench_figure f = app_bench_figure_of(bench, cell);
  if (f.seeds == 0)
    (void)fprintf(out, " %s |", f.failed > 0 ? "failed" : "-");
  else if (isnan(f.deviation))
    (void)fprintf(out, " %.2f (1) |", 100 * f.mean);
  else
    (void)fprintf(out, " %.2f ± %.2f (%zu) |", 100 * f.mean, 100 * f.deviation, f.seeds);
}

static bool has_any(const app_bench *bench, size_t dataset, size_t method, size_t level) {
  for (size_t c = 0; c < bench->cells.count; c++) {
    const app_bench_cell *cell = &bench->cells.items[c];
    if (cell->series == NULL && cell->dataset == dataset && cell->method == method &&
        (cell->level == level || cell->level == 0))
      return true;
  }
  return false;
}

static void table(FILE *out, const app_bench *bench, size_t dataset, size_t level) {
  const app_bench_plan *plan = bench->plan;
  (void)fprintf(out, "\n### %s, %s\n| method |", plan->datasets[dataset].name,
                app_bench_measure(bench, dataset));
  for (size_t e = 0; e < plan->epsilons.count; e++) (void)fprintf(out, " %s |", plan->epsilons.items[e]);
  (void)fputs("\n|---|", out);
  for (size_t e = 0; e < plan->epsilons.count; e++) (void)fputs("---|", out);
  (void)fputc('\n', out);
  for (size_t m = 0; m < plan->method_count; m++) {
    if (!has_any(bench, dataset, m, level)) continue;
    (void)fprintf(out, "| %s |", plan->methods[m].name);
    for (size_t e = 0; e < plan->epsilons.count; e++)
      show(out, bench, find(bench, dataset, m, level, plan->epsilons.items[e]));
    (void)fputc('\n', out);
  }
}

static void head(FILE *out, const app_bench *bench) {
  app_bench_count count = app_bench_counted(bench);
  (void)fprintf(
      out,
      "# Quality against epsilon\n"
      "On test nodes, in per cent, mean ± standard deviation (seeds), by `sotto-bench utility "
      "bench/%s.yaml%s`: %zu "
      "trainings, %zu failed, %zu not done yet. `%s.csv` has every figure with the chosen options, "
      "`%s.jsonl` every training.\n\n"
      "Where a method has a grid of options, the point was chosen by the mean *validation* figure of "
      "%llu training%s with seeds of their own (from %llu on); the figures come from other seeds, and test "
      "accuracies play no part. The "
      "choice "
      "is not part of the charge: at edge level it reads labels, which are not protected, and models whose "
      "releases an owner of private data would charge too; at node level it reads protected nodes, which the "
      "stated epsilon does not cover. Column inf is without noise.\n",
      bench->name, bench->plan->is_quick ? " --quick" : "", count.all, count.failed, count.all - count.done,
      bench->name, bench->name, (unsigned long long)bench->plan->selection_seeds,
      bench->plan->selection_seeds == 1 ? "" : "s", (unsigned long long)bench->plan->selection_seed);
}

sotto_status app_bench_write_table(const app_bench *bench, const char *path, sotto_error *err) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) return sotto_i_fail(err, SOTTO_NOMEM, "no memory for %s", path);
  head(out, bench);
  for (size_t level = 1; level < APP_BENCH_LEVELS; level++) {
    if (!app_bench_listed(&bench->plan->levels, app_bench_levels[level])) continue;
    (void)fprintf(out, "\n## %s level\n", level == 1 ? "Edge" : "Node");
    for (size_t d = 0; d < bench->plan->dataset_count; d++)
      if (bench->there[d]) table(out, bench, d, level);
  }
  bool failed = ferror(out) != 0;
  sotto_status status = SOTTO_OK;
  if (fclose(out) != 0 || failed) status = sotto_i_fail(err, SOTTO_NOMEM, "no memory for %s", path);
  if (status == SOTTO_OK) status = app_write_file(path, text, size, err);
  free(text);
  return status;
}

sotto_status app_bench_write(const app_bench *bench, sotto_error *err) {
  char *csv = NULL, *table_path = NULL;
  sotto_status status;
  SOTTO_TRY(app_bench_file(&csv, bench, NULL, "csv", err));
  SOTTO_TRY(app_bench_file(&table_path, bench, NULL, "md", err));
  SOTTO_TRY(app_bench_write_csv(bench, csv, err));
  SOTTO_TRY(app_bench_write_table(bench, table_path, err));
  SOTTO_TRY(app_bench_write_plots(bench, err));
done:
  free(csv);
  free(table_path);
  return status;
}
