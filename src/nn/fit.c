/* Fitting a model: one optimiser step an epoch, of gradients that batches add up, then a look at the
 * validation part. */
#include "fit.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "inside/alerts.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "rows/gradients.h"
#include "tensor/tape.h"

sotto_i_decision sotto_i_watch_next(sotto_i_watch *watch, double value, double loss,
                                    const sotto_i_training *training) {
  watch->epoch++;
  bool better = watch->best_epoch == 0 || value > watch->best || (isnan(watch->best) && !isnan(value)) ||
                (value == watch->best && loss < watch->best_loss);
  if (better) {
    watch->best = value;
    watch->best_loss = loss;
    watch->best_epoch = watch->epoch;
  }
  bool tired = training->patience > 0 && watch->epoch - watch->best_epoch >= training->patience;
  return (sotto_i_decision){.better = better, .stop = tired || watch->epoch >= training->epochs};
}

/* Batches of a part, for this task. */
static size_t batches(const sotto_i_task *task, sotto_part part) {
  return task->batched ? sotto_i_batch_count(task->targets[part].count) : 1;
}

static sotto_i_batch batch_at(const sotto_i_task *task, sotto_part part, size_t i) {
  if (!task->batched) return (sotto_i_batch){part, 0, task->targets[part].count};
  return sotto_i_batch_at(part, task->targets[part].count, i);
}

/* Adds a batch's share of the loss of the whole part, and of its gradients. */
static sotto_status train_batch(const sotto_i_task *task, sotto_tape *tape, uint64_t epoch,
                                const sotto_i_batch *batch, double *loss, sotto_error *err) {
  const sotto_pass pass = {.tape = tape, .key = task->key, .step = epoch, .training = true};
  const size_t whole = task->targets[batch->part].count;
  const sotto_i_targets targets =
      sotto_i_targets_rows(&task->targets[batch->part], batch->begin, batch->count);
  sotto_tape_reset(tape);
  sotto_i_tape_begin_at(tape, batch->begin);
  sotto_var total = sotto_i_targets_loss(tape, task->forward(task->model, &pass, batch), &targets);
  if (batch->count < whole)
    total = sotto_tape_scale(tape, total, (float)((double)batch->count / (double)whole));
  float one = 1;
  const sotto_matrix seed = {&one, 1, 1};
  sotto_status status = task->labels_hidden ? sotto_tape_backward_from(tape, total, &seed, err)
                                            : sotto_tape_backward(tape, total, err);
  if (status == SOTTO_OK) *loss += sotto_tape_value(tape, total).data[0];
  return status;
}

/* Several batches: each one's gradients are made from zero, so that it does not matter who makes them. */
static sotto_status train_batches(const sotto_i_task *task, sotto_tape *tape, uint64_t epoch, size_t count,
                                  double *loss, sotto_error *err) {
  const uint32_t ranks = sotto_i_rank_count(task->ranks), number = sotto_i_rank_number(task->ranks);
  sotto_i_gradient_sum sum;
  sotto_status status;
  SOTTO_TRY(sotto_i_gradient_sum_new(&sum, task->params, task->ranks, err));
  for (size_t first = 0; first < count; first += ranks) {
    const size_t left = count - first;
    double of_batch = 0;
    if (number < left) {
      const sotto_i_batch batch = batch_at(task, SOTTO_PART_TRAIN, first + number);
      sotto_params_zero_gradients(task->params);
      SOTTO_TRY(train_batch(task, tape, epoch, &batch, &of_batch, err));
    }
    SOTTO_TRY(sotto_i_gradient_sum_add(&sum, left < ranks ? (uint32_t)left : ranks, of_batch, err));
  }
  sotto_i_gradient_sum_take(&sum);
  *loss = sum.loss;
done:
  sotto_i_gradient_sum_free(&sum);
  return status;
}

static sotto_status move(const sotto_i_task *task, const sotto_i_training *training, sotto_error *err) {
  sotto_error problem = {0};
  sotto_status status = sotto_adam_step(task->params, &training->adam, &problem);
  if (status == SOTTO_OK || (status == SOTTO_NUMERIC && task->labels_hidden)) return SOTTO_OK;
  return sotto_i_fail(err, status, "%s", problem.text);
}

/* Rank 0 takes the step, and all have its parameters after. */
static sotto_status train_step(const sotto_i_task *task, const sotto_i_training *training, sotto_tape *tape,
                               uint64_t epoch, double *loss, sotto_error *err) {
  const size_t count = batches(task, SOTTO_PART_TRAIN);
  const sotto_i_batch all = batch_at(task, SOTTO_PART_TRAIN, 0);
  const bool first = sotto_i_ranks_first(task->ranks);
  sotto_status status = SOTTO_OK;
  *loss = 0;
  sotto_params_zero_gradients(task->params);
  if (count > 1)
    SOTTO_TRY(train_batches(task, tape, epoch, count, loss, err));
  else if (first)
    SOTTO_TRY(train_batch(task, tape, epoch, &all, loss, err));
  if (first) SOTTO_TRY(move(task, training, err));
  SOTTO_TRY(sotto_i_params_give(task->params, task->ranks, err));
done:
  return status;
}

static sotto_status score_batch(sotto_matrix *scores, const sotto_i_task *task, sotto_tape *tape,
                                const sotto_i_batch *batch, sotto_error *err) {
  const sotto_pass pass = {.tape = tape, .key = task->key};
  sotto_tape_reset(tape);
  sotto_i_tape_begin_at(tape, batch->begin);
  const sotto_var logits = task->forward(task->model, &pass, batch);
  const sotto_status status = sotto_tape_check(tape, err);
  if (status == SOTTO_OK) *scores = sotto_tape_value(tape, logits);
  return status;
}

/* Scores of the batches that each rank has of one turn, to rank 0. */
static sotto_status collect_scores(sotto_matrix *own, const sotto_matrix *scores, const sotto_i_task *task,
                                   sotto_part part, size_t first, sotto_error *err) {
  const uint32_t ranks = sotto_i_rank_count(task->ranks), number = sotto_i_rank_number(task->ranks);
  const size_t left = batches(task, part) - first, row = scores->cols * sizeof(float);
  for (uint32_t r = 0; r < ranks && r < left; r++) {
    const sotto_i_batch batch = batch_at(task, part, first + r);
    float *to = own->data + batch.begin * own->cols;
    if (number == 0 && r == 0) memcpy(to, scores->data, batch.count * row);
    if (r == 0 || (number != 0 && number != r)) continue;
    const sotto_i_parcel parcel = {.peer = number == 0 ? r : 0,
                                   .take = number == 0,
                                   .data = number == 0 ? to : scores->data,
                                   .bytes = batch.count * row};
    const sotto_status status = sotto_i_ranks_pass(task->ranks, &parcel, 1, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

/* Logits of a part, at rank 0: on the tape where one batch holds it, else in *own. */
static sotto_status scores_of_part(sotto_matrix *scores, sotto_matrix *own, const sotto_i_task *task,
                                   sotto_tape *tape, sotto_part part, sotto_error *err) {
  const size_t count = batches(task, part), ranks = sotto_i_rank_count(task->ranks);
  const uint32_t number = sotto_i_rank_number(task->ranks);
  for (size_t first = 0; first < count; first += ranks) {
    sotto_status status = SOTTO_OK;
    if (first + number < count) {
      const sotto_i_batch batch = batch_at(task, part, first + number);
      status = score_batch(scores, task, tape, &batch, err);
    }
    if (status == SOTTO_OK && count > 1 && first == 0 && number == 0)
      status = sotto_matrix_new(own, task->targets[part].count, scores->cols, err);
    if (status == SOTTO_OK && count > 1) status = collect_scores(own, scores, task, part, first, err);
    if (status != SOTTO_OK) return status;
  }
  if (count > 1) *scores = *own;
  return SOTTO_OK;
}

sotto_status sotto_i_evaluate(sotto_quality *out, const sotto_i_task *task, sotto_tape *tape, sotto_part part,
                              sotto_error *err) {
  sotto_matrix scores = {0}, own = {0};
  sotto_status status;
  SOTTO_TRY(scores_of_part(&scores, &own, task, tape, part, err));
  if (sotto_i_ranks_first(task->ranks))
    SOTTO_TRY(sotto_i_targets_quality(out, &scores, &task->targets[part], err));
  SOTTO_TRY(sotto_i_ranks_give(task->ranks, out, sizeof *out, err));
done:
  sotto_matrix_free(&own);
  return status;
}

static sotto_status rank_class(double *out, const sotto_matrix *scores, const sotto_i_targets *targets,
                               int32_t class_number, sotto_error *err) {
  double *odds = NULL;
  sotto_ranking ranking;
  sotto_status status;
  SOTTO_I_CHECK(scores->cols == 2 && targets->classes != NULL);
  SOTTO_TRY(sotto_i_new_raw(&odds, scores->rows, sizeof *odds, err));
  for (size_t i = 0; i < scores->rows; i++) {
    const float *row = scores->data + 2 * i;
    odds[i] = (double)row[class_number] - (double)row[1 - class_number];
  }
  const sotto_ranked items = {odds, targets->classes, NULL, scores->rows, class_number};
  SOTTO_TRY(sotto_ranking_measure(&ranking, &items, 1, err));
  *out = ranking.average_precision;
done:
  sotto_i_free(odds);
  return status;
}

sotto_status sotto_i_evaluate_class(double *out, const sotto_i_task *task, sotto_tape *tape, sotto_part part,
                                    int32_t class_number, sotto_error *err) {
  sotto_matrix scores = {0}, own = {0};
  sotto_status status;
  SOTTO_TRY(scores_of_part(&scores, &own, task, tape, part, err));
  if (sotto_i_ranks_first(task->ranks))
    SOTTO_TRY(rank_class(out, &scores, &task->targets[part], class_number, err));
  SOTTO_TRY(sotto_i_ranks_give(task->ranks, out, sizeof *out, err));
done:
  sotto_matrix_free(&own);
  return status;
}

/* The measure that chooses the best epoch, and the mean loss, on the validation part. */
static sotto_status validate(double *value, double *loss, const sotto_i_task *task, sotto_measure measure,
                             sotto_tape *tape, sotto_error *err) {
  const sotto_part part = SOTTO_PART_VALIDATION;
  sotto_matrix scores = {0}, own = {0};
  sotto_status status;
  SOTTO_TRY(scores_of_part(&scores, &own, task, tape, part, err));
  if (sotto_i_ranks_first(task->ranks)) {
    /* Measuring checks the classes, so it comes before the loss. */
    SOTTO_TRY(sotto_i_targets_value(value, measure, &scores, &task->targets[part], err));
    *loss = sotto_i_targets_mean_loss(&scores, &task->targets[part]);
  }
  SOTTO_TRY(sotto_i_ranks_give(task->ranks, value, sizeof *value, err));
  SOTTO_TRY(sotto_i_ranks_give(task->ranks, loss, sizeof *loss, err));
done:
  sotto_matrix_free(&own);
  return status;
}

sotto_status sotto_i_keep(const sotto_i_keeper *keeper, const sotto_i_training_state *state, bool last,
                          sotto_error *err) {
  if (keeper == NULL || keeper->every == 0 || last || state->watch->epoch % keeper->every != 0)
    return SOTTO_OK;
  return keeper->save(keeper->context, state->watch->epoch, state, err);
}

sotto_status sotto_i_keep_load(const sotto_i_keeper *keeper, const sotto_i_training_state *state,
                               sotto_error *err) {
  return keeper == NULL || keeper->every == 0 ? SOTTO_OK : keeper->load(keeper->context, state, err);
}

sotto_status sotto_i_fit(const sotto_i_task *task, const sotto_i_training *training,
                         const sotto_i_epoch_hook *hook, sotto_error *err) {
  sotto_status status;
  sotto_tape *tape = NULL;
  sotto_params *best = NULL;
  sotto_i_watch watch = {0};
  sotto_i_decision decision = {0};
  SOTTO_TRY(sotto_tape_new(&tape, err));
  sotto_i_tape_lean(tape);
  SOTTO_TRY(sotto_params_clone(&best, task->params, err));
  const sotto_i_training_state state = {.params = task->params, .best = best, .watch = &watch};
  SOTTO_TRY(sotto_i_keep_load(training->keeper, &state, err));
  SOTTO_TRY(sotto_i_params_give(task->params, task->ranks, err)); /* what rank 0 had kept */
  SOTTO_TRY(sotto_i_params_give(best, task->ranks, err));
  SOTTO_TRY(sotto_i_ranks_give(task->ranks, &watch, sizeof watch, err));
  while (!decision.stop) {
    double loss, value, validation_loss;
    SOTTO_TRY(sotto_i_check_interrupt(err));
    SOTTO_TRY(train_step(task, training, tape, watch.epoch, &loss, err));
    SOTTO_TRY(validate(&value, &validation_loss, task, training->select_by, tape, err));
    decision = sotto_i_watch_next(&watch, value, validation_loss, training);
    if (decision.better) SOTTO_TRY(sotto_params_copy(best, task->params, err));
    if (hook != NULL && hook->call != NULL) hook->call(hook->context, watch.epoch, loss, value);
    SOTTO_TRY(sotto_i_keep(training->keeper, &state, decision.stop, err));
  }
  SOTTO_TRY(sotto_params_copy(task->params, best, err));
done:
  sotto_params_free(best);
  sotto_tape_free(tape);
  return status;
}
