/* What a live board remembers of a run: curves that stay small, epochs that come again, words without names.
 */
#include <math.h>

#include "check.h"
#include "common/file.h"
#include "watch/history.h"

static watch_history history;
static watch_state state;

static int begin(void **unused) {
  (void)unused;
  memset(&history, 0, sizeof history);
  memset(&state, 0, sizeof state);
  return 0;
}

static void add(uint64_t seed, const char *stage, uint64_t epoch) {
  watch_history_epoch(&history, seed, stage, &(watch_point){epoch, 1.0 / (double)epoch, NAN});
}

/* Ascending, the newest last, each with the loss of its epoch. */
static void check_curve(const watch_curve *c, uint64_t last) {
  assert_true(c->count > 0 && c->count <= WATCH_POINTS);
  for (size_t i = 0; i < c->count; i++) {
    assert_true(i == 0 || c->points[i].epoch > c->points[i - 1].epoch);
    assert_true(c->points[i].loss == 1.0 / (double)c->points[i].epoch);
  }
  assert_int_equal(c->points[c->count - 1].epoch, last);
}

static void a_long_curve_keeps_its_form(void **unused) {
  (void)unused;
  sotto_i_random random = check_random();
  for (int round = 0; round < 40; round++) {
    const uint64_t step = 1 + sotto_i_random_below(&random, 20),
                   all = 1 + sotto_i_random_below(&random, 5000);
    begin(NULL);
    for (uint64_t i = 1; i <= all; i++) {
      add(1, "network", i * step);
      check_curve(&history.curves[0], i * step);
    }
    const watch_curve *c = &history.curves[0];
    assert_int_equal(c->points[0].epoch, step);
    if (all < WATCH_POINTS) assert_int_equal(c->count, all);
    if (all >= WATCH_POINTS) assert_true(c->count >= WATCH_POINTS / 2);
    for (size_t i = 1; i + 1 < c->count; i++) /* no gap is more than twice another */
      assert_true(c->points[i].epoch - c->points[i - 1].epoch <= 2 * c->each * step);
  }
}

static void an_epoch_that_comes_again_takes_its_place(void **unused) {
  (void)unused;
  sotto_i_random random = check_random();
  for (uint64_t i = 1; i <= 900; i++) add(1, "network", i);
  for (int round = 0; round < 200; round++) {
    const uint64_t from = 1 + sotto_i_random_below(&random, 900);
    for (uint64_t i = from; i <= 900; i++) add(1, "network", i);
    check_curve(&history.curves[0], 900);
  }
  add(1, "network", 1);
  assert_int_equal(history.curves[0].count, 1);
}

static void another_repeat_begins_with_empty_curves(void **unused) {
  (void)unused;
  add(1, "encoder", 1);
  add(1, "network", 1);
  assert_int_equal(history.curve_count, 2);
  add(2, "encoder", 1);
  assert_int_equal(history.curve_count, 1);
  for (int i = 0; i < 40; i++) {
    char stage[24];
    (void)snprintf(stage, sizeof stage, "network-%d", i);
    add(2, stage, 1);
  }
  assert_int_equal(history.curve_count, WATCH_CURVES);
}

static void what_happened_has_no_name_and_no_address(void **unused) {
  (void)unused;
  const sotto_event events[] = {
      {.kind = SOTTO_EVENT_LISTENING, .address = "secret-address:1", .text = "secret-text"},
      {.kind = SOTTO_EVENT_WAITING, .peer = "secret-peer", .address = "secret-address:2"},
      {.kind = SOTTO_EVENT_CONNECTED,
       .peer = "secret-peer",
       .address = "secret-address:2",
       .text = "secret-text"},
      {.kind = SOTTO_EVENT_LOST, .peer = "secret-peer", .text = "secret-text"},
      {.kind = SOTTO_EVENT_LEFT, .peer = "secret-peer", .text = "secret-text"},
      {.kind = SOTTO_EVENT_SPENT, .epsilon = 2.5, .delta = 1e-6}};
  for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
    watch_state_event(&state, &events[i], 1);
    watch_history_event(&history, &state, &events[i]);
  }
  assert_int_equal(history.said_count, 4);
  for (size_t i = 0; i < history.said_count; i++) assert_null(strstr(history.said[i].words, "secret"));
  assert_string_equal(history.said[0].words, "a party connected: 1 of 1 are there");
  assert_string_equal(history.said[3].words, "the account has spent epsilon 2.5");
  for (int i = 0; i < 50; i++) watch_history_say(&history, "line %d", i / 2);
  assert_int_equal(history.said_count, WATCH_SAID);
  assert_string_equal(history.said[WATCH_SAID - 1].words, "line 24");
  assert_string_equal(history.said[WATCH_SAID - 2].words, "line 23");
}

static void a_run_that_goes_on_has_its_earlier_epochs(void **unused) {
  (void)unused;
  static const char lines[] =
      "{\"seed\":5,\"stage\":\"network\",\"epoch\":1,\"loss\":1,\"validation\":0.5}\n"
      "{\"seed\":5,\"test\":{\"accuracy\":0.9}}\n"
      "not a line of ours\n[1]\n{\"seed\":6,\"stage\":7,\"epoch\":1}\n"
      "{\"seed\":6,\"stage\":\"network\",\"epoch\":1,\"loss\":1,\"validation\":null}\n"
      "{\"seed\":6,\"stage\":\"network\",\"epoch\":2,\"loss\":0.5,\"validation\":0.7}\n"
      "{\"seed\":6,\"stage\":\"network\",\"epo";
  watch_history_load(&history); /* no folder: nothing */
  assert_int_equal(history.curve_count, 0);
  history.run.seed = 5;
  history.run.seeds = 3;
  (void)snprintf(history.run.folder, sizeof history.run.folder, "%s", check_folder());
  CHECK_OK(app_write_file(check_path("metrics.jsonl"), lines, sizeof lines - 1, &err));
  watch_history_load(&history);
  assert_int_equal(history.seed, 2);
  assert_int_equal(history.curve_count, 1);
  assert_int_equal(history.curves[0].count, 2);
  assert_true(isnan(history.curves[0].points[0].validation) && history.curves[0].points[1].validation == 0.7);
  add(2, "network", 3);
  assert_int_equal(history.curves[0].count, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(a_long_curve_keeps_its_form, begin),
      cmocka_unit_test_setup(an_epoch_that_comes_again_takes_its_place, begin),
      cmocka_unit_test_setup(another_repeat_begins_with_empty_curves, begin),
      cmocka_unit_test_setup(what_happened_has_no_name_and_no_address, begin),
      cmocka_unit_test_setup(a_run_that_goes_on_has_its_earlier_epochs, begin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
