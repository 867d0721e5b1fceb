/* The label holder's part of vfgnn: the output layer and the loss (algorithm 2, lines 14 and 15). */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "run/parties/party_split.h"
#include "vfgnn.h"

static const char *const gradient_reason =
    "the server's training signal; it tells of the labels it was made from";
static const char *const decision_reason =
    "picks the best epoch, and ends training; it tells how validation labels fare";
static const char decision_name[] = "decision";

enum { better_flag = 1, stop_flag = 2 };

sotto_status sotto_i_vfgnn_send_decision(sotto_link *link, sotto_i_decision decision, sotto_error *err) {
  float flags = (float)((decision.better ? better_flag : 0) + (decision.stop ? stop_flag : 0));
  const sotto_matrix sent = {&flags, 1, 1};
  return sotto_link_send_exposed(link, decision_name, decision_reason, &sent, err);
}

sotto_status sotto_i_vfgnn_receive_decision(sotto_i_decision *decision, sotto_link *link, sotto_error *err) {
  float flags = 0;
  sotto_matrix received = {&flags, 1, 1};
  const sotto_expectation expected = {decision_name, SOTTO_WIRE_EXPOSED, 1, 1, 0};
  sotto_status status = sotto_link_receive(link, &received, &expected, err);
  if (status != SOTTO_OK) return status;
  if (flags != 0 && flags != 1 && flags != 2 && flags != 3)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "the decision %g is none that this protocol knows", flags);
  unsigned bits = (unsigned)flags;
  *decision = (sotto_i_decision){.better = (bits & better_flag) != 0, .stop = (bits & stop_flag) != 0};
  return SOTTO_OK;
}

sotto_status sotto_i_vfgnn_labels_begin(sotto_i_vfgnn_holder *holder, sotto_error *err) {
  const sotto_i_vfgnn *c = holder->shared;
  sotto_i_vfgnn_labels *l = holder->labels;
  const sotto_split *split = &l->parted.split;
  sotto_key key;
  sotto_status status;
  sotto_i_key_derive(&key, &c->key, 2);
  SOTTO_TRY(sotto_tape_new(&l->tape, err));
  SOTTO_TRY(sotto_params_new(&l->params, err));
  SOTTO_TRY(sotto_linear_new(&l->output, l->params, "labels.output", c->width, c->classes, &key, err));
  SOTTO_TRY(sotto_params_clone(&l->best, l->params, err));
  SOTTO_TRY(sotto_matrix_new(&l->train, split->count[SOTTO_PART_TRAIN], c->width, err));
  SOTTO_TRY(sotto_matrix_new(&l->validate, split->count[SOTTO_PART_VALIDATION], c->width, err));
  SOTTO_TRY(sotto_matrix_new(&l->tested, split->count[SOTTO_PART_TEST], c->width, err));
  SOTTO_TRY(sotto_i_new(&l->step_labels, l->train.rows, sizeof *l->step_labels, err));
  SOTTO_TRY(sotto_i_send_split(holder->peers.dealer, split, c->nodes, err));
done:
  return status;
}

static sotto_status receive_hidden(sotto_matrix *out, sotto_i_vfgnn_holder *holder, const char *name,
                                   sotto_error *err) {
  const sotto_expectation expected = {name, SOTTO_WIRE_EXPOSED, out->rows, out->cols, 0};
  return sotto_link_receive(holder->peers.dealer, out, &expected, err);
}

/* Scores of hidden rows, measured against one part's labels. */
static sotto_status measure(sotto_quality *out, double *loss, sotto_i_vfgnn_labels *l,
                            const sotto_matrix *hidden, sotto_part part, sotto_error *err) {
  sotto_tape_reset(l->tape);
  sotto_var scores = sotto_linear_apply(&l->output, l->params, l->tape, sotto_tape_constant(l->tape, hidden));
  sotto_status status = sotto_tape_check(l->tape, err);
  if (status != SOTTO_OK) return status;
  const sotto_matrix value = sotto_tape_value(l->tape, scores);
  status = sotto_quality_measure(out, &value, l->parted.labels[part], NULL, hidden->rows, err);
  if (status == SOTTO_OK) *loss = sotto_i_mean_loss(&value, l->parted.labels[part]);
  return status;
}

/* One step of the output layer; the gradient by the hidden rows goes back. */
static sotto_status learn(double *loss, sotto_i_vfgnn_holder *holder, sotto_error *err) {
  sotto_i_vfgnn_labels *l = holder->labels;
  const uint32_t *member = holder->batch.member[SOTTO_PART_TRAIN];
  const sotto_options *o = holder->shared->job->options;
  const sotto_adam adam = sotto_i_job_training(o, o->epochs).adam;
  sotto_status status;
  for (size_t i = 0; i < l->train.rows; i++)
    l->step_labels[i] = l->parted.labels[SOTTO_PART_TRAIN][member[i]];
  sotto_tape_reset(l->tape);
  sotto_params_zero_gradients(l->params);
  sotto_var hidden = sotto_tape_input(l->tape, &l->train);
  sotto_var scores = sotto_linear_apply(&l->output, l->params, l->tape, hidden);
  sotto_var total = sotto_tape_cross_entropy(l->tape, scores, l->step_labels, NULL, l->train.rows);
  SOTTO_TRY(sotto_tape_backward(l->tape, total, err));
  *loss = sotto_tape_value(l->tape, total).data[0];
  const sotto_matrix gradient = sotto_tape_gradient(l->tape, hidden);
  SOTTO_TRY(
      sotto_link_send_exposed(holder->peers.dealer, "gradients.hidden", gradient_reason, &gradient, err));
  SOTTO_TRY(sotto_adam_step(l->params, &adam, err));
done:
  return status;
}

/* Validation rows of a step, to their places among all. */
static sotto_status receive_validation(sotto_i_vfgnn_holder *holder, sotto_error *err) {
  sotto_i_vfgnn_labels *l = holder->labels;
  const sotto_i_vfgnn_batch *b = &holder->batch;
  size_t count = b->members[SOTTO_PART_VALIDATION], cols = l->validate.cols;
  sotto_matrix came = {0};
  sotto_status status = SOTTO_OK;
  if (count == 0) return SOTTO_OK;
  SOTTO_TRY(sotto_matrix_new(&came, count, cols, err));
  SOTTO_TRY(receive_hidden(&came, holder, "hidden.validation", err));
  for (size_t i = 0; i < count; i++)
    memcpy(l->validate.data + b->member[SOTTO_PART_VALIDATION][i] * cols, came.data + i * cols,
           cols * sizeof(float));
done:
  sotto_matrix_free(&came);
  return status;
}

/* The validation decision on an epoch, when its validation rows are all there. */
static sotto_status judge(double *value, sotto_i_vfgnn_holder *holder, sotto_error *err) {
  sotto_i_vfgnn_labels *l = holder->labels;
  const sotto_options *o = holder->shared->job->options;
  const sotto_i_training training = sotto_i_job_training(o, o->epochs);
  sotto_quality quality;
  double loss;
  sotto_status status;
  SOTTO_TRY(measure(&quality, &loss, l, &l->validate, SOTTO_PART_VALIDATION, err));
  *value = sotto_i_quality_value(&quality, training.select_by);
  sotto_i_decision decision = sotto_i_watch_next(&l->watch, *value, loss, &training);
  if (decision.better) {
    l->validation = quality;
    SOTTO_TRY(sotto_params_copy(l->best, l->params, err));
  }
  SOTTO_TRY(sotto_i_vfgnn_send_decision(holder->peers.dealer, decision, err));
done:
  return status;
}

sotto_status sotto_i_vfgnn_labels_step(sotto_i_vfgnn_holder *holder, uint64_t epoch, sotto_error *err) {
  sotto_i_vfgnn_labels *l = holder->labels;
  const sotto_i_job *job = holder->shared->job;
  bool last = sotto_i_vfgnn_batch_last(&holder->batch);
  double loss, value = 0;
  sotto_status status;
  sotto_i_stage stage = {.job = job, .name = "network", .epochs = job->options->epochs};
  l->train.rows = holder->batch.members[SOTTO_PART_TRAIN];
  SOTTO_TRY(receive_hidden(&l->train, holder, "hidden.train", err));
  SOTTO_TRY(receive_validation(holder, err));
  if (last) SOTTO_TRY(judge(&value, holder, err));
  SOTTO_TRY(learn(&loss, holder, err));
  if (last) sotto_i_stage_epoch(&stage, epoch + 1, loss, value);
done:
  return status;
}

sotto_status sotto_i_vfgnn_labels_end(sotto_i_vfgnn_holder *holder, sotto_error *err) {
  sotto_i_vfgnn_labels *l = holder->labels;
  double loss;
  sotto_status status;
  SOTTO_TRY(receive_hidden(&l->tested, holder, "hidden.test", err));
  SOTTO_TRY(sotto_params_copy(l->params, l->best, err));
  SOTTO_TRY(measure(&l->test, &loss, l, &l->tested, SOTTO_PART_TEST, err));
done:
  return status;
}

void sotto_i_vfgnn_labels_free(sotto_i_vfgnn_labels *l) {
  sotto_i_parted_free(&l->parted);
  sotto_params_free(l->params);
  sotto_params_free(l->best);
  sotto_tape_free(l->tape);
  sotto_matrix_free(&l->train);
  sotto_matrix_free(&l->validate);
  sotto_matrix_free(&l->tested);
  sotto_i_free(l->step_labels);
}
