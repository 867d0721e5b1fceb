/* Answers of a run of several holders. The label party kept the scores of all nodes of the training, so of
 * these nothing is computed or released again, and holders send nothing. Of other data each holder sends
 * embeddings and releases counts of its own edges, as one data party does (vesper_counts_others.c). In one
 * process other data are divided among the holders as those of the training were, and each party is a thread.
 */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "inside/party.h"
#include "protocols/answers/predict_kept.h"
#include "protocols/holders.h"
#include "release/plan.h"
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

/* One holder's part of other data. */
typedef struct part {
  sotto_i_job job, release; /* of the run, and of the release of these data */
  sotto_matrix features;    /* scaled, owned */
} part;

/* What all parties of one process share. */
typedef struct answering {
  const sotto_i_opening *from;
  sotto_dataset data[SOTTO_MOST_HOLDERS]; /* of the holders, and then of the label party */
  part parts[SOTTO_MOST_HOLDERS];
  uint32_t *nodes; /* all */
  sotto_matrix *scores;
} answering;

/* The release that the caller opened; without noise the run's own job. */
static sotto_status give_release(void *context, const sotto_i_job **out, uint64_t layers, sotto_error *err) {
  const part *p = context;
  (void)layers, (void)err;
  *out = &p->release;
  return SOTTO_OK;
}

static sotto_status prepare_parts(answering *a, sotto_error *err) {
  const sotto_i_job *job = a->from->job, *release = a->from->release;
  const size_t holders = (size_t)job->options->holders;
  sotto_options scaled = *job->options;
  bool standard;
  sotto_status status;
  SOTTO_TRY(sotto_i_holders_deal_others(a->data, &standard, job, holders, err));
  scaled.feature_scale = standard ? SOTTO_FEATURE_SCALE_NONE : sotto_i_scale_of(job->options, job->data);
  for (size_t i = 0; i < holders; i++) {
    part *p = &a->parts[i];
    SOTTO_TRY(sotto_i_scaled_features(&p->features, &scaled, &a->data[i], err));
    p->job = *job;
    p->release = release != NULL ? *release : *job;
    p->job.data = p->release.data = &a->data[i];
    p->job.features = p->release.features = &p->features;
    p->job.rows = p->release.rows = NULL;
  }
done:
  return status;
}

static sotto_status prepare(void *shared, const sotto_i_job *job, sotto_i_session *sessions, size_t count,
                            sotto_error *err) {
  answering *a = shared;
  const size_t nodes = job->data->graph.nodes;
  sotto_status status;
  for (size_t i = 0; i < count; i++) {
    sessions[i].own = a;
    for (size_t k = 0; k < sessions[i].link_count; k++)
      sotto_link_set_format(sessions[i].links[k], job->options->wire);
  }
  SOTTO_TRY(sotto_i_new_raw(&a->nodes, nodes, sizeof *a->nodes, err));
  for (size_t v = 0; v < nodes; v++) a->nodes[v] = (uint32_t)v;
  SOTTO_TRY(prepare_parts(a, err));
done:
  return status;
}

static sotto_status run_role(sotto_i_session *session, sotto_error *err) {
  answering *a = session->own;
  const sotto_i_job *release = a->from->release;
  const bool label = session->role == SOTTO_ROLE_LABEL;
  part *own = label ? NULL : &a->parts[session->number - 1];
  const sotto_i_joint joint = {.job = label ? a->from->job : &own->job,
                               .role = session->role,
                               .number = session->number,
                               .link = session->links[0],
                               .links = session->links,
                               .file = a->from->file,
                               .together = true,
                               .nodes = a->nodes,
                               .count = a->from->job->data->graph.nodes,
                               .release = give_release,
                               .context = own,
                               .epsilon = release != NULL ? release->options->epsilon : INFINITY};
  return sotto_i_vesper_holders_answer(a->scores, &joint, err);
}

static uint32_t member_count(const sotto_i_job *job) {
  return (uint32_t)job->options->holders;
}

static sotto_status answer_others(sotto_matrix *scores, const sotto_i_opening *from, sotto_error *err) {
  answering *a = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&a, 1, sizeof *a, err));
  a->from = from;
  a->scores = scores;
  const sotto_i_roles roles = {.member = SOTTO_ROLE_HOLDER,
                               .members = member_count,
                               .prepare = prepare,
                               .run = {[SOTTO_ROLE_LABEL] = run_role, [SOTTO_ROLE_HOLDER] = run_role},
                               .given = a};
  SOTTO_TRY(sotto_i_roles_run(NULL, from->job, &roles, err));
done:
  for (size_t i = 0; a != NULL && i < SOTTO_MOST_HOLDERS; i++) {
    sotto_matrix_free(&a->parts[i].features);
    sotto_dataset_free(&a->data[i]);
  }
  if (a != NULL) sotto_i_free(a->nodes);
  sotto_i_free(a);
  return status;
}

/* With noise the scores follow from a release, which the caller asked for; a model that reads no counts needs
 * none. */
static sotto_status check_released(const sotto_i_opening *from, sotto_error *err) {
  sotto_options read = *from->job->options;
  sotto_status status;
  if (from->release != NULL || !sotto_i_price_asked(&read)) return SOTTO_OK;
  SOTTO_TRY(sotto_i_method_of(&read)->narrow(&read, from->file, err));
  if (read.layers > 0) return sotto_i_opening_check(from, err);
done:
  return status;
}

sotto_status sotto_i_vesper_holders_open(sotto_i_predictor *out, const sotto_i_opening *from,
                                         sotto_error *err) {
  predictor *p = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&p, 1, sizeof *p, err));
  *out =
      (sotto_i_predictor){.self = p, .rows = rows_of, .scores = scores_of, .free = free_all, .fixed = true};
  if (from->fresh)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "fresh: %s answers from the counts that it keeps alone",
                        from->job->options->method);
  p->job = from->job;
  if (from->own) return load_scores(&p->scores, from->job, err);
  SOTTO_TRY(check_released(from, err));
  SOTTO_TRY(answer_others(&p->scores, from, err));
done:
  return status;
}

static sotto_status answer_own(sotto_matrix *out, const sotto_i_joint *joint, sotto_error *err) {
  sotto_matrix scores = {0};
  if (joint->role != SOTTO_ROLE_LABEL) return SOTTO_OK;
  sotto_status status = load_scores(&scores, joint->job, err);
  if (status == SOTTO_OK) status = sotto_i_take_rows(out, &scores, joint->nodes, joint->count, err);
  sotto_matrix_free(&scores);
  return status;
}

sotto_status sotto_i_vesper_holders_answer(sotto_matrix *out, const sotto_i_joint *joint, sotto_error *err) {
  if (joint->release == NULL) return answer_own(out, joint, err);
  return joint->role == SOTTO_ROLE_LABEL ? sotto_i_vesper_counts_other_label(out, joint, err)
                                         : sotto_i_vesper_counts_other_data(joint, err);
}
