/* The seeds of a run while they are trained, and their training as one party of several. */
#ifndef SOTTO_SRC_RUN_TRAIN_PARTY_TRAIN_H
#define SOTTO_SRC_RUN_TRAIN_PARTY_TRAIN_H

#include "run.h"

typedef struct sotto_i_seeds_state {
  sotto_result *out;
  sotto_i_run *r;
  const sotto_observer *observer;
  const sotto_recorder *recorder;
  size_t best;  /* of a party's seeds, as chosen by the label party */
  bool planned; /* by a server, which first needs the facts of the data */
} sotto_i_seeds_state;

/* train.c: the folder of a seed within the run's. Errors: NOMEM. */
sotto_status sotto_i_seed_folder(char **out, const sotto_i_run *run, uint64_t index, sotto_error *err);
/* train.c: runs one seed, or reads the result of a finished one (`taken_over`). */
SOTTO_MUST_USE sotto_status sotto_i_run_seed(sotto_result *out, const sotto_i_run *run, uint64_t index,
                                             const sotto_i_seat *seat, bool taken_over,
                                             const sotto_observer *observer, const sotto_recorder *recorder,
                                             sotto_error *err);
/* All seeds, together with the other parties. */
SOTTO_MUST_USE sotto_status sotto_i_party_train(sotto_i_seeds_state *seeds, sotto_error *err);

#endif
