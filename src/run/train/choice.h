/* The choice of the training whose model a run uses: the one with the best validation score. The label party
 * computes it, and sends it to the data party. */
#ifndef SOTTO_SRC_RUN_TRAIN_CHOICE_H
#define SOTTO_SRC_RUN_TRAIN_CHOICE_H

#include "run.h"
#include "run/storage/choice_file.h"

/* Is the training chosen by validation? Otherwise it is the first one: at node level, and when labels are
 * reported under --label-epsilon, a choice by true validation labels would be a further release of them. */
bool sotto_i_choice_free(const sotto_i_run *run);
/* Does the label party send a choice: is there more than one training? */
bool sotto_i_choice_asked(const sotto_i_run *run);
size_t sotto_i_choice_best(const sotto_result *result, const sotto_options *options);

/* Sends the choice from the label party to the data party, and stores it in the run folder; a finished run
 * reads it there. Errors: also PROTOCOL (no such training), CORRUPT. */
sotto_status sotto_i_choice_settle(size_t *best, const sotto_i_run *run, const sotto_result *result,
                                   sotto_link *link, sotto_error *err);
/* Adds the message to the run's traffic and to the label party's exposures. */
void sotto_i_choice_note(sotto_result *out, const sotto_i_run *run);

/* Copies the model of training `best`, from 0, to the run folder; its path goes into `out`. A helper has no
 * model. Errors: those of files. */
sotto_status sotto_i_choice_keep_model(sotto_result *out, const sotto_i_run *r, size_t best,
                                       sotto_error *err);

#endif
