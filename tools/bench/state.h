/* What was trained so far: a file of JSON lines, one a training, written through to the disk. */
#ifndef SOTTO_TOOLS_BENCH_STATE_H
#define SOTTO_TOOLS_BENCH_STATE_H

#include "sotto/base.h"

enum { APP_BENCH_KEY = 33 };
#define APP_BENCH_MISSING SIZE_MAX

typedef struct app_bench_trial {
  char key[APP_BENCH_KEY];
  bool failed;
  char reason[200];        /* why it failed */
  double validation, test; /* accuracy, 0 to 1 */
  double seconds;
  double epsilon; /* as stated: INFINITY without privacy, 0 when no edge was used */
} app_bench_trial;

/* For people who read the file. */
typedef struct app_bench_label {
  const char *dataset, *method, *level, *epsilon, *options;
  uint64_t seed;
} app_bench_label;

typedef struct app_bench_state {
  int descriptor;
  app_bench_trial *items;
  size_t count, capacity;
} app_bench_state;

/* Opens the file, or makes it; a last line that a crash cut short is taken off. One process at a time:
 * INVALID while another has it open. Errors also: IO, CORRUPT (naming the line), NOMEM. */
sotto_status app_bench_state_open(app_bench_state *out, const char *path, sotto_error *err);
/* Appends the lines of another such file whose trainings are not in this one. A last line that is cut short
 * is left out. Errors: IO, CORRUPT (naming the line), NOMEM. */
sotto_status app_bench_state_take(app_bench_state *state, const char *path, sotto_error *err);
void app_bench_state_close(app_bench_state *state);
/* The number of the training, or APP_BENCH_MISSING. */
size_t app_bench_state_find(const app_bench_state *state, const char *key);
/* Appends a line; it is on the disk when the call returns. */
sotto_status app_bench_state_add(app_bench_state *state, const app_bench_trial *trial,
                                 const app_bench_label *label, sotto_error *err);

/* The point to report: the one with the best validation accuracy, the first of several; what its test
 * accuracy is plays no part. `count` when every one failed. */
size_t app_bench_choose(const app_bench_trial *const *trials, size_t count);

#endif
