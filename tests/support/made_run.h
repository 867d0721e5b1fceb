/* Options of a run, the data that it is of, and the run itself. */
#ifndef SOTTO_TESTS_MADE_RUN_H
#define SOTTO_TESTS_MADE_RUN_H

#include "sotto/generate.h"
#include "sotto/methods.h"

void check_set(sotto_options *options, const char *key, const char *value);
/* Sets those of `settings`, which are key, value, ... up to NULL, that the method has at the adjacency and
 * accounting of the options. */
void check_set_own(sotto_options *options, const char *const *settings);
/* A method's defaults, with data named "made"; the run folder is `folder` of the test, which is made, and the
 * ledger is the test's. */
sotto_options check_options(const char *method, const char *folder);
/* A graph in communities, always the same; to be freed. */
sotto_dataset check_communities(const sotto_sbm_options *sbm);
/* Trains; the result is to be freed. */
sotto_result check_run(const sotto_options *options, const sotto_dataset *data);
/* Removes the result of seed 1, wherever its reader has it: a resumed run trains this seed again. */
void check_forget_result(const sotto_options *options);

#endif
