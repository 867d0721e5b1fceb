/* The schema of a run's data in its folder. */
#ifndef SOTTO_SRC_RUN_STORAGE_SCHEMA_FILE_H
#define SOTTO_SRC_RUN_STORAGE_SCHEMA_FILE_H

#include "sotto/options.h"
#include "sotto/schema.h"

/* Writes schema.yaml, so that other data is matched by name; nothing where the data has no names. `moments`:
 * means and variances by which its features were standardised, or NULL. Errors: those of files, NOMEM. */
sotto_status sotto_i_schema_keep(const sotto_dataset *data, const double *moments,
                                 const sotto_options *options, sotto_error *err);
/* *out, to be freed, is NULL where the folder has none. Errors: those of sotto_schema_read. */
sotto_status sotto_i_schema_load(sotto_schema **out, const char *run, sotto_error *err);

#endif
