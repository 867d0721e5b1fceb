/* Where a request's body ends: said once and well, or not at all. */
#include "http/frame.h"

#include "check.h"

typedef struct head {
  const char *name, *value;
} head;

static bool holds(const head *heads, size_t count, const char *version) {
  http_frame frame = {.length = 0};
  for (size_t i = 0; i < count; i++)
    http_frame_add(&frame, heads[i].name, strlen(heads[i].name), heads[i].value,
                   heads[i].value == NULL ? 0 : strlen(heads[i].value));
  return http_frame_holds(&frame, version);
}

static void one_way_to_say_the_end_is_enough(void **state) {
  static const head one[][2] = {{{"Host", "localhost"}, {"Content-Length", "3"}},
                                {{"Host", "localhost"}, {"content-length", "0"}},
                                {{"Host", "localhost"}, {"Transfer-Encoding", "Chunked"}},
                                {{"Host", "localhost"}, {"X-Empty", NULL}}};
  (void)state;
  for (size_t i = 0; i < sizeof one / sizeof *one; i++) assert_true(holds(one[i], 2, "HTTP/1.1"));
  assert_true(holds(one[0], 2, "HTTP/1.0"));
  assert_false(holds(one[2], 2, "HTTP/1.0")); /* it knows no chunks */
  assert_false(holds(one[0], 2, "HTTP/1.2"));
  assert_false(holds(one[0], 2, ""));
}

static void two_ways_or_a_bad_one_are_refused(void **state) {
  static const head two[][2] = {{{"Content-Length", "3"}, {"Content-Length", "3"}},
                                {{"Content-Length", "3"}, {"CONTENT-LENGTH", "4"}},
                                {{"Content-Length", "3"}, {"Transfer-Encoding", "chunked"}},
                                {{"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "chunked"}},
                                {{"Host", "localhost"}, {"Host", "localhost"}},
                                {{"Host", "localhost"}, {"Content-Length ", "3"}},
                                {{"Content-Length", "3"}, {"X-Host", "localhost"}},
                                {{"Origin", "http://localhost"}, {"Origin", "http://evil.example"}},
                                {{"Sec-Fetch-Site", "none"}, {"sec-fetch-site", "cross-site"}},
                                {{"Content-Type", "application/json"}, {"Content-Type", "text/plain"}},
                                {{"Authorization", "Bearer a"}, {"AUTHORIZATION", "Bearer b"}},
                                {{"Host", "localhost"}, {"Content\tLength", "3"}},
                                {{"Host", "localhost"}, {"", "3"}},
                                {{"Host", "localhost"}, {"X", "a\r\nContent-Length: 3"}}};
  static const char *const lengths[] = {"",
                                        " 3",
                                        "3 ",
                                        "+3",
                                        "-3",
                                        "3x",
                                        "0x3",
                                        "3,3",
                                        "3.0",
                                        "9999999999999999999",
                                        "99999999999999999999999"};
  static const char *const encodings[] = {"",         "gzip",       "gzip, chunked", "chunked, chunked",
                                          "identity", "chunked;a=b"};
  (void)state;
  for (size_t i = 0; i < sizeof two / sizeof *two; i++)
    if (holds(two[i], 2, "HTTP/1.1")) fail_msg("pair %zu passes", i);
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    if (holds(&(head){"Content-Length", lengths[i]}, 1, "HTTP/1.1"))
      fail_msg("length '%s' passes", lengths[i]);
  for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++)
    if (holds(&(head){"Transfer-Encoding", encodings[i]}, 1, "HTTP/1.1"))
      fail_msg("'%s' passes", encodings[i]);
  assert_false(holds(&(head){"Content-Length", NULL}, 1, "HTTP/1.1"));
}

/* Any bytes of a name and a value: what holds has at most one length, of digits alone. */
static void whatever_holds_is_certain(void **state) {
  static const char some[] = "Content-LengthTransfer-EncodingHost: chunked0123456789 \t\r\n,+-x";
  sotto_i_random random = check_random();
  (void)state;
  for (int round = 0; round < 20000; round++) {
    http_frame frame = {.length = 0};
    unsigned lengths = 0;
    for (int k = 0; k < 3; k++) {
      char name[20], value[24];
      const char *names[] = {"Content-Length", "Transfer-Encoding", "Host", "X"};
      (void)snprintf(name, sizeof name, "%s", names[sotto_i_random_below(&random, 4)]);
      const size_t size = (size_t)sotto_i_random_below(&random, sizeof value);
      for (size_t i = 0; i < size; i++) value[i] = some[sotto_i_random_below(&random, sizeof some - 1)];
      lengths += strcmp(name, "Content-Length") == 0;
      http_frame_add(&frame, name, strlen(name), value, size);
      if (strcmp(name, "Content-Length") != 0 || !http_frame_holds(&frame, "HTTP/1.1")) continue;
      for (size_t i = 0; i < size; i++) assert_in_range(value[i], '0', '9');
      assert_int_equal(lengths, 1);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_way_to_say_the_end_is_enough),
                                     cmocka_unit_test(two_ways_or_a_bad_one_are_refused),
                                     cmocka_unit_test(whatever_holds_is_certain)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
