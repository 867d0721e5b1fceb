/* Places of connections that showed nothing yet: bounded, by address, the oldest goes first. */
#include "http/crowd.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"

enum { MOST = 6, OF_ONE = 3 };

typedef struct place {
  int own, other; /* two ends of one connection */
  http_guest *guest;
} place;

static struct sockaddr_storage address_of(const char *text) {
  struct sockaddr_storage out = {.ss_family = AF_UNIX};
  struct sockaddr_in *v4 = (struct sockaddr_in *)&out;
  struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&out;
  if (inet_pton(AF_INET, text, &v4->sin_addr) == 1)
    v4->sin_family = AF_INET;
  else if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1)
    v6->sin6_family = AF_INET6;
  return out;
}

static place come(http_crowd *crowd, const char *from) {
  const struct sockaddr_storage address = address_of(from);
  int ends[2];
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  return (place){ends[0], ends[1], http_crowd_add(crowd, ends[0], (const struct sockaddr *)&address)};
}

/* Is it cut? A cut connection is at its end for the peer. */
static bool is_cut(const place *p) {
  char byte;
  return recv(p->other, &byte, 1, MSG_DONTWAIT) == 0;
}

static void go(http_crowd *crowd, const place *p) {
  http_crowd_leave(crowd, p->guest);
  (void)close(p->own);
  (void)close(p->other);
}

static void limits(http_crowd *crowd) {
  http_crowd_begin(crowd);
  crowd->most_strangers = MOST;
  crowd->most_of_one = OF_ONE;
}

static void the_oldest_stranger_of_an_address_goes(void **state) {
  static const char *const from[] = {"192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.1", "192.0.2.1"};
  place places[5];
  http_crowd crowd;
  (void)state;
  limits(&crowd);
  for (size_t i = 0; i < 5; i++) places[i] = come(&crowd, from[i]);
  for (size_t i = 0; i < 5; i++) assert_int_equal(is_cut(&places[i]), i == 0);
  for (size_t i = 0; i < 5; i++) go(&crowd, &places[i]);
  http_crowd_end(&crowd);
}

static void who_was_let_in_keeps_its_place(void **state) {
  place places[OF_ONE + 2];
  http_crowd crowd;
  (void)state;
  limits(&crowd);
  places[0] = come(&crowd, "192.0.2.1");
  http_crowd_known(&crowd, places[0].guest);
  for (size_t i = 1; i < OF_ONE + 2; i++) places[i] = come(&crowd, "192.0.2.1");
  for (size_t i = 0; i < OF_ONE + 2; i++) assert_int_equal(is_cut(&places[i]), i == 1);
  for (size_t i = 0; i < OF_ONE + 2; i++) go(&crowd, &places[i]);
  http_crowd_end(&crowd);
}

/* Whoever was let in once holds no more places than its part, but none that is being answered is taken. */
static void an_address_that_was_let_in_has_its_part_of_the_places(void **state) {
  enum { KNOWN = 4 };
  place places[KNOWN + 3];
  http_crowd crowd;
  (void)state;
  limits(&crowd);
  crowd.most_known_of_one = KNOWN;
  for (size_t i = 0; i < KNOWN + 2; i++) {
    places[i] = come(&crowd, "192.0.2.1");
    http_crowd_asked(&crowd, places[i].guest);
    http_crowd_known(&crowd, places[i].guest);
    if (i > 0) http_crowd_answered(&crowd, places[i].guest);
  }
  places[KNOWN + 2] = come(&crowd, "192.0.2.2");
  http_crowd_known(&crowd, places[KNOWN + 2].guest);
  for (size_t i = 0; i < KNOWN + 3; i++) assert_int_equal(is_cut(&places[i]), i == 1 || i == 2);
  for (size_t i = 0; i < KNOWN + 3; i++) go(&crowd, &places[i]);
  http_crowd_end(&crowd);
}

static void all_addresses_together_have_a_bound(void **state) {
  place places[MOST + 2];
  http_crowd crowd;
  char from[20];
  (void)state;
  limits(&crowd);
  for (size_t i = 0; i < MOST + 2; i++) {
    (void)snprintf(from, sizeof from, "192.0.2.%zu", i + 1);
    places[i] = come(&crowd, from);
  }
  for (size_t i = 0; i < MOST + 2; i++) assert_int_equal(is_cut(&places[i]), i < 2);
  for (size_t i = 0; i < MOST + 2; i++) go(&crowd, &places[i]);
  http_crowd_end(&crowd);
}

/* A sender has 2^64 addresses of IPv6, and an IPv4 address has two forms. */
static void addresses_of_one_sender_are_one_place(void **state) {
  static const char *const one[][2] = {
      {"2001:db8::1", "2001:db8::ffff:2"}, {"192.0.2.9", "::ffff:192.0.2.9"}, {"unix", "unix"}};
  (void)state;
  for (size_t k = 0; k < 3; k++) {
    place places[OF_ONE + 1];
    http_crowd crowd;
    limits(&crowd);
    for (size_t i = 0; i <= OF_ONE; i++) places[i] = come(&crowd, one[k][i % 2]);
    for (size_t i = 0; i <= OF_ONE; i++) assert_int_equal(is_cut(&places[i]), i == 0);
    for (size_t i = 0; i <= OF_ONE; i++) go(&crowd, &places[i]);
    http_crowd_end(&crowd);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_oldest_stranger_of_an_address_goes),
                                     cmocka_unit_test(who_was_let_in_keeps_its_place),
                                     cmocka_unit_test(an_address_that_was_let_in_has_its_part_of_the_places),
                                     cmocka_unit_test(all_addresses_together_have_a_bound),
                                     cmocka_unit_test(addresses_of_one_sender_are_one_place)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
