/* VESPER in its sound form (Wu et al. 2023; docs/privacy.md). The data party holds graph and features, the
 * label party labels, and features of its own if asked for.
 *   0. The label party says which node trains, validates and tests.
 *   1. Encoder and head are trained by split learning, without edges.
 *   2. The data party releases K noisy layers of the whole graph; the charge comes before the first byte.
 *   3. The label party trains its decoder on all layers.
 *   4. With several releases, gradients go back and 2 and 3 are done again. */
#include "vesper.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "epoch_relay.h"
#include "graph/features.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "label_edges.h"
#include "nn/number_scale.h"
#include "party/split_learning.h"
#include "party/wire/link/transport.h"
#include "run/files/job_file.h"
#include "run/parties/party_split.h"

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

static sotto_status vesper_label_recipe(sotto_i_label_party *party, sotto_error *err) {
  const sotto_i_vesper *c = party->shared;
  const sotto_i_job *job = c->job;
  const size_t outputs = sotto_i_outputs(job->options, job->data);
  size_t own = c->label_features.cols;
  sotto_status status;
  if (sotto_i_vesper_at_node_level(job->options)) return sotto_i_vesper_node_label(party, err);
  if (sotto_i_vesper_by_counts(job->options)) return sotto_i_vesper_counts_label(party, err);
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

/* The state that the parties of this process share. A party in another process has no session here. */
typedef struct play {
  sotto_i_vesper shared;
  sotto_i_parted parted;
  sotto_i_data_party data;
  sotto_i_label_party label;
  bool borrowed; /* the data party's features are the job's */
} play;

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
static sotto_status set_features(play *p, bool local, sotto_error *err) {
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
  play *p = shared;
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

static sotto_status run_role(void *shared, sotto_i_session *session, sotto_error *err) {
  play *p = shared;
  const sotto_options *o = p->shared.job->options;
  if (session->role != SOTTO_ROLE_DATA) return vesper_label_recipe(&p->label, err);
  if (sotto_i_vesper_at_node_level(o)) return sotto_i_vesper_node_data(&p->data, err);
  if (sotto_i_vesper_by_counts(o)) return sotto_i_vesper_counts_data(&p->data, err);
  return sotto_i_vesper_layers_data(&p->data, err);
}

static sotto_status finish(sotto_i_outcome *out, void *shared, sotto_error *err) {
  play *p = shared;
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

static void free_play(void *shared) {
  play *p = shared;
  sotto_split_free(&p->data.split);
  sotto_params_free(p->data.params);
  sotto_params_free(p->label.head_params);
  sotto_params_free(p->label.params);
  if (!p->borrowed) sotto_matrix_free(&p->shared.data_features);
  sotto_matrix_free(&p->shared.label_features);
  sotto_i_reported_labels_free(&p->shared.reported);
  sotto_i_parted_free(&p->parted);
}

/* Without counts the other ranks have nothing to do but to wait for rank 0. */
static sotto_status help(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  if (sotto_i_vesper_by_counts(job->options)) return sotto_i_vesper_counts_help(out, job, err);
  return sotto_i_epoch_relay_await(sotto_i_job_ranks(job), err);
}

const sotto_i_roles sotto_i_vesper_roles = {.member = SOTTO_ROLE_DATA,
                                            .members_record = true,
                                            .size = sizeof(play),
                                            .prepare = prepare,
                                            .play = run_role,
                                            .finish = finish,
                                            .release = free_play,
                                            .help = help};

sotto_status sotto_i_vesper_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  SOTTO_I_CHECK(job->plan != NULL || sotto_i_vesper_by_counts(job->options));
  return sotto_i_roles_run(out, job, &sotto_i_vesper_roles, err);
}

sotto_status sotto_i_two_parties_first_stage(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_ranks *ranks = sotto_i_job_ranks(job);
  SOTTO_I_CHECK(job->plan == NULL);
  const sotto_status status = sotto_i_roles_run(out, job, &sotto_i_vesper_roles, err);
  return status == SOTTO_OK && sotto_i_ranks_first(ranks) ? sotto_i_epoch_relay_end(ranks, err) : status;
}

sotto_status sotto_i_vesper_node_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_pmp_plan rows, layers;
  sotto_i_job planned = *job;
  sotto_status status = sotto_i_vesper_node_releases(&rows, &layers, job, err);
  if (status != SOTTO_OK) return status;
  planned.plan = &layers;
  return sotto_i_vesper_run(out, &planned, err);
}
