/* What test programs of several ranks fail by: the rank says why on standard error, and ends. */
#ifndef SOTTO_TESTS_MPI_MUST_H
#define SOTTO_TESTS_MPI_MUST_H

#include <stdio.h>
#include <stdlib.h>

#include "sotto/ranks.h"

static sotto_ranks *ranks;
static char note[48]; /* follows the number of the rank in what is said */

static void stop(const char *what, const char *why) {
  (void)fprintf(stderr, "rank %u%s: %s: %s\n", ranks == NULL ? 0 : (unsigned)sotto_ranks_number(ranks), note,
                what, why);
  _Exit(1);
}

/* A call that uses `err` and must succeed. */
#define MUST(call)                                                                                           \
  do {                                                                                                       \
    sotto_error must_err = {0};                                                                              \
    sotto_error *err = &must_err;                                                                            \
    if ((call) != SOTTO_OK) stop(#call, err->text);                                                          \
  } while (0)
#define CHECK(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) stop(#condition, "does not hold");                                                     \
  } while (0)

#endif
