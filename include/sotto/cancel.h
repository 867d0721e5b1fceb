/* Cancellation of calls that take no observer, such as those of the accountant and of the ledger. */
#ifndef SOTTO_CANCEL_H
#define SOTTO_CANCEL_H

#include "sotto/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From now on `observer->cancelled` can also cancel every call of this thread: the call ends soon with
 * SOTTO_INTERRUPTED once it returns true. Its other members are not read. NULL: ends this. Other threads are
 * not affected. The observer has to last until the next call of this function, or the end of the thread. Not
 * to be called from a callback of the library. */
SOTTO_API void sotto_cancelled_by(const sotto_observer *observer);

#ifdef __cplusplus
}
#endif

#endif
