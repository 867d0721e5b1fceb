/* Split learning over a link. One epoch: training embeddings are sent and their gradient returned, batch by
 * batch; then validation embeddings are sent and a validation decision returned. At the end test embeddings
 * are sent. */
#include "split_learning.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/progress.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "inside/tensor.h"
#include "party/wire/link/transport.h"
#include "tensor/tape.h"

static const char *const embedding_names[4] = {NULL, "embeddings.train", "embeddings.validation",
                                               "embeddings.test"};
static const char *const embedding_reason = "functions of each node's own features, which the label party "
                                            "may know: this adjacency does not protect them";
static const char gradient_name[] = "gradients.train", decision_name[] = "decision";
static const char *const gradient_reason =
    "the encoder's training signal; it depends on labels and can reveal them to the data party";
static const char *const decision_reason = "picks the best epoch; it depends on validation labels";

enum { keep_going = 0, better_flag = 1, stop_flag = 2 };

/* Rows of the largest batch of a part with `count` rows. */
static size_t largest_batch(size_t count) {
  return count < sotto_i_batch_rows() ? count : sotto_i_batch_rows();
}

static sotto_var embed_batch(const sotto_i_feature_side *side, sotto_tape *tape, uint64_t step,
                             const sotto_i_batch *batch, bool training) {
  const sotto_pass pass = {.tape = tape, .key = side->key, .step = step, .training = training};
  sotto_tape_reset(tape);
  sotto_i_tape_begin_at(tape, batch->begin);
  return sotto_mlp_apply(side->encoder, side->params, &pass,
                         sotto_i_split_rows_var(side->features, tape, batch));
}

static sotto_status send_embeddings(const sotto_i_feature_side *side, sotto_tape *tape, sotto_var embeddings,
                                    sotto_part part, sotto_error *err) {
  sotto_status status = sotto_tape_check(tape, err);
  if (status != SOTTO_OK) return status;
  sotto_matrix value = sotto_tape_value(tape, embeddings);
  return sotto_link_send_exposed(side->link, embedding_names[part], embedding_reason, &value, err);
}

/* Sends a part's embeddings without dropout, batch by batch. */
static sotto_status send_part(const sotto_i_feature_side *side, sotto_tape *tape, sotto_part part,
                              sotto_error *err) {
  const size_t rows = side->features->count[part];
  for (size_t i = 0; i < sotto_i_batch_count(rows); i++) {
    const sotto_i_batch batch = sotto_i_batch_at(part, rows, i);
    const sotto_status status =
        send_embeddings(side, tape, embed_batch(side, tape, 0, &batch, false), part, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

/* The gradients of all batches add up to that of the training rows. */
static sotto_status train_features(const sotto_i_feature_side *side, sotto_tape *tape, sotto_matrix *gradient,
                                   uint64_t epoch, sotto_error *err) {
  const size_t rows = side->features->count[SOTTO_PART_TRAIN];
  sotto_status status;
  sotto_params_zero_gradients(side->params);
  for (size_t i = 0; i < sotto_i_batch_count(rows); i++) {
    const sotto_i_batch batch = sotto_i_batch_at(SOTTO_PART_TRAIN, rows, i);
    sotto_matrix received = {gradient->data, batch.count, gradient->cols};
    const sotto_expectation expected = {gradient_name, SOTTO_WIRE_EXPOSED, received.rows, received.cols, 0};
    const sotto_var embeddings = embed_batch(side, tape, epoch, &batch, true);
    SOTTO_TRY(send_embeddings(side, tape, embeddings, SOTTO_PART_TRAIN, err));
    SOTTO_TRY(sotto_link_receive(side->link, &received, &expected, err));
    SOTTO_TRY(sotto_tape_backward_from(tape, embeddings, &received, err));
  }
  status = sotto_adam_step(side->params, &side->adam, err);
done:
  return status;
}

static sotto_status feature_epoch(const sotto_i_feature_side *side, sotto_tape *tape, sotto_matrix *gradient,
                                  uint64_t epoch, unsigned *decision, sotto_error *err) {
  sotto_status status;
  float flags = 0;
  sotto_matrix received = {&flags, 1, 1};
  const sotto_expectation want_decision = {decision_name, SOTTO_WIRE_EXPOSED, 1, 1, 0};
  SOTTO_TRY(train_features(side, tape, gradient, epoch, err));
  SOTTO_TRY(send_part(side, tape, SOTTO_PART_VALIDATION, err));
  SOTTO_TRY(sotto_link_receive(side->link, &received, &want_decision, err));
  if (!(flags >= keep_going && flags <= (better_flag | stop_flag)))
    return sotto_i_fail(err, SOTTO_PROTOCOL, "the validation decision %g is not part of this protocol",
                        flags);
  *decision = (unsigned)flags;
done:
  return status;
}

sotto_status sotto_i_split_feature_exposed(sotto_link *link, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    SOTTO_TRY(sotto_i_link_note(link, embedding_names[part], embedding_reason, err));
done:
  return status;
}

sotto_status sotto_i_split_label_exposed(sotto_link *link, sotto_error *err) {
  sotto_status status = sotto_i_link_note(link, gradient_name, gradient_reason, err);
  return status == SOTTO_OK ? sotto_i_link_note(link, decision_name, decision_reason, err) : status;
}

sotto_status sotto_i_split_feature_side(const sotto_i_feature_side *side, sotto_error *err) {
  sotto_status status;
  sotto_tape *tape = NULL;
  sotto_params *best = NULL;
  sotto_matrix gradient = {0};
  sotto_i_watch watch = {0};
  unsigned decision = 0;
  SOTTO_TRY(sotto_tape_new(&tape, err));
  SOTTO_TRY(sotto_params_clone(&best, side->params, err));
  const sotto_i_training_state state = {.params = side->params, .best = best, .watch = &watch};
  SOTTO_TRY(sotto_i_keep_load(side->keeper, &state, err));
  SOTTO_TRY(
      sotto_matrix_new(&gradient, largest_batch(side->features->count[SOTTO_PART_TRAIN]), side->width, err));
  while ((decision & stop_flag) == 0) {
    SOTTO_TRY(feature_epoch(side, tape, &gradient, watch.epoch, &decision, err));
    if ((decision & better_flag) != 0) SOTTO_TRY(sotto_params_copy(best, side->params, err));
    watch.epoch++;
    SOTTO_TRY(sotto_i_keep(side->keeper, &state, (decision & stop_flag) != 0, err));
  }
  SOTTO_TRY(sotto_params_copy(side->params, best, err));
  SOTTO_TRY(send_part(side, tape, SOTTO_PART_TEST, err));
done:
  sotto_matrix_free(&gradient);
  sotto_params_free(best);
  sotto_tape_free(tape);
  return status;
}

/* Receives a batch of embeddings into the first rows of `room`. */
static sotto_status receive_batch(const sotto_i_label_side *side, sotto_matrix *out, const sotto_matrix *room,
                                  const sotto_i_batch *batch, sotto_error *err) {
  *out = (sotto_matrix){room->data, batch->count, room->cols};
  const sotto_expectation expected = {embedding_names[batch->part], SOTTO_WIRE_EXPOSED, out->rows, out->cols,
                                      0};
  return sotto_link_receive(side->link, out, &expected, err);
}

static sotto_var head_logits(const sotto_i_label_side *side, const sotto_pass *pass, sotto_var embeddings,
                             const sotto_i_batch *batch) {
  if (side->own != NULL) {
    const sotto_matrix *own = &side->own[batch->part];
    const sotto_matrix rows = {own->data + batch->begin * own->cols, batch->count, own->cols};
    embeddings = sotto_tape_concat(pass->tape, embeddings, sotto_tape_constant(pass->tape, &rows));
  }
  return sotto_mlp_apply(side->head, side->params, pass, embeddings);
}

static sotto_status label_batch(const sotto_i_label_side *side, sotto_tape *tape, const sotto_matrix *room,
                                const sotto_i_batch *batch, uint64_t epoch, double *loss, sotto_error *err) {
  const size_t whole = side->shown[SOTTO_PART_TRAIN].count;
  sotto_status status;
  sotto_matrix embeddings;
  const sotto_pass pass = {.tape = tape, .key = side->key, .step = epoch, .training = true};
  const sotto_i_targets targets =
      sotto_i_targets_rows(&side->shown[SOTTO_PART_TRAIN], batch->begin, batch->count);
  SOTTO_TRY(receive_batch(side, &embeddings, room, batch, err));
  sotto_tape_reset(tape);
  sotto_i_tape_begin_at(tape, batch->begin);
  const sotto_var input = sotto_tape_input(tape, &embeddings);
  sotto_var total = sotto_i_targets_loss(tape, head_logits(side, &pass, input, batch), &targets);
  if (batch->count < whole)
    total = sotto_tape_scale(tape, total, (float)((double)batch->count / (double)whole));
  SOTTO_TRY(sotto_tape_backward(tape, total, err));
  *loss += sotto_tape_value(tape, total).data[0];
  const sotto_matrix gradient = sotto_tape_gradient(tape, input);
  SOTTO_TRY(sotto_link_send_exposed(side->link, gradient_name, gradient_reason, &gradient, err));
done:
  return status;
}

static sotto_status label_step(const sotto_i_label_side *side, sotto_tape *tape, const sotto_matrix *room,
                               uint64_t epoch, double *loss, sotto_error *err) {
  const size_t rows = side->shown[SOTTO_PART_TRAIN].count;
  *loss = 0;
  sotto_params_zero_gradients(side->params);
  for (size_t i = 0; i < sotto_i_batch_count(rows); i++) {
    const sotto_i_batch batch = sotto_i_batch_at(SOTTO_PART_TRAIN, rows, i);
    const sotto_status status = label_batch(side, tape, room, &batch, epoch, loss, err);
    if (status != SOTTO_OK) return status;
  }
  return sotto_adam_step(side->params, &side->training.adam, err);
}

/* Logits of a part; *scores is allocated with the first batch. */
static sotto_status label_scores(sotto_matrix *scores, const sotto_i_label_side *side, sotto_tape *tape,
                                 const sotto_matrix *room, sotto_part part, sotto_error *err) {
  const size_t rows = side->shown[part].count;
  const sotto_pass pass = {.tape = tape, .key = side->key};
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < sotto_i_batch_count(rows); i++) {
    const sotto_i_batch batch = sotto_i_batch_at(part, rows, i);
    sotto_matrix embeddings;
    SOTTO_TRY(receive_batch(side, &embeddings, room, &batch, err));
    sotto_tape_reset(tape);
    const sotto_var logits = head_logits(side, &pass, sotto_tape_constant(tape, &embeddings), &batch);
    SOTTO_TRY(sotto_tape_check(tape, err));
    const sotto_matrix made = sotto_tape_value(tape, logits);
    if (i == 0) SOTTO_TRY(sotto_matrix_new(scores, rows, made.cols, err));
    if (batch.count > 0)
      memcpy(scores->data + batch.begin * made.cols, made.data, batch.count * made.cols * sizeof(float));
  }
done:
  return status;
}

/* Quality of a part's scores by the true labels. */
static sotto_status quality_of_truth(sotto_quality *out, const sotto_i_label_side *side,
                                     const sotto_matrix *scores, sotto_part part, sotto_error *err) {
  return sotto_i_targets_quality(out, scores, &side->truth[part], err);
}

/* Scores of the validation part. The measure that selects the epoch, and the loss, use the labels on which
 * the feature side's view may depend. */
static sotto_status validate(sotto_matrix *scores, double *value, double *loss,
                             const sotto_i_label_side *side, sotto_tape *tape, const sotto_matrix *room,
                             sotto_error *err) {
  const sotto_part part = SOTTO_PART_VALIDATION;
  sotto_status status;
  sotto_matrix_free(scores);
  SOTTO_TRY(label_scores(scores, side, tape, room, part, err));
  SOTTO_TRY(sotto_i_targets_value(value, side->training.select_by, scores, &side->shown[part], err));
  *loss = sotto_i_targets_mean_loss(scores, &side->shown[part]);
done:
  return status;
}

/* A buffer for the largest batch of any part. */
static sotto_status new_batch_buffer(sotto_matrix *out, const sotto_i_label_side *side, sotto_error *err) {
  size_t most = 0;
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    most = largest_batch(side->shown[part].count) > most ? largest_batch(side->shown[part].count) : most;
  return sotto_matrix_new(out, most, side->width, err);
}

sotto_status sotto_i_split_label_side(sotto_quality *validation, sotto_quality *test,
                                      const sotto_i_label_side *side, sotto_error *err) {
  sotto_status status;
  sotto_tape *tape = NULL;
  sotto_params *best = NULL;
  sotto_matrix room = {0}, scores = {0};
  sotto_i_watch watch = {0};
  sotto_i_decision decision = {0};
  SOTTO_TRY(sotto_tape_new(&tape, err));
  SOTTO_TRY(sotto_params_clone(&best, side->params, err));
  SOTTO_TRY(new_batch_buffer(&room, side, err));
  const sotto_i_training_state state = {
      .params = side->params, .best = best, .watch = &watch, .quality = validation};
  SOTTO_TRY(sotto_i_keep_load(side->training.keeper, &state, err));
  while (!decision.stop) {
    double loss, value, validation_loss;
    SOTTO_TRY(sotto_i_check_interrupt(err));
    SOTTO_TRY(label_step(side, tape, &room, watch.epoch, &loss, err));
    SOTTO_TRY(validate(&scores, &value, &validation_loss, side, tape, &room, err));
    decision = sotto_i_watch_next(&watch, value, validation_loss, &side->training);
    if (decision.better) {
      SOTTO_TRY(quality_of_truth(validation, side, &scores, SOTTO_PART_VALIDATION, err));
      SOTTO_TRY(sotto_params_copy(best, side->params, err));
    }
    if (side->hook != NULL && side->hook->call != NULL)
      side->hook->call(side->hook->context, watch.epoch, loss, value);
    /* Saved before the decision is sent, so that this side is never behind by more than one saved epoch. */
    SOTTO_TRY(sotto_i_keep(side->training.keeper, &state, decision.stop, err));
    float flags = (float)((decision.better ? better_flag : 0) | (decision.stop ? stop_flag : 0));
    const sotto_matrix reply = {&flags, 1, 1};
    SOTTO_TRY(sotto_link_send_exposed(side->link, decision_name, decision_reason, &reply, err));
  }
  SOTTO_TRY(sotto_params_copy(side->params, best, err));
  sotto_matrix_free(&scores);
  SOTTO_TRY(label_scores(&scores, side, tape, &room, SOTTO_PART_TEST, err));
  SOTTO_TRY(quality_of_truth(test, side, &scores, SOTTO_PART_TEST, err));
done:
  sotto_matrix_free(&scores);
  sotto_matrix_free(&room);
  sotto_params_free(best);
  sotto_tape_free(tape);
  return status;
}
