/* Bench files: what they hold, and errors with the line and the nearest key. */
#include "bench/plan.h"
#include "check.h"

static app_bench_plan plan; /* large */

static sotto_status parse(const char *text, sotto_error *err) {
  return app_bench_parse(&plan, (const uint8_t *)text, strlen(text), err);
}

static const char sound[] = "seeds: 2\n"
                            "epsilons: [1, 4, inf]\n"
                            "levels: [edge]\n"
                            "options: {hidden: 8}\n"
                            "datasets:\n"
                            "  made:\n"
                            "    sbm: {nodes: 60, classes: 3, features: 5, inside: 6, outside: 1}\n"
                            "    grid: {layers: [7, 9, 11]}\n"
                            "methods:\n"
                            "  gap:\n"
                            "    grid: {layers: [1, 2], hidden: [4, 8]}\n"
                            "    levels: {none: , edge: {epsilons: [2]}}\n"
                            "series:\n"
                            "  k: {dataset: made, level: edge, epsilon: 4, methods: [gap], vary: layers,\n"
                            "      values: [1, 2]}\n"
                            "quick: {seeds: 1, epsilons: [4], datasets: [made]}\n";

static void a_sound_file_is_read(void **state) {
  char text[128];
  (void)state;
  CHECK_OK(parse(sound, &err));
  assert_int_equal(plan.dataset_count + plan.method_count + plan.series_count, 3);
  assert_true(plan.methods[0].levels[0].given && !plan.methods[0].levels[2].given);
  app_bench_grid grid = plan.methods[0].grid;
  assert_int_equal(app_bench_points(&grid), 4);
  app_bench_point_text(text, sizeof text, &grid, 2);
  assert_string_equal(text, "layers=2 hidden=4");
  grid = app_bench_grid_of(&plan.methods[0], 1, &plan.datasets[0]);
  assert_int_equal(app_bench_points(&grid), 6);
  app_bench_point_text(text, sizeof text, &grid, 5);
  assert_string_equal(text, "layers=11 hidden=8");
  app_bench_make_quick(&plan);
  assert_true(plan.seeds == 1 && plan.epsilons.count == 1);
}

static void errors_name_the_line_and_the_nearest(void **state) {
  static const struct {
    const char *text, *words;
    sotto_status status;
  } rows[] = {
      {"sedes: 2\n", "line 1: unknown key 'sedes'; did you mean 'seeds'?", SOTTO_NOT_FOUND},
      {"seeds: 2\ndatasets:\n  a:\n    chain: {length: 3}\n",
       "line 4: unknown key 'chain'; did you mean 'chains'?", SOTTO_NOT_FOUND},
      {"datasets:\n  a: {path: x, chains: {length: 3}}\n", "give one of", SOTTO_INVALID},
      {"datasets:\n  a:\n    chains: {preset: xl}\n", "line 3: preset: no chains preset is named 'xl'",
       SOTTO_NOT_FOUND},
      {"methods:\n  gapp: {seconds: 1}\n", "line 2: method: there is no 'gapp'; did you mean 'gap'?",
       SOTTO_INVALID},
      {"methods:\n  gap:\n    grid:\n      layer: [1]\n",
       "line 4: unknown option 'layer'; did you mean 'layers'?", SOTTO_NOT_FOUND},
      {"methods:\n  gap:\n    grid: {layers: []}\n", "empty list", SOTTO_RANGE},
      {"methods:\n  gap:\n    options: {layers: 0}\n", "line 3: layers: 0 is outside", SOTTO_RANGE},
      {"options: {epsilon: 3}\n", "'epsilon' is set by the bench", SOTTO_INVALID},
      {"options: {insecure-seed: 3}\n", "'insecure-seed' is set by the bench", SOTTO_INVALID},
      {"epsilons: [4, 1]\n", "ascending", SOTTO_RANGE},
      {"epsilons: [0]\n", "above 0", SOTTO_RANGE},
      {"levels: [edge, nodes]\n", "did you mean 'node'?", SOTTO_NOT_FOUND},
      {"seeds: 2\nseeds: 3\n", "'seeds' stands twice", SOTTO_PARSE},
      {"seeds: [2]\n", "line 1: seeds: takes one value", SOTTO_PARSE},
      {"seeds: 2000\n", "seeds: 1 to 1000", SOTTO_RANGE},
      {"selection-seed: 2\n", "selection-seed must be none", SOTTO_RANGE},
      {"first-seed: 9\nselection-seed: 7\nselection-seeds: 3\n", "selection-seeds: 1 to 100", SOTTO_RANGE},
      {"selection-seeds: 0\n", "selection-seeds: 1 to 100", SOTTO_RANGE},
      {"quick: {datasets: [x]}\n", "there is no 'x'", SOTTO_NOT_FOUND},
      {"- 1\n", "line 1", SOTTO_PARSE},
      {"", "is empty", SOTTO_PARSE},
      {"seeds: {\n", "line", SOTTO_PARSE},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    CHECK_FAILS(rows[i].status, rows[i].words, parse(rows[i].text, &err));
}

/* An anchor that holds itself must not be followed for ever. */
static void an_alias_of_itself_is_refused(void **state) {
  (void)state;
  sotto_error err = {0};
  assert_int_not_equal(parse("datasets: &a {x: *a}\n", &err), SOTTO_OK);
  assert_int_not_equal(parse("epsilons: &a [*a]\n", &err), SOTTO_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sound_file_is_read),
      cmocka_unit_test(errors_name_the_line_and_the_nearest),
      cmocka_unit_test(an_alias_of_itself_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
