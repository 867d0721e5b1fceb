/* VESPER in its sound form (paper 000; DESIGN sections 4 and 6). The data party holds graph and features, the
 * label party labels, and features of its own if asked for.
 *   0. The label party says which node trains, validates and tests.
 *   1. Encoder and head are trained by split learning, without edges.
 *   2. The data party releases K noisy layers of the whole graph; the charge comes before the first byte.
 *   3. The label party trains its decoder on all layers.
 *   4. With several releases, gradients go back and 2 and 3 are done again. */
#include "vesper.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"

/* Is this party's part done in this process? */
static bool sits(const sotto_i_job *job, sotto_role role) {
  return job->seat == NULL || job->seat->role == role;
}

static void *data_thread(void *context) {
  sotto_i_data_party *party = context;
  party->status = sotto_i_vesper_data_recipe(party, &party->error);
  if (party->status != SOTTO_OK) sotto_link_close(party->link, "the data party stopped");
  return NULL;
}

static void *label_thread(void *context) {
  sotto_i_label_party *party = context;
  party->status = sotto_i_vesper_label_recipe(party, &party->error);
  if (party->status != SOTTO_OK) sotto_link_close(party->link, "the label party stopped");
  return NULL;
}

/* The failure that came first is the cause; the other side only saw the link close. */
static sotto_status first_failure(const sotto_i_data_party *data, const sotto_i_label_party *label,
                                  sotto_error *err) {
  bool data_is_cause =
      data->status != SOTTO_OK && (data->status != SOTTO_PROTOCOL || label->status == SOTTO_OK);
  const sotto_error *cause = data_is_cause ? &data->error : &label->error;
  sotto_status status = data_is_cause ? data->status : label->status;
  if (status != SOTTO_OK && err != NULL) *err = *cause;
  return status;
}

static sotto_status run_parties(sotto_i_data_party *data, sotto_i_label_party *label, sotto_error *err) {
  pthread_t thread;
  if (!sotto_i_thread_start(&thread, data_thread, data))
    return sotto_i_fail(err, SOTTO_NOMEM, "the system refused to start a thread for the data party");
  (void)label_thread(label);
  pthread_join(thread, NULL);
  return first_failure(data, label, err);
}

/* What the data party alone knows: nothing of quality. */
static sotto_quality unknown(void) {
  return (sotto_quality){NAN, NAN, NAN};
}

static void fill_quality(sotto_i_outcome *out, const sotto_i_label_party *label, const sotto_i_job *job) {
  bool released = job->plan != NULL;
  out->quality = (sotto_seed_result){.seed = job->seed,
                                     .test = released ? label->test : label->baseline_test,
                                     .validation = released ? label->validation : label->baseline_validation,
                                     .baseline_test = label->baseline_test,
                                     .baseline_validation = label->baseline_validation};
}

static void fill_outcome(sotto_i_outcome *out, const sotto_i_data_party *data,
                         const sotto_i_label_party *label) {
  fill_quality(out, label, data->shared->job);
  out->data_party = sotto_link_traffic(data->link);
  out->label_party = sotto_link_traffic(label->link);
  out->data_exposures = sotto_link_exposures(data->link, out->exposures);
  out->exposure_count =
      out->data_exposures + sotto_link_exposures(label->link, out->exposures + out->data_exposures);
}

/* One party's view: what it sent the other received, and what it exposed itself. */
static void fill_own(sotto_i_outcome *out, const sotto_link *link, bool is_data) {
  const sotto_traffic own = sotto_link_traffic(link);
  sotto_traffic other;
  memcpy(other.sent, own.received, sizeof other.sent);
  memcpy(other.received, own.sent, sizeof other.received);
  out->data_party = is_data ? own : other;
  out->label_party = is_data ? other : own;
  out->exposure_count = sotto_link_exposures(link, out->exposures);
  out->data_exposures = is_data ? out->exposure_count : 0;
}

static sotto_status run_data(sotto_i_outcome *out, sotto_i_data_party *party, sotto_error *err) {
  const sotto_i_job *job = party->shared->job;
  sotto_status status;
  SOTTO_TRY(sotto_i_vesper_data_recipe(party, err));
  out->quality = (sotto_seed_result){.seed = job->seed,
                                     .test = unknown(),
                                     .validation = unknown(),
                                     .baseline_test = unknown(),
                                     .baseline_validation = unknown()};
  fill_own(out, party->link, true);
  const sotto_params *sets[] = {party->params};
  SOTTO_TRY(sotto_i_job_save_model(job, sets, 1, err));
done:
  return status;
}

static sotto_status run_label(sotto_i_outcome *out, sotto_i_label_party *party, sotto_error *err) {
  const sotto_i_job *job = party->shared->job;
  sotto_status status;
  SOTTO_TRY(sotto_i_vesper_label_recipe(party, err));
  fill_quality(out, party, job);
  fill_own(out, party->link, false);
  const sotto_params *sets[] = {party->head_params, party->params};
  SOTTO_TRY(sotto_i_job_save_model(job, sets, 2, err));
done:
  return status;
}

static sotto_status run_both(sotto_i_outcome *out, sotto_i_data_party *data, sotto_i_label_party *label,
                             sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(run_parties(data, label, err));
  fill_outcome(out, data, label);
  const sotto_params *sets[] = {data->params, label->head_params, label->params};
  SOTTO_TRY(sotto_i_job_save_model(data->shared->job, sets, 3, err));
done:
  return status;
}

/* What arrives is kept; a start that goes on with a run keeps what it gets itself. */
static sotto_status record_links(sotto_i_data_party *data, sotto_i_label_party *label, const sotto_i_job *job,
                                 sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (data->link != NULL)
    SOTTO_TRY(sotto_i_wire_log_begin(&data->log, data->link, job, (sotto_i_wire_end){SOTTO_ROLE_DATA, 0},
                                     true, err));
  if (label->link != NULL)
    SOTTO_TRY(sotto_i_wire_log_begin(&label->log, label->link, job, (sotto_i_wire_end){SOTTO_ROLE_LABEL, 0},
                                     true, err));
done:
  return status;
}

/* Both ends of a link within this process, or the one that reaches the other party. */
static sotto_status open_links(sotto_i_data_party *data, sotto_i_label_party *label, const sotto_i_job *job,
                               sotto_error *err) {
  sotto_wire_format format = SOTTO_FORMAT_FLOAT32;
  sotto_status status;
  SOTTO_I_CHECK(sotto_wire_format_parse(&format, job->options->wire));
  if (job->seat == NULL)
    SOTTO_TRY(sotto_link_pair(&data->link, &label->link, err));
  else
    SOTTO_TRY(sotto_wire_link(job->seat->wire,
                              job->seat->role == SOTTO_ROLE_DATA ? &data->link : &label->link, err));
  if (data->link != NULL) sotto_link_set_format(data->link, format);
  if (label->link != NULL) sotto_link_set_format(label->link, format);
  if (job->options->record_wire) SOTTO_TRY(record_links(data, label, job, err));
done:
  return status;
}

static sotto_status columns_of(sotto_matrix *out, const sotto_matrix *from, size_t begin, size_t end,
                               const sotto_options *options, sotto_error *err) {
  sotto_status status = sotto_i_take_columns(out, from, begin, end, err);
  return status == SOTTO_OK ? sotto_i_scale_features(out, options, err) : status;
}

/* Who holds which columns. In one process the last ones are the label party's; of two processes each has its
 * own data, and all of its columns. Each party scales its own, since a norm over both would tell of the
 * other's. */
static sotto_status part_features(sotto_i_vesper *shared, sotto_error *err) {
  const sotto_i_job *job = shared->job;
  const sotto_matrix *all = &job->data->features;
  size_t own = sotto_i_label_columns(job->options->label_features, all->cols);
  if (job->seat != NULL) own = job->seat->role == SOTTO_ROLE_DATA ? 0 : all->cols;
  size_t first = all->cols - own;
  sotto_status status = SOTTO_OK;
  if (sits(job, SOTTO_ROLE_DATA))
    status = columns_of(&shared->data_features, all, 0, first, job->options, err);
  if (status != SOTTO_OK || own == 0) return status;
  return columns_of(&shared->label_features, all, first, all->cols, job->options, err);
}

static sotto_status run_split(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  sotto_i_parted parted = {0};
  sotto_i_vesper shared = {.job = job, .parted = &parted};
  sotto_i_data_party data = {.shared = &shared};
  sotto_i_label_party label = {.shared = &shared};
  sotto_i_job_key(&shared.key, job);
  if (sits(job, SOTTO_ROLE_LABEL)) SOTTO_TRY(sotto_i_parted_new(&parted, job, err));
  SOTTO_TRY(part_features(&shared, err));
  if (sits(job, SOTTO_ROLE_LABEL) && sotto_i_labels_asked(job->options))
    SOTTO_TRY(sotto_i_labels_told_new(&shared.told, job, &parted, err));
  SOTTO_TRY(sotto_params_new(&data.params, err));
  SOTTO_TRY(sotto_params_new(&label.head_params, err));
  SOTTO_TRY(sotto_params_new(&label.params, err));
  SOTTO_TRY(open_links(&data, &label, job, err));
  if (job->seat == NULL)
    SOTTO_TRY(run_both(out, &data, &label, err));
  else if (job->seat->role == SOTTO_ROLE_DATA)
    SOTTO_TRY(run_data(out, &data, err));
  else
    SOTTO_TRY(run_label(out, &label, err));
done:
  sotto_link_free(data.link);
  sotto_link_free(label.link);
  sotto_split_free(&data.split);
  sotto_params_free(data.params);
  sotto_params_free(label.head_params);
  sotto_params_free(label.params);
  sotto_matrix_free(&shared.data_features);
  sotto_matrix_free(&shared.label_features);
  sotto_i_labels_told_free(&shared.told);
  sotto_i_parted_free(&parted);
  return status;
}

sotto_status sotto_i_vesper_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  SOTTO_I_CHECK(job->plan != NULL);
  return run_split(out, job, err);
}

/* No edges: the first stage alone. */
sotto_status sotto_i_mlp_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  SOTTO_I_CHECK(job->plan == NULL);
  return run_split(out, job, err);
}
