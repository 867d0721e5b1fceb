/* Checks of a bench file that need all of it, and questions about it. */
#include "plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

const char *const app_bench_levels[APP_BENCH_LEVELS] = {"none", "edge", "node"};

bool app_bench_listed(const app_bench_list *list, const char *word) {
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->items[i], word) == 0) return true;
  return false;
}

size_t app_bench_points(const app_bench_grid *grid) {
  size_t points = 1;
  for (size_t a = 0; a < grid->count; a++) points *= grid->axes[a].values.count;
  return points;
}

app_bench_grid app_bench_grid_of(const app_bench_method *method, size_t level,
                                 const app_bench_dataset *dataset) {
  const app_bench_grid *own = &method->levels[level].grid, *other = &dataset->grid;
  app_bench_grid grid = own->count > 0 ? *own : method->grid;
  for (size_t a = 0; a < grid.count; a++)
    for (size_t b = 0; b < other->count; b++)
      if (strcmp(grid.axes[a].key, other->axes[b].key) == 0) grid.axes[a].values = other->axes[b].values;
  return grid;
}

void app_bench_point_text(char *out, size_t size, const app_bench_grid *grid, size_t point) {
  size_t used = 0, rest = app_bench_points(grid);
  if (size > 0) out[0] = '\0';
  for (size_t a = 0; a < grid->count && used < size; a++) {
    const app_bench_list *values = &grid->axes[a].values;
    rest /= values->count;
    int length = snprintf(out + used, size - used, "%s%s=%s", a == 0 ? "" : " ", grid->axes[a].key,
                          values->items[point / rest % values->count]);
    used += (size_t)length;
  }
}

static sotto_status unknown(const char *what, const char *word, const char *const *names, size_t count,
                            sotto_error *err) {
  for (size_t i = 0; i < count; i++) {
    SOTTO_I_CHECK(names[i] != NULL);
    if (strcmp(names[i], word) == 0) return SOTTO_OK;
  }
  const char *nearest = sotto_i_nearest(word, names, count);
  return sotto_i_fail(err, SOTTO_NOT_FOUND, "%s: there is no '%s'%s%s%s", what, word,
                      nearest == NULL ? "" : "; did you mean '", nearest == NULL ? "" : nearest,
                      nearest == NULL ? "" : "'?");
}

static sotto_status all_known(const char *what, const app_bench_list *list, const char *const *names,
                              size_t count, sotto_error *err) {
  for (size_t i = 0; i < list->count; i++) {
    sotto_status status = unknown(what, list->items[i], names, count, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

/* Epsilons are numbers above 0, or inf, in ascending order. */
static sotto_status check_epsilons(const app_bench_list *list, bool finite, sotto_error *err) {
  double last = 0;
  for (size_t i = 0; i < list->count; i++) {
    double value = INFINITY;
    bool infinite = strcmp(list->items[i], "inf") == 0;
    if (!infinite) {
      sotto_status status = sotto_i_parse_double(&value, list->items[i], "epsilons", err);
      if (status != SOTTO_OK) return status;
    }
    if (!(value > last) || (infinite && finite))
      return sotto_i_fail(err, SOTTO_RANGE, "epsilons: '%s': numbers above 0, ascending%s are asked for",
                          list->items[i], finite ? "" : ", then inf");
    last = value;
  }
  return SOTTO_OK;
}

typedef struct names {
  const char *datasets[APP_BENCH_ENTRIES], *methods[APP_BENCH_ENTRIES], *series[APP_BENCH_ENTRIES];
} names;

static sotto_status check_series(const app_bench_plan *plan, const app_bench_series *s, const names *n,
                                 sotto_error *err) {
  sotto_status status;
  app_bench_list epsilon = {.count = strcmp(s->level, "none") == 0 ? 0 : 1};
  memcpy(epsilon.items[0], s->epsilon, sizeof epsilon.items[0]);
  SOTTO_TRY(unknown(s->name, s->dataset, n->datasets, plan->dataset_count, err));
  SOTTO_TRY(all_known(s->name, &s->methods, n->methods, plan->method_count, err));
  SOTTO_TRY(unknown(s->name, s->level, app_bench_levels, APP_BENCH_LEVELS, err));
  SOTTO_TRY(check_epsilons(&epsilon, true, err));
  if (s->methods.count == 0 || s->values.count == 0)
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: a series needs methods, vary and values", s->name);
done:
  return status;
}

sotto_status app_bench_check(const app_bench_plan *plan, sotto_error *err) {
  names n = {{NULL}, {NULL}, {NULL}};
  sotto_status status;
  for (size_t i = 0; i < plan->dataset_count; i++) n.datasets[i] = plan->datasets[i].name;
  for (size_t i = 0; i < plan->method_count; i++) n.methods[i] = plan->methods[i].name;
  for (size_t i = 0; i < plan->series_count; i++) n.series[i] = plan->series[i].name;
  SOTTO_TRY(check_epsilons(&plan->epsilons, false, err));
  SOTTO_TRY(check_epsilons(&plan->quick.epsilons, false, err));
  SOTTO_TRY(all_known("levels", &plan->levels, app_bench_levels + 1, APP_BENCH_LEVELS - 1, err));
  for (size_t i = 0; i < plan->method_count; i++) {
    SOTTO_TRY(
        all_known(plan->methods[i].name, &plan->methods[i].except, n.datasets, plan->dataset_count, err));
    for (size_t k = 0; k < APP_BENCH_LEVELS; k++)
      SOTTO_TRY(check_epsilons(&plan->methods[i].levels[k].epsilons, true, err));
  }
  for (size_t i = 0; i < plan->series_count; i++) SOTTO_TRY(check_series(plan, &plan->series[i], &n, err));
  SOTTO_TRY(all_known("quick", &plan->quick.datasets, n.datasets, plan->dataset_count, err));
  SOTTO_TRY(all_known("quick", &plan->quick.methods, n.methods, plan->method_count, err));
  SOTTO_TRY(all_known("quick", &plan->quick.series, n.series, plan->series_count, err));
  if (plan->seeds == 0 || plan->seeds > 1000 || plan->selection_seed - plan->first_seed < plan->seeds)
    status = sotto_i_fail(err, SOTTO_RANGE,
                          "seeds: 1 to 1000, and selection-seed must be none of those that are reported");
  else if (plan->selection_seeds == 0 || plan->selection_seeds > 100 ||
           (plan->selection_seed < plan->first_seed &&
            plan->first_seed - plan->selection_seed < plan->selection_seeds))
    status = sotto_i_fail(err, SOTTO_RANGE,
                          "selection-seeds: 1 to 100, none of them among those that are reported");
done:
  return status;
}

void app_bench_make_quick(app_bench_plan *plan) {
  const app_bench_quick *q = &plan->quick;
  plan->is_quick = true;
  if (q->seeds > 0 && q->seeds < plan->seeds) plan->seeds = q->seeds;
  if (q->epsilons.count > 0) plan->epsilons = q->epsilons;
}
