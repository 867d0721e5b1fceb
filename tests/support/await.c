/* Waits for events, by looking every few milliseconds. */
#include "await.h"

#include <time.h>

#include "check.h"

enum { deadline = 300 }; /* seconds */

void check_moment(double seconds) {
  struct timespec left = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  while (nanosleep(&left, &left) != 0) continue;
}

bool check_awaited(check_event event, void *context) {
  struct timespec begin, now;
  (void)clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    if (event(context)) return true;
    check_moment(0.005);
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec - begin.tv_sec < deadline);
  return false;
}

void check_await(const char *what, check_event event, void *context) {
  if (!check_awaited(event, context)) fail_msg("%s within %d seconds", what, deadline);
}
