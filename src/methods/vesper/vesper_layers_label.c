/* The label party of the publication by layers: the head of split learning, and the decoder that reads noisy
 * layers. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "epoch_relay.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "label_edges.h"
#include "nn/number_scale.h"
#include "party/split_learning.h"
#include "party/wire/link/transport.h"
#include "run/parties/party_split.h"
#include "vesper.h"

static const char gradients_name[] = "gradients.layers";
static const char *const gradients_reason = "the training signal of the encoder between releases; it depends "
                                            "on labels and can reveal them to the data party";

/* The labels of a part that messages may depend on; training corrects the flips of reported ones. */
static sotto_i_targets shown_targets(const sotto_i_label_party *party, sotto_part part) {
  const sotto_i_vesper *c = party->shared;
  sotto_i_targets out = sotto_i_parted_targets(c->parted, part);
  if (c->reported.flip == 0) return out;
  out.classes = c->reported.labels[part];
  if (part == SOTTO_PART_TRAIN) out.flip = c->reported.flip;
  return out;
}

static sotto_status train_head(sotto_i_label_party *party, sotto_error *err) {
  const sotto_i_vesper *c = party->shared;
  sotto_i_stage stage = {.job = c->job, .name = "encoder", .epochs = c->job->options->encoder_epochs};
  sotto_i_epoch_relay relay = sotto_i_epoch_relay_of(&stage);
  const sotto_i_epoch_hook hook = sotto_i_epoch_relay_hook(&relay);
  const sotto_i_keeper keeper = sotto_i_vesper_encoder_keeper(party->session);
  sotto_i_training training = sotto_i_job_training(c->job->options, c->job->options->encoder_epochs);
  training.keeper = &keeper;
  sotto_i_targets shown[4] = {{0}}, truth[4] = {{0}};
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++) {
    shown[part] = shown_targets(party, part);
    truth[part] = sotto_i_parted_targets(c->parted, part);
  }
  if (sotto_i_learns_numbers(c->job->options)) {
    const sotto_status status =
        sotto_i_number_scale_learn(&party->head.scale, party->head_params, shown, err);
    if (status != SOTTO_OK) return status;
  }
  const sotto_i_label_side side = {.links = &party->link,
                                   .link_count = 1,
                                   .head = &party->head,
                                   .params = party->head_params,
                                   .width = sotto_i_embedding_width(c->job->options),
                                   .shown = shown,
                                   .truth = truth,
                                   .own = c->label_features.cols > 0 ? party->own : NULL,
                                   .training = training,
                                   .key = &c->key,
                                   .hook = &hook};
  const sotto_status status =
      sotto_i_split_label_side(&party->baseline_validation, &party->baseline_test, &side, err);
  return status == SOTTO_OK ? sotto_i_epoch_relay_check(&relay, err) : status;
}

/* State of this party in a round: both networks, and the quality of the first stage. */
enum { round_numbers = 2 * SOTTO_MEASURES };
static sotto_i_saved_state state_of(sotto_i_label_party *party, double numbers[round_numbers]) {
  memcpy(numbers, party->baseline_validation.of, sizeof party->baseline_validation.of);
  memcpy(numbers + SOTTO_MEASURES, party->baseline_test.of, sizeof party->baseline_test.of);
  return (sotto_i_saved_state){.sets = {party->head_params, party->params},
                               .count = 2,
                               .numbers = numbers,
                               .number_count = round_numbers};
}

static sotto_status receive_layers(sotto_i_label_party *party, sotto_matrix *layers, uint32_t count,
                                   uint64_t round, sotto_error *err) {
  const sotto_i_job *job = party->shared->job;
  bool noisy = job->plan->grid.sigma > 0;
  if (party->from.phase == round + 1 && party->from.step == 1)
    return sotto_i_vesper_load_layers(layers, count, party->shared, party->session, round, err);
  for (uint32_t k = 0; k < count; k++) {
    const sotto_expectation expected = {.name = k == 0 ? "embeddings.all" : "layer",
                                        .kind = k > 0 && noisy ? SOTTO_WIRE_RELEASE : SOTTO_WIRE_EXPOSED,
                                        .rows = job->data->graph.nodes,
                                        .cols = sotto_i_released_width(job->options),
                                        .row_norm = k == 0 || job->plan->options.raw ? 0 : 1};
    sotto_status status = sotto_link_receive(party->link, &layers[k], &expected, err);
    if (status != SOTTO_OK) return status;
  }
  double numbers[round_numbers];
  const sotto_i_saved_state state = state_of(party, numbers);
  return sotto_i_vesper_keep_layers(party->shared, party->session, round, layers, count, &state, err);
}

/* Number of layers that the data party sends: its rows, and the layers of its release. */
static uint32_t sent_layers(const sotto_i_job *job) {
  return job->plan->options.layers + 1;
}

/* Number of layers that the decoder reads: those, and the ones of its own edges. */
static uint32_t read_layers(const sotto_i_job *job) {
  return sent_layers(job) + (job->label_graph == NULL ? 0 : job->plan->options.layers);
}

static sotto_status save_round(sotto_i_label_party *party, uint64_t round, sotto_error *err) {
  double numbers[round_numbers];
  const sotto_i_saved_state state = state_of(party, numbers);
  return sotto_i_vesper_keep_round(party->shared->job, party->session, round, &state, err);
}

static sotto_status load_round(sotto_i_label_party *party, sotto_error *err) {
  double numbers[round_numbers];
  const sotto_i_saved_state state = state_of(party, numbers);
  sotto_status status = sotto_i_checkpoint_load(&party->session->checkpoints, &state, err);
  memcpy(party->baseline_validation.of, numbers, sizeof party->baseline_validation.of);
  memcpy(party->baseline_test.of, numbers + SOTTO_MEASURES, sizeof party->baseline_test.of);
  return status;
}

/* The state after a round is stored before its gradients are sent: once the data party has them, this party
 * is done with the round. */
static sotto_status send_gradients(sotto_i_label_party *party, const sotto_i_task *task, uint64_t round,
                                   sotto_error *err) {
  const sotto_i_job *job = party->shared->job;
  sotto_status status;
  sotto_matrix gradients = {0};
  SOTTO_TRY(sotto_i_decoder_gradient(&gradients, &party->decoder, task,
                                     sent_layers(job) * sotto_i_released_width(job->options), err));
  SOTTO_TRY(save_round(party, round + 1, err));
  SOTTO_TRY(sotto_link_send_exposed(party->link, gradients_name, gradients_reason, &gradients, err));
done:
  sotto_matrix_free(&gradients);
  return status;
}

/* The last round's decoder is not sent, so it may read true labels; an earlier one determines the
 * gradients. */
static sotto_status decode_round(sotto_i_label_party *party, const sotto_matrix *layers, uint64_t round,
                                 sotto_error *err) {
  const sotto_i_vesper *c = party->shared;
  const sotto_options *o = c->job->options;
  uint64_t rounds = sotto_i_job_releases(o), epochs = (o->epochs + rounds - 1) / rounds;
  bool last = round + 1 == rounds;
  sotto_status status;
  sotto_i_stage stage = {.job = c->job, .name = "decoder", .epochs = epochs, .part = (uint32_t)round};
  if (party->session != NULL) stage.checkpoints = &party->session->checkpoints;
  const sotto_i_epoch_hook hook = {&stage, sotto_i_stage_epoch};
  const sotto_i_training training = sotto_i_stage_training(&stage);
  sotto_i_task task = sotto_i_decoder_task(&party->decoder, party->params, c->parted, &c->key);
  SOTTO_TRY(sotto_i_decoder_read(&party->decoder, layers, c->label_features.cols > 0 ? party->own : NULL,
                                 c->parted, err));
  for (sotto_part part = SOTTO_PART_TRAIN; !last && part <= SOTTO_PART_VALIDATION; part++)
    task.targets[part] = shown_targets(party, part);
  if (sotto_i_learns_numbers(o))
    SOTTO_TRY(sotto_i_number_scale_learn(&party->decoder.mlp.scale, party->params, task.targets, err));
  if (!last) {
    SOTTO_TRY(sotto_i_fit(&task, &training, &hook, err));
    SOTTO_TRY(send_gradients(party, &task, round, err));
  } else {
    task.labels_hidden = c->reported.flip > 0;
    SOTTO_TRY(sotto_i_fit_and_measure(&party->validation, &party->test, &task, &stage, err));
  }
done:
  return status;
}

static sotto_status run_rounds(sotto_i_label_party *party, sotto_error *err) {
  const sotto_i_job *job = party->shared->job;
  uint32_t count = read_layers(job), sent = sent_layers(job);
  size_t width = sotto_i_released_width(job->options);
  sotto_status status;
  sotto_matrix *layers = NULL;
  SOTTO_TRY(sotto_i_new(&layers, count, sizeof *layers, err));
  for (uint32_t k = 0; k < count; k++)
    SOTTO_TRY(sotto_matrix_new(&layers[k], job->data->graph.nodes, width, err));
  uint64_t first = party->from.phase == 0 ? 0 : party->from.phase - 1;
  for (uint64_t round = first; round < sotto_i_job_releases(job->options); round++) {
    SOTTO_TRY(receive_layers(party, layers, sent, round, err));
    if (count > sent) SOTTO_TRY(sotto_i_label_edges_layers(layers + sent, job, &layers[0], round, err));
    SOTTO_TRY(decode_round(party, layers, round, err));
  }
done:
  if (layers != NULL)
    for (uint32_t k = 0; k < count; k++) sotto_matrix_free(&layers[k]);
  sotto_i_free(layers);
  return status;
}

/* Adds exposures of earlier links, which the statement must have too. */
static sotto_status note_earlier(sotto_i_label_party *party, sotto_error *err) {
  const sotto_i_vesper_place from = party->from;
  if (from.phase == 0 && from.step == 0) return SOTTO_OK;
  sotto_status status = sotto_i_split_label_exposed(party->link, err);
  if (status != SOTTO_OK || from.phase < 2) return status;
  return sotto_i_link_note(party->link, gradients_name, gradients_reason, err);
}

static sotto_status set_own_features(sotto_i_label_party *party, sotto_error *err) {
  const sotto_matrix *features = &party->shared->label_features;
  const sotto_split *split = &party->shared->parted->split;
  sotto_status status = SOTTO_OK;
  for (sotto_part part = SOTTO_PART_TRAIN; features->cols > 0 && part <= SOTTO_PART_TEST; part++)
    SOTTO_TRY(sotto_i_take_rows(&party->own[part], features, split->rows[part], split->count[part], err));
done:
  return status;
}

sotto_status sotto_i_vesper_layers_label(sotto_i_session *session, sotto_error *err) {
  sotto_i_label_party *party = session->own;
  const sotto_i_vesper *c = party->shared;
  const sotto_i_job *job = c->job;
  const size_t outputs = sotto_i_outputs(job->options, job->data);
  size_t own = c->label_features.cols;
  sotto_status status;
  SOTTO_TRY(set_own_features(party, err));
  SOTTO_TRY(
      sotto_i_head_new(&party->head, party->head_params, "head", job->options, own, outputs, &c->key, err));
  if (job->plan != NULL)
    SOTTO_TRY(sotto_i_decoder_new(&party->decoder, party->params, job->options, read_layers(job),
                                  sotto_i_released_width(job->options), own, outputs, &c->key, err));
  party->from = sotto_i_vesper_place_of(job, party->session);
  SOTTO_TRY(note_earlier(party, err));
  SOTTO_TRY(sotto_i_send_split(party->link, &c->parted->split, job->data->graph.nodes, err));
  sotto_i_vesper_place_tell(party->from, job, party->link, &c->parted->split);
  if (party->from.phase == 0) SOTTO_TRY(train_head(party, err));
  SOTTO_TRY(party->from.phase == 0 ? save_round(party, 0, err) : load_round(party, err));
  if (job->plan != NULL) SOTTO_TRY(run_rounds(party, err));
done:
  for (int part = 0; part < 4; part++) sotto_matrix_free(&party->own[part]);
  sotto_i_decoder_free(&party->decoder);
  return status;
}
