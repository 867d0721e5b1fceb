/* The answer of an HTTP proxy: cut anywhere it is read the same, and nothing behind it is taken. */
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"
#include "party/reach/proxy.h"

/* Plays `answer` and then "peer", cut where the stream says. The step that ended it; `err` says why. */
static sotto_i_step play(const char *answer, size_t size, sotto_i_random *random, sotto_error *err) {
  int ends[2];
  sotto_i_proxy proxy;
  sotto_i_step step = SOTTO_I_WAIT;
  char got[200] = "";
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
  sotto_i_proxy_begin(&proxy, "bank.example:7443");
  assert_int_equal(sotto_i_proxy_advance(&proxy, ends[0], err), SOTTO_I_WAIT);
  assert_true(sotto_i_proxy_asked(&proxy));
  assert_true(read(ends[1], got, sizeof got - 1) > 0);
  assert_string_equal(got, "CONNECT bank.example:7443 HTTP/1.1\r\nHost: bank.example:7443\r\n\r\n");
  for (size_t at = 0; at < size;) {
    size_t piece = 1 + sotto_i_random_below(random, (uint32_t)(size - at));
    assert_int_equal(write(ends[1], answer + at, piece), piece);
    at += piece;
    if (at == size) assert_int_equal(write(ends[1], "peer", 4), 4);
    if (step == SOTTO_I_WAIT) step = sotto_i_proxy_advance(&proxy, ends[0], err);
  }
  if (step == SOTTO_I_MOVED) {
    assert_int_equal(read(ends[0], got, sizeof got), 4);
    assert_memory_equal(got, "peer", 4);
  }
  if (step == SOTTO_I_WAIT) {
    (void)shutdown(ends[1], SHUT_WR);
    step = sotto_i_proxy_advance(&proxy, ends[0], err);
  }
  (void)close(ends[0]);
  (void)close(ends[1]);
  return step;
}

static void an_answer_that_agrees_opens_the_way(void **state) {
  static const char *const answers[] = {"HTTP/1.1 200 Connection established\r\n\r\n",
                                        "HTTP/1.0 200 OK\r\nVia: a\r\nX: \r\r\n\r\n",
                                        "HTTP/1.1 204 \r\n\r\n"};
  sotto_i_random random = check_random();
  (void)state;
  for (int round = 0; round < 200; round++) {
    sotto_error err = {0};
    const char *answer = answers[round % 3];
    assert_int_equal(play(answer, strlen(answer), &random, &err), SOTTO_I_MOVED);
  }
}

static void any_other_answer_is_refused_by_its_first_line(void **state) {
  static const struct {
    const char *answer, *says;
  } rows[] = {{"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "the proxy refuses: HTTP/1.1 407"},
              {"HTTP/1.1 20 OK\r\n\r\n", "the proxy refuses"},
              {"SSH-2.0-x\r\n\r\n", "the proxy refuses: SSH-2.0-x"},
              {"HTTP/1.1 200 OK\r\n", "the proxy: it hung up after HTTP/1.1 200 OK"},
              {"\x1b[31mred 200\r\n\r\n", "the proxy refuses: ?[31mred"}};
  sotto_i_random random = check_random();
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sotto_error err = {0};
    assert_int_equal(play(rows[i].answer, strlen(rows[i].answer), &random, &err), SOTTO_I_BROKEN);
    if (strstr(err.text, rows[i].says) == NULL) fail_msg("%s does not say %s", err.text, rows[i].says);
  }
}

static void drawn_bytes_end_it_within_a_bound(void **state) {
  sotto_i_random random = check_random();
  (void)state;
  for (int round = 0; round < 200; round++) {
    char bytes[2 * SOTTO_I_MOST_PROXY_ANSWER];
    sotto_error err = {0};
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = "HTP/1.0 2\r\nx"[sotto_i_random_below(&random, 12)];
    sotto_i_step step = play(bytes, sizeof bytes, &random, &err);
    assert_true(step == SOTTO_I_BROKEN || step == SOTTO_I_MOVED);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_answer_that_agrees_opens_the_way),
      cmocka_unit_test(any_other_answer_is_refused_by_its_first_line),
      cmocka_unit_test(drawn_bytes_end_it_within_a_bound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
