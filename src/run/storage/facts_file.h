/* What the server of several parties was told of data that it does not see, as its run folder has it. */
#ifndef SOTTO_SRC_RUN_STORAGE_FACTS_FILE_H
#define SOTTO_SRC_RUN_STORAGE_FACTS_FILE_H

#include "run/method/method.h"

/* In the options' run folder, so that a server whose peers are done can still plan, and state what was
 * planned. Errors: those of files; CORRUPT. */
sotto_status sotto_i_facts_save(const sotto_i_facts *facts, const sotto_options *options, sotto_error *err);
sotto_status sotto_i_facts_load(sotto_i_facts *facts, const sotto_options *options, sotto_error *err);

#endif
