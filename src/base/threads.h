/* The thread pool of the process. */
#ifndef SOTTO_SRC_BASE_THREADS_H
#define SOTTO_SRC_BASE_THREADS_H

#include "sotto/base.h"

/* Processes items [begin, end). */
typedef void (*sotto_i_range_fn)(void *context, size_t begin, size_t end);

/* Calls `work` on consecutive ranges of at most `grain` items that cover [0, count), on all threads of the
 * pool and the caller, and returns when all are done. Range borders depend on `grain` alone, never on the
 * number of threads, so work that keeps a partial result per range is repeatable. A call from inside `work`
 * runs inline. Several threads may call at once. grain > 0. Allocates nothing. */
void sotto_i_parallel(size_t count, size_t grain, sotto_i_range_fn work, void *context);

#endif
