/* The label side of split learning: it receives embeddings, and returns gradients and decisions. */
#include "split_learning.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "inside/tensor.h"
#include "party/wire/link/transport.h"
#include "split_messages.h"
#include "split_sample.h"
#include "tensor/columns.h"
#include "tensor/tape.h"

static const char *const gradient_reason =
    "the encoder's training signal; it depends on labels and can reveal them to the data party";
static const char *const decision_reason = "picks the best epoch; it depends on validation labels";

sotto_status sotto_i_split_label_exposed(sotto_link *link, sotto_error *err) {
  sotto_status status = sotto_i_link_note(link, SOTTO_I_SPLIT_GRADIENTS, gradient_reason, err);
  return status == SOTTO_OK ? sotto_i_link_note(link, SOTTO_I_SPLIT_DECISION, decision_reason, err) : status;
}

/* Buffers for the largest batch of any part. */
typedef struct batch_room {
  sotto_matrix joined; /* of all feature sides */
  sotto_matrix one;    /* of one of several; empty where there is one */
} batch_room;

/* Columns of one feature side in a joined batch: to there, or back to `one`. */
static void copy_side(sotto_matrix *joined, sotto_matrix *one, size_t side, bool back) {
  const size_t bytes = one->cols * sizeof(float);
  for (size_t i = 0; i < one->rows; i++) {
    float *there = joined->data + i * joined->cols + side * one->cols, *here = one->data + i * one->cols;
    if (back)
      memcpy(here, there, bytes);
    else
      memcpy(there, here, bytes);
  }
}

/* Receives a batch of embeddings into the first rows of the room. */
static sotto_status receive_batch(const sotto_i_label_side *side, sotto_matrix *out, const batch_room *room,
                                  const sotto_i_batch *batch, bool rounded, sotto_error *err) {
  const bool alone = side->link_count == 1;
  *out = (sotto_matrix){room->joined.data, batch->count, room->joined.cols};
  sotto_matrix one = {alone ? out->data : room->one.data, batch->count, side->width};
  const sotto_expectation expected = {sotto_i_split_embeddings(batch->part), SOTTO_WIRE_EXPOSED, one.rows,
                                      one.cols, 0};
  for (size_t i = 0; i < side->link_count; i++) {
    const sotto_status status = rounded ? sotto_i_link_receive_rounded(side->links[i], &one, &expected, err)
                                        : sotto_link_receive(side->links[i], &one, &expected, err);
    if (status != SOTTO_OK) return status;
    if (!alone) copy_side(out, &one, i, false);
  }
  return SOTTO_OK;
}

/* Sends each feature side the gradient of its own embeddings. */
static sotto_status send_gradient(const sotto_i_label_side *side, const batch_room *room,
                                  const sotto_matrix *gradient, sotto_error *err) {
  const bool alone = side->link_count == 1;
  sotto_matrix all = *gradient,
               one = {alone ? all.data : room->one.data, all.rows, alone ? all.cols : side->width};
  for (size_t i = 0; i < side->link_count; i++) {
    if (!alone) copy_side(&all, &one, i, true);
    const sotto_status status =
        sotto_i_link_send_rounded(side->links[i], SOTTO_I_SPLIT_GRADIENTS, gradient_reason, &one, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

static sotto_status send_decision(const sotto_i_label_side *side, sotto_i_decision decision,
                                  sotto_error *err) {
  float flags =
      (float)((decision.better ? SOTTO_I_SPLIT_BETTER : 0) | (decision.stop ? SOTTO_I_SPLIT_STOP : 0));
  const sotto_matrix reply = {&flags, 1, 1};
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; status == SOTTO_OK && i < side->link_count; i++)
    status = sotto_link_send_exposed(side->links[i], SOTTO_I_SPLIT_DECISION, decision_reason, &reply, err);
  return status;
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

static sotto_status label_batch(const sotto_i_label_side *side, sotto_tape *tape, const batch_room *room,
                                const sotto_i_batch *batch, size_t whole, uint64_t epoch, double *loss,
                                sotto_error *err) {
  sotto_status status;
  sotto_matrix embeddings;
  const sotto_pass pass = {.tape = tape, .key = side->key, .step = epoch, .training = true};
  const sotto_i_targets targets =
      sotto_i_targets_rows(&side->shown[SOTTO_PART_TRAIN], batch->begin, batch->count);
  SOTTO_TRY(receive_batch(side, &embeddings, room, batch, true, err));
  sotto_tape_reset(tape);
  sotto_i_tape_begin_at(tape, batch->begin);
  const sotto_var input = sotto_tape_input(tape, &embeddings);
  sotto_var total = sotto_i_targets_loss(tape, head_logits(side, &pass, input, batch), &targets);
  if (batch->count < whole)
    total = sotto_tape_scale(tape, total, (float)((double)batch->count / (double)whole));
  SOTTO_TRY(sotto_tape_backward(tape, total, err));
  *loss += sotto_tape_value(tape, total).data[0];
  const sotto_matrix gradient = sotto_tape_gradient(tape, input);
  status = send_gradient(side, room, &gradient, err);
done:
  return status;
}

static sotto_status label_step(const sotto_i_label_side *side, sotto_tape *tape, const batch_room *room,
                               uint64_t epoch, double *loss, sotto_error *err) {
  const sotto_i_sample sample = sotto_i_sample_at(side->shown[SOTTO_PART_TRAIN].count, epoch);
  *loss = 0;
  sotto_params_zero_gradients(side->params);
  for (size_t i = 0; i < sotto_i_batch_count(sample.count); i++) {
    const sotto_i_batch batch = sotto_i_sample_batch(&sample, SOTTO_PART_TRAIN, i);
    const sotto_status status = label_batch(side, tape, room, &batch, sample.count, epoch, loss, err);
    if (status != SOTTO_OK) return status;
  }
  return sotto_adam_step(side->params, &side->training.adam, err);
}

/* Logits of rows of a part; *scores is allocated with the first batch. */
static sotto_status label_scores(sotto_matrix *scores, const sotto_i_label_side *side, sotto_tape *tape,
                                 const batch_room *room, sotto_part part, const sotto_i_sample *rows,
                                 bool rounded, sotto_error *err) {
  const sotto_pass pass = {.tape = tape, .key = side->key};
  sotto_status status = SOTTO_OK;
  sotto_matrix_free(scores);
  for (size_t i = 0; i < sotto_i_batch_count(rows->count); i++) {
    const sotto_i_batch batch = sotto_i_sample_batch(rows, part, i);
    sotto_matrix embeddings;
    SOTTO_TRY(receive_batch(side, &embeddings, room, &batch, rounded, err));
    sotto_tape_reset(tape);
    const sotto_var logits = head_logits(side, &pass, sotto_tape_constant(tape, &embeddings), &batch);
    SOTTO_TRY(sotto_tape_check(tape, err));
    const sotto_matrix made = sotto_tape_value(tape, logits);
    if (i == 0) SOTTO_TRY(sotto_matrix_new(scores, rows->count, made.cols, err));
    if (batch.count > 0)
      memcpy(scores->data + (batch.begin - rows->begin) * made.cols, made.data,
             batch.count * made.cols * sizeof(float));
  }
done:
  return status;
}

/* Scores of a sample of the validation part, and their quality by the true labels if they are better. The
 * measure that selects the epoch, and the loss, use the labels on which the feature side's view may depend.
 */
static sotto_status validate(sotto_matrix *scores, double *value, double *loss,
                             const sotto_i_label_side *side, sotto_tape *tape, const batch_room *room,
                             sotto_error *err) {
  const sotto_part part = SOTTO_PART_VALIDATION;
  const sotto_i_sample sample = sotto_i_sample_at(side->shown[part].count, 0);
  const sotto_i_targets shown = sotto_i_targets_rows(&side->shown[part], sample.begin, sample.count);
  sotto_status status;
  SOTTO_TRY(label_scores(scores, side, tape, room, part, &sample, true, err));
  SOTTO_TRY(sotto_i_targets_value(value, side->training.select_by, scores, &shown, err));
  *loss = sotto_i_targets_mean_loss(scores, &shown);
done:
  return status;
}

/* The quality of a sample's scores, or of a whole part, by the true labels. */
static sotto_status quality_of_truth(sotto_quality *out, const sotto_i_label_side *side,
                                     const sotto_matrix *scores, sotto_part part, sotto_error *err) {
  const sotto_i_targets truth = sotto_i_targets_rows(&side->truth[part], 0, scores->rows);
  return sotto_i_targets_quality(out, scores, &truth, err);
}

/* The quality of all rows of a part, whose embeddings come in float32. */
static sotto_status measure_part(sotto_quality *out, const sotto_i_label_side *side, sotto_tape *tape,
                                 const batch_room *room, sotto_part part, sotto_error *err) {
  const sotto_i_sample all = {0, side->shown[part].count};
  sotto_matrix scores = {0};
  sotto_status status = label_scores(&scores, side, tape, room, part, &all, false, err);
  if (status == SOTTO_OK) status = quality_of_truth(out, side, &scores, part, err);
  sotto_matrix_free(&scores);
  return status;
}

static sotto_status new_batch_room(batch_room *out, const sotto_i_label_side *side, sotto_error *err) {
  size_t most = 0;
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    most = sotto_i_split_largest(side->shown[part].count) > most
               ? sotto_i_split_largest(side->shown[part].count)
               : most;
  const sotto_status status = sotto_matrix_new(&out->joined, most, side->link_count * side->width, err);
  if (status != SOTTO_OK || side->link_count == 1) return status;
  return sotto_matrix_new(&out->one, most, side->width, err);
}

/* Where patience ends a training the first batch of the step that does not come is on its way. */
static sotto_status pass_over_batch(const sotto_i_label_side *side, const batch_room *room, uint64_t epoch,
                                    sotto_error *err) {
  const sotto_i_sample sample = sotto_i_sample_at(side->shown[SOTTO_PART_TRAIN].count, epoch);
  const sotto_i_batch batch = sotto_i_sample_batch(&sample, SOTTO_PART_TRAIN, 0);
  sotto_matrix rows;
  if (epoch >= side->training.epochs) return SOTTO_OK;
  return receive_batch(side, &rows, room, &batch, true, err);
}

static sotto_status label_ordered(sotto_quality *validation, sotto_quality *test,
                                  const sotto_i_label_side *side, sotto_error *err) {
  sotto_status status;
  sotto_tape *tape = NULL;
  sotto_params *best = NULL;
  sotto_matrix scores = {0};
  batch_room room = {.joined = {0}};
  sotto_i_watch watch = {0};
  sotto_i_decision decision = {0};
  SOTTO_TRY(sotto_tape_new(&tape, err));
  SOTTO_TRY(sotto_params_clone(&best, side->params, err));
  SOTTO_TRY(new_batch_room(&room, side, err));
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
    SOTTO_TRY(send_decision(side, decision, err));
  }
  SOTTO_TRY(pass_over_batch(side, &room, watch.epoch, err));
  SOTTO_TRY(sotto_params_copy(side->params, best, err));
  if (side->unmeasured) goto done;
  SOTTO_TRY(measure_part(validation, side, tape, &room, SOTTO_PART_VALIDATION, err));
  SOTTO_TRY(measure_part(test, side, tape, &room, SOTTO_PART_TEST, err));
done:
  sotto_matrix_free(&scores);
  sotto_matrix_free(&room.joined);
  sotto_matrix_free(&room.one);
  sotto_params_free(best);
  sotto_tape_free(tape);
  return status;
}

/* What this side has of the parts, in the order of samples. Arrays of a part without an order are borrowed.
 */
typedef struct ordered_labels {
  sotto_i_targets shown[4], truth[4];
  sotto_matrix own[4];
  void *owned[4 * 4];
  size_t count;
} ordered_labels;

/* Values of 4 bytes in another order, in new memory. */
static sotto_status order_values(ordered_labels *o, const void **values, const uint32_t *order, size_t count,
                                 sotto_error *err) {
  uint32_t *out = NULL;
  if (*values == NULL) return SOTTO_OK;
  const sotto_status status = sotto_i_new_raw(&out, count, sizeof *out, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < count; i++) memcpy(out + i, (const uint8_t *)*values + 4 * (size_t)order[i], 4);
  *values = o->owned[o->count++] = out;
  return SOTTO_OK;
}

static sotto_status order_targets(ordered_labels *o, sotto_i_targets *targets, const uint32_t *order,
                                  sotto_error *err) {
  const void *classes = targets->classes, *numbers = targets->numbers;
  sotto_status status;
  SOTTO_TRY(order_values(o, &classes, order, targets->count, err));
  SOTTO_TRY(order_values(o, &numbers, order, targets->count, err));
  targets->classes = classes;
  targets->numbers = numbers;
done:
  return status;
}

static sotto_status order_labels(ordered_labels *o, const sotto_i_label_side *side, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  uint32_t *order = NULL;
  memcpy(o->shown, side->shown, sizeof o->shown);
  memcpy(o->truth, side->truth, sizeof o->truth);
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_VALIDATION; part++) {
    SOTTO_TRY(sotto_i_sample_order(&order, part, side->shown[part].count, err));
    if (order == NULL) continue;
    SOTTO_TRY(order_targets(o, &o->shown[part], order, err));
    SOTTO_TRY(order_targets(o, &o->truth[part], order, err));
    if (side->own != NULL)
      SOTTO_TRY(sotto_i_take_rows(&o->own[part], &side->own[part], order, side->shown[part].count, err));
    sotto_i_free(order);
    order = NULL;
  }
done:
  sotto_i_free(order);
  return status;
}

sotto_status sotto_i_split_label_side(sotto_quality *validation, sotto_quality *test,
                                      const sotto_i_label_side *side, sotto_error *err) {
  ordered_labels o = {.count = 0};
  sotto_matrix own[4] = {{0}};
  sotto_i_label_side ordered = *side;
  sotto_status status = order_labels(&o, side, err);
  ordered.shown = o.shown;
  ordered.truth = o.truth;
  for (int part = 0; side->own != NULL && part < 4; part++)
    own[part] = o.own[part].data != NULL ? o.own[part] : side->own[part];
  if (side->own != NULL) ordered.own = own;
  if (status == SOTTO_OK) status = label_ordered(validation, test, &ordered, err);
  for (size_t i = 0; i < o.count; i++) sotto_i_free(o.owned[i]);
  for (int part = 0; part < 4; part++) sotto_matrix_free(&o.own[part]);
  return status;
}
