/* A run that several ranks share: rank 0 keeps the folder, the ledger and the result; the others help. */
#ifndef SOTTO_SRC_RUN_TRAIN_RANKS_H
#define SOTTO_SRC_RUN_TRAIN_RANKS_H

#include "ranks/ranks.h"
#include "run.h"

/* The ranks of a run; NULL: one process has it alone, and nothing here does anything. */
sotto_ranks *sotto_i_run_ranks(const sotto_i_run *run);
/* Errors: UNSUPPORTED, with what to do instead. */
sotto_status sotto_i_run_check_ranks(const sotto_i_run *run, sotto_error *err);
/* All ranks, once nothing refuses the run any more: they have the same options and data, and rank 0's run id.
 * Errors: INVALID, those of another rank. */
sotto_status sotto_i_run_agree(sotto_i_run *run, sotto_error *err);
/* After the last step: owner-only/ranks.json has what each rank held and sent. All ranks are done then. */
sotto_status sotto_i_run_end_ranks(const sotto_i_run *run, sotto_error *err);
/* The whole run of a rank that is not the first. *out gets what the rank knows. */
sotto_status sotto_i_run_help(sotto_result *out, sotto_i_run *run, const sotto_observer *observer,
                              sotto_error *err);

#endif
