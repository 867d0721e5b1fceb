/* A fault inside a process, at a step that is counted: preloaded (LD_PRELOAD) into the program under test by
 * tests/net/worlds. A step is a write to a socket (a message, or a part of one) or a sync of a file. At step
 * WORLD_AT the process gets a signal, its clocks jump, its disks are full for a while, or several of these.
 *
 *   WORLD_STEP       message or sync: which steps are counted
 *   WORLD_AT         the number of the step at which the fault happens, before it is done; 0: never
 *   WORLD_SIGNAL     a number: the signal that the process gets then (9: killed, 15: asked to end, 19:
 * stopped) WORLD_REAL       seconds by which CLOCK_REALTIME jumps then, after the signal WORLD_MONOTONIC  the
 * same for CLOCK_MONOTONIC, as on a system that counts the time of a suspension WORLD_FULL       seconds for
 * which files then take no more bytes: ENOSPC WORLD_NOTE       a file that gets a line when the fault happens
 *   WORLD_COUNTS     a file that gets the numbers of both kinds of steps when the process ends */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { a_message, a_sync, slice = 20000000 /* ns */ };
static const int64_t second = 1000000000;

static _Atomic uint64_t steps[2];
static _Atomic int64_t ahead[2];   /* by how much the clocks show more, ns: real, monotonic */
static _Atomic int64_t full_until; /* by the true monotonic clock */

static void *below(const char *name) {
  return dlsym(RTLD_NEXT, name);
}

#define BELOW(name) ((__typeof__(&name))below(#name))

static double number(const char *name) {
  const char *text = getenv(name);
  return text == NULL ? 0 : atof(text);
}

static int64_t nanoseconds(struct timespec time) {
  return (int64_t)time.tv_sec * second + time.tv_nsec;
}

static struct timespec timespec_of(int64_t time) {
  return (struct timespec){.tv_sec = (time_t)(time / second), .tv_nsec = (long)(time % second)};
}

/* By the kernel: a sanitizer asks for the time while it allocates, where dlsym, which allocates, may not be
 * called. */
static int read_clock(clockid_t clock, struct timespec *time) {
  return (int)syscall(SYS_clock_gettime, clock, time);
}

static int64_t true_time(clockid_t clock) {
  struct timespec time = {0};
  (void)read_clock(clock, &time);
  return nanoseconds(time);
}

static void note(const char *variable, const char *format, unsigned long long a, unsigned long long b) {
  const char *path = getenv(variable);
  if (path == NULL) return;
  int descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor < 0) return;
  (void)dprintf(descriptor, format, a, b);
  (void)close(descriptor);
}

static void strike(unsigned long long at) {
  int sent = (int)number("WORLD_SIGNAL");
  note("WORLD_NOTE", "%llu of %llu\n", at, at);
  if (number("WORLD_FULL") > 0)
    full_until = true_time(CLOCK_MONOTONIC) + (int64_t)(number("WORLD_FULL") * (double)second);
  if (sent == SIGTERM) (void)kill(getpid(), sent); /* this thread may not take it */
  if (sent != 0 && sent != SIGTERM) (void)raise(sent);
  ahead[0] = (int64_t)(number("WORLD_REAL") * (double)second);
  ahead[1] = (int64_t)(number("WORLD_MONOTONIC") * (double)second);
}

static void step(int kind) {
  uint64_t at = ++steps[kind];
  const char *counted = getenv("WORLD_STEP");
  if (counted == NULL || strcmp(counted, kind == a_message ? "message" : "sync") != 0) return;
  if (at == (uint64_t)number("WORLD_AT")) strike(at);
}

__attribute__((destructor)) static void count_up(void) {
  note("WORLD_COUNTS", "%llu %llu\n", steps[a_message], steps[a_sync]);
}

static bool is_kind(int descriptor, mode_t kind) {
  struct stat info;
  int saved = errno;
  bool is = fstat(descriptor, &info) == 0 && (info.st_mode & S_IFMT) == kind;
  errno = saved;
  return is;
}

static bool no_room(int descriptor) {
  if (full_until == 0 || true_time(CLOCK_MONOTONIC) >= full_until || !is_kind(descriptor, S_IFREG))
    return false;
  errno = ENOSPC;
  return true;
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
  if (is_kind(descriptor, S_IFSOCK)) step(a_message);
  return no_room(descriptor) ? -1 : BELOW(write)(descriptor, bytes, size);
}

ssize_t send(int descriptor, const void *bytes, size_t size, int flags) {
  step(a_message);
  return BELOW(send)(descriptor, bytes, size, flags);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t at) {
  return no_room(descriptor) ? -1 : BELOW(pwrite)(descriptor, bytes, size, at);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t at) {
  return no_room(descriptor) ? -1 : BELOW(pwrite64)(descriptor, bytes, size, at);
}

int fsync(int descriptor) {
  step(a_sync);
  return BELOW(fsync)(descriptor);
}

int fdatasync(int descriptor) {
  step(a_sync);
  return BELOW(fdatasync)(descriptor);
}

/* Which of `ahead` a clock has, or -1. */
static int jumps(clockid_t clock) {
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) return 0;
  return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE ? 1 : -1;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int status = read_clock(clock, time), which = jumps(clock);
  if (status == 0 && which >= 0) *time = timespec_of(nanoseconds(*time) + ahead[which]);
  return status;
}

time_t time(time_t *out) {
  time_t shown = (time_t)((true_time(CLOCK_REALTIME) + ahead[0]) / second);
  if (out != NULL) *out = shown;
  return shown;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
  int64_t shown = true_time(CLOCK_REALTIME) + ahead[0];
  (void)zone;
  *out =
      (struct timeval){.tv_sec = (time_t)(shown / second), .tv_usec = (suseconds_t)(shown % second / 1000)};
  return 0;
}

/* Waits as the kernel would if its own clocks had jumped: until the clock that jumps shows the deadline, in
 * slices of the true time. A deadline before the year 2000 is one of the monotonic clock. */
int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict lock,
                           const struct timespec *restrict deadline) {
  static _Atomic(__typeof__(&pthread_cond_timedwait)) real;
  if (real == NULL) real = BELOW(pthread_cond_timedwait);
  int64_t until = nanoseconds(*deadline);
  clockid_t clock = deadline->tv_sec < 946684800 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
  for (;;) {
    int64_t true_now = true_time(clock), left = until - true_now - ahead[clock == CLOCK_MONOTONIC];
    if (left <= 0) left = 0;
    const struct timespec soon = timespec_of(true_now + (left < slice ? left : slice));
    int status = real(condition, lock, &soon);
    if (status != ETIMEDOUT || left <= slice) return status;
  }
}
