/* A run shared by several ranks: rank 0 has the folder, the ledger and the result; the others help. */
#ifndef SOTTO_SRC_RUN_TRAIN_RANKS_H
#define SOTTO_SRC_RUN_TRAIN_RANKS_H

#include "ranks/ranks.h"
#include "run.h"

/* The ranks of a run; NULL: a single process, and the functions below have no effect. */
sotto_ranks *sotto_i_run_ranks(const sotto_i_run *run);
/* Errors: UNSUPPORTED, with what to do instead. */
sotto_status sotto_i_run_check_ranks(const sotto_i_run *run, sotto_error *err);
/* Called on all ranks after all checks: they must have the same options and data, and get rank 0's run id.
 * Errors: INVALID, those of another rank. */
sotto_status sotto_i_run_agree(sotto_i_run *run, sotto_error *err);
/* Rank 0 says which seed it plays next, and all ranks have its index then; SOTTO_I_NO_SEED: none is left.
 * Errors: those of another rank. */
#define SOTTO_I_NO_SEED UINT64_MAX
sotto_status sotto_i_run_tell_seed(const sotto_i_run *run, uint64_t *index, sotto_error *err);
/* Called after the last step: writes the memory and traffic of each rank to owner-only/ranks.json. All
 * ranks then end. */
sotto_status sotto_i_run_end_ranks(const sotto_i_run *run, sotto_error *err);
/* The whole run of a rank other than rank 0. *out gets what the rank knows. */
sotto_status sotto_i_run_help(sotto_result *out, sotto_i_run *run, const sotto_observer *observer,
                              sotto_error *err);

#endif
