/* Reports to the caller's observer, interruption, clocks. */
#ifndef SOTTO_SRC_BASE_PROGRESS_H
#define SOTTO_SRC_BASE_PROGRESS_H

#include <pthread.h>

#include "sotto/base.h"

/* Both do nothing when `observer` or its member is NULL. `note` may be NULL. */
void sotto_i_progress(const sotto_observer *observer, const char *stage, uint64_t done, uint64_t total,
                      const char *note);
void sotto_i_log(const sotto_observer *observer, sotto_log_level level, const char *format, ...)
    SOTTO_PRINTF(3, 4);
/* Passes the event on; an observer without `event` gets its text as a log line. */
void sotto_i_event(const sotto_observer *observer, const sotto_event *event);

/* Returns SOTTO_INTERRUPTED after sotto_interrupt, or when an observer of this thread's call reports
 * cancellation (cancel.h); else SOTTO_OK. */
sotto_status sotto_i_check_interrupt(sotto_error *err);

/* Seconds of a monotonic clock; peak resident set size in bytes. */
double sotto_i_seconds(void);
uint64_t sotto_i_peak_rss(void);

/* Wraps `inner` in an observer that several threads may call: it passes one call at a time. `guard` must
 * outlive the result; end with sotto_i_guard_end. `inner` may be NULL. */
typedef struct sotto_i_guard {
  pthread_mutex_t lock;
  const sotto_observer *inner;
} sotto_i_guard;
sotto_observer sotto_i_guard_begin(sotto_i_guard *guard, const sotto_observer *inner);
void sotto_i_guard_end(sotto_i_guard *guard);

#endif
