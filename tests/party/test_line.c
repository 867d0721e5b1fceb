/* Measuring a line: both sides get the same numbers, and a leader can ask for no more than the bound. */
#include <pthread.h>

#include "check.h"
#include "inside/party.h"
#include "party/line.h"

typedef struct side {
  sotto_link *link;
  sotto_i_line line;
  sotto_status status;
  sotto_error error;
  bool is_data;
} side;

static void *measure(void *context) {
  side *s = context;
  s->status = sotto_i_line_measure(&s->line, s->link, s->is_data, &s->error);
  if (s->status != SOTTO_OK) sotto_link_close(s->link, "it failed");
  return NULL;
}

static void both_sides_get_the_same_numbers(void **state) {
  side data = {.is_data = true}, label = {.is_data = false};
  pthread_t other;
  (void)state;
  CHECK_OK(sotto_link_pair(&data.link, &label.link, &err));
  assert_int_equal(pthread_create(&other, NULL, measure, &label), 0);
  (void)measure(&data);
  assert_int_equal(pthread_join(other, NULL), 0);
  assert_int_equal(data.status, SOTTO_OK);
  assert_int_equal(label.status, SOTTO_OK);
  assert_memory_equal(&data.line, &label.line, sizeof data.line);
  assert_true(data.line.trip > 0 && data.line.to_label > 0 && data.line.to_data > 0);
  const uint64_t most = 34 * 65536 + 100;
  assert_true(sotto_link_traffic(data.link).sent[SOTTO_WIRE_PUBLIC] < most);
  assert_true(sotto_link_traffic(label.link).sent[SOTTO_WIRE_PUBLIC] < most);
  sotto_link_free(data.link);
  sotto_link_free(label.link);
}

/* A data party that answers as it should up to the number of pieces, or up to the results. */
typedef struct liar {
  sotto_link *link;
  uint32_t pieces;
  float results[3];
} liar;

static sotto_status send_words(liar *l, const char *name, const void *words, size_t count) {
  const sotto_words sent = {name, SOTTO_WIRE_PUBLIC, NULL, words, 1, count};
  return sotto_link_send_words(l->link, &sent, NULL);
}

static sotto_status receive_words(liar *l, const char *name, void *words, size_t count) {
  const sotto_expectation expected = {name, SOTTO_WIRE_PUBLIC, 1, count, 0};
  return sotto_link_receive_words(l->link, words, &expected, NULL);
}

static void *lie(void *context) {
  liar *l = context;
  static uint32_t words[16384];
  float rate;
  const sotto_matrix results = {l->results, 1, 3};
  for (int i = 0; i < 7; i++) {
    (void)send_words(l, i < 5 ? "line.trip" : "line.burst", words, i < 5 ? 1 : 16384);
    (void)receive_words(l, "line.trip", words, 1);
  }
  (void)send_words(l, "line.pieces", &l->pieces, 1);
  if (l->pieces != 1) return NULL;
  (void)send_words(l, "line.burst", words, 16384);
  (void)receive_words(l, "line.result", &rate, 1);
  (void)receive_words(l, "line.burst", words, 16384);
  (void)sotto_link_send_public(l->link, "line.result", &results, NULL);
  return NULL;
}

static void expect_refusal(uint32_t pieces, float trip, float rate, const char *words) {
  side label = {.is_data = false};
  liar l = {.pieces = pieces, .results = {trip, 1e6F, rate}};
  pthread_t other;
  CHECK_OK(sotto_link_pair(&l.link, &label.link, &err));
  assert_int_equal(pthread_create(&other, NULL, lie, &l), 0);
  (void)measure(&label);
  assert_int_equal(pthread_join(other, NULL), 0);
  if (words == NULL) {
    assert_int_equal(label.status, SOTTO_OK);
  } else {
    assert_int_not_equal(label.status, SOTTO_OK);
    assert_non_null(strstr(label.error.text, words));
  }
  sotto_link_free(l.link);
  sotto_link_free(label.link);
}

static void a_leader_can_ask_for_no_more_than_the_bound(void **state) {
  (void)state;
  expect_refusal(1, 0.1F, 1e6F, NULL);
  expect_refusal(0, 0.1F, 1e6F, "there are 1 to 32");
  expect_refusal(33, 0.1F, 1e6F, "there are 1 to 32");
  expect_refusal(1, -1, 1e6F, "the other party measured -1");
  expect_refusal(1, 0.1F, 0, "the other party measured 0");
  expect_refusal(1, 0.1F, 1e30F, "the other party measured 1e+30");
}

static void time_is_that_of_bytes_and_of_round_trips(void **state) {
  const sotto_i_line line = {.trip = 0.08, .to_label = 1e7, .to_data = 5e6};
  const sotto_i_exchanged e = {.to_label = 2e8, .to_data = 1e8, .trips = 600};
  (void)state;
  CHECK_NEAR(sotto_i_line_seconds(&line, &e), 20 + 20 + 48, 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(both_sides_get_the_same_numbers),
                                     cmocka_unit_test(a_leader_can_ask_for_no_more_than_the_bound),
                                     cmocka_unit_test(time_is_that_of_bytes_and_of_round_trips)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
