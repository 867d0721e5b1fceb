/* A table of works, each with calls of the system failing in turn, in a process of its own: one call of each
 * place, that is of each line with the eight functions that led there, in the first work that comes by. */
#ifndef SOTTO_TESTS_FAULTS_TABLE_H
#define SOTTO_TESTS_FAULTS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "faults/calls.h"

/* What is done, in the test's scratch folder; `number` is new each time, for a path that nobody had:
 * NAME-NUMBER, which is removed after the try. Returns an exit status: 0 done, 1 and 2 refused with a
 * sentence on stderr. */
typedef struct check_work {
  const char *name;
  int (*run)(const void *context, unsigned number);
  const void *context;
  bool (*whole)(void); /* after each try, in a process without faults: is what is there whole? May be NULL */
} check_work;

/* Runs it without a fault; fails the test unless it is done. */
void check_work_done(const check_work *work);
/* Prints the table's head, and then a row for each work: how many calls failed. Fails the test when a work
 * ends by a signal or another status, says nothing, leaks (with the sanitizers), leaves a temporary file, or
 * what is there is not whole; and when a kind of call failed less than five times in all, since then the
 * table is blind. */
void check_fault_table(const check_work *works, size_t count, unsigned kinds);

#endif
