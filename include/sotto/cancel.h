/* Cancellation of calls that take no observer, such as those of the accountant and of the ledger. */
#ifndef SOTTO_CANCEL_H
#define SOTTO_CANCEL_H

#include "sotto/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From now on every call of this thread is cancelled by `observer` too, of which `cancelled` alone is read:
 * it ends soon with SOTTO_INTERRUPTED once that says true. NULL: by nobody any more. Other threads are as
 * they were. The observer has to last until the next call of this function, or the end of the thread. Not to
 * be called from a callback of the library. */
SOTTO_API void sotto_cancelled_by(const sotto_observer *observer);

#ifdef __cplusplus
}
#endif

#endif
