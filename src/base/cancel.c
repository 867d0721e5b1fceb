/* Scopes of calls: how a thread learns that the call it works for is cancelled. */
#include "cancel.h"

#include <stdatomic.h>

#include "memory.h"

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

sotto_i_scope *sotto_i_scope_current(void) {
  return innermost;
}

sotto_i_scope *sotto_i_scope_swap(sotto_i_scope *to) {
  sotto_i_scope *before = innermost;
  innermost = to;
  return before;
}

/* The answer is kept: work that was skipped because of it must not count as done afterwards. */
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

typedef struct start {
  void *(*work)(void *context);
  void *context;
  sotto_i_scope *scope;
} start;

static void *enter(void *context) {
  start *given = context;
  const start s = *given;
  sotto_i_free(given);
  (void)sotto_i_scope_swap(s.scope);
  return s.work(s.context);
}

bool sotto_i_thread_start(pthread_t *thread, void *(*work)(void *context), void *context) {
  start *given;
  if (sotto_i_new(&given, 1, sizeof *given, NULL) != SOTTO_OK) return false;
  *given = (start){.work = work, .context = context, .scope = innermost};
  if (pthread_create(thread, NULL, enter, given) == 0) return true;
  sotto_i_free(given);
  return false;
}
