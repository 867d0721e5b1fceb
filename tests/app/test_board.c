/* The live board: its page is whole without a program, names are escaped, and readers that come late, read
 * slowly or go leave the run as it is. */
#include "await.h"
#include "board/board.h"

#include <math.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/progress.h"
#include "board/parts.h"
#include "check.h"
#include "http_client.h"
#include "loopback.h"
#include "pages.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static board_view view;
static char address[32];
static board *server;

static void look(board_view *out) {
  (void)pthread_mutex_lock(&lock);
  *out = view;
  (void)pthread_mutex_unlock(&lock);
}

static void epoch(uint64_t number) {
  const sotto_event event = {.kind = SOTTO_EVENT_EPOCH,
                             .stage = "network",
                             .done = number,
                             .total = 200,
                             .loss = 1.0 / (double)number,
                             .validation = 0.5};
  (void)pthread_mutex_lock(&lock);
  watch_state_event(&view.state, &event, sotto_i_seconds());
  watch_history_event(&view.history, &view.state, &event);
  watch_state_progress(&view.state, "network", number, 200, sotto_i_seconds());
  watch_history_progress(&view.history, &view.state, "network");
  (void)pthread_mutex_unlock(&lock);
}

static void event(const sotto_event *e) {
  watch_state_event(&view.state, e, sotto_i_seconds());
  watch_history_event(&view.history, &view.state, e);
}

static const char verdicts[] =
    "edges of `data`: epsilon 60, a guess is right nearly always (vacuous); "
    "edges of `label`: epsilon 4, a guess is right at most 99 times of 100 (moderate); "
    "nodes of `x`: epsilon 9, a guess is right at most 9,999 times of 10,000 (weak); "
    "labels of `label`: NOT protected: it does not hold; noise is less";

/* A run in the middle, all of whose names are `name`. */
static void fill(const char *name) {
  memset(&view, 0, sizeof view);
  watch_run *run = &view.history.run;
  (void)snprintf(view.state.verb, sizeof view.state.verb, "train");
  view.state.begun = sotto_i_seconds() - 5;
  (void)snprintf(run->method, sizeof run->method, "%.63s", name);
  (void)snprintf(run->data, sizeof run->data, "%.127s", name);
  (void)snprintf(run->role, sizeof run->role, "%.15s", name);
  (void)snprintf(run->adjacency, sizeof run->adjacency, "%.31s", name);
  (void)snprintf(run->folder, sizeof run->folder, "/secret/place/of/%.200s", name);
  run->seeds = 2;
  event(&(sotto_event){.kind = SOTTO_EVENT_PLANNED, .epsilon = 60, .delta = 1e-5, .text = verdicts});
  event(&(sotto_event){.kind = SOTTO_EVENT_SPENT, .epsilon = 1, .delta = 1e-5, .budget = 9});
  event(&(sotto_event){.kind = SOTTO_EVENT_CONNECTED, .peer = "secret-peer", .address = "secret-address:1"});
  event(&(sotto_event){.kind = SOTTO_EVENT_PAYLOAD, .payload = "release", .sent = 7200});
  event(&(sotto_event){.kind = SOTTO_EVENT_PAYLOAD, .payload = "exposed", .sent = 133000000, .received = 5});
  watch_state_progress(&view.state, "seed", 0, 2, sotto_i_seconds());
  for (uint64_t i = 1; i <= 60; i++) epoch(i);
  watch_history_epoch(&view.history, view.history.seed, name, &(watch_point){1, 0.4, NAN});
  (void)snprintf(view.state.stage, sizeof view.state.stage, "%.63s", name);
}

static void the_page_is_whole_without_a_program(void **state) {
  (void)state;
  fill("best");
  char *page = board_page(&view, sotto_i_seconds());
  assert_non_null(page);
  expect_well_formed(page);
  static const char *const words[] = {
      "At work: best, 60 of 200",
      "<progress aria-label=",
      "Training loss by epoch",
      "Validation score by epoch",
      "verdict bad\">\xe2\x9c\x95 Edges of <code>data</code>: epsilon 60, a guess is",
      "verdict good\">\xe2\x9c\x93 Edges of <code>label</code>: epsilon 4, a guess is right",
      "verdict warn\">! Nodes of <code>x</code>: epsilon 9",
      "bad\">\xe2\x9c\x95 Labels of <code>label</code>: NOT protected: it does not hold; noise is less<",
      "budget of the account",
      "7.2 kB",
      "133 MB",
      "Raw values were sent",
      "the account has spent epsilon 1",
      "1 of 1",
      "Reload the page",
      "role=\"status\" aria-live=\"polite\""};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) expect_words(page, words[i]);
  refuse_words(page, "secret");
  refuse_words(page, " style=");
  free(page);
}

static void names_of_strangers_are_text(void **state) {
  (void)state;
  fill(hostile);
  char *page = board_page(&view, sotto_i_seconds());
  expect_well_formed(page);
  refuse_words(page, "<img");
  refuse_words(page, "alert(\"");
  refuse_words(page, "\xe2\x80\xae");
  free(page);
  for (size_t i = 0; i < BOARD_PARTS; i++) {
    char *part = board_part(&view, i, sotto_i_seconds());
    refuse_words(part, "<img");
    refuse_words(part, "<script");
    refuse_words(part, "\r");
    free(part);
  }
}

/* Losses and scores that follow from private data are for the owner: not on the page, not in a part of it,
 * not in the metrics. */
static void private_measures_are_not_shown(void **state) {
  (void)state;
  for (int hides = 0; hides < 2; hides++) {
    fill("bank");
    view.state.hides = hides == 1;
    epoch(7);
    char *page = board_page(&view, sotto_i_seconds()),
         *metrics = watch_metrics(&view.state, sotto_i_seconds());
    assert_int_equal(strstr(page, "0.1429") == NULL, hides);
    assert_int_equal(strstr(page, "50.0 %") == NULL, hides);
    assert_int_equal(strstr(page, "owner-only/metrics.jsonl") == NULL, !hides);
    assert_int_equal(strstr(metrics, "sotto_loss") == NULL, hides);
    assert_int_equal(strstr(metrics, "sotto_validation") == NULL, hides);
    free(page);
    free(metrics);
  }
}

static void every_ending_has_its_sentence(void **state) {
  (void)state;
  static const struct {
    int code;
    const char *words;
  } endings[] = {{0, "The run is done."},
                 {1, "The run failed. Its log says why."},
                 {2, "The run failed. Its log says why."},
                 {3, "The privacy budget refused the run."},
                 {130, "The run was stopped on request."}};
  fill("best");
  view.state.ended = true;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    view.state.code = endings[i].code;
    char *part = board_part(&view, 0, sotto_i_seconds());
    expect_words(part, endings[i].words);
    refuse_words(part, "<progress");
    free(part);
  }
}

static void an_empty_state_has_a_page(void **state) {
  (void)state;
  memset(&view, 0, sizeof view);
  char *page = board_page(&view, sotto_i_seconds());
  expect_well_formed(page);
  expect_words(page, "Getting ready.");
  refuse_words(page, "nan");
  free(page);
  fill("best");
  view.state.planned_epsilon = INFINITY;
  view.state.loss = view.state.validation = NAN;
  page = board_page(&view, sotto_i_seconds());
  expect_well_formed(page);
  expect_words(page, ">no bound<");
  refuse_words(page, ">nan");
  free(page);
}

static int begin(void **state) {
  (void)state;
  fill("best");
  check_loopback(address);
  CHECK_OK(board_open(
      &server, &(board_options){.address = address, .flag = "--board-token", .look = look, .page = true},
      &err));
  return 0;
}

static int finish(void **state) {
  (void)state;
  board_close(server, 1);
  server = NULL;
  return 0;
}

static void pages_may_load_from_their_server_alone(void **state) {
  (void)state;
  const char *answer = http_ask(address, "GET /", "", "");
  http_says(answer, "200",
            "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; ");
  http_says(answer, "200", "frame-ancestors 'none'");
  refuse_words(answer, "unsafe");
  refuse_words(answer, "Set-Cookie");
  http_says(http_ask(address, "GET /board.js", "", ""), "200", "text/javascript");
  http_says(http_ask(address, "GET /board.css", "", ""), "200", "text/css");
  http_says(http_ask(address, "GET /board.svg", "", ""), "200", "image/svg+xml");
  http_says(http_ask(address, "POST /", "Content-Length: 0\r\n", ""), "405", "Allow: GET");
  http_says(http_ask(address, "GET /statement.json", "", ""), "404", "nothing at this path");
}

static void programs_ask_the_same_server(void **state) {
  (void)state;
  http_says(http_ask(address, "GET /health", "", ""), "200", "\"verb\":");
  http_says(http_ask(address, "GET /metrics", "", ""), "200", "sotto_up_seconds ");
  http_says(http_ask(address, "HEAD /metrics", "", ""), "200", "text/plain; version=0.0.4");
  board_close(server, 1);
  CHECK_OK(
      board_open(&server, &(board_options){.address = address, .flag = "--board-token", .look = look}, &err));
  http_says(http_ask(address, "GET /metrics", "", ""), "200", "sotto_up_seconds ");
  http_says(http_ask(address, "GET /", "", ""), "404", "nothing at this path");
  http_says(http_ask(address, "GET /events", "", ""), "404", "nothing at this path");
}

static void who_comes_late_gets_the_whole_curve(void **state) {
  (void)state;
  const int early = http_follow(address, "/events");
  (void)http_read_until(early, "event: part-run\n");
  for (uint64_t i = 61; i <= 120; i++) epoch(i);
  char *curves = board_part(&view, 1, sotto_i_seconds());
  const char *line = strstr(curves, "<polyline");
  char drawn[400];
  assert_non_null(line);
  (void)snprintf(drawn, sizeof drawn, "%.380s", line);
  refuse_words(http_read_until(early, drawn),
               "event: part-run\n"); /* what did not change is not sent again */
  const int late = http_follow(address, "/events");
  expect_words(http_read_until(late, "event: part-run\n"), drawn);
  free(curves);
  (void)close(early);
  (void)close(late);
}

/* The observer of a run calls look's lock alone, and no reader holds that. */
static void a_reader_that_stands_still_holds_nothing_up(void **state) {
  (void)state;
  int fds[BOARD_READERS];
  for (size_t i = 0; i < BOARD_READERS; i++) {
    const int small = 2048;
    fds[i] = http_dial(address);
    (void)setsockopt(fds[i], SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    static const char request[] = "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n";
    assert_int_equal(send(fds[i], request, sizeof request - 1, MSG_NOSIGNAL), sizeof request - 1);
  }
  check_moment(0.3);
  const double begun = sotto_i_seconds();
  for (uint64_t i = 1; i <= 100000; i++) epoch(i);
  assert_true(sotto_i_seconds() - begun < 100);
  http_says(http_ask(address, "GET /", "", ""), "200", "Live board");
  http_says(http_ask(address, "GET /events", "", ""), "503", "as many readers follow");
  (void)pthread_mutex_lock(&lock);
  view.state.ended = true;
  (void)pthread_mutex_unlock(&lock);
  const double end = sotto_i_seconds();
  assert_int_equal(finish(NULL), 0);
  assert_true(sotto_i_seconds() - end < 100);
  for (size_t i = 0; i < BOARD_READERS; i++) (void)close(fds[i]);
}

static void the_end_is_told(void **state) {
  (void)state;
  const int fd = http_follow(address, "/events");
  (void)http_read_until(fd, "event: part-run\n");
  (void)pthread_mutex_lock(&lock);
  view.state.ended = true;
  view.state.code = 130;
  (void)pthread_mutex_unlock(&lock);
  assert_int_equal(finish(NULL), 0);
  const char *heard = http_read_until(fd, NULL);
  expect_words(heard, "The run was stopped on request.");
  expect_words(heard, "event: latest\ndata: The run was stopped on request.");
  expect_words(heard, "event: end\n");
  refuse_words(heard, "event: report\n");
  (void)close(fd);
}

static void addresses_of_others_need_a_token(void **state) {
  (void)state;
  board *none;
  CHECK_FAILS(SOTTO_INVALID, "a token is needed: give its file with --board-token",
              board_open(&none,
                         &(board_options){
                             .address = "0.0.0.0:0", .flag = "--board-token", .look = look, .page = true},
                         &err));
  assert_null(none);
  CHECK_FAILS(
      SOTTO_IO, "Address already in use",
      board_open(&none,
                 &(board_options){.address = address, .flag = "--board-token", .look = look, .page = true},
                 &err));
  assert_null(none);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_page_is_whole_without_a_program),
      cmocka_unit_test(names_of_strangers_are_text),
      cmocka_unit_test(private_measures_are_not_shown),
      cmocka_unit_test(every_ending_has_its_sentence),
      cmocka_unit_test(an_empty_state_has_a_page),
      cmocka_unit_test_setup_teardown(pages_may_load_from_their_server_alone, begin, finish),
      cmocka_unit_test_setup_teardown(programs_ask_the_same_server, begin, finish),
      cmocka_unit_test_setup_teardown(who_comes_late_gets_the_whole_curve, begin, finish),
      cmocka_unit_test_setup_teardown(a_reader_that_stands_still_holds_nothing_up, begin, finish),
      cmocka_unit_test_setup_teardown(the_end_is_told, begin, finish),
      cmocka_unit_test_setup_teardown(addresses_of_others_need_a_token, begin, finish),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
