/* Error handling of the program: statuses and errors of the library, filled here. */
#ifndef SOTTO_APP_COMMON_ERROR_H
#define SOTTO_APP_COMMON_ERROR_H

#include "sotto/base.h"

/* Fills `err` unless it already holds a failure (the first one is the cause); returns `status`. */
sotto_status app_fail(sotto_error *err, sotto_status status, const char *format, ...) SOTTO_PRINTF(3, 4);

/* Puts "prefix: " before the text of a failure that is passed on. */
void app_error_prefix(sotto_error *err, const char *format, ...) SOTTO_PRINTF(2, 3);

/* Calls the observer's log, if there is one. */
void app_log(const sotto_observer *observer, sotto_log_level level, const char *format, ...)
    SOTTO_PRINTF(3, 4);

/* Aborts with a message: an invariant of the program itself is broken. */
_Noreturn void app_broken(const char *file, int line, const char *what);
#define APP_CHECK(condition) ((condition) ? (void)0 : app_broken(__FILE__, __LINE__, #condition))

/* Needs a `sotto_status status` and a label `done` in scope. */
#define SOTTO_TRY(call)                                                                                      \
  do {                                                                                                       \
    status = (call);                                                                                         \
    if (status != SOTTO_OK) goto done;                                                                       \
  } while (0)

#endif
