/* The label party of vesper: head by split learning, then a decoder on each release. What it sends follows
 * from reported labels; the decoder that it keeps may use the true ones (docs/privacy.md). */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "label_edges.h"
#include "party/inside/party.h"
#include "party/split_learning.h"
#include "party/wire/link/transport.h"
#include "run/parties/party_split.h"
#include "vesper.h"

static const char gradients_name[] = "gradients.layers";
static const char *const gradients_reason = "the training signal of the encoder between releases; it depends "
                                            "on labels and can reveal them to the data party";

/* By part: the labels that may show in what is sent. */
static const int32_t *const *shown_labels(const sotto_i_label_party *party) {
  const sotto_i_vesper *c = party->shared;
  return (const int32_t *const *)(c->reported.flip > 0 ? c->reported.labels : c->parted->labels);
}

static sotto_status train_head(sotto_i_label_party *party, sotto_error *err) {
  const sotto_i_vesper *c = party->shared;
  sotto_i_stage stage = {.job = c->job, .name = "encoder", .epochs = c->job->options->encoder_epochs};
  const sotto_i_epoch_hook hook = {&stage, sotto_i_stage_epoch};
  const sotto_i_keeper keeper = sotto_i_vesper_encoder_keeper(party->session);
  sotto_i_training training = sotto_i_job_training(c->job->options, c->job->options->encoder_epochs);
  training.keeper = &keeper;
  const sotto_i_label_side side = {.link = party->link,
                                   .head = &party->head,
                                   .params = party->head_params,
                                   .width = sotto_i_embedding_width(c->job->options),
                                   .labels = shown_labels(party),
                                   .flip = c->reported.flip,
                                   .truth = (const int32_t *const *)c->parted->labels,
                                   .own = c->label_features.cols > 0 ? party->own : NULL,
                                   .count = c->parted->split.count,
                                   .training = training,
                                   .key = &c->key,
                                   .hook = &hook};
  return sotto_i_split_label_side(&party->baseline_validation, &party->baseline_test, &side, err);
}

/* What this party knows in a round: both networks, and how the first stage went. */
enum { round_numbers = 6 };
static sotto_i_saved_state state_of(sotto_i_label_party *party, double numbers[round_numbers]) {
  const sotto_quality *v = &party->baseline_validation, *t = &party->baseline_test;
  const double values[round_numbers] = {v->accuracy, v->auc, v->macro_f1, t->accuracy, t->auc, t->macro_f1};
  memcpy(numbers, values, sizeof values);
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

/* Layers that the data party sends: its rows, and what it releases of them. */
static uint32_t sent_layers(const sotto_i_job *job) {
  return job->plan->options.layers + 1;
}

/* Layers of which the decoder reads: those, and of its own edges. */
static uint32_t read_layers(const sotto_i_job *job) {
  return sent_layers(job) + (job->label_graph == NULL ? 0 : job->plan->options.layers);
}

static sotto_status keep_round(sotto_i_label_party *party, uint64_t round, sotto_error *err) {
  double numbers[round_numbers];
  const sotto_i_saved_state state = state_of(party, numbers);
  return sotto_i_vesper_keep_round(party->shared->job, party->session, round, &state, err);
}

static sotto_status load_round(sotto_i_label_party *party, sotto_error *err) {
  double numbers[round_numbers];
  const sotto_i_saved_state state = state_of(party, numbers);
  sotto_status status = sotto_i_checkpoint_load(&party->session->checkpoints, &state, err);
  party->baseline_validation = (sotto_quality){numbers[0], numbers[1], numbers[2]};
  party->baseline_test = (sotto_quality){numbers[3], numbers[4], numbers[5]};
  return status;
}

/* The state after a round is kept before its gradients go: what the data party has them for, this one has
 * done.
 */
static sotto_status send_gradients(sotto_i_label_party *party, const sotto_i_task *task, uint64_t round,
                                   sotto_error *err) {
  const sotto_i_job *job = party->shared->job;
  sotto_status status;
  sotto_matrix gradients = {0};
  SOTTO_TRY(sotto_i_decoder_gradient(&gradients, &party->decoder, task,
                                     sent_layers(job) * sotto_i_released_width(job->options), err));
  SOTTO_TRY(keep_round(party, round + 1, err));
  SOTTO_TRY(sotto_link_send_exposed(party->link, gradients_name, gradients_reason, &gradients, err));
done:
  sotto_matrix_free(&gradients);
  return status;
}

/* The last round's decoder is kept, so it may read true labels; an earlier one decides the gradients. */
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
  if (!last) {
    const int32_t *const *labels = shown_labels(party);
    for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_VALIDATION; part++)
      task.labels[part] = labels[part];
    task.flip = c->reported.flip;
    SOTTO_TRY(sotto_i_fit(&task, &training, &hook, err));
    SOTTO_TRY(send_gradients(party, &task, round, err));
  } else {
    task.labels_hidden = c->reported.flip > 0;
    SOTTO_TRY(sotto_i_fit_and_measure(&party->validation, &party->test, &task, &training, &hook, err));
  }
done:
  return status;
}

static sotto_status all_rounds(sotto_i_label_party *party, sotto_error *err) {
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

/* What went out over an earlier link belongs into the statement as well. */
static sotto_status note_earlier(sotto_i_label_party *party, sotto_error *err) {
  const sotto_i_vesper_place from = party->from;
  if (from.phase == 0 && from.step == 0) return SOTTO_OK;
  sotto_status status = sotto_i_split_label_exposed(party->link, err);
  if (status != SOTTO_OK || from.phase < 2) return status;
  return sotto_i_link_note(party->link, gradients_name, gradients_reason, err);
}

static sotto_status take_own_features(sotto_i_label_party *party, sotto_error *err) {
  const sotto_matrix *features = &party->shared->label_features;
  const sotto_split *split = &party->shared->parted->split;
  sotto_status status = SOTTO_OK;
  for (sotto_part part = SOTTO_PART_TRAIN; features->cols > 0 && part <= SOTTO_PART_TEST; part++)
    SOTTO_TRY(sotto_i_take_rows(&party->own[part], features, split->rows[part], split->count[part], err));
done:
  return status;
}

sotto_status sotto_i_vesper_label_recipe(sotto_i_label_party *party, sotto_error *err) {
  const sotto_i_vesper *c = party->shared;
  const sotto_i_job *job = c->job;
  uint32_t classes = job->data->classes;
  size_t own = c->label_features.cols;
  sotto_status status;
  if (sotto_i_vesper_at_node_level(job->options)) return sotto_i_vesper_node_label(party, err);
  if (sotto_i_vesper_by_counts(job->options)) return sotto_i_vesper_counts_label(party, err);
  SOTTO_TRY(take_own_features(party, err));
  SOTTO_TRY(
      sotto_i_head_new(&party->head, party->head_params, "head", job->options, own, classes, &c->key, err));
  if (job->plan != NULL)
    SOTTO_TRY(sotto_i_decoder_new(&party->decoder, party->params, job->options, read_layers(job),
                                  sotto_i_released_width(job->options), own, classes, &c->key, err));
  party->from = sotto_i_vesper_place_of(job, party->session);
  SOTTO_TRY(note_earlier(party, err));
  SOTTO_TRY(sotto_i_send_split(party->link, &c->parted->split, job->data->graph.nodes, err));
  if (party->from.phase == 0) SOTTO_TRY(train_head(party, err));
  SOTTO_TRY(party->from.phase == 0 ? keep_round(party, 0, err) : load_round(party, err));
  if (job->plan != NULL) SOTTO_TRY(all_rounds(party, err));
done:
  for (int part = 0; part < 4; part++) sotto_matrix_free(&party->own[part]);
  sotto_i_decoder_free(&party->decoder);
  return status;
}
