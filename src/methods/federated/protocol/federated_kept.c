/* Stored scores of each client's nodes. They are needed where its model reads what was generated or
 * exchanged before the first round, or where each client has its own model. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "inside/nn.h"
#include "methods/federated/federated.h"
#include "methods/federated/protocol.h"
#include "run/files/folder_file.h"
#include "run/files/job_file.h"

bool sotto_i_fed_keeps(const sotto_i_federation *f) {
  const sotto_i_fed_protocol *r = sotto_i_fed_protocol_of(f->options);
  return r->parts && !f->graphs && (r->prepare != NULL || r->fuses != NULL);
}

static void name_file(char out[64], uint32_t number) {
  (void)snprintf(out, 64, "scores-%u.safetensors", (unsigned)number + 1);
}

static sotto_status table_new(sotto_params **out, const sotto_i_fed_client *c, sotto_error *err) {
  size_t number;
  sotto_status status = sotto_params_new(out, err);
  if (status != SOTTO_OK) return status;
  return sotto_params_add(*out, &number, "scores", c->data.graph.nodes, c->federation->classes,
                          SOTTO_INIT_ZERO, false, NULL, err);
}

sotto_status sotto_i_fed_keep(sotto_i_fed_client *c, const sotto_i_job *job, sotto_error *err) {
  char file[64];
  sotto_params *set = NULL;
  sotto_matrix scores;
  sotto_status status = SOTTO_OK;
  if (!sotto_i_fed_keeps(c->federation) || c->data.graph.nodes == 0) return SOTTO_OK;
  name_file(file, c->number);
  SOTTO_TRY(table_new(&set, c, err));
  SOTTO_TRY(sotto_i_fed_scores(&scores, c, err));
  memcpy(sotto_params_value(set, 0)->data, scores.data, c->data.graph.nodes * scores.cols * sizeof(float));
  SOTTO_TRY(sotto_i_job_save_table(job, file, set, err));
done:
  sotto_params_free(set);
  return status;
}

sotto_status sotto_i_fed_kept(sotto_matrix *out, const sotto_i_fed_client *c, const sotto_i_job *job,
                              sotto_error *err) {
  char file[64], *path = NULL;
  sotto_params *set = NULL;
  sotto_status status;
  name_file(file, job->seat == NULL ? c->number : job->seat->number - 1);
  SOTTO_TRY(sotto_i_folder_find(&path, job->folder, file, err));
  if (!sotto_i_is_file(path)) {
    status = sotto_i_fail(
        err, SOTTO_NOT_FOUND,
        "%s: is not there: the folder lacks the files of its owner; copy owner-only, or train again", path);
    goto done;
  }
  SOTTO_TRY(table_new(&set, c, err));
  SOTTO_TRY(sotto_params_load(&set, 1, path, err));
  SOTTO_TRY(sotto_matrix_new(out, c->data.graph.nodes, c->federation->classes, err));
  memcpy(out->data, sotto_params_value(set, 0)->data, out->rows * out->cols * sizeof(float));
done:
  sotto_params_free(set);
  sotto_i_free(path);
  return status;
}
