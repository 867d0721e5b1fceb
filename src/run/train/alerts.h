/* Measures and alerts of a rare class, after training. */
#ifndef SOTTO_SRC_RUN_TRAIN_ALERTS_H
#define SOTTO_SRC_RUN_TRAIN_ALERTS_H

#include "run.h"

/* Where a class is rare, asks each seed's model about all nodes, sets the seeds' `rare` in `out` and writes
 * alerts.json. Nothing is drawn: a model with noise answers from the seed's own release. Runs
 * of parties over a network and of ranks log that a class is rare. Does nothing for graphs, and at levels at
 * which models do not answer. A model that does not answer is logged. Errors: NOMEM, IO, INTERRUPTED. */
SOTTO_MUST_USE sotto_status sotto_i_alerts_keep(sotto_result *out, const sotto_i_run *r, sotto_error *err);

#endif
