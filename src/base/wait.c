/* Condition variables on the monotonic clock. The default is the time of day: setting that clock back by
 * an hour would lengthen a wait by an hour. */
#include "wait.h"

#include <time.h>

#include "error.h"

void sotto_i_condition_init(pthread_cond_t *condition) {
  pthread_condattr_t monotonic;
  SOTTO_I_CHECK(pthread_condattr_init(&monotonic) == 0);
  SOTTO_I_CHECK(pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0);
  SOTTO_I_CHECK(pthread_cond_init(condition, &monotonic) == 0);
  (void)pthread_condattr_destroy(&monotonic);
}

void sotto_i_condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock) {
  enum { tenth = 100000000, second = 1000000000 };
  struct timespec until;
  (void)clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += tenth;
  if (until.tv_nsec >= second) {
    until.tv_nsec -= second;
    until.tv_sec++;
  }
  (void)pthread_cond_timedwait(condition, lock, &until);
}
