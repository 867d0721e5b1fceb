/* Split learning over a link. One epoch: embeddings of a sample of the training rows are sent and their
 * gradient returned, batch by batch; then those of a sample of validation rows are sent and a decision
 * returned. Before it reads the decision the feature side has sent the next epoch's first batch, so that an
 * epoch waits once for each of its batches, and no longer. At the end all validation and test embeddings are
 * sent. */
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
#include "split_sample.h"
#include "tensor/columns.h"
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

/* Rows of the largest batch of `count` rows. */
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
                                    sotto_part part, bool rounded, sotto_error *err) {
  sotto_status status = sotto_tape_check(tape, err);
  if (status != SOTTO_OK) return status;
  const sotto_matrix value = sotto_tape_value(tape, embeddings);
  return rounded ? sotto_i_link_send_rounded(side->link, embedding_names[part], embedding_reason, &value, err)
                 : sotto_link_send_exposed(side->link, embedding_names[part], embedding_reason, &value, err);
}

/* Sends embeddings of rows of a part without dropout, batch by batch. */
static sotto_status send_rows(const sotto_i_feature_side *side, sotto_tape *tape, sotto_part part,
                              const sotto_i_sample *rows, bool rounded, sotto_error *err) {
  for (size_t i = 0; i < sotto_i_batch_count(rows->count); i++) {
    const sotto_i_batch batch = sotto_i_sample_batch(rows, part, i);
    const sotto_status status =
        send_embeddings(side, tape, embed_batch(side, tape, 0, &batch, false), part, rounded, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

static sotto_status send_part(const sotto_i_feature_side *side, sotto_tape *tape, sotto_part part,
                              sotto_error *err) {
  const sotto_i_sample all = {0, side->features->count[part]};
  return send_rows(side, tape, part, &all, false, err);
}

/* Embeddings of a batch of a step, which are sent; they stay on the tape for their gradient. */
static sotto_status begin_batch(sotto_var *out, const sotto_i_feature_side *side, sotto_tape *tape,
                                uint64_t epoch, const sotto_i_batch *batch, sotto_error *err) {
  *out = embed_batch(side, tape, epoch, batch, true);
  return send_embeddings(side, tape, *out, SOTTO_PART_TRAIN, true, err);
}

/* The first batch of a step. */
static sotto_status begin_step(sotto_var *out, const sotto_i_feature_side *side, sotto_tape *tape,
                               uint64_t epoch, sotto_error *err) {
  const sotto_i_sample sample = sotto_i_sample_at(side->features->count[SOTTO_PART_TRAIN], epoch);
  const sotto_i_batch batch = sotto_i_sample_batch(&sample, SOTTO_PART_TRAIN, 0);
  return begin_batch(out, side, tape, epoch, &batch, err);
}

/* The gradients of all batches add up to that of the step, whose first batch is on the tape. */
static sotto_status train_features(const sotto_i_feature_side *side, sotto_tape *tape, sotto_var begun,
                                   sotto_matrix *gradient, uint64_t epoch, sotto_error *err) {
  const sotto_i_sample sample = sotto_i_sample_at(side->features->count[SOTTO_PART_TRAIN], epoch);
  sotto_status status;
  sotto_params_zero_gradients(side->params);
  for (size_t i = 0; i < sotto_i_batch_count(sample.count); i++) {
    const sotto_i_batch batch = sotto_i_sample_batch(&sample, SOTTO_PART_TRAIN, i);
    sotto_matrix received = {gradient->data, batch.count, gradient->cols};
    const sotto_expectation expected = {gradient_name, SOTTO_WIRE_EXPOSED, received.rows, received.cols, 0};
    sotto_var embeddings = begun;
    if (i > 0) SOTTO_TRY(begin_batch(&embeddings, side, tape, epoch, &batch, err));
    SOTTO_TRY(sotto_i_link_receive_rounded(side->link, &received, &expected, err));
    SOTTO_TRY(sotto_tape_backward_from(tape, embeddings, &received, err));
  }
  status = sotto_adam_step(side->params, &side->adam, err);
done:
  return status;
}

/* *begun: the first batch of this epoch's step, then of the next one's. */
static sotto_status feature_epoch(const sotto_i_feature_side *side, sotto_tape *tape, sotto_var *begun,
                                  sotto_matrix *gradient, uint64_t epoch, unsigned *decision,
                                  sotto_error *err) {
  sotto_status status;
  float flags = 0;
  sotto_matrix received = {&flags, 1, 1};
  const sotto_expectation want_decision = {decision_name, SOTTO_WIRE_EXPOSED, 1, 1, 0};
  const sotto_i_sample sample = sotto_i_sample_at(side->features->count[SOTTO_PART_VALIDATION], 0);
  SOTTO_TRY(train_features(side, tape, *begun, gradient, epoch, err));
  SOTTO_TRY(send_rows(side, tape, SOTTO_PART_VALIDATION, &sample, true, err));
  if (epoch + 1 < side->epochs) SOTTO_TRY(begin_step(begun, side, tape, epoch + 1, err));
  SOTTO_TRY(sotto_link_receive(side->link, &received, &want_decision, err));
  if (!(flags >= keep_going && flags <= (better_flag | stop_flag)))
    return sotto_i_fail(err, SOTTO_PROTOCOL, "the validation decision %g is not part of this protocol",
                        flags);
  *decision = (unsigned)flags;
  if (epoch + 1 >= side->epochs && (*decision & stop_flag) == 0)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "the validation decision goes on after epoch %llu of %llu",
                        (unsigned long long)epoch + 1, (unsigned long long)side->epochs);
done:
  return status;
}

sotto_status sotto_i_split_feature_exposed(sotto_link *link, bool unmeasured, sotto_error *err) {
  const sotto_part last = unmeasured ? SOTTO_PART_VALIDATION : SOTTO_PART_TEST;
  sotto_status status = SOTTO_OK;
  for (sotto_part part = SOTTO_PART_TRAIN; part <= last; part++)
    SOTTO_TRY(sotto_i_link_note(link, embedding_names[part], embedding_reason, err));
done:
  return status;
}

sotto_status sotto_i_split_label_exposed(sotto_link *link, sotto_error *err) {
  sotto_status status = sotto_i_link_note(link, gradient_name, gradient_reason, err);
  return status == SOTTO_OK ? sotto_i_link_note(link, decision_name, decision_reason, err) : status;
}

/* Rows of training and validation in the order of samples, in new memory; NULL: as they are. */
typedef struct ordered_rows {
  uint32_t *rows[4];
} ordered_rows;

static sotto_status order_rows(ordered_rows *out, const uint32_t *const rows[4], const size_t count[4],
                               sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_VALIDATION; part++) {
    SOTTO_TRY(sotto_i_sample_order(&out->rows[part], part, count[part], err));
    for (size_t i = 0; out->rows[part] != NULL && i < count[part]; i++)
      out->rows[part][i] = rows[part][out->rows[part][i]];
  }
done:
  return status;
}

static void free_rows(ordered_rows *o) {
  for (int part = 0; part < 4; part++) sotto_i_free(o->rows[part]);
}

static sotto_status train_ordered(const sotto_i_feature_side *side, sotto_error *err) {
  sotto_status status;
  sotto_tape *tape = NULL;
  sotto_params *best = NULL;
  sotto_matrix gradient = {0};
  sotto_i_watch watch = {0};
  sotto_var begun;
  unsigned decision = 0;
  SOTTO_TRY(sotto_tape_new(&tape, err));
  SOTTO_TRY(sotto_params_clone(&best, side->params, err));
  const sotto_i_training_state state = {.params = side->params, .best = best, .watch = &watch};
  SOTTO_TRY(sotto_i_keep_load(side->keeper, &state, err));
  SOTTO_TRY(
      sotto_matrix_new(&gradient, largest_batch(side->features->count[SOTTO_PART_TRAIN]), side->width, err));
  SOTTO_TRY(begin_step(&begun, side, tape, watch.epoch, err));
  while ((decision & stop_flag) == 0) {
    SOTTO_TRY(feature_epoch(side, tape, &begun, &gradient, watch.epoch, &decision, err));
    if ((decision & better_flag) != 0) SOTTO_TRY(sotto_params_copy(best, side->params, err));
    watch.epoch++;
    SOTTO_TRY(sotto_i_keep(side->keeper, &state, (decision & stop_flag) != 0, err));
  }
  SOTTO_TRY(sotto_params_copy(side->params, best, err));
  if (side->unmeasured) goto done;
  SOTTO_TRY(send_part(side, tape, SOTTO_PART_VALIDATION, err));
  SOTTO_TRY(send_part(side, tape, SOTTO_PART_TEST, err));
done:
  sotto_matrix_free(&gradient);
  sotto_params_free(best);
  sotto_tape_free(tape);
  return status;
}

sotto_status sotto_i_split_feature_side(const sotto_i_feature_side *side, sotto_error *err) {
  sotto_i_split_rows *table = side->features;
  const uint32_t *own[4];
  ordered_rows ordered = {{NULL}};
  memcpy(own, table->rows, sizeof own);
  sotto_status status = order_rows(&ordered, own, table->count, err);
  for (int part = 0; part < 4; part++)
    if (ordered.rows[part] != NULL) table->rows[part] = ordered.rows[part];
  if (status == SOTTO_OK) status = train_ordered(side, err);
  memcpy(table->rows, own, sizeof own);
  for (int part = 0; part < 4; part++)
    if (ordered.rows[part] != NULL) sotto_i_split_rows_forget(table, (sotto_part)part);
  free_rows(&ordered);
  return status;
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
  const sotto_expectation expected = {embedding_names[batch->part], SOTTO_WIRE_EXPOSED, one.rows, one.cols,
                                      0};
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
        sotto_i_link_send_rounded(side->links[i], gradient_name, gradient_reason, &one, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

static sotto_status send_decision(const sotto_i_label_side *side, sotto_i_decision decision,
                                  sotto_error *err) {
  float flags = (float)((decision.better ? better_flag : 0) | (decision.stop ? stop_flag : 0));
  const sotto_matrix reply = {&flags, 1, 1};
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; status == SOTTO_OK && i < side->link_count; i++)
    status = sotto_link_send_exposed(side->links[i], decision_name, decision_reason, &reply, err);
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
    most = largest_batch(side->shown[part].count) > most ? largest_batch(side->shown[part].count) : most;
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
