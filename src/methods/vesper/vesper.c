/* VESPER in its sound form (Wu et al. 2023; docs/privacy.md). The data party holds graph and features, the
 * label party labels, and features of its own if asked for.
 *   0. The label party says which node trains, validates and tests.
 *   1. Encoder and head are trained by split learning, without edges.
 *   2. The data party releases K noisy layers of the whole graph; the charge comes before the first byte.
 *   3. The label party trains its decoder on all layers.
 *   4. With several releases, gradients go back and 2 and 3 are done again. */
#include "vesper.h"

#include "base/error.h"
#include "epoch_relay.h"
#include "graph/features.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "run/files/job_file.h"

/* The state that the parties of this process share. A party in another process has no session here. */
typedef struct parties {
  sotto_i_vesper shared;
  sotto_i_parted parted;
  sotto_i_data_party data;
  sotto_i_label_party label;
  bool borrowed; /* the data party's features are the job's */
} parties;

static void fill_quality(sotto_i_outcome *out, const sotto_i_label_party *label, const sotto_i_job *job) {
  bool released = job->plan != NULL || sotto_i_vesper_by_counts(job->options);
  out->quality = (sotto_seed_result){.seed = job->seed,
                                     .test = released ? label->test : label->baseline_test,
                                     .validation = released ? label->validation : label->baseline_validation,
                                     .baseline_test = label->baseline_test,
                                     .baseline_validation = label->baseline_validation,
                                     .expected = label->expected};
}

static sotto_status columns_of(sotto_matrix *out, const sotto_matrix *from, size_t begin, size_t end,
                               sotto_feature_scale scale, sotto_error *err) {
  sotto_status status = sotto_i_take_columns(out, from, begin, end, err);
  return status == SOTTO_OK ? sotto_i_scale_features(out, scale, err) : status;
}

/* Sets each party's columns. In one process the last ones belong to the label party; in two processes each
 * has its own data with all of its columns. Each party scales its own, since a norm over both would reveal
 * the other's. */
static sotto_status set_features(parties *p, bool local, sotto_error *err) {
  const sotto_i_job *job = p->shared.job;
  const sotto_matrix *all = &job->data->features, *values;
  sotto_matrix made = {0};
  size_t own = sotto_i_label_columns(job->options->label_features, all->cols);
  if (!local) own = p->data.session != NULL ? 0 : all->cols;
  size_t first = all->cols - own;
  sotto_status status = SOTTO_OK;
  const sotto_feature_scale scale = sotto_i_scale_of(job->options, job->data);
  const sotto_matrix *scaled = job->features;
  p->borrowed = own == 0 && scaled != NULL && scaled->rows == all->rows && scaled->cols == all->cols;
  if (p->borrowed) p->shared.data_features = *scaled;
  p->shared.data_rows =
      p->borrowed && job->rows != NULL ? *job->rows : sotto_i_row_source_of(&p->shared.data_features);
  if (p->borrowed) return SOTTO_OK;
  SOTTO_TRY(sotto_i_features_dense(&values, &made, job->data, err));
  if (p->data.session != NULL) SOTTO_TRY(columns_of(&p->shared.data_features, values, 0, first, scale, err));
  p->shared.data_rows = sotto_i_row_source_of(&p->shared.data_features);
  if (own > 0) SOTTO_TRY(columns_of(&p->shared.label_features, values, first, all->cols, scale, err));
done:
  sotto_matrix_free(&made);
  return status;
}

static sotto_status prepare(void *shared, const sotto_i_job *job, sotto_i_session *sessions, size_t count,
                            sotto_error *err) {
  parties *p = shared;
  sotto_status status = SOTTO_OK;
  p->shared = (sotto_i_vesper){.job = job, .parted = &p->parted};
  p->data.shared = p->label.shared = &p->shared;
  p->label.holders = 1;
  sotto_i_job_key(&p->shared.key, job);
  SOTTO_TRY(sotto_i_ranks_need_threads(sotto_i_job_ranks(job), err));
  for (size_t i = 0; i < count; i++) {
    bool is_data = sessions[i].role == SOTTO_ROLE_DATA;
    *(is_data ? &p->data.session : &p->label.session) = &sessions[i];
    *(is_data ? &p->data.link : &p->label.link) = sessions[i].links[0];
    if (!is_data) p->label.links = sessions[i].links;
    sessions[i].own = is_data ? (void *)&p->data : &p->label;
    sotto_link_set_format(sessions[i].links[0], job->options->wire);
  }
  if (p->label.session != NULL) SOTTO_TRY(sotto_i_parted_new(&p->parted, job, err));
  SOTTO_TRY(set_features(p, sessions[0].local, err));
  if (p->label.session != NULL && sotto_i_labels_asked(job->options))
    SOTTO_TRY(sotto_i_reported_labels_new(&p->shared.reported, job, &p->parted, err));
  SOTTO_TRY(sotto_params_new(&p->data.params, err));
  SOTTO_TRY(sotto_params_new(&p->label.head_params, err));
  SOTTO_TRY(sotto_params_new(&p->label.params, err));
done:
  return status;
}

static sotto_status finish(sotto_i_outcome *out, void *shared, sotto_error *err) {
  parties *p = shared;
  const sotto_i_job *job = p->shared.job;
  const bool has_data = p->data.session != NULL, has_label = p->label.session != NULL;
  const sotto_params *sets[3];
  size_t count = 0;
  if (has_label)
    fill_quality(out, &p->label, job);
  else
    out->quality = (sotto_seed_result){.seed = job->seed,
                                       .test = sotto_i_quality_none(),
                                       .validation = sotto_i_quality_none(),
                                       .baseline_test = sotto_i_quality_none(),
                                       .baseline_validation = sotto_i_quality_none(),
                                       .expected = p->data.expected};
  sotto_i_outcome_exchange(out, p->data.link, p->label.link);
  if (has_data) sets[count++] = p->data.params;
  if (has_label) sets[count++] = p->label.head_params;
  if (has_label) sets[count++] = p->label.params;
  return sotto_i_job_save_model(job, sets, count, err);
}

static void free_roles(void *shared) {
  parties *p = shared;
  sotto_split_free(&p->data.split);
  sotto_params_free(p->data.params);
  sotto_params_free(p->label.head_params);
  sotto_params_free(p->label.params);
  if (!p->borrowed) sotto_matrix_free(&p->shared.data_features);
  sotto_matrix_free(&p->shared.label_features);
  sotto_i_reported_labels_free(&p->shared.reported);
  sotto_i_parted_free(&p->parted);
}

/* The other ranks have nothing to do but to wait for rank 0. */
static sotto_status await_first(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  (void)out;
  return sotto_i_epoch_relay_await(sotto_i_job_ranks(job), err);
}

#define ROLES(data_party, label_party, other_ranks)                                                          \
  {                                                                                                          \
    .member = SOTTO_ROLE_DATA, .members_record = true, .size = sizeof(parties), .prepare = prepare,          \
    .run = {[SOTTO_ROLE_DATA] = (data_party), [SOTTO_ROLE_LABEL] = (label_party)}, .finish = finish,         \
    .release = free_roles, .help = (other_ranks)                                                             \
  }

const sotto_i_roles sotto_i_vesper_layers_roles =
    ROLES(sotto_i_vesper_layers_data, sotto_i_vesper_layers_label, await_first);
const sotto_i_roles sotto_i_vesper_counts_roles =
    ROLES(sotto_i_vesper_counts_data, sotto_i_vesper_counts_label, sotto_i_vesper_counts_help);
const sotto_i_roles sotto_i_vesper_node_roles =
    ROLES(sotto_i_vesper_node_data, sotto_i_vesper_node_label, await_first);

sotto_status sotto_i_vesper_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  SOTTO_I_CHECK(job->plan != NULL);
  return sotto_i_roles_run(out, job, &sotto_i_vesper_layers_roles, err);
}

sotto_status sotto_i_two_parties_first_stage(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_ranks *ranks = sotto_i_job_ranks(job);
  SOTTO_I_CHECK(job->plan == NULL);
  const sotto_status status = sotto_i_roles_run(out, job, &sotto_i_vesper_layers_roles, err);
  return status == SOTTO_OK && sotto_i_ranks_first(ranks) ? sotto_i_epoch_relay_end(ranks, err) : status;
}

sotto_status sotto_i_vesper_node_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_pmp_plan rows, layers;
  sotto_i_job planned = *job;
  sotto_status status = sotto_i_vesper_node_releases(&rows, &layers, job, err);
  if (status != SOTTO_OK) return status;
  planned.plan = &layers;
  return sotto_i_roles_run(out, &planned, &sotto_i_vesper_node_roles, err);
}
