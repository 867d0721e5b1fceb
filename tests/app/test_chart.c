/* Charts as files: names inside the sheet, bands, marks that differ, a word for who cannot see. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "common/file.h"
#include "report/chart.h"

static const char path[] = "chart.svg";

static char *text_of(const app_chart *chart) {
  char *text;
  size_t size;
  CHECK_OK(app_chart_write(chart, path, &err));
  CHECK_OK(app_read_file(&text, &size, path, &err));
  return text;
}

static size_t count_of(const char *text, const char *words) {
  size_t count = 0;
  for (; (text = strstr(text, words)) != NULL; text += strlen(words)) count++;
  return count;
}

static app_chart chart_of(app_series *series, size_t count) {
  static const double ticks[] = {1, 4, INFINITY};
  return (app_chart){.title = "a title",
                     .x_label = "epsilon",
                     .y_label = "accuracy",
                     .log_x = true,
                     .x_ticks = ticks,
                     .x_tick_count = 3,
                     .series = series,
                     .series_count = count};
}

static const double x[] = {1, 4, INFINITY}, y[] = {0.5, 0.7, 0.9}, spread[] = {0.1, 0.1, 0.1};

static void the_sheet_is_wide_enough_for_any_name(void **state) {
  char name[200] = "";
  (void)state;
  for (size_t length = 1; length < sizeof name - 1; length += 13) {
    memset(name, 'W', length);
    app_series line = {.name = name, .x = x, .y = y, .count = 3};
    const app_chart chart = chart_of(&line, 1);
    char *text = text_of(&chart);
    double width = 0;
    const char *at = strstr(text, name); /* the first is in the description */
    assert_non_null(at);
    at = strstr(at + 1, name);
    assert_non_null(at);
    while (strncmp(at, "x='", 3) != 0) at--;
    assert_int_equal(sscanf(strstr(text, "width='"), "width='%lf'", &width), 1);
    assert_true(strtod(at + 3, NULL) + 12 * 0.98 * (double)length <= width);
    free(text);
  }
}

/* Lines that end at one height: their names stand in rows of their own, none below the frame. */
static void names_of_lines_that_end_together_do_not_overlap(void **state) {
  static const char *const names[] = {"l0", "l1", "l2", "l3", "l4",  "l5",
                                      "l6", "l7", "l8", "l9", "l10", "l11"};
  app_series lines[APP_CHART_SERIES];
  double rows[APP_CHART_SERIES];
  (void)state;
  for (size_t s = 0; s < APP_CHART_SERIES; s++)
    lines[s] = (app_series){.name = names[s], .x = x, .y = y, .count = 3};
  const app_chart chart = chart_of(lines, APP_CHART_SERIES);
  char *text = text_of(&chart);
  for (size_t s = 0; s < APP_CHART_SERIES; s++) {
    char words[16];
    (void)snprintf(words, sizeof words, ">%s<", names[s]);
    const char *at = strstr(text, words);
    assert_non_null(at);
    while (strncmp(at, "y='", 3) != 0) at--;
    rows[s] = strtod(at + 3, NULL);
    assert_true(rows[s] > 40 && rows[s] < 370);
    for (size_t t = 0; t < s; t++) assert_true(fabs(rows[s] - rows[t]) >= 14);
  }
  free(text);
}

static void a_band_joins_points_and_a_bar_stands_at_infinity(void **state) {
  (void)state;
  app_series line = {.name = "a", .x = x, .y = y, .spread = spread, .count = 3};
  const app_chart chart = chart_of(&line, 1);
  char *text = text_of(&chart);
  assert_int_equal(count_of(text, "class='band'"), 1);
  assert_int_equal(count_of(text, "class='bar'"), 1);
  assert_int_equal(count_of(text, "class='solid'"), 4); /* three points, and the key */
  free(text);
}

static void a_file_has_words_and_colours_for_light_and_dark(void **state) {
  (void)state;
  app_series line = {.name = "a <name>", .x = x, .y = y, .count = 3};
  app_chart chart = chart_of(&line, 1);
  chart.note = "a note";
  char *text = text_of(&chart);
  assert_non_null(strstr(text, "<title>a title</title>"));
  assert_non_null(strstr(text, "<desc>accuracy against epsilon. Lines: a &lt;name&gt;. a note</desc>"));
  assert_non_null(strstr(text, "@media(prefers-color-scheme:dark)"));
  assert_null(strstr(text, "var("));
  free(text);
}

static void a_scatter_plot_has_a_name_for_each_group(void **state) {
  static const double places[] = {0, 0, 1, 1, 2, 1, 3, 0};
  static const int32_t groups[] = {0, 2, -1, 0};
  char *text;
  size_t size;
  (void)state;
  CHECK_OK(app_scatter_write(&(app_scatter){"t", "label", places, groups, 4}, path, &err));
  CHECK_OK(app_read_file(&text, &size, path, &err));
  assert_int_equal(count_of(text, ">label 0<"), 1);
  assert_int_equal(count_of(text, ">label 2<"), 1);
  assert_int_equal(count_of(text, ">no label<"), 1);
  assert_int_equal(count_of(text, ">label 1<"), 0);
  free(text);
}

/* A peer chooses losses and scores that a party draws. */
static void a_chart_of_any_numbers_has_few_ticks(void **state) {
  static const double two[] = {1, 2},
                      pairs[][2] = {
                          {4.5e24, 4.5e24}, {1e25, 1e25 + 0x1p33}, {-1e308, 1e308},  {-1e300, 1e300},
                          {0, 1e-42},       {0, 5e-324},           {1, 1 + 0x1p-52}, {-3e-310, 3e-310},
                          {0, 0},           {1e-300, 1e-300},      {-1e25, -1e25},   {7, 7}};
  (void)state;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    const app_series line = {.name = "a line", .x = two, .y = pairs[i], .count = 2};
    const app_chart chart = {
        .title = "t", .x_label = "x", .y_label = "y", .series = &line, .series_count = 1};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    const bool drawn = app_chart_draw(out, &chart, "c");
    assert_int_equal(fclose(out), 0);
    if (drawn && (size > 20000 || count_of(text, "class='grid'") > 30 || strstr(text, "nan") != NULL))
      fail_msg("%g and %g: %zu bytes, %zu ticks", pairs[i][0], pairs[i][1], size,
               (size_t)count_of(text, "class='grid'"));
    assert_int_equal(drawn, fabs(pairs[i][0]) <= 1e300);
    free(text);
  }
}

static void what_has_no_point_is_refused(void **state) {
  static const double nothing[] = {NAN};
  const char *const names[] = {"a"};
  (void)state;
  app_series line = {.name = "a", .x = nothing, .y = nothing, .count = 1};
  const app_chart chart = chart_of(&line, 1);
  CHECK_FAILS(SOTTO_INVALID, "no point to draw", app_chart_write(&chart, path, &err));
  const app_bars bars = {.title = "t", .names = names, .unit = ""};
  CHECK_FAILS(SOTTO_INVALID, "no bar to draw", app_bars_write(&bars, path, &err));
}

static int clean_up(void **state) {
  (void)state;
  (void)unlink(path);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_sheet_is_wide_enough_for_any_name),
      cmocka_unit_test(names_of_lines_that_end_together_do_not_overlap),
      cmocka_unit_test(a_band_joins_points_and_a_bar_stands_at_infinity),
      cmocka_unit_test(a_file_has_words_and_colours_for_light_and_dark),
      cmocka_unit_test(a_scatter_plot_has_a_name_for_each_group),
      cmocka_unit_test(a_chart_of_any_numbers_has_few_ticks),
      cmocka_unit_test(what_has_no_point_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, clean_up);
}
