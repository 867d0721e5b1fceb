/* Ranks: several processes of one party that share one run, started by mpirun. */
#ifndef SOTTO_RANKS_H
#define SOTTO_RANKS_H

#include "sotto/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The processes of one party, numbered from 0. All of them belong to the owner of the data: what passes
 * between them is not encrypted, and a rank may read whatever another one has.
 *
 * Every call that takes ranks is made by all of them, in the same order, from one thread. Where one fails,
 * the others fail too, at their next call, with the same status and the number of the rank that failed. */
typedef struct sotto_ranks sotto_ranks;

/* Was this library built with MPI? */
SOTTO_API bool sotto_ranks_built(void);
/* How many processes the launcher says that there are (mpirun, srun); 0: no launcher started this one. */
SOTTO_API uint32_t sotto_ranks_launched(void);

/* The number that it gave this one, from 0. */
SOTTO_API uint32_t sotto_ranks_launched_as(void);

/* The ranks of a communicator: `communicator` points to an MPI_Comm, which is duplicated; NULL: all processes
 * of MPI_COMM_WORLD, and MPI is initialised, and finalised by sotto_ranks_end, unless the caller did so. *out
 * is owned by the caller. Errors: UNSUPPORTED (built without MPI), IO (MPI says so), NOMEM. */
SOTTO_API sotto_status sotto_ranks_begin(sotto_ranks **out, const void *communicator, sotto_error *err);
/* Ends in any case, also after a failure; then it may end the process with exit status `code`, where another
 * rank still waits for bytes that will not come. NULL is fine. */
SOTTO_API void sotto_ranks_end(sotto_ranks *ranks, int code);

SOTTO_API uint32_t sotto_ranks_number(const sotto_ranks *ranks);
SOTTO_API uint32_t sotto_ranks_count(const sotto_ranks *ranks);

/* Gives text of at most `size` bytes, which rank 0 has, to all ranks. Errors: those of another rank. */
SOTTO_API sotto_status sotto_ranks_text(sotto_ranks *ranks, char *text, size_t size, sotto_error *err);
/* Tells the other ranks that this one failed; they fail with `err`. Does nothing where another rank failed
 * before. NULL is fine. */
SOTTO_API void sotto_ranks_fail(sotto_ranks *ranks, const sotto_error *err);

#ifdef __cplusplus
}
#endif
#endif
