/* The schema of a run's data in its folder. */
#ifndef SOTTO_SRC_RUN_STORAGE_SCHEMA_FILE_H
#define SOTTO_SRC_RUN_STORAGE_SCHEMA_FILE_H

#include "sotto/options.h"
#include "sotto/schema.h"

/* Writes schema.yaml, by which other data is matched by name; nothing if the data has no names and
 * no `moments`: means and variances with which its features were standardised, or NULL. Columns without names
 * are then named by their places. Errors: those of files, NOMEM. */
sotto_status sotto_i_schema_keep(const sotto_dataset *data, const double *moments,
                                 const sotto_options *options, sotto_error *err);
/* *out must be freed; NULL: the folder has no schema. Errors: those of sotto_schema_read. */
sotto_status sotto_i_schema_load(sotto_schema **out, const char *run, sotto_error *err);

#endif
