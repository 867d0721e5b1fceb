/* The HTTP server: who is let in, what is refused and how, and that nobody holds it up. */
#include "await.h"
#include "http/http.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/progress.h"
#include "check.h"
#include "http_client.h"
#include "loopback.h"

static const char token[] = "0123456789abcdef0123";

static void say_echo(void *context, const http_request *request, http_reply *reply) {
  (void)context;
  http_reply_text(reply, 200, HTTP_JSON, strdup(request->body));
}

static void say_path(void *context, const http_request *request, http_reply *reply) {
  (void)context;
  http_reply_text(reply, 200, HTTP_TEXT, strdup(request->path));
}

static atomic_bool slow_begun, slow_may_end;

static bool is_so(void *context) {
  return atomic_load((atomic_bool *)context);
}

static void say_slowly(void *context, const http_request *request, http_reply *reply) {
  (void)context;
  (void)request;
  atomic_store(&slow_begun, true);
  check_await("the end of the server never came", is_so, &slow_may_end);
  check_moment(0.05);
  http_reply_text(reply, 200, HTTP_TEXT, strdup("at last"));
}

static void say_nothing(void *context, const http_request *request, http_reply *reply) {
  (void)context;
  (void)request;
  http_reply_text(reply, 200, HTTP_TEXT, NULL); /* no memory */
}

static const http_route routes[] = {{"GET", "/path", say_path},
                                    {"POST", "/echo", say_echo},
                                    {"GET", "/under/*", say_path},
                                    {"GET", "/slow", say_slowly},
                                    {"GET", "/nothing", say_nothing}};

static http_options options_at(const char *address) {
  return (http_options){.address = address,
                        .flag = "--token",
                        .routes = routes,
                        .route_count = sizeof routes / sizeof *routes,
                        .most_body = 1000,
                        .threads = 2,
                        .connections = 16,
                        .idle_limit = 5,
                        .request_limit = 5};
}

static char address[32];
static http_server *server;

static int open_server(void **state) {
  (void)state;
  check_loopback(address);
  const http_options options = options_at(address);
  CHECK_OK(http_open(&server, &options, &err));
  return 0;
}

static int close_server(void **state) {
  (void)state;
  http_close(server, 1);
  server = NULL;
  return 0;
}

static void routes_are_found_and_others_named(void **state) {
  (void)state;
  http_says(http_ask(address, "GET /path?a=b", "", ""), "200", "/path");
  http_says(http_ask(address, "GET /under/a%20b", "", ""), "200", "/under/a b");
  http_says(http_ask(address, "HEAD /path", "", ""), "200", "Content-Length: 5");
  http_says(http_ask(address, "POST /echo", "Content-Length: 3\r\n", "abc"), "200", "\r\n\r\nabc");
  http_says(http_ask(address, "POST /echo", "Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n"), "200",
            "abc");
  http_says(http_ask(address, "GET /other", "", ""), "404", "\"where\":\"/other\"");
  http_says(http_ask(address, "DELETE /path", "", ""), "405", "Allow: GET");
  http_says(http_ask(address, "GET /nothing", "", ""), "500", "Content-Length: 0");
}

static void a_connection_answers_several_requests(void **state) {
  (void)state;
  const char *answer =
      http_talk(http_dial(address), "GET /path HTTP/1.1\r\nHost: [::1]:80\r\n\r\n"
                                    "GET /other HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                    "POST /echo HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n"
                                    "Content-Type: application/json\r\nConnection: close\r\n\r\nthird");
  http_says(answer, "200", "404 Not Found");
  http_says(answer, "200", "third");
}

static void a_long_body_is_refused(void **state) {
  (void)state;
  char body[2001];
  memset(body, 'x', sizeof body - 1);
  body[2000] = '\0';
  http_says(http_ask(address, "POST /echo", "Content-Length: 2000\r\n", body), "413", "at most 1000 bytes");
  char chunked[2100];
  (void)snprintf(chunked, sizeof chunked, "7d0\r\n%s\r\n0\r\n\r\n", body);
  http_says(http_ask(address, "POST /echo", "Transfer-Encoding: chunked\r\n", chunked), "413", "too large");
  body[1000] = '\0';
  http_says(http_ask(address, "POST /echo", "Content-Length: 1000\r\n", body), "200", body);
}

static void a_page_of_another_name_is_refused(void **state) {
  (void)state;
  static const char *const names[] = {"evil.example",
                                      "127.0.0.1.evil.example",
                                      "localhost.evil",
                                      "[::2]",
                                      "[",
                                      "127.0.0.1@evil",
                                      "[::1].evil",
                                      "[::1",
                                      "localhost:",
                                      "127.0.0.1:80.evil",
                                      "localhost:99999",
                                      "127.1",
                                      "127.0.0.256",
                                      "[::1]:80:80",
                                      "[::1]evil:80"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char text[200];
    (void)snprintf(text, sizeof text, "GET /path HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n",
                   names[i]);
    http_says(http_talk(http_dial(address), text), "403", "names of this machine");
  }
}

static void long_heads_are_refused(void **state) {
  (void)state;
  char *text = malloc(40000);
  memset(text, 'a', 40000);
  memcpy(text, "GET /", 5);
  (void)snprintf(text + 30000, 100, " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const int fd = http_dial(address);
  (void)send(fd, text, strlen(text), MSG_NOSIGNAL); /* it may hang up before the end */
  char answer[200];
  const ssize_t got = recv(fd, answer, sizeof answer - 1, 0);
  if (got > 0) assert_memory_equal(answer, "HTTP/1.1 4", 10);
  (void)close(fd);
  free(text);
  http_says(http_ask(address, "GET /path", "", ""), "200", "/path");
}

static void send_text(int fd, const char *text) {
  (void)send(fd, text, strlen(text), MSG_NOSIGNAL);
}

/* Pages of other servers can send what a form can, and a browser says whose they are. */
static void a_page_of_another_origin_is_refused(void **state) {
  (void)state;
  static const char *const foreign[] = {"Origin: http://evil.example\r\n",
                                        "Origin: null\r\n",
                                        "Origin: http://localhost.evil\r\n",
                                        "Origin: http://localhost:81\r\n",
                                        "Origin: localhost\r\n",
                                        "Sec-Fetch-Site: cross-site\r\n",
                                        "Sec-Fetch-Site: same-site\r\n",
                                        "Origin: http://localhost\r\nSec-Fetch-Site: cross-site\r\n",
                                        "Origin: file://localhost\r\n",
                                        "Sec-Fetch-Site: \r\n"};
  static const char *const own[] = {"Origin: http://localhost\r\n", "Origin: https://LOCALHOST\r\n",
                                    "Sec-Fetch-Site: same-origin\r\n", "Sec-Fetch-Site: none\r\n"};
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
    char more[200];
    (void)snprintf(more, sizeof more, "%sContent-Length: 3\r\n", foreign[i]);
    http_says(http_ask(address, "POST /echo", more, "abc"), "403", "pages of other servers");
    http_says(http_ask(address, "GET /path", foreign[i], ""), "403", "pages of other servers");
  }
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    http_says(http_ask(address, "GET /path", own[i], ""), "200", "/path");
}

static void a_post_is_json(void **state) {
  (void)state;
  static const char *const types[] = {
      "", "Content-Type: text/plain\r\n", "Content-Type: application/x-www-form-urlencoded\r\n",
      "Content-Type: application/jsonp\r\n", "Content-Type: text/plain; application/json\r\n"};
  char text[300];
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    (void)snprintf(text, sizeof text,
                   "POST /echo HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: 3\r\nConnection: "
                   "close\r\n\r\nabc",
                   types[i]);
    http_says(http_talk(http_dial(address), text), "415", "Content-Type: application/json");
  }
  http_says(
      http_talk(http_dial(address),
                "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: Application/JSON ;charset=utf-8\r\n"
                "Content-Length: 3\r\nConnection: close\r\n\r\nabc"),
      "200", "abc");
}

enum { SLOW = 300 };

/* Waits until the other side has closed it. */
static void is_closed(int fd) {
  char byte;
  struct pollfd socket = {.fd = fd, .events = POLLIN};
  assert_int_equal(poll(&socket, 1, 20000), 1);
  assert_true(recv(fd, &byte, 1, 0) <= 0);
  (void)close(fd);
}

/* Three hundred connections that never finish a head, and one that does: it is answered while they are there,
 * although no limit of time has passed. */
static void slow_ones_do_not_keep_others_out(void **state) {
  (void)state;
  int slow[SLOW];
  char other[32];
  http_server *server_of_slow;
  check_loopback(other);
  http_options options = options_at(other);
  options.head_limit = options.request_limit = options.idle_limit = 600;
  CHECK_OK(http_open(&server_of_slow, &options, &err));
  for (size_t i = 0; i < SLOW; i++) {
    slow[i] = http_dial(other);
    send_text(slow[i], "GET /path HTTP/1.1\r\nX");
  }
  http_says(http_ask(other, "GET /path", "", ""), "200", "/path");
  is_closed(slow[0]); /* the oldest made place */
  for (size_t i = 1; i < SLOW; i++) (void)close(slow[i]);
  http_close(server_of_slow, 1);
}

/* A byte now and then does not make a head's time longer; a request that was let in has its own. */
static void a_head_has_its_time(void **state) {
  (void)state;
  char other[32];
  http_server *hasty;
  check_loopback(other);
  http_options options = options_at(other);
  options.head_limit = 0.2;
  options.request_limit = 600;
  CHECK_OK(http_open(&hasty, &options, &err));
  const int silent = http_dial(other), slow = http_dial(other);
  send_text(slow, "GET /path HTTP/1.1\r\nX");
  struct pollfd socket = {.fd = slow, .events = POLLIN};
  const double begin = sotto_i_seconds();
  while (poll(&socket, 1, 50) == 0) {
    send_text(slow, "x");
    assert_true(sotto_i_seconds() - begin < 60);
  }
  is_closed(slow);
  is_closed(silent);
  const int busy = http_dial(other);
  send_text(busy, "GET /slow HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  check_await("the request never came", is_so, &slow_begun);
  is_closed(http_dial(other)); /* so a head's time has passed since */
  atomic_store(&slow_may_end, true);
  http_says(http_talk(busy, ""), "200", "at last");
  atomic_store(&slow_begun, false);
  atomic_store(&slow_may_end, false);
  http_close(hasty, 1);
}

/* The end waits for what is being answered, and closes the rest. */
static void the_end_is_orderly(void **state) {
  (void)state;
  char other[32];
  http_server *ending;
  check_loopback(other);
  const http_options options = options_at(other);
  CHECK_OK(http_open(&ending, &options, &err));
  const int idle = http_dial(other), busy = http_dial(other);
  const char request[] = "GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n";
  assert_int_equal(send(busy, request, sizeof request - 1, MSG_NOSIGNAL), sizeof request - 1);
  check_await("the request never came", is_so, &slow_begun);
  atomic_store(&slow_may_end, true);
  http_close(ending, 10);
  char answer[2000];
  const ssize_t got = recv(busy, answer, sizeof answer - 1, MSG_WAITALL);
  assert_true(got > 0);
  answer[got] = '\0';
  http_says(answer, "200", "at last");
  http_says(answer, "200", "Connection: close");
  (void)close(idle);
  (void)close(busy);
  CHECK_OK(http_open(&ending, &options, &err)); /* the address is free again */
  http_close(ending, 1);
}

static const char *write_token(const char *text, mode_t mode) {
  const char *path = check_path("token");
  (void)unlink(path);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  (void)fputs(text, file);
  (void)fclose(file);
  assert_int_equal(chmod(path, mode), 0);
  return path;
}

static void a_token_is_asked_for(void **state) {
  (void)state;
  char other[32], line[200];
  http_server *guarded;
  check_loopback(other);
  http_options options = options_at(other);
  (void)snprintf(line, sizeof line, "%s\n", token);
  options.token_file = write_token(line, 0600);
  CHECK_OK(http_open(&guarded, &options, &err));
  http_says(http_ask(other, "GET /path", "", ""), "401", "WWW-Authenticate: Bearer");
  http_says(http_ask(other, "GET /path", "Authorization: Bearer 0123456789abcdef0124\r\n", ""), "401",
            "token");
  http_says(http_ask(other, "GET /path", "Authorization: Bearer 0123456789abcdef012\r\n", ""), "401",
            "token");
  http_says(http_ask(other, "GET /path", "Authorization: Bearer 0123456789abcdef01230\r\n", ""), "401",
            "token");
  http_says(http_ask(other, "GET /path", "Authorization: Basic 0123456789abcdef0123\r\n", ""), "401",
            "token");
  http_says(http_ask(other, "POST /echo", "Content-Length: 3\r\n", "abc"), "401", "token");
  (void)snprintf(line, sizeof line, "Authorization: bearer %s\r\n", token);
  http_says(http_ask(other, "GET /path", line, ""), "200", "/path");
  http_close(guarded, 1);
}

static void addresses_and_tokens_are_checked(void **state) {
  (void)state;
  http_server *none;
  http_options options = options_at("0.0.0.0:0");
  CHECK_FAILS(SOTTO_INVALID, "a token is needed: give its file with --token",
              http_open(&none, &options, &err));
  assert_null(none);
  static const char *const wrong[] = {
      "127.0.0.1", ":80",   "127.0.0.1:",         "127.0.0.1:x",     "::1:80",      "[::1:80",      "unix:",
      "",          "[]:80", "127.0.0.1:99999999", "127.0.0.1:99999", "[::1]:65536", "0.0.0.0:70000"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    options.address = wrong[i];
    CHECK_FAILS(SOTTO_INVALID, "", http_open(&none, &options, &err));
  }
  options.address = address;
  CHECK_FAILS(SOTTO_IO, "Address already in use", http_open(&none, &options, &err));
  options.address = "0.0.0.0:0";
  options.token_file = write_token("short\n", 0600);
  CHECK_FAILS(SOTTO_INVALID, "16 to 256", http_open(&none, &options, &err));
  options.token_file = write_token(token, 0644);
  CHECK_FAILS(SOTTO_INVALID, "others may read", http_open(&none, &options, &err));
  options.token_file = check_path("nowhere");
  CHECK_FAILS(SOTTO_NOT_FOUND, "nowhere", http_open(&none, &options, &err));
  options.token_file = write_token(token, 0600);
  CHECK_OK(http_open(&none, &options, &err));
  http_close(none, 0);
}

static void a_unix_socket_is_of_this_user_alone(void **state) {
  (void)state;
  char name[300];
  http_server *local, *second;
  struct stat about;
  const char *path = check_path("socket");
  (void)snprintf(name, sizeof name, "unix:%s", path);
  const http_options options = options_at(name);
  /* one that was left over by a process that was killed */
  struct sockaddr_un at = {.sun_family = AF_UNIX};
  (void)snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
  const int left = socket(AF_UNIX, SOCK_STREAM, 0);
  assert_int_equal(bind(left, (const struct sockaddr *)&at, sizeof at), 0);
  (void)close(left);
  CHECK_OK(http_open(&local, &options, &err));
  assert_int_equal(stat(path, &about), 0);
  assert_int_equal(about.st_mode & 0777, 0600);
  CHECK_FAILS(SOTTO_IO, "in use", http_open(&second, &options, &err));
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  assert_int_equal(connect(fd, (const struct sockaddr *)&at, sizeof at), 0);
  http_says(http_talk(fd, "GET /path HTTP/1.1\r\nHost: anything\r\nConnection: close\r\n\r\n"), "200",
            "/path");
  http_close(local, 1);
  assert_int_not_equal(stat(path, &about), 0);
  FILE *file = fopen(path, "w"); /* a file that is no socket stays */
  (void)fclose(file);
  CHECK_FAILS(SOTTO_IO, "in use", http_open(&local, &options, &err));
  assert_int_equal(stat(path, &about), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(routes_are_found_and_others_named),
      cmocka_unit_test(a_connection_answers_several_requests),
      cmocka_unit_test(a_long_body_is_refused),
      cmocka_unit_test(a_page_of_another_name_is_refused),
      cmocka_unit_test(long_heads_are_refused),
      cmocka_unit_test(a_page_of_another_origin_is_refused),
      cmocka_unit_test(a_post_is_json),
      cmocka_unit_test(slow_ones_do_not_keep_others_out),
      cmocka_unit_test(a_head_has_its_time),
      cmocka_unit_test(the_end_is_orderly),
      cmocka_unit_test(a_token_is_asked_for),
      cmocka_unit_test(addresses_and_tokens_are_checked),
      cmocka_unit_test(a_unix_socket_is_of_this_user_alone),
  };
  return cmocka_run_group_tests(tests, open_server, close_server);
}
