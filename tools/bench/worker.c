/* Forked workers: an answer is one structure through a pipe. */
#include "worker.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/progress.h"

typedef struct answer {
  sotto_status status;
  app_bench_trial trial;
} answer;

static _Noreturn void work(int pipe, pid_t parent, app_bench_body body, void *context) {
  answer a = {.status = SOTTO_INTERRUPTED};
  sotto_error err = {0};
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1); /* it was gone before the line above */
  double begin = sotto_i_seconds();
  a.status = body(&a.trial, context, &err);
  a.trial.seconds = sotto_i_seconds() - begin;
  if (a.status != SOTTO_OK) {
    a.trial.failed = true;
    (void)snprintf(a.trial.reason, sizeof a.trial.reason, "%.*s", (int)sizeof a.trial.reason - 1,
                   err.text[0] == '\0' ? sotto_status_text(a.status) : err.text);
  }
  bool told = write(pipe, &a, sizeof a) == (ssize_t)sizeof a; /* below PIPE_BUF: whole or not */
  _exit(told ? 0 : 1);
}

sotto_status app_bench_worker_start(app_bench_worker *out, app_bench_body body, void *context,
                                    sotto_error *err) {
  int ends[2];
  *out = (app_bench_worker){.process = 0};
  if (pipe(ends) != 0) return sotto_i_fail(err, SOTTO_IO, "a worker's pipe: %s", strerror(errno));
  pid_t parent = getpid(), child = fork();
  if (child < 0) {
    (void)close(ends[0]);
    (void)close(ends[1]);
    return sotto_i_fail(err, SOTTO_IO, "a worker's process: %s", strerror(errno));
  }
  if (child == 0) {
    (void)close(ends[0]);
    work(ends[1], parent, body, context);
  }
  (void)close(ends[1]);
  *out = (app_bench_worker){.process = child, .pipe = ends[0], .begin = sotto_i_seconds()};
  return SOTTO_OK;
}

/* Reaps it; its wait status. */
static int reap(app_bench_worker *worker) {
  int state = 0;
  while (waitpid(worker->process, &state, 0) < 0 && errno == EINTR) continue;
  (void)close(worker->pipe);
  worker->process = 0;
  return state;
}

sotto_status app_bench_worker_end(app_bench_worker *worker, app_bench_trial *out, sotto_error *err) {
  answer a = {.status = SOTTO_IO};
  ssize_t got;
  do got = read(worker->pipe, &a, sizeof a);
  while (got < 0 && errno == EINTR);
  double seconds = sotto_i_seconds() - worker->begin;
  int state = reap(worker);
  if (got == (ssize_t)sizeof a) {
    *out = a.trial;
    if (a.status != SOTTO_INTERRUPTED) return SOTTO_OK;
    return sotto_i_fail(err, SOTTO_INTERRUPTED, "stopped on request");
  }
  *out = (app_bench_trial){.failed = true, .seconds = seconds};
  if (WIFSIGNALED(state))
    (void)snprintf(out->reason, sizeof out->reason, "ended by signal %d (%s)", WTERMSIG(state),
                   strsignal(WTERMSIG(state)));
  else
    (void)snprintf(out->reason, sizeof out->reason, "ended with status %d and no answer", WEXITSTATUS(state));
  return SOTTO_OK;
}

void app_bench_worker_kill(app_bench_worker *worker) {
  if (worker->process == 0) return;
  (void)kill(worker->process, SIGKILL);
  (void)reap(worker);
}
