/* Fitting a model: one optimiser step an epoch, then a look at the validation part. */
#include "fit.h"

#include <math.h>

#include "base/error.h"
#include "base/progress.h"

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

double sotto_i_mean_loss(const sotto_matrix *scores, const int32_t *labels) {
  double total = 0;
  for (size_t i = 0; i < scores->rows; i++) {
    const float *row = scores->data + i * scores->cols;
    double largest = row[0];
    for (size_t j = 1; j < scores->cols; j++) largest = fmax(largest, row[j]);
    double sum = exp(row[0] - largest);
    for (size_t j = 1; j < scores->cols; j++) sum += exp(row[j] - largest);
    total += log(sum) + largest - row[labels[i]];
  }
  return total / (double)scores->rows;
}

double sotto_i_quality_value(const sotto_quality *quality, sotto_measure measure) {
  switch (measure) {
  case SOTTO_MEASURE_AUC:
    return quality->auc;
  case SOTTO_MEASURE_MACRO_F1:
    return quality->macro_f1;
  default:
    return quality->accuracy;
  }
}

static sotto_status train_step(const sotto_i_task *task, const sotto_i_training *training, sotto_tape *tape,
                               uint64_t epoch, double *loss, sotto_error *err) {
  sotto_tape_reset(tape);
  sotto_params_zero_gradients(task->params);
  const sotto_pass pass = {.tape = tape, .key = task->key, .step = epoch, .training = true};
  sotto_var logits = task->forward(task->model, &pass, SOTTO_PART_TRAIN);
  const sotto_i_reported reported = {task->labels[SOTTO_PART_TRAIN], task->count[SOTTO_PART_TRAIN],
                                     task->flip};
  sotto_var total = sotto_i_reported_cross_entropy(tape, logits, &reported);
  sotto_status status = sotto_tape_backward(tape, total, err);
  if (status != SOTTO_OK) return status;
  *loss = sotto_tape_value(tape, total).data[0];
  return sotto_adam_step(task->params, &training->adam, err);
}

sotto_status sotto_i_evaluate(sotto_quality *out, double *loss, const sotto_i_task *task, sotto_tape *tape,
                              sotto_part part, sotto_error *err) {
  sotto_tape_reset(tape);
  const sotto_pass pass = {.tape = tape, .key = task->key};
  sotto_var logits = task->forward(task->model, &pass, part);
  sotto_status status = sotto_tape_check(tape, err);
  if (status != SOTTO_OK) return status;
  sotto_matrix scores = sotto_tape_value(tape, logits);
  /* Measuring checks the labels, so it comes before the loss. */
  status = sotto_quality_measure(out, &scores, task->labels[part], NULL, task->count[part], err);
  if (status == SOTTO_OK && loss != NULL) *loss = sotto_i_mean_loss(&scores, task->labels[part]);
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
  SOTTO_TRY(sotto_params_clone(&best, task->params, err));
  const sotto_i_training_state state = {.params = task->params, .best = best, .watch = &watch};
  SOTTO_TRY(sotto_i_keep_load(training->keeper, &state, err));
  while (!decision.stop) {
    double loss, validation_loss;
    sotto_quality quality;
    SOTTO_TRY(sotto_i_check_interrupt(err));
    SOTTO_TRY(train_step(task, training, tape, watch.epoch, &loss, err));
    SOTTO_TRY(sotto_i_evaluate(&quality, &validation_loss, task, tape, SOTTO_PART_VALIDATION, err));
    double value = sotto_i_quality_value(&quality, training->select_by);
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
