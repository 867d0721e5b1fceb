/* What the clients of a federation agreed on: names of columns and classes, in the order that the model
 * reads. */
#ifndef SOTTO_SRC_RUN_STORAGE_NAMES_FILE_H
#define SOTTO_SRC_RUN_STORAGE_NAMES_FILE_H

#include "graph/tables/naming.h"
#include "sotto/options.h"

/* Writes them to the run's folder. */
sotto_status sotto_i_names_save(const sotto_i_naming *names, const sotto_options *options, sotto_error *err);
/* Puts data in their order, where the run keeps names; *found says so. The data are borrowed. Errors: INVALID
 * (columns or classes that the model does not know, or that the data lack), CORRUPT. */
sotto_status sotto_i_names_arrange(sotto_i_arranged *out, bool *found, const sotto_dataset *data,
                                   const char *run, sotto_error *err);

#endif
