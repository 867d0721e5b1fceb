/* Error handling: functions fill a sotto_error, and SOTTO_TRY jumps to `done`, where everything is freed. */
#ifndef SOTTO_SRC_BASE_ERROR_H
#define SOTTO_SRC_BASE_ERROR_H

#include "sotto/base.h"

/* Fills `err` unless it already holds a failure (the first failure is the cause). Returns `status`. */
sotto_status sotto_i_fail(sotto_error *err, sotto_status status, const char *format, ...) SOTTO_PRINTF(3, 4);

/* Puts "prefix: " before the text of a failure that is passed on. */
void sotto_i_error_prefix(sotto_error *err, const char *format, ...) SOTTO_PRINTF(2, 3);

/* Aborts with a message: an invariant of the library is broken. */
_Noreturn void sotto_i_broken(const char *file, int line, const char *what);
#define SOTTO_I_CHECK(condition) ((condition) ? (void)0 : sotto_i_broken(__FILE__, __LINE__, #condition))

/* Needs `sotto_status status` and a label `done` in scope. */
#define SOTTO_TRY(call)                                                                                      \
  do {                                                                                                       \
    status = (call);                                                                                         \
    if (status != SOTTO_OK) goto done;                                                                       \
  } while (0)

#endif
