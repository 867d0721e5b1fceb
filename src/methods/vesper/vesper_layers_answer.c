/* Predictions of a run that released layers, or of a perceptron on features alone, by two parties with their
 * own processes. The data party sends the inputs of the label party's network for the requested nodes. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "inside/tensor.h"
#include "party/wire/link/transport.h"
#include "protocols/table.h"
#include "release/plan.h"
#include "tensor/columns.h"
#include "vesper.h"
#include "vesper_answer.h"

static const char asked_name[] = "embeddings.asked", layer_name[] = SOTTO_I_VESPER_LAYER_ASKED;
static const char *const features_reason = "a function of the features of each node that is asked for, as in "
                                           "training";
static const char *const no_noise_reason = "no privacy was asked for: aggregates of the graph without noise";

static bool is_noisy(const sotto_i_job *job) {
  return job->plan->grid.sigma > 0;
}

/* The data party's half of the model. */
typedef struct sender {
  sotto_i_data_party party;
  sotto_i_vesper shared;
} sender;

static sotto_status open_sender(sender *s, const sotto_i_joint *joint, sotto_error *err) {
  const sotto_i_job *job = joint->job;
  sotto_status status;
  s->shared.job = job;
  s->party.shared = &s->shared;
  sotto_i_job_key(&s->shared.key, job);
  SOTTO_TRY(sotto_params_new(&s->party.params, err));
  SOTTO_TRY(sotto_i_encoder_new(&s->party.encoder, s->party.params, "encoder", job->options,
                                job->features->cols, &s->shared.key, err));
  if (job->plan != NULL) SOTTO_TRY(sotto_i_vesper_add_weights(&s->party, err));
  SOTTO_TRY(sotto_params_load(&s->party.params, 1, joint->file, err));
done:
  return status;
}

/* The first inputs of the label party for these rows: embeddings, with the constant column if there are
 * layers. */
static sotto_status embed_rows(sotto_matrix *out, const sender *s, const sotto_matrix *x, sotto_error *err) {
  const sotto_i_job *job = s->shared.job;
  sotto_matrix rows = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_embed_all(&rows, &s->party.encoder, s->party.params, x, &s->shared.key, err));
  SOTTO_TRY(sotto_i_add_constant(out, &rows, job->plan == NULL ? 0 : job->options->constant, err));
done:
  sotto_matrix_free(&rows);
  return status;
}

static sotto_status send_embeddings(const sotto_i_joint *joint, const sender *s, sotto_error *err) {
  sotto_matrix x = {0}, rows = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_take_rows(&x, joint->job->features, joint->nodes, joint->count, err));
  SOTTO_TRY(embed_rows(&rows, s, &x, err));
  SOTTO_TRY(sotto_link_send_exposed(joint->link, asked_name, features_reason, &rows, err));
done:
  sotto_matrix_free(&x);
  sotto_matrix_free(&rows);
  return status;
}

/* Of a run without noise: nothing of the data is stored or charged. */
static sotto_status compute_layers(sotto_release **out, const sotto_i_job *job,
                                   const sotto_i_release_request *request, sotto_error *err) {
  sotto_key key;
  sotto_key_system(&key);
  const sotto_status status = sotto_i_job_compute(out, job, request, &key, "not charged", "an answer", err);
  sotto_key_wipe(&key);
  return status;
}

/* For other data: over all of its nodes. */
static sotto_status make_release(sotto_release **out, const sotto_i_joint *joint, const sender *s,
                                 sotto_error *err) {
  const sotto_options *o = joint->job->options;
  const sotto_matrix *weights[64] = {NULL};
  const sotto_i_job *job = NULL;
  sotto_matrix rows = {0};
  sotto_status status;
  for (uint64_t k = 0; o->layer_weights && k < o->layers; k++)
    weights[k] = sotto_params_value(s->party.params, s->party.weights[k]);
  SOTTO_TRY(joint->release(joint->context, &job, o->layers, err));
  SOTTO_TRY(embed_rows(&rows, s, joint->job->features, err));
  const sotto_i_release_request request = {.inputs = &rows,
                                           .weights = o->layer_weights ? weights : NULL,
                                           .item = sotto_i_cost_item_of(job->cost, SOTTO_ACCOUNT_DATA)};
  if (isinf(joint->epsilon))
    status = compute_layers(out, job, &request, err);
  else
    status = sotto_i_job_release(out, job, &request, err);
done:
  sotto_matrix_free(&rows);
  return status;
}

/* The stored release of the last round. */
static sotto_status load_release(sotto_release **out, const sotto_i_job *job, sotto_error *err) {
  const sotto_matrix shape = {NULL, 0, sotto_i_released_width(job->options)};
  const uint64_t last = sotto_i_job_releases(job->options) - 1;
  const sotto_i_release_request request = {.inputs = &shape,
                                           .round = last,
                                           .item = sotto_i_cost_item_of(job->cost, SOTTO_ACCOUNT_DATA),
                                           .number = last,
                                           .kept = true};
  return sotto_i_job_release(out, job, &request, err);
}

sotto_status sotto_i_vesper_send_released(const sotto_i_joint *joint, const char *name,
                                          const sotto_release *release, uint32_t layer, sotto_error *err) {
  sotto_matrix asked = {0};
  sotto_status status =
      sotto_i_take_rows(&asked, sotto_release_layer(release, layer), joint->nodes, joint->count, err);
  if (status == SOTTO_OK) status = sotto_i_link_send_paid(joint->link, name, &asked, release, err);
  sotto_matrix_free(&asked);
  return status;
}

static sotto_status send_layer(const sotto_i_joint *joint, const sotto_release *release, uint32_t k,
                               sotto_error *err) {
  sotto_matrix asked = {0};
  if (is_noisy(joint->job)) return sotto_i_vesper_send_released(joint, layer_name, release, k, err);
  sotto_status status =
      sotto_i_take_rows(&asked, sotto_release_layer(release, k), joint->nodes, joint->count, err);
  if (status == SOTTO_OK)
    status = sotto_link_send_exposed(joint->link, layer_name, no_noise_reason, &asked, err);
  sotto_matrix_free(&asked);
  return status;
}

static sotto_status answer_data(const sotto_i_joint *joint, sotto_error *err) {
  const sotto_i_job *job = joint->job;
  sender s = {.party = {.params = NULL}};
  sotto_release *release = NULL;
  sotto_status status;
  SOTTO_TRY(open_sender(&s, joint, err));
  SOTTO_TRY(send_embeddings(joint, &s, err));
  if (job->plan == NULL) goto done;
  SOTTO_TRY(joint->release == NULL ? load_release(&release, job, err)
                                   : make_release(&release, joint, &s, err));
  for (uint32_t k = 1; k <= job->plan->options.layers; k++) SOTTO_TRY(send_layer(joint, release, k, err));
done:
  sotto_release_free(release);
  sotto_params_free(s.party.params);
  return status;
}

/* The label party's networks and their inputs. */
typedef struct reader {
  sotto_params *head_params, *params;
  sotto_mlp head;
  sotto_i_decoder decoder;
  sotto_matrix own, *layers;
  uint32_t count;
  uint32_t *rows; /* 0, 1, 2, ... */
  sotto_key key;
  bool released; /* node level: the first inputs are of a release too, and no network is before the decoder */
} reader;

static sotto_status open_reader(reader *r, const sotto_i_joint *joint, sotto_error *err) {
  const sotto_i_job *job = joint->job;
  const sotto_options *o = job->options;
  const size_t outputs = sotto_i_outputs(o, job->data);
  sotto_status status;
  sotto_i_job_key(&r->key, job);
  r->count = 1 + (job->plan == NULL ? 0 : job->plan->options.layers);
  SOTTO_TRY(sotto_i_new(&r->layers, r->count, sizeof *r->layers, err));
  SOTTO_TRY(sotto_i_new(&r->rows, joint->count, sizeof *r->rows, err));
  for (uint32_t i = 0; i < joint->count; i++) r->rows[i] = i;
  if (job->features->cols > 0 && !r->released)
    SOTTO_TRY(sotto_i_take_rows(&r->own, job->features, joint->nodes, joint->count, err));
  SOTTO_TRY(sotto_params_new(&r->head_params, err));
  SOTTO_TRY(sotto_params_new(&r->params, err));
  if (!r->released)
    SOTTO_TRY(sotto_i_head_new(&r->head, r->head_params, "head", o, r->own.cols, outputs, &r->key, err));
  if (job->plan != NULL)
    SOTTO_TRY(sotto_i_decoder_new(&r->decoder, r->params, o, r->count, sotto_i_released_width(o), r->own.cols,
                                  outputs, &r->key, err));
  sotto_params *sets[] = {r->head_params, r->params};
  SOTTO_TRY(sotto_params_load(sets, 2, joint->file, err));
done:
  return status;
}

static sotto_status receive_inputs(reader *r, const sotto_i_joint *joint, sotto_error *err) {
  const sotto_i_job *job = joint->job;
  const bool noisy = job->plan != NULL && is_noisy(job);
  sotto_status status = SOTTO_OK;
  for (uint32_t k = 0; k < r->count; k++) {
    const bool release = r->released || (k > 0 && noisy), raw = job->plan == NULL || job->plan->options.raw;
    const char *first = r->released ? SOTTO_I_VESPER_ROWS_ASKED : asked_name;
    const sotto_expectation expected = {.name = k == 0 ? first : layer_name,
                                        .kind = release ? SOTTO_WIRE_RELEASE : SOTTO_WIRE_EXPOSED,
                                        .rows = joint->count,
                                        .cols = job->plan == NULL ? sotto_i_embedding_width(job->options)
                                                                  : sotto_i_released_width(job->options),
                                        .row_norm = raw || (k == 0 && !r->released) ? 0 : 1};
    SOTTO_TRY(sotto_matrix_new(&r->layers[k], expected.rows, expected.cols, err));
    SOTTO_TRY(sotto_link_receive(joint->link, &r->layers[k], &expected, err));
  }
done:
  return status;
}

static sotto_status apply_decoder(sotto_matrix *out, reader *r, size_t count, sotto_error *err) {
  sotto_status status;
  sotto_tape *tape = NULL;
  const sotto_matrix own[4] = {[SOTTO_PART_TEST] = r->own};
  const sotto_i_parted wanted = {
      .split = {.rows = {[SOTTO_PART_TEST] = r->rows}, .count = {[SOTTO_PART_TEST] = count}}};
  SOTTO_TRY(sotto_i_decoder_read(&r->decoder, r->layers, r->own.cols > 0 ? own : NULL, &wanted, err));
  const sotto_i_task task = sotto_i_decoder_task(&r->decoder, r->params, &wanted, &r->key);
  SOTTO_TRY(sotto_tape_new(&tape, err));
  const sotto_pass pass = {.tape = tape, .key = &r->key};
  const sotto_i_batch all = {SOTTO_PART_TEST, 0, count};
  SOTTO_TRY(sotto_tape_copy(out, tape, task.forward(task.model, &pass, &all), err));
done:
  sotto_tape_free(tape);
  return status;
}

sotto_status sotto_i_vesper_layers_read(sotto_matrix *out, const sotto_i_joint *joint, bool released,
                                        sotto_error *err) {
  reader r = {.count = 0, .released = released};
  sotto_matrix joined = {0};
  sotto_status status;
  SOTTO_TRY(open_reader(&r, joint, err));
  SOTTO_TRY(receive_inputs(&r, joint, err));
  if (joint->job->plan != NULL) {
    SOTTO_TRY(apply_decoder(out, &r, joint->count, err));
  } else {
    SOTTO_TRY(sotto_i_table_join(&joined, &r.layers[0], &r.own, err));
    SOTTO_TRY(sotto_i_embed_all(out, &r.head, r.head_params, &joined, &r.key, err));
  }
done:
  for (uint32_t k = 0; r.layers != NULL && k < r.count; k++) sotto_matrix_free(&r.layers[k]);
  sotto_i_free(r.layers);
  sotto_i_free(r.rows);
  sotto_i_decoder_free(&r.decoder);
  sotto_params_free(r.head_params);
  sotto_params_free(r.params);
  sotto_matrix_free(&r.own);
  sotto_matrix_free(&joined);
  return status;
}

sotto_status sotto_i_vesper_layers_answer(sotto_matrix *out, const sotto_i_joint *joint, sotto_error *err) {
  return joint->role == SOTTO_ROLE_DATA ? answer_data(joint, err)
                                        : sotto_i_vesper_layers_read(out, joint, false, err);
}
