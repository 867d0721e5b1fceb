/* VESPER in its sound, one-release form (paper 000; DESIGN sections 4 and 6). The data party holds graph and
 * features, the label party labels; each side is a function that runs in a thread of its own over a link.
 *   0. The label party says which node trains, validates and tests.
 *   1. Encoder and head are trained by split learning, without edges.
 *   2. The data party releases K noisy layers of the whole graph, once; the charge comes before the first
 * byte.
 *   3. The label party trains its decoder on all layers. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "checkpoint.h"
#include "method.h"
#include "networks.h"
#include "party/split_learning.h"
#include "party_split.h"

static const char *const features_reason =
    "a function of each node's own features, which the label party may know under edge-level adjacency";
static const char *const no_noise_reason = "no privacy was asked for: aggregates of the graph without noise";

/* What both parties know of one seed. */
typedef struct shared_context {
  const sotto_i_job *job;
  const sotto_i_parted *parted; /* the label party's alone */
  sotto_key key;
  size_t width;
} shared_context;

typedef struct data_party {
  const shared_context *shared;
  sotto_link *link;
  sotto_params *params;
  sotto_mlp encoder;
  sotto_status status;
  sotto_error error;
} data_party;

typedef struct label_party {
  const shared_context *shared;
  sotto_link *link;
  sotto_params *head_params, *params;
  sotto_mlp head;
  sotto_i_decoder decoder;
  sotto_quality baseline_validation, baseline_test, validation, test;
  sotto_status status;
  sotto_error error;
} label_party;

static sotto_status train_encoder(data_party *party, sotto_error *err) {
  const shared_context *c = party->shared;
  sotto_split split = {0};
  sotto_matrix features[4] = {{0}};
  sotto_status status;
  SOTTO_TRY(sotto_i_receive_split(&split, party->link, c->job->data->graph.nodes, err));
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    SOTTO_TRY(sotto_i_take_rows(&features[part], c->job->features, split.rows[part], split.count[part], err));
  const sotto_i_feature_side side = {.link = party->link,
                                     .encoder = &party->encoder,
                                     .params = party->params,
                                     .features = features,
                                     .width = c->width,
                                     .adam = sotto_i_job_training(c->job->options, 1).adam,
                                     .key = &c->key};
  SOTTO_TRY(sotto_i_split_feature_side(&side, err));
  SOTTO_TRY(sotto_i_checkpoint_encoder_save(c->job, party->params, NULL, NULL, err));
done:
  sotto_split_free(&split);
  for (int part = 0; part < 4; part++) sotto_matrix_free(&features[part]);
  return status;
}

/* The embeddings go as they are, since their norms tell of features too; the release starts from them
 * normalised. */
static sotto_status send_release(data_party *party, sotto_release *release, const sotto_matrix *embeddings,
                                 sotto_error *err) {
  const sotto_i_job *job = party->shared->job;
  bool noisy = job->plan->grid.sigma > 0;
  sotto_status status = SOTTO_OK;
  SOTTO_TRY(sotto_i_job_pay(release, job, err));
  SOTTO_TRY(sotto_link_send_exposed(party->link, "embeddings.all", features_reason, embeddings, err));
  for (uint32_t k = 1; k <= job->plan->options.layers; k++) {
    if (noisy)
      SOTTO_TRY(sotto_link_send_release(party->link, "layer", release, k, err));
    else
      SOTTO_TRY(sotto_link_send_exposed(party->link, "layer", no_noise_reason,
                                        sotto_release_layer(release, k), err));
  }
done:
  return status;
}

static sotto_status data_recipe(data_party *party, sotto_error *err) {
  const sotto_i_job *job = party->shared->job;
  sotto_status status;
  sotto_release *release = NULL;
  sotto_matrix embeddings = {0};
  SOTTO_TRY(sotto_i_encoder_new(&party->encoder, party->params, job->options, job->features->cols,
                                &party->shared->key, err));
  if (sotto_i_checkpoint_stage(job) == 0)
    SOTTO_TRY(train_encoder(party, err));
  else
    SOTTO_TRY(sotto_i_checkpoint_encoder_load(job, party->params, NULL, NULL, err));
  if (job->plan == NULL || sotto_i_checkpoint_stage(job) == 2) goto done;
  SOTTO_TRY(sotto_i_embed_all(&embeddings, &party->encoder, party->params, job->features, &party->shared->key,
                              err));
  SOTTO_TRY(sotto_i_job_release(&release, job, &embeddings, err));
  SOTTO_TRY(send_release(party, release, &embeddings, err));
done:
  sotto_matrix_free(&embeddings);
  sotto_release_free(release);
  return status;
}

static sotto_status train_head(label_party *party, sotto_error *err) {
  const shared_context *c = party->shared;
  sotto_status status;
  sotto_i_stage stage = {c->job, "encoder", c->job->options->encoder_epochs};
  const sotto_i_epoch_hook hook = {&stage, sotto_i_stage_epoch};
  const sotto_i_label_side side = {.link = party->link,
                                   .head = &party->head,
                                   .params = party->head_params,
                                   .width = c->width,
                                   .labels = (const int32_t *const *)c->parted->labels,
                                   .count = c->parted->split.count,
                                   .training =
                                       sotto_i_job_training(c->job->options, c->job->options->encoder_epochs),
                                   .key = &c->key,
                                   .hook = &hook};
  SOTTO_TRY(sotto_i_send_split(party->link, &c->parted->split, c->job->data->graph.nodes, err));
  SOTTO_TRY(sotto_i_split_label_side(&party->baseline_validation, &party->baseline_test, &side, err));
  SOTTO_TRY(sotto_i_checkpoint_encoder_save(c->job, party->head_params, &party->baseline_validation,
                                            &party->baseline_test, err));
done:
  return status;
}

static sotto_status receive_layers(label_party *party, sotto_matrix *layers, uint32_t count,
                                   sotto_error *err) {
  const shared_context *c = party->shared;
  bool noisy = c->job->plan->grid.sigma > 0, have = sotto_i_checkpoint_stage(c->job) == 2;
  sotto_status status = SOTTO_OK;
  for (uint32_t k = 0; k < count; k++) {
    const sotto_expectation expected = {.name = k == 0 ? "embeddings.all" : "layer",
                                        .kind = k > 0 && noisy ? SOTTO_WIRE_RELEASE : SOTTO_WIRE_EXPOSED,
                                        .rows = c->job->data->graph.nodes,
                                        .cols = c->width,
                                        .row_norm = k == 0 ? 0 : 1};
    SOTTO_TRY(sotto_matrix_new(&layers[k], expected.rows, expected.cols, err));
    if (!have) SOTTO_TRY(sotto_link_receive(party->link, &layers[k], &expected, err));
  }
  if (have)
    SOTTO_TRY(sotto_i_checkpoint_layers_load(c->job, layers, count, err));
  else
    SOTTO_TRY(sotto_i_checkpoint_layers_save(c->job, layers, count, err));
done:
  return status;
}

static sotto_status train_decoder(label_party *party, sotto_error *err) {
  const shared_context *c = party->shared;
  const sotto_i_job *job = c->job;
  uint32_t count = job->plan->options.layers + 1;
  sotto_status status;
  sotto_matrix *layers = NULL;
  sotto_i_stage stage = {job, "decoder", job->options->epochs};
  SOTTO_TRY(sotto_i_new(&layers, count, sizeof *layers, err));
  SOTTO_TRY(receive_layers(party, layers, count, err));
  SOTTO_TRY(sotto_i_decoder_new(&party->decoder, party->params, job->options, layers, count, c->parted,
                                job->data->classes, &c->key, err));
  const sotto_i_task task = sotto_i_decoder_task(&party->decoder, party->params, c->parted, &c->key);
  const sotto_i_training training = sotto_i_job_training(job->options, job->options->epochs);
  const sotto_i_epoch_hook hook = {&stage, sotto_i_stage_epoch};
  SOTTO_TRY(sotto_i_fit_and_measure(&party->validation, &party->test, &task, &training, &hook, err));
done:
  if (layers != NULL)
    for (uint32_t k = 0; k < count; k++) sotto_matrix_free(&layers[k]);
  sotto_i_free(layers);
  sotto_i_decoder_free(&party->decoder);
  return status;
}

static sotto_status label_recipe(label_party *party, sotto_error *err) {
  const shared_context *c = party->shared;
  sotto_status status;
  SOTTO_TRY(sotto_i_head_new(&party->head, party->head_params, c->job->options, c->job->data->classes,
                             &c->key, err));
  if (sotto_i_checkpoint_stage(c->job) == 0)
    SOTTO_TRY(train_head(party, err));
  else
    SOTTO_TRY(sotto_i_checkpoint_encoder_load(c->job, party->head_params, &party->baseline_validation,
                                              &party->baseline_test, err));
  if (c->job->plan != NULL) SOTTO_TRY(train_decoder(party, err));
done:
  return status;
}

static void *data_thread(void *context) {
  data_party *party = context;
  party->status = data_recipe(party, &party->error);
  if (party->status != SOTTO_OK) sotto_link_close(party->link, "the data party stopped");
  return NULL;
}

static void *label_thread(void *context) {
  label_party *party = context;
  party->status = label_recipe(party, &party->error);
  if (party->status != SOTTO_OK) sotto_link_close(party->link, "the label party stopped");
  return NULL;
}

/* The failure that came first is the cause; the other side only saw the link close. */
static sotto_status first_failure(const data_party *data, const label_party *label, sotto_error *err) {
  bool data_is_cause =
      data->status != SOTTO_OK && (data->status != SOTTO_PROTOCOL || label->status == SOTTO_OK);
  const sotto_error *cause = data_is_cause ? &data->error : &label->error;
  sotto_status status = data_is_cause ? data->status : label->status;
  if (status != SOTTO_OK && err != NULL) *err = *cause;
  return status;
}

static sotto_status run_parties(data_party *data, label_party *label, sotto_error *err) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, data_thread, data) != 0)
    return sotto_i_fail(err, SOTTO_NOMEM, "the system refused to start a thread for the data party");
  (void)label_thread(label);
  pthread_join(thread, NULL);
  return first_failure(data, label, err);
}

/* What the data party alone knows: nothing of quality. */
static sotto_quality unknown(void) {
  return (sotto_quality){NAN, NAN, NAN};
}

static void fill_quality(sotto_i_outcome *out, const label_party *label, const sotto_i_job *job) {
  bool released = job->plan != NULL;
  out->quality = (sotto_seed_result){.seed = job->seed,
                                     .test = released ? label->test : label->baseline_test,
                                     .validation = released ? label->validation : label->baseline_validation,
                                     .baseline_test = label->baseline_test,
                                     .baseline_validation = label->baseline_validation};
}

static void fill_outcome(sotto_i_outcome *out, const data_party *data, const label_party *label) {
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

static sotto_status run_data(sotto_i_outcome *out, data_party *party, sotto_error *err) {
  const sotto_i_job *job = party->shared->job;
  sotto_status status;
  SOTTO_TRY(data_recipe(party, err));
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

static sotto_status run_label(sotto_i_outcome *out, label_party *party, sotto_error *err) {
  const sotto_i_job *job = party->shared->job;
  sotto_status status;
  SOTTO_TRY(label_recipe(party, err));
  fill_quality(out, party, job);
  fill_own(out, party->link, false);
  const sotto_params *sets[] = {party->head_params, party->params};
  SOTTO_TRY(sotto_i_job_save_model(job, sets, 2, err));
done:
  return status;
}

static sotto_status run_both(sotto_i_outcome *out, data_party *data, label_party *label, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(run_parties(data, label, err));
  fill_outcome(out, data, label);
  const sotto_params *sets[] = {data->params, label->head_params, label->params};
  SOTTO_TRY(sotto_i_job_save_model(data->shared->job, sets, 3, err));
done:
  return status;
}

/* Both ends of a link within this process, or the one that reaches the other party. */
static sotto_status open_links(data_party *data, label_party *label, const sotto_i_job *job,
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
done:
  return status;
}

static sotto_status run_split(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  sotto_i_parted parted = {0};
  shared_context shared = {.job = job, .parted = &parted, .width = job->options->hidden};
  data_party data = {.shared = &shared};
  label_party label = {.shared = &shared};
  sotto_i_job_key(&shared.key, job);
  if (job->seat == NULL || job->seat->role == SOTTO_ROLE_LABEL)
    SOTTO_TRY(sotto_i_parted_new(&parted, job, err));
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
  sotto_params_free(data.params);
  sotto_params_free(label.head_params);
  sotto_params_free(label.params);
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
