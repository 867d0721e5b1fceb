/* Waiting for a change by another thread, on a monotonic clock. */
#ifndef SOTTO_SRC_BASE_WAIT_H
#define SOTTO_SRC_BASE_WAIT_H

#include <pthread.h>

/* Initialises a condition for sotto_i_condition_wait; destroy it with pthread_cond_destroy. Aborts when
 * the system has no memory for it. */
void sotto_i_condition_init(pthread_cond_t *condition);
/* Waits until the condition is signalled, at most a tenth of a second, so that the caller can check
 * timeouts and interrupts. The caller holds the lock. */
void sotto_i_condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock);

#endif
