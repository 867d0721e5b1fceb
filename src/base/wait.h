/* Waiting for a change by another thread, on a monotonic clock. */
#ifndef SOTTO_SRC_BASE_WAIT_H
#define SOTTO_SRC_BASE_WAIT_H

#include <pthread.h>

/* For sotto_i_condition_wait; pthread_cond_destroy destroys it. Has to succeed: aborts where the system has
 * no memory for it. */
void sotto_i_condition_init(pthread_cond_t *condition);
/* Waits until the condition is signalled, a tenth of a second at most, so that whoever waits can look for
 * limits of time and for an interrupt. The lock is held. */
void sotto_i_condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock);

#endif
