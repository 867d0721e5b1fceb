/* What is said of a verb that runs long: lines that fit, readiness, metrics that Prometheus can read. */
#include <ctype.h>
#include <math.h>

#include "check.h"
#include "watch/state.h"

static watch_state state;

static void begin(void) {
  state = (watch_state){.verb = "run", .begun = 100};
}

static void a_duration_is_short(void **unused) {
  (void)unused;
  char text[12];
  const struct {
    double seconds;
    const char *text;
  } rows[] = {{0, "0 s"},           {59.9, "59 s"},       {60, "1:00"},           {723, "12:03"},
              {3723, "1:02:03"},    {-5, "0 s"},          {1e300, "83333:20:00"}, {INFINITY, "83333:20:00"},
              {359999, "99:59:59"}, {360000, "100:00:00"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    watch_duration(text, rows[i].seconds);
    assert_string_equal(text, rows[i].text);
  }
}

static void a_line_says_what_is_done_and_what_is_left(void **unused) {
  (void)unused;
  char line[161];
  begin();
  watch_state_progress(&state, "seed", 1, 5, 100);
  watch_state_progress(&state, "encoder", 20, 200, 110); /* this start goes on after 20 */
  watch_state_event(&state, &(sotto_event){.kind = SOTTO_EVENT_EPOCH, .loss = 0.4312, .validation = 0.8},
                    120);
  watch_state_progress(&state, "encoder", 80, 200, 140);
  watch_line(line, sizeof line, 160, &state, 140);
  assert_string_equal(line, "encoder 80/200 30 s +1:00 loss 0.431 2.0/s seed 2/5 [########............]");
  watch_line(line, sizeof line, 40, &state, 140);
  assert_string_equal(line, "encoder 80/200 30 s +1:00 loss 0.431");
}

static void a_line_says_how_much_is_exchanged(void **unused) {
  (void)unused;
  char line[161];
  sotto_event payload = {.kind = SOTTO_EVENT_PAYLOAD, .payload = "public", .sent = 5000000};
  begin();
  watch_state_progress(&state, "encoder", 0, 10, 100);
  watch_state_event(&state, &payload, 100);
  watch_line(line, sizeof line, 30, &state, 100);
  assert_string_equal(line, "encoder 0/10 0 s");
  payload.done = 212400000;
  payload.total = 739000000;
  watch_state_event(&state, &payload, 100);
  watch_line(line, sizeof line, 30, &state, 100);
  assert_string_equal(line, "encoder 0/10 0 s 212/739 MB");
}

static void what_a_stage_says_of_its_time_left_counts(void **unused) {
  (void)unused;
  char line[161];
  begin();
  watch_state_progress(&state, "trainings", 0, 4, 100);
  watch_state_note(&state, "4800");
  watch_line(line, sizeof line, 40, &state, 100);
  assert_string_equal(line, "trainings 0/4 0 s +1:20:00");
  watch_state_progress(&state, "trainings", 2, 4, 110);
  watch_state_note(&state, NULL);
  watch_line(line, sizeof line, 27, &state, 110);
  assert_string_equal(line, "trainings 2/4 10 s +10 s");
  watch_state_note(&state, "soon"); /* not a number: as if it said nothing */
  watch_line(line, sizeof line, 27, &state, 110);
  assert_string_equal(line, "trainings 2/4 10 s +10 s");
}

static void a_line_fits_its_columns(void **unused) {
  (void)unused;
  sotto_i_random random = check_random();
  static const char *const stages[] = {"encoder", "decoder-12", "a stage with a very long name indeed", ""};
  for (int round = 0; round < 2000; round++) {
    char line[161];
    const size_t columns = sotto_i_random_below(&random, 161);
    begin();
    const uint64_t total = sotto_i_random_u64(&random) >> sotto_i_random_below(&random, 64);
    watch_state_progress(&state, "seed", sotto_i_random_below(&random, 12), 12, 0);
    watch_state_progress(&state, stages[round % 4], 0, total, 0);
    state.loss = (double)sotto_i_random_below(&random, 1000000) / 7;
    watch_state_progress(&state, stages[round % 4], total / (1 + sotto_i_random_below(&random, 9)), total,
                         1e7);
    watch_line(line, sizeof line, columns, &state, (double)sotto_i_random_below(&random, 100000000));
    assert_true(strlen(line) <= columns);
  }
}

static void a_party_is_ready_while_all_peers_are_connected(void **unused) {
  (void)unused;
  begin();
  assert_false(watch_state_is_ready(&state));
  watch_state_event(&state, &(sotto_event){.kind = SOTTO_EVENT_LISTENING, .address = "127.0.0.1:1"}, 1);
  watch_state_event(&state, &(sotto_event){.kind = SOTTO_EVENT_WAITING, .peer = "a"}, 1);
  watch_state_event(&state, &(sotto_event){.kind = SOTTO_EVENT_WAITING, .peer = "b"}, 1);
  watch_state_event(&state, &(sotto_event){.kind = SOTTO_EVENT_CONNECTED, .peer = "a"}, 1);
  assert_false(watch_state_is_ready(&state));
  watch_state_event(&state, &(sotto_event){.kind = SOTTO_EVENT_CONNECTED, .peer = "b"}, 1);
  assert_true(watch_state_is_ready(&state));
  watch_state_event(&state, &(sotto_event){.kind = SOTTO_EVENT_LOST, .peer = "a"}, 1);
  assert_false(watch_state_is_ready(&state));
  assert_int_equal(watch_state_connected(&state), 1);
  watch_state_event(&state, &(sotto_event){.kind = SOTTO_EVENT_LEFT, .peer = "a"}, 1);
  assert_true(watch_state_is_ready(&state));
  assert_int_equal(state.peer_count, 1);
  assert_string_equal(state.peers[0].name, "b");
}

static void a_training_is_ready_from_its_first_step(void **unused) {
  (void)unused;
  begin();
  assert_false(watch_state_is_ready(&state));
  watch_state_progress(&state, "network", 1, 10, 1);
  assert_true(watch_state_is_ready(&state));
  state.ended = true;
  assert_false(watch_state_is_ready(&state));
}

/* A name, labels in braces or none, one space, a number. */
static void check_sample(const char *line, size_t length) {
  size_t at = 0;
  while (at < length && (isalnum((unsigned char)line[at]) || line[at] == '_')) at++;
  assert_true(at > 0);
  if (line[at] == '{') {
    bool quoted = false;
    for (at++; at < length && (quoted || line[at] != '}'); at++) {
      if (quoted && line[at] == '\\')
        at++;
      else if (line[at] == '"')
        quoted = !quoted;
    }
    at++;
  }
  assert_true(at < length && line[at] == ' ');
  char *end;
  (void)strtod(line + at + 1, &end);
  assert_ptr_equal(end, line + length);
}

static void check_metrics(const char *text) {
  assert_non_null(text);
  for (const char *line = text; *line != '\0';) {
    const size_t length = strcspn(line, "\n");
    assert_true(line[length] == '\n');
    if (line[0] != '#') check_sample(line, length);
    line += length + 1;
  }
}

static void metrics_can_be_read(void **unused) {
  (void)unused;
  begin();
  char *text = watch_metrics(&state, 101);
  check_metrics(text);
  assert_null(strstr(text, "epsilon"));
  free(text);
  watch_state_event(&state, &(sotto_event){.kind = SOTTO_EVENT_CONNECTED, .peer = "a \"b\\ }\nc"}, 1);
  watch_state_event(&state, &(sotto_event){.kind = SOTTO_EVENT_PAYLOAD, .payload = "share", .sent = 7}, 1);
  watch_state_event(&state, &(sotto_event){.kind = SOTTO_EVENT_PAYLOAD, .payload = "public", .received = 9},
                    1);
  watch_state_event(&state, &(sotto_event){.kind = SOTTO_EVENT_PAYLOAD, .payload = "share", .sent = 5}, 1);
  watch_state_event(&state,
                    &(sotto_event){.kind = SOTTO_EVENT_SPENT, .epsilon = 3, .delta = 1e-6, .budget = 8}, 1);
  watch_state_event(&state, &(sotto_event){.kind = SOTTO_EVENT_EPOCH, .loss = NAN, .validation = INFINITY},
                    1);
  text = watch_metrics(&state, 101);
  check_metrics(text);
  assert_non_null(strstr(text, "sotto_sent_bytes_total{kind=\"share\"} 12\n"));
  assert_non_null(strstr(text, "sotto_received_bytes_total{kind=\"public\"} 9\n"));
  assert_non_null(strstr(text, "sotto_epsilon_left 5\n"));
  assert_non_null(strstr(text, "sotto_loss NaN\n"));
  assert_non_null(strstr(text, "sotto_validation +Inf\n"));
  assert_non_null(strstr(text, "sotto_peer_connected{peer=\"a \\\"b\\\\ }\\nc\"} 1\n"));
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_duration_is_short),
      cmocka_unit_test(a_line_says_what_is_done_and_what_is_left),
      cmocka_unit_test(a_line_says_how_much_is_exchanged),
      cmocka_unit_test(what_a_stage_says_of_its_time_left_counts),
      cmocka_unit_test(a_line_fits_its_columns),
      cmocka_unit_test(a_party_is_ready_while_all_peers_are_connected),
      cmocka_unit_test(a_training_is_ready_from_its_first_step),
      cmocka_unit_test(metrics_can_be_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
