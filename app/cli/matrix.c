/* sotto methods --matrix: what can be done with a run of each method, and where. */
#include <stdio.h>
#include <string.h>

#include "common/print.h"
#include "matrix.h"

enum { method_column = 13, cell_column = 13 };

static sotto_cell cell_of(const char *method, int step, int place) {
  sotto_cell cell;
  (void)sotto_method_cell(&cell, method, (sotto_step)step, (sotto_place)place, NULL);
  return cell;
}

static void print_place(const sotto_method_info *methods, size_t count, int place) {
  app_print(stdout, "%-*s", method_column, sotto_place_name((sotto_place)place));
  for (int s = 0; s < SOTTO_STEPS; s++)
    app_print(stdout, "%-*s", cell_column, sotto_step_name((sotto_step)s));
  (void)putchar('\n');
  for (size_t i = 0; i < count; i++) {
    app_print(stdout, "  %-*s", method_column - 2, methods[i].name);
    for (int s = 0; s < SOTTO_STEPS; s++) {
      const sotto_cell cell = cell_of(methods[i].name, s, place);
      app_print(stdout, "%-*s", cell_column, cell.there == SOTTO_NOT_MEANT ? "-" : cell.word);
    }
    (void)putchar('\n');
  }
  (void)putchar('\n');
}

static bool lacks(const sotto_cell *cell) {
  return cell->there == SOTTO_NOT_THERE || cell->there == SOTTO_THERE_PARTLY;
}

static bool is_same(const sotto_cell *a, const sotto_cell *b) {
  return lacks(a) && strcmp(a->reason, b->reason) == 0;
}

/* One line for each reason, after the methods that it holds for. */
static void print_reasons(const sotto_method_info *methods, size_t count, int step, int place) {
  for (size_t i = 0; i < count; i++) {
    const sotto_cell cell = cell_of(methods[i].name, step, place);
    bool told = !lacks(&cell);
    for (size_t j = 0; j < i && !told; j++) {
      const sotto_cell other = cell_of(methods[j].name, step, place);
      told = is_same(&other, &cell);
    }
    if (told) continue;
    app_print(stdout, "%s, %s:", sotto_step_name((sotto_step)step), sotto_place_name((sotto_place)place));
    for (size_t j = i; j < count; j++) {
      const sotto_cell other = cell_of(methods[j].name, step, place);
      if (is_same(&other, &cell)) app_print(stdout, " %s", methods[j].name);
    }
    app_print(stdout, "\n  %s\n", cell.reason);
  }
}

void cli_matrix_print(const sotto_method_info *methods, size_t count) {
  for (int place = 0; place < SOTTO_PLACES; place++) print_place(methods, count, place);
  for (int place = 0; place < SOTTO_PLACES; place++)
    for (int step = 0; step < SOTTO_STEPS; step++) print_reasons(methods, count, step, place);
}

/* Names and texts are constants of the program, so none needs escaping. */
void cli_matrix_print_json(const sotto_method_info *methods, size_t count) {
  app_print(stdout, "{\"matrix\":[");
  for (size_t i = 0; i < count; i++)
    for (int place = 0; place < SOTTO_PLACES; place++)
      for (int step = 0; step < SOTTO_STEPS; step++) {
        const sotto_cell cell = cell_of(methods[i].name, step, place);
        app_print(stdout,
                  "%s{\"method\":\"%s\",\"place\":\"%s\",\"step\":\"%s\",\"there\":\"%s\",\"reason\":\"%s\"}",
                  i + (size_t)place + (size_t)step == 0 ? "" : ",", methods[i].name,
                  sotto_place_name((sotto_place)place), sotto_step_name((sotto_step)step), cell.word,
                  cell.reason);
      }
  (void)puts("]}");
}
