/* Public numbers of the data in a run folder: those of a run in one process, or those that the server of
 * several parties received. */
#ifndef SOTTO_SRC_RUN_STORAGE_FACTS_FILE_H
#define SOTTO_SRC_RUN_STORAGE_FACTS_FILE_H

#include "run/method/method.h"

/* In the run folder, so that other data is known to fit, and a server whose peers are done can still plan,
 * and state what was planned. Errors: those of files; CORRUPT. */
sotto_status sotto_i_facts_save(const sotto_i_facts *facts, const sotto_options *options, sotto_error *err);
/* The same of a run in one process, or of one of two parties; a collection of graphs has none. */
sotto_status sotto_i_facts_keep(const sotto_dataset *data, const sotto_options *options, sotto_error *err);
sotto_status sotto_i_facts_load(sotto_i_facts *facts, const char *run, sotto_error *err);

/* Which party of a run over a network the folder is of: the file `role`. Without one (a run in one process)
 * *found is false. Errors: those of files; CORRUPT. */
sotto_status sotto_i_role_keep(const sotto_party *party, const sotto_options *options, sotto_error *err);
sotto_status sotto_i_role_load(sotto_party *party, bool *found, const char *run, sotto_error *err);

#endif
