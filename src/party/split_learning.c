/* Split learning over a link. One epoch: embeddings of a sample of the training rows are sent and their
 * gradient returned, batch by batch; then those of a sample of validation rows are sent and a decision
 * returned. Before it reads the decision the feature side has sent the next epoch's first batch, so that an
 * epoch waits once for each of its batches, and no longer. At the end all validation and test embeddings are
 * sent. The label side is in split_labels.c. */
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

static const char *const embedding_reason = "functions of each node's own features, which the label party "
                                            "may know: this adjacency does not protect them";

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
  return rounded ? sotto_i_link_send_rounded(side->link, sotto_i_split_embeddings(part), embedding_reason,
                                             &value, err)
                 : sotto_link_send_exposed(side->link, sotto_i_split_embeddings(part), embedding_reason,
                                           &value, err);
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
    const sotto_expectation expected = {SOTTO_I_SPLIT_GRADIENTS, SOTTO_WIRE_EXPOSED, received.rows,
                                        received.cols, 0};
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
static sotto_status train_feature_epoch(const sotto_i_feature_side *side, sotto_tape *tape, sotto_var *begun,
                                        sotto_matrix *gradient, uint64_t epoch, unsigned *decision,
                                        sotto_error *err) {
  sotto_status status;
  float flags = 0;
  sotto_matrix received = {&flags, 1, 1};
  const sotto_expectation want_decision = {SOTTO_I_SPLIT_DECISION, SOTTO_WIRE_EXPOSED, 1, 1, 0};
  const sotto_i_sample sample = sotto_i_sample_at(side->features->count[SOTTO_PART_VALIDATION], 0);
  SOTTO_TRY(train_features(side, tape, *begun, gradient, epoch, err));
  SOTTO_TRY(send_rows(side, tape, SOTTO_PART_VALIDATION, &sample, true, err));
  if (epoch + 1 < side->epochs) SOTTO_TRY(begin_step(begun, side, tape, epoch + 1, err));
  SOTTO_TRY(sotto_link_receive(side->link, &received, &want_decision, err));
  if (!(flags >= 0 && flags <= (SOTTO_I_SPLIT_BETTER | SOTTO_I_SPLIT_STOP)))
    return sotto_i_fail(err, SOTTO_PROTOCOL, "the validation decision %g is not part of this protocol",
                        flags);
  *decision = (unsigned)flags;
  if (epoch + 1 >= side->epochs && (*decision & SOTTO_I_SPLIT_STOP) == 0)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "the validation decision goes on after epoch %llu of %llu",
                        (unsigned long long)epoch + 1, (unsigned long long)side->epochs);
done:
  return status;
}

sotto_status sotto_i_split_feature_exposed(sotto_link *link, bool unmeasured, sotto_error *err) {
  const sotto_part last = unmeasured ? SOTTO_PART_VALIDATION : SOTTO_PART_TEST;
  sotto_status status = SOTTO_OK;
  for (sotto_part part = SOTTO_PART_TRAIN; part <= last; part++)
    SOTTO_TRY(sotto_i_link_note(link, sotto_i_split_embeddings(part), embedding_reason, err));
done:
  return status;
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
  SOTTO_TRY(sotto_matrix_new(&gradient, sotto_i_split_largest(side->features->count[SOTTO_PART_TRAIN]),
                             side->width, err));
  SOTTO_TRY(begin_step(&begun, side, tape, watch.epoch, err));
  while ((decision & SOTTO_I_SPLIT_STOP) == 0) {
    SOTTO_TRY(train_feature_epoch(side, tape, &begun, &gradient, watch.epoch, &decision, err));
    if ((decision & SOTTO_I_SPLIT_BETTER) != 0) SOTTO_TRY(sotto_params_copy(best, side->params, err));
    watch.epoch++;
    if (side->hook != NULL) side->hook->call(side->hook->context, watch.epoch, NAN, NAN);
    SOTTO_TRY(sotto_i_keep(side->keeper, &state, (decision & SOTTO_I_SPLIT_STOP) != 0, err));
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
