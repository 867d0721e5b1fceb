/* Answers of a run of several holders about its own nodes. The label party kept the scores of all nodes at
 * the end of the training, so nothing is computed or released again, and holders send nothing. */
#include "base/error.h"
#include "base/memory.h"
#include "protocols/answers/predict_kept.h"
#include "run/files/job_file.h"
#include "tensor/columns.h"
#include "vesper_answer.h"

typedef struct predictor {
  const sotto_i_job *job;
  sotto_matrix scores; /* of all nodes */
} predictor;

static sotto_status load_scores(sotto_matrix *out, const sotto_i_job *job, sotto_error *err) {
  return sotto_i_job_load_matrix(out, job, sotto_i_vesper_scores, job->data->graph.nodes, job->data->classes,
                                 err);
}

static sotto_status rows_of(void *self, sotto_matrix *out, const sotto_matrix *x, const uint32_t *nodes,
                            sotto_error *err) {
  const predictor *p = self;
  return sotto_i_kept_rows(out, &p->scores, p->job, x, nodes, err);
}

static sotto_status scores_of(void *self, sotto_matrix *out, const sotto_matrix *rows, const uint32_t *nodes,
                              size_t count, sotto_error *err) {
  (void)self;
  return sotto_i_take_rows(out, rows, nodes, count, err);
}

static void free_all(void *self) {
  predictor *p = self;
  sotto_matrix_free(&p->scores);
  sotto_i_free(p);
}

sotto_status sotto_i_vesper_holders_open(sotto_i_predictor *out, const sotto_i_opening *from,
                                         sotto_error *err) {
  predictor *p = NULL;
  if (!from->own || from->fresh) return sotto_i_opening_refuse(from, "train a new run with it", err);
  const sotto_status status = sotto_i_new(&p, 1, sizeof *p, err);
  if (status != SOTTO_OK) return status;
  p->job = from->job;
  *out =
      (sotto_i_predictor){.self = p, .rows = rows_of, .scores = scores_of, .free = free_all, .fixed = true};
  return load_scores(&p->scores, from->job, err);
}

sotto_status sotto_i_vesper_holders_answer(sotto_matrix *out, const sotto_i_joint *joint, sotto_error *err) {
  sotto_matrix scores = {0};
  if (joint->role != SOTTO_ROLE_LABEL) return SOTTO_OK;
  sotto_status status = load_scores(&scores, joint->job, err);
  if (status == SOTTO_OK) status = sotto_i_take_rows(out, &scores, joint->nodes, joint->count, err);
  sotto_matrix_free(&scores);
  return status;
}
