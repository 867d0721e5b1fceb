/* What a run shows, as lines of text: log lines, events, files, charges, how a call ended. Two worlds that
 * differ in one private item have to show the same. */
#ifndef SOTTO_TESTS_SUPPORT_TRACE_H
#define SOTTO_TESTS_SUPPORT_TRACE_H

#include "sotto/methods.h"

typedef struct check_lines {
  char *text; /* owned */
  size_t size, room;
} check_lines;

/* Roles of a run are threads, which tell one observer of messages and epochs in any order: those of a call
 * are sorted when it ends. */
typedef struct check_trace {
  check_lines all, said;
} check_trace;

/* A line. Numbers with a fraction or an exponent, which noise decides, long hexadecimal names and times of
 * the day become '#'; whole numbers stay. */
void check_trace_add(check_trace *t, const char *format, ...);
/* How a call ended, after what its roles said. */
void check_trace_end(check_trace *t, const char *what, sotto_status status, const sotto_error *err);
/* Writes log lines and events to the trace, in their order. */
sotto_observer check_trace_observer(check_trace *t);
/* Files of a folder by name, but those of owner-only: the text of JSON and YAML, pages without their
 * numbers, lines of CSV, and sizes of all others. */
void check_trace_folder(check_trace *t, const char *folder);
/* All charges of the ledger, dataset by dataset, those of one in their order. */
void check_trace_ledger(check_trace *t, const char *ledger);
/* Where they differ first, of each, in `line`; false: nowhere. */
bool check_trace_differ(char line[2][400], const check_trace *a, const check_trace *b);
void check_trace_free(check_trace *t);

#endif
