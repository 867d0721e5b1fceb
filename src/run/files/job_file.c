/* Networks and tables of a seed as files of its folder. */
#include "job_file.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "folder_file.h"
#include "inside/base.h"
#include "inside/nn.h"

static const sotto_i_folder_file network_files = {"seed-*/*.safetensors", SOTTO_I_FOR_LABELS,
                                                  "networks, fitted with noise where features are private"};
static const sotto_i_folder_file table_files = {"seed-*/*.safetensors", SOTTO_I_FOR_OWNER,
                                                "private features and edges: rows and scores without noise"};

static const char model_file[] = "model.safetensors";

static sotto_status save(const sotto_i_job *job, const sotto_i_folder_file *as, const char *file,
                         const sotto_params *const *sets, size_t count, sotto_error *err) {
  const sotto_options *o = job->options;
  const char *metadata[] = {"format",     "sotto",
                            "version",    SOTTO_VERSION,
                            "method",     o->method,
                            "aggregator", sotto_layer_name(o->aggregator),
                            "activation", sotto_activation_name(o->activation),
                            "combine",    sotto_combination_name(o->combine)};
  char *path = NULL;
  if (!sotto_i_ranks_first(sotto_i_job_ranks(job))) return SOTTO_OK; /* rank 0 writes the same */
  sotto_status status = sotto_i_folder_path(&path, job->folder, as, file, o, err);
  if (status == SOTTO_OK)
    status = sotto_params_save(sets, count, path, metadata, sizeof metadata / sizeof *metadata / 2, err);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_job_save_params(const sotto_i_job *job, const char *file,
                                     const sotto_params *const *sets, size_t count, sotto_error *err) {
  return save(job, &network_files, file, sets, count, err);
}

sotto_status sotto_i_job_save_table(const sotto_i_job *job, const char *file, const sotto_params *set,
                                    sotto_error *err) {
  return save(job, &table_files, file, &set, 1, err);
}

sotto_status sotto_i_job_load_table(sotto_params *set, const sotto_i_job *job, const char *file, bool some,
                                    sotto_error *err) {
  char *path = NULL;
  sotto_status status = sotto_i_folder_find(&path, job->folder, file, err);
  if (status != SOTTO_OK) return status;
  if (sotto_i_is_file(path))
    status = some ? sotto_i_params_load_some(&set, 1, path, err) : sotto_params_load(&set, 1, path, err);
  else
    status = sotto_i_fail(
        err, SOTTO_NOT_FOUND,
        "%s: is not there: the folder lacks the files of its owner; copy owner-only, or train again", path);
  sotto_i_free(path);
  return status;
}

/* A matrix as a set of one parameter, and the name of its file. */
static sotto_status matrix_new(sotto_params **out, char file[64], const char *name, size_t rows, size_t cols,
                               sotto_error *err) {
  size_t number;
  (void)snprintf(file, 64, "%s.safetensors", name);
  const sotto_status status = sotto_params_new(out, err);
  if (status != SOTTO_OK) return status;
  return sotto_params_add(*out, &number, name, rows, cols, SOTTO_INIT_ZERO, false, NULL, err);
}

sotto_status sotto_i_job_save_matrix(const sotto_i_job *job, const char *name, const sotto_matrix *matrix,
                                     sotto_error *err) {
  char file[64];
  sotto_params *set = NULL;
  sotto_status status;
  SOTTO_TRY(matrix_new(&set, file, name, matrix->rows, matrix->cols, err));
  memcpy(sotto_params_value(set, 0)->data, matrix->data, matrix->rows * matrix->cols * sizeof(float));
  SOTTO_TRY(sotto_i_job_save_table(job, file, set, err));
done:
  sotto_params_free(set);
  return status;
}

sotto_status sotto_i_job_load_matrix(sotto_matrix *out, const sotto_i_job *job, const char *name, size_t rows,
                                     size_t cols, sotto_error *err) {
  char file[64];
  sotto_params *set = NULL;
  sotto_status status;
  SOTTO_TRY(matrix_new(&set, file, name, rows, cols, err));
  SOTTO_TRY(sotto_i_job_load_table(set, job, file, false, err));
  SOTTO_TRY(sotto_matrix_new(out, rows, cols, err));
  memcpy(out->data, sotto_params_value(set, 0)->data, rows * cols * sizeof(float));
done:
  sotto_params_free(set);
  return status;
}

sotto_status sotto_i_job_save_model(const sotto_i_job *job, const sotto_params *const *sets, size_t count,
                                    sotto_error *err) {
  return sotto_i_job_save_params(job, model_file, sets, count, err);
}

sotto_status sotto_i_job_find_model(char **out, const char *folder, const sotto_options *options,
                                    sotto_error *err) {
  const sotto_status status = sotto_i_folder_find(out, folder, model_file, err);
  if (status != SOTTO_OK || !sotto_i_model_has_labels(options) || sotto_i_is_file(*out)) return status;
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "%s: has no owner-only/%s; the model follows from labels that this run does not reveal, "
      "and their owner alone has it",
      folder, model_file);
}
