/* One training in a process of its own: a crash there is a line in the results, not the end of the bench. */
#ifndef SOTTO_TOOLS_BENCH_WORKER_H
#define SOTTO_TOOLS_BENCH_WORKER_H

#include <sys/types.h>

#include "state.h"

/* Fills what a training gave (not the key), or fails. */
typedef sotto_status (*app_bench_body)(app_bench_trial *out, void *context, sotto_error *err);

typedef struct app_bench_worker {
  pid_t process; /* 0: free */
  int pipe;
  double begin;
} app_bench_worker;

/* Starts `body` in a forked process, which dies with this one. The calling process has no other thread that
 * works. Errors: IO. */
sotto_status app_bench_worker_start(app_bench_worker *out, app_bench_body body, void *context,
                                    sotto_error *err);
/* Waits for it and takes what it gave: `failed` with a reason for an error, a signal, or an exit without an
 * answer. INTERRUPTED, and nothing to record, when it stopped on request. */
sotto_status app_bench_worker_end(app_bench_worker *worker, app_bench_trial *out, sotto_error *err);
/* Ends it at once, without an answer. */
void app_bench_worker_kill(app_bench_worker *worker);

#endif
