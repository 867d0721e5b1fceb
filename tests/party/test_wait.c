/* Waits for another thread or for the network, with a time of day that is set back meanwhile
 * (tests/faults/set_back.c): they end in time, so that limits strike and an interrupt is heard. */
#include <pthread.h>
#include <unistd.h>

#include "await.h"
#include "base/progress.h"
#include "check.h"
#include "inside/base.h"
#include "inside/party.h"
#include "party/wire/session.h"
#include "sotto/party.h"

enum { too_long = 20 }; /* seconds, after which the test is killed */

static void *interrupt_soon(void *context) {
  check_moment(0.2);
  sotto_interrupt();
  return context;
}

static void a_link_that_waits_hears_an_interrupt(void **state) {
  (void)state;
  pthread_t other;
  sotto_link *a, *b;
  uint32_t word;
  const sotto_expectation expected = {"word", SOTTO_WIRE_PUBLIC, 1, 1, 0};
  CHECK_OK(sotto_link_pair(&a, &b, &err));
  (void)alarm(too_long);
  assert_int_equal(pthread_create(&other, NULL, interrupt_soon, NULL), 0);
  CHECK_FAILS(SOTTO_INTERRUPTED, "", sotto_link_receive_words(b, &word, &expected, &err));
  (void)alarm(0);
  (void)pthread_join(other, NULL);
  sotto_interrupt_clear();
  sotto_link_free(a);
  sotto_link_free(b);
}

static void a_session_waits_a_tenth_of_a_second(void **state) {
  (void)state;
  sotto_i_wire_session session;
  CHECK_OK(sotto_i_session_init(&session, &err));
  const double begin = sotto_i_seconds();
  (void)alarm(too_long);
  pthread_mutex_lock(&session.lock);
  sotto_i_session_wait(&session);
  pthread_mutex_unlock(&session.lock);
  (void)alarm(0);
  assert_true(sotto_i_seconds() - begin >= 0.09);
  sotto_i_session_destroy(&session);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_link_that_waits_hears_an_interrupt),
      cmocka_unit_test(a_session_waits_a_tenth_of_a_second),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
