/* The label party of vesper: head by split learning, then a decoder on each release. What it sends follows
 * from labels as they were told; the decoder that it keeps may use the true ones (docs/privacy.md). */
#include "base/error.h"
#include "base/memory.h"
#include "checkpoint.h"
#include "party/split_learning.h"
#include "party_split.h"
#include "vesper.h"

static const char *const gradients_reason = "the training signal of the encoder between releases; it tells "
                                            "the data party about the labels it was made "
                                            "from";

/* By part: the labels that may show in what is sent. */
static const int32_t *const *shown_labels(const sotto_i_label_party *party) {
  const sotto_i_vesper *c = party->shared;
  return (const int32_t *const *)(c->told.lie > 0 ? c->told.labels : c->parted->labels);
}

static sotto_status train_head(sotto_i_label_party *party, sotto_error *err) {
  const sotto_i_vesper *c = party->shared;
  sotto_i_stage stage = {c->job, "encoder", c->job->options->encoder_epochs};
  const sotto_i_epoch_hook hook = {&stage, sotto_i_stage_epoch};
  const sotto_i_label_side side = {.link = party->link,
                                   .head = &party->head,
                                   .params = party->head_params,
                                   .width = sotto_i_embedding_width(c->job->options),
                                   .labels = shown_labels(party),
                                   .lie = c->told.lie,
                                   .truth = (const int32_t *const *)c->parted->labels,
                                   .own = c->label_features.cols > 0 ? party->own : NULL,
                                   .count = c->parted->split.count,
                                   .training =
                                       sotto_i_job_training(c->job->options, c->job->options->encoder_epochs),
                                   .key = &c->key,
                                   .hook = &hook};
  sotto_status status;
  SOTTO_TRY(sotto_i_send_split(party->link, &c->parted->split, c->job->data->graph.nodes, err));
  SOTTO_TRY(sotto_i_split_label_side(&party->baseline_validation, &party->baseline_test, &side, err));
  SOTTO_TRY(sotto_i_checkpoint_encoder_save(c->job, party->head_params, &party->baseline_validation,
                                            &party->baseline_test, err));
done:
  return status;
}

static sotto_status receive_layers(sotto_i_label_party *party, sotto_matrix *layers, uint32_t count,
                                   sotto_error *err) {
  const sotto_i_job *job = party->shared->job;
  bool noisy = job->plan->grid.sigma > 0;
  if (sotto_i_checkpoint_stage(job) == 2) return sotto_i_checkpoint_layers_load(job, layers, count, err);
  for (uint32_t k = 0; k < count; k++) {
    const sotto_expectation expected = {.name = k == 0 ? "embeddings.all" : "layer",
                                        .kind = k > 0 && noisy ? SOTTO_WIRE_RELEASE : SOTTO_WIRE_EXPOSED,
                                        .rows = job->data->graph.nodes,
                                        .cols = sotto_i_released_width(job->options),
                                        .row_norm = k == 0 || job->plan->options.raw ? 0 : 1};
    sotto_status status = sotto_link_receive(party->link, &layers[k], &expected, err);
    if (status != SOTTO_OK) return status;
  }
  return sotto_i_checkpoint_layers_save(job, layers, count, err);
}

static sotto_status send_gradients(sotto_i_label_party *party, const sotto_i_task *task, sotto_error *err) {
  sotto_status status;
  sotto_matrix gradients = {0};
  SOTTO_TRY(sotto_i_decoder_gradient(&gradients, &party->decoder, task, err));
  SOTTO_TRY(sotto_link_send_exposed(party->link, "gradients.layers", gradients_reason, &gradients, err));
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
  sotto_i_stage stage = {c->job, "decoder", epochs};
  const sotto_i_epoch_hook hook = {&stage, sotto_i_stage_epoch};
  const sotto_i_training training = sotto_i_job_training(o, epochs);
  sotto_i_task task = sotto_i_decoder_task(&party->decoder, party->params, c->parted, &c->key);
  SOTTO_TRY(sotto_i_decoder_read(&party->decoder, layers, c->label_features.cols > 0 ? party->own : NULL,
                                 c->parted, err));
  if (!last) {
    const int32_t *const *labels = shown_labels(party);
    for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_VALIDATION; part++)
      task.labels[part] = labels[part];
    task.lie = c->told.lie;
    SOTTO_TRY(sotto_i_fit(&task, &training, &hook, err));
    SOTTO_TRY(send_gradients(party, &task, err));
  } else {
    SOTTO_TRY(sotto_i_fit_and_measure(&party->validation, &party->test, &task, &training, &hook, err));
  }
done:
  return status;
}

static sotto_status train_decoder(sotto_i_label_party *party, sotto_error *err) {
  const sotto_i_vesper *c = party->shared;
  const sotto_i_job *job = c->job;
  uint32_t count = job->plan->options.layers + 1;
  size_t width = sotto_i_released_width(job->options);
  sotto_status status;
  sotto_matrix *layers = NULL;
  SOTTO_TRY(sotto_i_new(&layers, count, sizeof *layers, err));
  for (uint32_t k = 0; k < count; k++)
    SOTTO_TRY(sotto_matrix_new(&layers[k], job->data->graph.nodes, width, err));
  SOTTO_TRY(sotto_i_decoder_new(&party->decoder, party->params, job->options, count, width,
                                c->label_features.cols, job->data->classes, &c->key, err));
  for (uint64_t round = 0; round < sotto_i_job_releases(job->options); round++) {
    SOTTO_TRY(receive_layers(party, layers, count, err));
    SOTTO_TRY(decode_round(party, layers, round, err));
  }
done:
  if (layers != NULL)
    for (uint32_t k = 0; k < count; k++) sotto_matrix_free(&layers[k]);
  sotto_i_free(layers);
  sotto_i_decoder_free(&party->decoder);
  return status;
}

sotto_status sotto_i_vesper_label_recipe(sotto_i_label_party *party, sotto_error *err) {
  const sotto_i_vesper *c = party->shared;
  const sotto_split *split = &c->parted->split;
  sotto_status status = SOTTO_OK;
  if (sotto_i_vesper_at_node_level(c->job->options)) return sotto_i_vesper_node_label(party, err);
  for (sotto_part part = SOTTO_PART_TRAIN; c->label_features.cols > 0 && part <= SOTTO_PART_TEST; part++)
    SOTTO_TRY(
        sotto_i_take_rows(&party->own[part], &c->label_features, split->rows[part], split->count[part], err));
  SOTTO_TRY(sotto_i_head_new(&party->head, party->head_params, c->job->options, c->label_features.cols,
                             c->job->data->classes, &c->key, err));
  if (sotto_i_checkpoint_stage(c->job) == 0)
    SOTTO_TRY(train_head(party, err));
  else
    SOTTO_TRY(sotto_i_checkpoint_encoder_load(c->job, party->head_params, &party->baseline_validation,
                                              &party->baseline_test, err));
  if (c->job->plan != NULL) SOTTO_TRY(train_decoder(party, err));
done:
  for (int part = 0; part < 4; part++) sotto_matrix_free(&party->own[part]);
  return status;
}
