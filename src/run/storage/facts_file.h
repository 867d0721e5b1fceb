/* Public numbers of the data in a run folder: of a run in one process, or as received by the server of
 * several parties. */
#ifndef SOTTO_SRC_RUN_STORAGE_FACTS_FILE_H
#define SOTTO_SRC_RUN_STORAGE_FACTS_FILE_H

#include "run/method/method.h"

/* Saves them in the run folder. With them other data can be checked, and a server can plan and state a run
 * whose other parties have already finished. Errors: those of files; CORRUPT. */
sotto_status sotto_i_facts_save(const sotto_i_facts *facts, const sotto_options *options, sotto_error *err);
/* The same for a run in one process or of two parties, whose model reads so many columns. The size of a
 * collection of graphs is not among its numbers. */
sotto_status sotto_i_facts_keep(const sotto_dataset *data, size_t inputs, const sotto_options *options,
                                sotto_error *err);
sotto_status sotto_i_facts_load(sotto_i_facts *facts, const char *run, sotto_error *err);

/* The party to which the folder of a run over a network belongs: the file `role`. *found is false without
 * the file, as after a run in one process. Errors: those of files; CORRUPT. */
sotto_status sotto_i_role_keep(const sotto_party *party, const sotto_options *options, sotto_error *err);
sotto_status sotto_i_role_load(sotto_party *party, bool *found, const char *run, sotto_error *err);

#endif
