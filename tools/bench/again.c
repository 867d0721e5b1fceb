/* A bench that draws again what NAME.csv has: no data is read, nothing is trained. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench.h"
#include "common/file.h"
#include "common/memory.h"

/* Columns of NAME.csv from the left, and from the right: the options between them may have commas. */
enum {
  c_dataset,
  c_method,
  c_level,
  c_epsilon,
  c_delta,
  c_seeds,
  c_failed,
  c_measure,
  c_mean,
  c_deviation,
  c_validation
};
enum { left_columns = c_validation + 1, right_columns = 4 }; /* seconds, stated epsilon, series, value */

typedef struct row {
  char *left[left_columns], *right[right_columns];
} row;

static bool split(row *out, char *line) {
  for (size_t k = 0; k < left_columns; k++) {
    out->left[k] = line;
    line += strcspn(line, ",");
    if (*line == '\0') return false;
    *line++ = '\0';
  }
  for (size_t k = right_columns; k-- > 0;) {
    char *comma = strrchr(line, ',');
    if (comma == NULL) return false;
    *comma = '\0';
    out->right[k] = comma + 1;
  }
  return true;
}

static double number(const char *text) {
  return text[0] == '\0' ? NAN : strtod(text, NULL);
}

static bool is_of(const row *r, const app_bench *bench, const app_bench_cell *cell) {
  const app_bench_plan *plan = bench->plan;
  return strcmp(r->left[c_dataset], plan->datasets[cell->dataset].name) == 0 &&
         strcmp(r->left[c_method], plan->methods[cell->method].name) == 0 &&
         strcmp(r->left[c_level], app_bench_levels[cell->level]) == 0 &&
         strcmp(r->left[c_epsilon], cell->epsilon) == 0 &&
         strcmp(r->right[2], cell->series == NULL ? "" : cell->series->name) == 0 &&
         strcmp(r->right[3], cell->series == NULL ? "" : cell->value) == 0;
}

static void take(app_bench *bench, const row *r) {
  for (size_t c = 0; c < bench->cells.count; c++)
    if (is_of(r, bench, &bench->cells.items[c]))
      bench->drawn[c] = (app_bench_figure){.seeds = strtoul(r->left[c_seeds], NULL, 10),
                                           .failed = strtoul(r->left[c_failed], NULL, 10),
                                           .mean = number(r->left[c_mean]),
                                           .deviation = number(r->left[c_deviation]),
                                           .validation = number(r->left[c_validation]),
                                           .seconds = number(r->right[0]),
                                           .epsilon = number(r->right[1])};
}

sotto_status app_bench_begin_drawing(app_bench *bench, sotto_error *err) {
  char *path = NULL, *text = NULL, *rest;
  size_t size = 0, line = 1;
  sotto_status status;
  row r;
  bench->state.descriptor = -1;
  for (size_t i = 0; i < bench->plan->dataset_count; i++)
    bench->there[i] = app_bench_wants(bench->plan, bench->plan->datasets[i].name);
  SOTTO_TRY(app_bench_file(&path, bench, NULL, "csv", err));
  SOTTO_TRY(app_read_file(&text, &size, path, err));
  SOTTO_TRY(app_bench_cells_new(&bench->cells, bench->plan, bench->there, NULL, err));
  SOTTO_TRY(app_new(&bench->drawn, bench->cells.count, sizeof *bench->drawn, err));
  rest = text;
  for (char *at = strsep(&rest, "\n"); at != NULL; at = strsep(&rest, "\n"), line++) {
    if (line == 1 || at[0] == '\0') continue;
    if (!split(&r, at)) {
      status = sotto_i_fail(err, SOTTO_PARSE, "%s: line %zu: is not a row of a bench's results", path, line);
      goto done;
    }
    take(bench, &r);
  }
done:
  free(text);
  free(path);
  return status;
}
