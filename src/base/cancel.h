/* Which call a thread works for, so that one of several runs in a process can be cancelled.
 *
 * A call that is given an observer opens a scope on its thread. Threads that the library starts for the call,
 * and the pool while it works for it, carry the scope; sotto_i_check_interrupt asks the observers of the
 * thread's scopes. A scope lives on its call's stack; the call waits for all its threads and jobs before it
 * returns. */
#ifndef SOTTO_SRC_BASE_CANCEL_H
#define SOTTO_SRC_BASE_CANCEL_H

#include <pthread.h>

#include "sotto/base.h"

typedef struct sotto_i_scope {
  const sotto_observer *observer;
  struct sotto_i_scope *outer;
  _Atomic bool stopped; /* the observer said true once: it is not asked again */
  bool open;
} sotto_i_scope;

/* Opens a scope on this thread; does nothing when `observer` is NULL, cannot be cancelled, or is the one of
 * the innermost scope. The end must come on the same thread, innermost first. */
void sotto_i_scope_begin(sotto_i_scope *scope, const sotto_observer *observer);
void sotto_i_scope_end(sotto_i_scope *scope);

/* The rest of the block may be cancelled by `observer`. */
#define SOTTO_I_CANCELLED_BY(observer)                                                                       \
  sotto_i_scope cancel_scope __attribute__((cleanup(sotto_i_scope_end)));                                    \
  sotto_i_scope_begin(&cancel_scope, (observer))

/* The innermost scope of this thread, or NULL; and another in its place, for a thread that works for another
 * call for a while. Returns the one before. */
sotto_i_scope *sotto_i_scope_current(void);
sotto_i_scope *sotto_i_scope_swap(sotto_i_scope *to);

/* Whether the work of this thread is to stop: sotto_interrupt was called, or an observer says that it is
 * cancelled. */
bool sotto_i_stopped(void);

/* pthread_create for a thread that works for the same call; false when it could not be made. */
bool sotto_i_thread_start(pthread_t *thread, void *(*work)(void *context), void *context);

#endif
