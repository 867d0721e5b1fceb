/* Networks and tables of a seed as files of its folder. */
#ifndef SOTTO_SRC_RUN_FILES_JOB_FILE_H
#define SOTTO_SRC_RUN_FILES_JOB_FILE_H

#include "inside/nn.h"
#include "run/method/method.h"

/* Writes FOLDER/FILE or FOLDER/model.safetensors, with the run's method in its metadata; in
 * FOLDER/owner-only/ if sotto_i_model_has_labels. */
sotto_status sotto_i_job_save_params(const sotto_i_job *job, const char *file,
                                     const sotto_params *const *sets, size_t count, sotto_error *err);
/* Writes FOLDER/owner-only/FILE: rows or scores without noise, or a network that reads them. */
sotto_status sotto_i_job_save_table(const sotto_i_job *job, const char *file, const sotto_params *set,
                                    sotto_error *err);
/* Loads a set from such a file. `some`: the file may have other parameters too. Errors: NOT_FOUND, those of
 * files. */
sotto_status sotto_i_job_load_table(sotto_params *set, const sotto_i_job *job, const char *file, bool some,
                                    sotto_error *err);
/* One matrix of this name as such a file. `out` is fresh; errors as above, and CORRUPT for another shape. */
sotto_status sotto_i_job_save_matrix(const sotto_i_job *job, const char *name, const sotto_matrix *matrix,
                                     sotto_error *err);
sotto_status sotto_i_job_load_matrix(sotto_matrix *out, const sotto_i_job *job, const char *name, size_t rows,
                                     size_t cols, sotto_error *err);
sotto_status sotto_i_job_save_model(const sotto_i_job *job, const sotto_params *const *sets, size_t count,
                                    sotto_error *err);
/* Path of the model in the folder of a seed, fresh. Errors: NOMEM; INVALID if only the owner of the labels
 * has it, and this folder does not. */
sotto_status sotto_i_job_find_model(char **out, const char *folder, const sotto_options *options,
                                    sotto_error *err);

#endif
