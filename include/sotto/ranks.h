/* Ranks: several processes of one party that share one run, started by mpirun. */
#ifndef SOTTO_RANKS_H
#define SOTTO_RANKS_H

#include "sotto/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The processes of one party, numbered from 0. All belong to the data owner: messages between them are not
 * encrypted, and any rank may read the data of another.
 *
 * All ranks make every call that takes ranks, in the same order, from one thread. If a call fails at one
 * rank, the next call fails at the others, with the same status and the number of the failed rank. A training
 * of two parties sends from two threads, one at a time: a program that initialises MPI itself asks for
 * MPI_THREAD_SERIALIZED. */
typedef struct sotto_ranks sotto_ranks;

/* Whether this library was built with MPI. */
SOTTO_API bool sotto_ranks_built(void);
/* Number of processes that the launcher reports (mpirun, srun); 0: no launcher started this process. */
SOTTO_API uint32_t sotto_ranks_launched(void);

/* Number of this process that the launcher reports, from 0. */
SOTTO_API uint32_t sotto_ranks_launched_as(void);

/* Makes the ranks of a communicator. `communicator` points to an MPI_Comm, which is duplicated; NULL: all
 * processes of MPI_COMM_WORLD. MPI is initialised, and finalised by sotto_ranks_end, unless the caller did
 * so. The caller owns *out. Errors: UNSUPPORTED (built without MPI), IO (MPI reports a failure), NOMEM. */
SOTTO_API sotto_status sotto_ranks_begin(sotto_ranks **out, const void *communicator, sotto_error *err);
/* Ends the ranks, also after a failure. If another rank waits for bytes that will not come, it ends the
 * process with exit status `code`. NULL is allowed. */
SOTTO_API void sotto_ranks_end(sotto_ranks *ranks, int code);

SOTTO_API uint32_t sotto_ranks_number(const sotto_ranks *ranks);
SOTTO_API uint32_t sotto_ranks_count(const sotto_ranks *ranks);

/* Broadcasts text of at most `size` bytes from rank 0 to all ranks. Errors: those of another rank. */
SOTTO_API sotto_status sotto_ranks_text(sotto_ranks *ranks, char *text, size_t size, sotto_error *err);
/* Reports the failure of this rank to the others, which fail with `err`. Does nothing if another rank
 * failed before. NULL is allowed. */
SOTTO_API void sotto_ranks_fail(sotto_ranks *ranks, const sotto_error *err);

#ifdef __cplusplus
}
#endif
#endif
