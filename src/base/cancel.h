/* Cancellation scopes: which call a thread works for, so that one of several runs in a process can be
 * cancelled.
 *
 * A call that takes an observer opens a scope on its thread. Threads started for the call inherit the
 * scope, and so do pool threads while they work for it. sotto_i_check_interrupt asks the observers of the
 * thread's scopes. A scope lives on the stack of its call; the call waits for all its threads and jobs
 * before it returns. */
#ifndef SOTTO_SRC_BASE_CANCEL_H
#define SOTTO_SRC_BASE_CANCEL_H

#include <pthread.h>

#include "sotto/base.h"

typedef struct sotto_i_scope {
  const sotto_observer *observer;
  struct sotto_i_scope *outer;
  _Atomic bool stopped; /* the observer said true once and is not asked again */
  bool open;
} sotto_i_scope;

/* Opens a scope on this thread. Does nothing when `observer` is NULL, cannot be cancelled, or already owns
 * the innermost scope. Close scopes on the same thread, innermost first. */
void sotto_i_scope_begin(sotto_i_scope *scope, const sotto_observer *observer);
void sotto_i_scope_end(sotto_i_scope *scope);

/* Lets `observer` cancel the rest of the block. */
#define SOTTO_I_CANCELLED_BY(observer)                                                                       \
  sotto_i_scope cancel_scope __attribute__((cleanup(sotto_i_scope_end)));                                    \
  sotto_i_scope_begin(&cancel_scope, (observer))

/* The innermost scope of this thread, or NULL. sotto_i_scope_swap replaces it, for a thread that works for
 * another call for a while, and returns the previous scope. */
sotto_i_scope *sotto_i_scope_current(void);
sotto_i_scope *sotto_i_scope_swap(sotto_i_scope *to);

/* Whether this thread should stop: sotto_interrupt was called, or an observer reports cancellation. */
bool sotto_i_stopped(void);

/* pthread_create for a thread that works for the same call. Returns false when no thread could be made. */
bool sotto_i_thread_start(pthread_t *thread, void *(*work)(void *context), void *context);

#endif
