/* Which of several trainings leaves its model behind: the one with the best validation, which the label party
 * alone of two knows, and tells the other. */
#ifndef SOTTO_SRC_RUN_TRAIN_CHOICE_H
#define SOTTO_SRC_RUN_TRAIN_CHOICE_H

#include "run.h"
#include "run/storage/choice_file.h"

/* Is it chosen by validation? Else it is the first one: at node level, and when labels are reported under
 * --label-epsilon, a choice by true labels of the validation part would be one more release of them. */
bool sotto_i_choice_free(const sotto_i_run *run);
/* Is there something for the label party to tell: a choice among several? */
bool sotto_i_choice_asked(const sotto_i_run *run);
size_t sotto_i_choice_best(const sotto_result *result, const sotto_options *options);

/* Over the link, from the label party to the data party, and into the run folder, from where a run that is
 * finished has it again. Errors: also PROTOCOL (no such training), CORRUPT. */
sotto_status sotto_i_choice_settle(size_t *best, const sotto_i_run *run, const sotto_result *result,
                                   sotto_link *link, sotto_error *err);
/* Adds it to what a run tells of its traffic and of what the label party exposed. */
void sotto_i_choice_note(sotto_result *out, const sotto_i_run *run);

/* Copies the model of training `best`, from 0, to the run folder, whose path goes into `out`; a helper has
 * none. Errors: those of files. */
sotto_status sotto_i_choice_keep_model(sotto_result *out, const sotto_i_run *r, size_t best,
                                       sotto_error *err);

#endif
