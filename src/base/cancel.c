/* Cancellation scopes: how a thread learns that its call is cancelled. */
#include "cancel.h"

#include <stdatomic.h>

#include "error.h"
#include "memory.h"
#include "sotto/cancel.h"

static _Thread_local sotto_i_scope *innermost;

void sotto_i_scope_begin(sotto_i_scope *scope, const sotto_observer *observer) {
  scope->open = observer != NULL && observer->cancelled != NULL &&
                (innermost == NULL || innermost->observer != observer);
  if (!scope->open) return;
  scope->observer = observer;
  scope->outer = innermost;
  atomic_init(&scope->stopped, false);
  innermost = scope;
}

void sotto_i_scope_end(sotto_i_scope *scope) {
  if (scope->open) innermost = scope->outer;
}

void sotto_cancelled_by(const sotto_observer *observer) {
  static _Thread_local sotto_i_scope of_thread; /* the outermost one */
  SOTTO_I_CHECK(innermost == NULL || innermost == &of_thread);
  innermost = NULL;
  sotto_i_scope_begin(&of_thread, observer);
}

sotto_i_scope *sotto_i_scope_current(void) {
  return innermost;
}

sotto_i_scope *sotto_i_scope_swap(sotto_i_scope *to) {
  sotto_i_scope *before = innermost;
  innermost = to;
  return before;
}

/* The answer is remembered: work skipped because of it must not count as done later. */
static bool is_cancelled(sotto_i_scope *scope) {
  if (atomic_load(&scope->stopped)) return true;
  if (!scope->observer->cancelled(scope->observer->context)) return false;
  atomic_store(&scope->stopped, true);
  return true;
}

bool sotto_i_stopped(void) {
  if (sotto_interrupted()) return true;
  for (sotto_i_scope *scope = innermost; scope != NULL; scope = scope->outer)
    if (is_cancelled(scope)) return true;
  return false;
}

typedef struct thread_start {
  void *(*work)(void *context);
  void *context;
  sotto_i_scope *scope;
} thread_start;

static void *run_in_scope(void *context) {
  thread_start *boxed = context;
  const thread_start s = *boxed;
  sotto_i_free(boxed);
  (void)sotto_i_scope_swap(s.scope);
  return s.work(s.context);
}

bool sotto_i_thread_start(pthread_t *thread, void *(*work)(void *context), void *context) {
  thread_start *boxed;
  if (sotto_i_new(&boxed, 1, sizeof *boxed, NULL) != SOTTO_OK) return false;
  *boxed = (thread_start){.work = work, .context = context, .scope = innermost};
  if (pthread_create(thread, NULL, run_in_scope, boxed) == 0) return true;
  sotto_i_free(boxed);
  return false;
}
