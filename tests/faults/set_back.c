/* The time of day is set back ten hours right after each time that somebody asks for it. */
#include <time.h>

int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time) {
  const int status = __real_clock_gettime(clock, time);
  if (clock == CLOCK_REALTIME) time->tv_sec += 36000;
  return status;
}
