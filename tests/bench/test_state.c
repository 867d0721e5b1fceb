/* The file of trainings, and the choice of a point. */
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/state.h"
#include "check.h"

static const app_bench_label label = {"d", "m", "edge", "4", "layers=1", 7};

static app_bench_trial trial(char key, double validation, double test) {
  app_bench_trial t = {.validation = validation, .test = test, .seconds = 1.5, .epsilon = 4};
  memset(t.key, key, sizeof t.key - 1);
  return t;
}

static void add(app_bench_state *state, app_bench_trial t) {
  CHECK_OK(app_bench_state_add(state, &t, &label, &err));
}

static void what_was_added_is_found_after_opening_again(void **unused) {
  (void)unused;
  const char *path = check_path("again.jsonl");
  app_bench_state state;
  CHECK_OK(app_bench_state_open(&state, path, &err));
  app_bench_trial broken = trial('b', NAN, NAN);
  broken.failed = true;
  (void)snprintf(broken.reason, sizeof broken.reason, "a \"reason\"");
  add(&state, trial('a', 1.0 / 3, 0.7));
  add(&state, broken);
  app_bench_trial exact = trial('c', 0.5, 0.5);
  exact.epsilon = INFINITY;
  add(&state, exact);
  app_bench_state_close(&state);
  CHECK_OK(app_bench_state_open(&state, path, &err));
  assert_int_equal(state.count, 3);
  size_t a = app_bench_state_find(&state, trial('a', 0, 0).key);
  size_t b = app_bench_state_find(&state, broken.key);
  assert_true(a == 0 && b == 1);
  assert_true(state.items[a].validation == 1.0 / 3 && state.items[a].test == 0.7 && !state.items[a].failed);
  assert_true(state.items[b].failed && isnan(state.items[b].test));
  assert_string_equal(state.items[b].reason, "a \"reason\"");
  assert_true(isinf(state.items[2].epsilon));
  assert_true(app_bench_state_find(&state, trial('x', 0, 0).key) == APP_BENCH_MISSING);
  app_bench_state_close(&state);
}

/* A crash can come after any byte of a line: the lines before it stay, and new ones do not run into it. */
static void a_line_cut_short_anywhere_is_taken_off(void **unused) {
  (void)unused;
  const char *path = check_path("cut.jsonl");
  app_bench_state state;
  sotto_i_map map;
  CHECK_OK(app_bench_state_open(&state, path, &err));
  add(&state, trial('a', 0.5, 0.5));
  add(&state, trial('b', 0.5, 0.5));
  app_bench_state_close(&state);
  CHECK_OK(sotto_i_map_open(&map, path, &err));
  const char *end = memchr(map.data, '\n', map.size);
  size_t first = (size_t)(end - (const char *)map.data) + 1;
  for (size_t size = first; size < map.size; size++) {
    CHECK_OK(sotto_i_write_file(check_path("cut2.jsonl"), map.data, size, &err));
    CHECK_OK(app_bench_state_open(&state, check_path("cut2.jsonl"), &err));
    assert_int_equal(state.count, 1);
    add(&state, trial('c', 0.5, 0.5));
    app_bench_state_close(&state);
    CHECK_OK(app_bench_state_open(&state, check_path("cut2.jsonl"), &err));
    assert_int_equal(state.count, 2);
    app_bench_state_close(&state);
  }
  sotto_i_map_close(&map);
}

static void a_line_that_is_no_training_is_named(void **unused) {
  (void)unused;
  const char *path = check_path("corrupt.jsonl");
  app_bench_state state;
  CHECK_OK(app_bench_state_open(&state, path, &err));
  add(&state, trial('a', 0.5, 0.5));
  assert_true(write(state.descriptor, "{\"key\":3}\n", 10) == 10);
  app_bench_state_close(&state);
  CHECK_FAILS(SOTTO_CORRUPT, "line 2", app_bench_state_open(&state, path, &err));
}

static void one_process_at_a_time_has_the_file(void **unused) {
  (void)unused;
  const char *path = check_path("lock.jsonl");
  app_bench_state state, other;
  CHECK_OK(app_bench_state_open(&state, path, &err));
  pid_t child = fork();
  if (child == 0) _exit(app_bench_state_open(&other, path, NULL) == SOTTO_INVALID ? 0 : 1);
  int ended = 1;
  assert_true(waitpid(child, &ended, 0) == child);
  assert_int_equal(ended, 0);
  app_bench_state_close(&state);
}

/* Planted: the second point has the better test accuracy, the third failed with the best validation. */
static void the_choice_looks_at_validation_alone(void **unused) {
  (void)unused;
  app_bench_trial t[4] = {trial('a', 0.80, 0.60), trial('b', 0.79, 0.99), trial('c', 0.95, 0.95),
                          trial('d', 0.80, 0.70)};
  const app_bench_trial *const list[4] = {&t[0], &t[1], &t[2], &t[3]};
  t[2].failed = true;
  assert_int_equal(app_bench_choose(list, 4), 0);
  for (int i = 0; i < 4; i++) t[i].test = NAN; /* it is not even needed */
  assert_int_equal(app_bench_choose(list, 4), 0);
  t[3].validation = 0.81;
  assert_int_equal(app_bench_choose(list, 4), 3);
  for (int i = 0; i < 4; i++) t[i].failed = true;
  assert_int_equal(app_bench_choose(list, 4), 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_added_is_found_after_opening_again),
      cmocka_unit_test(a_line_cut_short_anywhere_is_taken_off),
      cmocka_unit_test(a_line_that_is_no_training_is_named),
      cmocka_unit_test(one_process_at_a_time_has_the_file),
      cmocka_unit_test(the_choice_looks_at_validation_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
