/* Answers that go on: what is new comes, silence holds nobody up, places are few and given back, the end
 * comes. */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "await.h"
#include "base/progress.h"
#include "check.h"
#include "http/http.h"
#include "http_client.h"
#include "loopback.h"

static atomic_int number, ended;
static atomic_bool flood;

typedef struct reader {
  int seen;
} reader;

/* The numbers that are new; after 100 nothing. */
static char *more(void *context, bool *last) {
  reader *one = context;
  char *text = NULL;
  const int now = atomic_load(&number);
  if (atomic_load(&flood)) {
    text = malloc((1 << 20) + 1);
    memset(text, 'x', 1 << 20);
    text[1 << 20] = '\0';
    return text;
  }
  *last = now == 100;
  if (one->seen == now) return NULL;
  one->seen = now;
  assert_true(asprintf(&text, "data: %d;\n\n", now) > 0);
  return text;
}

static void end(void *context) {
  atomic_fetch_add(&ended, 1);
  free(context);
}

static void follow(void *context, const http_request *request, http_reply *reply) {
  (void)context;
  (void)request;
  const http_stream stream = {.context = calloc(1, sizeof(reader)), .more = more, .end = end};
  http_reply_stream(reply, HTTP_EVENTS, &stream);
}

static void say_path(void *context, const http_request *request, http_reply *reply) {
  (void)context;
  http_reply_text(reply, 200, HTTP_TEXT, strdup(request->path));
}

static const http_route routes[] = {{"GET", "/events", follow}, {"GET", "/path", say_path}};
static char address[32];
static http_server *server;

static int begin(void **state) {
  (void)state;
  check_loopback(address);
  const http_options options = {.address = address,
                                .routes = routes,
                                .route_count = sizeof routes / sizeof *routes,
                                .threads = 1,
                                .connections = 16,
                                .streams = 3,
                                .idle_limit = 1,
                                .request_limit = 2};
  atomic_store(&number, 0);
  atomic_store(&ended, 0);
  atomic_store(&flood, false);
  CHECK_OK(http_open(&server, &options, &err));
  return 0;
}

static int finish(void **state) {
  (void)state;
  http_close(server, 1);
  server = NULL;
  return 0;
}

static void what_is_new_comes_and_then_the_end(void **state) {
  (void)state;
  atomic_store(&number, 1);
  const int fd = http_follow(address, "/events");
  http_says(http_read_until(fd, "data: 1;"), "200", "text/event-stream");
  check_moment(3); /* longer than a connection may be idle, and than a request may take */
  atomic_store(&number, 2);
  const char *heard = http_read_until(fd, "data: 2;");
  assert_null(strstr(heard, "data: 1;"));
  const int late = http_follow(address, "/events");
  (void)http_read_until(late, "data: 2;");
  atomic_store(&number, 100);
  (void)http_read_until(fd, "\r\n0\r\n\r\n"); /* the last chunk of an answer that is whole */
  (void)http_read_until(late, "data: 100;");
  http_says(http_ask(address, "HEAD /events", "", ""), "200", "text/event-stream");
  (void)close(fd);
  (void)close(late);
}

static bool have_ended(void *count) {
  return atomic_load(&ended) >= *(const int *)count;
}

static void until_ended(int count) {
  check_await("readers' streams do not end", have_ended, &count);
}

static void places_are_few_and_given_back(void **state) {
  (void)state;
  int fds[3];
  atomic_store(&number, 1);
  for (size_t i = 0; i < 3; i++) {
    fds[i] = http_follow(address, "/events");
    (void)http_read_until(fds[i], "data: 1;");
  }
  http_says(http_ask(address, "GET /events", "", ""), "503", "as many readers follow as there may be");
  http_says(http_ask(address, "GET /path", "", ""), "200", "/path");
  assert_int_equal(atomic_load(&ended), 1); /* the one that found no place */
  (void)close(fds[1]);                      /* it goes without a word */
  until_ended(2);
  fds[1] = http_follow(address, "/events");
  (void)http_read_until(fds[1], "data: 1;");
  for (size_t i = 0; i < 3; i++) (void)close(fds[i]);
}

static void a_reader_that_takes_nothing_is_cut_and_holds_nobody_up(void **state) {
  (void)state;
  atomic_store(&flood, true);
  const int stuck = http_follow(address, "/events");
  const double begun = sotto_i_seconds();
  http_says(http_ask(address, "GET /path", "", ""), "200", "/path");
  assert_true(sotto_i_seconds() - begun < 100);
  until_ended(1);
  (void)close(stuck);
}

/* The end of the server is told to readers that sleep, and waits for none that does not read. */
static void the_server_ends_with_its_readers(void **state) {
  (void)state;
  atomic_store(&number, 1);
  const int asleep = http_follow(address, "/events");
  (void)http_read_until(asleep, "data: 1;");
  const int other = http_follow(address, "/events");
  (void)http_read_until(other, "data: 1;");
  atomic_store(&number, 7);
  http_close(server, 10);
  (void)http_read_until(asleep, "data: 7;");
  (void)http_read_until(other, NULL);
  assert_int_equal(atomic_load(&ended), 2);
  (void)close(asleep);
  (void)close(other);
  assert_int_equal(begin(NULL), 0);
  atomic_store(&flood, true);
  const int stuck = http_follow(address, "/events");
  check_moment(0.3);
  const double begun = sotto_i_seconds();
  http_close(server, 0.2);
  server = NULL;
  assert_true(sotto_i_seconds() - begun < 100);
  assert_int_equal(atomic_load(&ended), 1);
  (void)close(stuck);
}

/* Readers come and go at any moment, while the server closes too. */
static void readers_come_and_go(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 25; round++) {
    int fds[6];
    for (size_t i = 0; i < 6; i++) {
      fds[i] = http_follow(address, i % 3 == 2 ? "/path" : "/events");
      check_moment((double)sotto_i_random_below(&random, 3000) / 1e6);
      atomic_fetch_add(&number, 1);
      if (sotto_i_random_below(&random, 2) == 0) (void)close(fds[i]), fds[i] = -1;
    }
    atomic_store(&number, sotto_i_random_below(&random, 2) == 0 ? 100 : 1);
    check_moment((double)sotto_i_random_below(&random, 30000) / 1e6);
    http_close(server, 0.5);
    server = NULL;
    for (size_t i = 0; i < 6; i++)
      if (fds[i] >= 0) (void)close(fds[i]);
    assert_int_equal(begin(NULL), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(what_is_new_comes_and_then_the_end, begin, finish),
      cmocka_unit_test_setup_teardown(places_are_few_and_given_back, begin, finish),
      cmocka_unit_test_setup_teardown(a_reader_that_takes_nothing_is_cut_and_holds_nobody_up, begin, finish),
      cmocka_unit_test_setup_teardown(the_server_ends_with_its_readers, begin, finish),
      cmocka_unit_test_setup_teardown(readers_come_and_go, begin, finish),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
