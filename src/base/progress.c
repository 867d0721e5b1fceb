/* Observers, interruption, clocks, peak memory. */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "cancel.h"
#include "error.h"
#include "inside/base.h"

static atomic_bool stop_asked;

void sotto_interrupt(void) {
  atomic_store(&stop_asked, true);
}

bool sotto_interrupted(void) {
  return atomic_load(&stop_asked);
}

void sotto_interrupt_clear(void) {
  atomic_store(&stop_asked, false);
}

sotto_status sotto_i_check_interrupt(sotto_error *err) {
  if (!sotto_i_stopped()) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INTERRUPTED, "stopped on request");
}

void sotto_i_progress(const sotto_observer *observer, const char *stage, uint64_t done, uint64_t total,
                      const char *note) {
  if (observer != NULL && observer->progress != NULL)
    observer->progress(observer->context, stage, done, total, note);
}

void sotto_i_log(const sotto_observer *observer, sotto_log_level level, const char *format, ...) {
  if (observer == NULL || observer->log == NULL) return;
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  sotto_text_clean(text, false);
  observer->log(observer->context, level, text);
}

const char *sotto_event_name(sotto_event_kind kind) {
  static const char *const names[] = {
#define SOTTO_EVENT_WORD(name, word, meaning) word,
      SOTTO_EVENT_LIST(SOTTO_EVENT_WORD)
#undef SOTTO_EVENT_WORD
  };
  return (unsigned)kind < SOTTO_EVENTS ? names[kind] : "unknown";
}

void sotto_i_event(const sotto_observer *observer, const sotto_event *event) {
  if (observer == NULL) return;
  if (observer->event != NULL)
    observer->event(observer->context, event);
  else if (event->text != NULL)
    sotto_i_log(observer, event->kind == SOTTO_EVENT_LOST ? SOTTO_LOG_WARNING : SOTTO_LOG_INFO, "%s",
                event->text);
}

static void guarded_progress(void *context, const char *stage, uint64_t done, uint64_t total,
                             const char *note) {
  sotto_i_guard *guard = context;
  pthread_mutex_lock(&guard->lock);
  sotto_i_progress(guard->inner, stage, done, total, note);
  pthread_mutex_unlock(&guard->lock);
}

static void guarded_log(void *context, sotto_log_level level, const char *text) {
  sotto_i_guard *guard = context;
  pthread_mutex_lock(&guard->lock);
  sotto_i_log(guard->inner, level, "%s", text);
  pthread_mutex_unlock(&guard->lock);
}

static void guarded_event(void *context, const sotto_event *event) {
  sotto_i_guard *guard = context;
  pthread_mutex_lock(&guard->lock);
  sotto_i_event(guard->inner, event);
  pthread_mutex_unlock(&guard->lock);
}

/* Takes no lock: several threads may call `cancelled` at once anyway. */
static bool guarded_cancelled(void *context) {
  const sotto_observer *inner = ((const sotto_i_guard *)context)->inner;
  return inner->cancelled(inner->context);
}

sotto_observer sotto_i_guard_begin(sotto_i_guard *guard, const sotto_observer *inner) {
  guard->inner = inner;
  pthread_mutex_init(&guard->lock, NULL);
  return (sotto_observer){
      .context = guard,
      .progress = guarded_progress,
      .log = guarded_log,
      .event = inner != NULL && (inner->event != NULL || inner->log != NULL) ? guarded_event : NULL,
      .cancelled = inner != NULL && inner->cancelled != NULL ? guarded_cancelled : NULL};
}

void sotto_i_guard_end(sotto_i_guard *guard) {
  pthread_mutex_destroy(&guard->lock);
}

double sotto_i_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Peak of this program alone: ru_maxrss starts at the peak of the process that started it. */
static uint64_t peak_of_program(void) {
  char line[128];
  unsigned long long kilobytes = 0;
  FILE *in = fopen("/proc/self/status", "re");
  while (in != NULL && kilobytes == 0 && fgets(line, sizeof line, in) != NULL)
    if (strncmp(line, "VmHWM:", 6) == 0) kilobytes = strtoull(line + 6, NULL, 10);
  if (in != NULL) (void)fclose(in);
  return kilobytes * 1024;
}

uint64_t sotto_i_peak_rss(void) {
  struct rusage usage;
  const uint64_t own = peak_of_program();
  if (own > 0) return own;
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return (uint64_t)usage.ru_maxrss * 1024;
}
