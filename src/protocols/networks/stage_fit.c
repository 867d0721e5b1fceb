/* The fit of a stage, and a second one with weights of classes where one of two classes is rare. */
#include "base/error.h"
#include "inside/alerts.h"
#include "networks.h"
#include "nn/params/params.h"
#include "nn/quality.h"

/* A fit with its measures. */
typedef struct measured {
  sotto_quality validation, test;
  double precision; /* of a rare class on validation rows: its average precision */
} measured;

/* `rare`: a class whose average precision is measured; -1: none. */
static sotto_status fit_once(measured *out, const sotto_i_task *task, sotto_i_stage *stage, int32_t rare,
                             sotto_error *err) {
  const sotto_i_training training = sotto_i_stage_training(stage);
  const sotto_i_epoch_hook hook = {stage, sotto_i_stage_epoch};
  sotto_tape *tape = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_fit(task, &training, &hook, err));
  SOTTO_TRY(sotto_tape_new(&tape, err));
  SOTTO_TRY(sotto_i_evaluate(&out->validation, task, tape, SOTTO_PART_VALIDATION, err));
  SOTTO_TRY(sotto_i_evaluate(&out->test, task, tape, SOTTO_PART_TEST, err));
  if (rare >= 0)
    SOTTO_TRY(sotto_i_evaluate_class(&out->precision, task, tape, SOTTO_PART_VALIDATION, rare, err));
done:
  sotto_tape_free(tape);
  return status;
}

/* The rare one of two classes, or -1: none is, or validation labels may not choose between two fits. Where
 * measures are hidden labels are protected, and a choice by them would be a release. Ranks go by the first
 * one's labels. */
static sotto_status find_rare(int32_t *out, const sotto_i_task *task, const sotto_i_job *job,
                              sotto_error *err) {
  const sotto_dataset *data = job->data;
  sotto_status status = SOTTO_OK;
  *out = -1;
  if (sotto_options_hide_measures(job->options) || task->labels_hidden || data->classes != 2 ||
      data->graph_count > 0 || task->targets[SOTTO_PART_TRAIN].classes == NULL)
    return SOTTO_OK;
  if (sotto_i_ranks_first(task->ranks) && data->labels != NULL)
    SOTTO_TRY(sotto_rare_class(out, NULL, data->labels, data->graph.nodes, data->classes, err));
  SOTTO_TRY(sotto_i_ranks_give(task->ranks, out, sizeof *out, err));
done:
  return status;
}

/* Weights by which both classes count alike, and a row 1 in the mean. False: a class has no training row. */
static bool balance(double weights[2], const sotto_i_targets *targets) {
  double rows[2] = {0, 0};
  for (size_t i = 0; i < targets->count; i++) rows[targets->classes[i]]++;
  for (int c = 0; c < 2; c++) weights[c] = (double)targets->count / (2 * rows[c]);
  return rows[0] > 0 && rows[1] > 0;
}

/* By average precision where epochs are selected by AUC, since both rank; else by the measure that selects
 * epochs, by which later steps compare the fit. */
static bool is_better(const measured *second, const measured *first, sotto_measure by) {
  if (by == SOTTO_MEASURE_AUC) return second->precision > first->precision;
  return sotto_i_quality_value(&second->validation, by) > sotto_i_quality_value(&first->validation, by);
}

/* Fits from `start` with weights. Keeps that if it is better on validation rows, else the first fit. */
static sotto_status fit_weighted(measured *best, const sotto_params *start, const sotto_i_task *task,
                                 const sotto_i_stage *stage, int32_t rare, sotto_error *err) {
  double weights[2];
  sotto_params *first = NULL;
  sotto_i_stage second_stage = *stage;
  sotto_i_task second_task = *task;
  measured second;
  sotto_status status = SOTTO_OK;
  if (!balance(weights, &task->targets[SOTTO_PART_TRAIN])) return SOTTO_OK;
  second_stage.weighted = true;
  second_task.targets[SOTTO_PART_TRAIN].weights = weights;
  SOTTO_TRY(sotto_params_clone(&first, task->params, err));
  SOTTO_TRY(sotto_i_params_become(first, task->params, err));
  SOTTO_TRY(sotto_i_params_become(task->params, start, err));
  SOTTO_TRY(fit_once(&second, &second_task, &second_stage, rare, err));
  if (is_better(&second, best, stage->job->options->select_by))
    *best = second;
  else
    SOTTO_TRY(sotto_i_params_become(task->params, first, err));
done:
  sotto_params_free(first);
  return status;
}

sotto_status sotto_i_fit_and_measure(sotto_quality *validation, sotto_quality *test, const sotto_i_task *task,
                                     sotto_i_stage *stage, sotto_error *err) {
  sotto_params *start = NULL;
  int32_t rare;
  measured best;
  sotto_status status;
  SOTTO_TRY(find_rare(&rare, task, stage->job, err));
  if (rare >= 0) {
    SOTTO_TRY(sotto_params_clone(&start, task->params, err));
    SOTTO_TRY(sotto_i_params_become(start, task->params, err));
  }
  SOTTO_TRY(fit_once(&best, task, stage, rare, err));
  if (rare >= 0) SOTTO_TRY(fit_weighted(&best, start, task, stage, rare, err));
  *validation = best.validation;
  *test = best.test;
done:
  sotto_params_free(start);
  return status;
}
