/* Cross-fitted perceptrons. */
#include "cross_fit.h"

#include <stdio.h>

#include "base/error.h"
#include "first_inputs.h"
#include "inside/nn.h"
#include "networks/networks.h"
#include "ranks/ranks.h"
#include "table.h"
#include "tensor/columns.h"
#include "training_part.h"

enum { FOLD_NAME = 32 };

static size_t outputs_of(const sotto_i_job *job) {
  return sotto_i_outputs(job->options, job->data);
}

typedef struct fitting {
  const sotto_i_job *job;
  const sotto_i_parted *parted;
  const sotto_i_folds *folds;
} fitting;

static sotto_i_table_fit fit_of(const fitting *f, uint32_t fold, const sotto_i_parted *parted,
                                char name[FOLD_NAME]) {
  (void)snprintf(name, FOLD_NAME, "perceptron%u", fold);
  return (sotto_i_table_fit){.job = f->job,
                             .parted = parted,
                             .name = name,
                             .stage = "encoder",
                             .number = fold,
                             .part = fold,
                             .epochs = f->job->options->encoder_epochs};
}

/* Where the class probabilities of a fold's perceptron are added. */
typedef struct adding {
  sotto_matrix *scores;
  const sotto_i_folds *folds;
  uint32_t fold;
} adding;

static sotto_status add_rows(void *context, sotto_matrix *rows, size_t first, sotto_error *err) {
  const adding *a = context;
  (void)err;
  sotto_i_folds_add_from(a->scores, rows, a->folds, a->fold, first);
  return SOTTO_OK;
}

/* Fits on the training nodes outside one fold, and adds the resulting class probabilities of every node. */
static sotto_status fit_fold(sotto_matrix *scores, const fitting *f, uint32_t fold, sotto_params *params,
                             sotto_error *err) {
  sotto_status status;
  sotto_i_parted rest = {0};
  char name[FOLD_NAME];
  adding added = {scores, f->folds, fold};
  const sotto_i_embedded each = {
      .call = add_rows, .context = &added, .at_first = sotto_i_first_at_one(f->job)};
  SOTTO_TRY(sotto_i_folds_rest(&rest, f->folds, f->parted, fold, err));
  const sotto_i_table_fit fit = fit_of(f, fold, &rest, name);
  sotto_quality validation, test;
  SOTTO_TRY(sotto_i_table_fit_each(&validation, &test, &each, params, f->job->rows, &fit, err));
done:
  sotto_i_training_part_free(&rest);
  return status;
}

sotto_status sotto_i_cross_fit_new(sotto_i_cross_fitted *out, sotto_params *params, const sotto_i_job *job,
                                   const sotto_i_folds *folds, sotto_error *err) {
  char name[FOLD_NAME];
  sotto_status status = SOTTO_OK;
  *out = (sotto_i_cross_fitted){.job = job, .params = params, .folds = *folds};
  const fitting f = {.job = job, .folds = &out->folds};
  for (uint32_t fold = 0; fold < out->folds.count; fold++) {
    const sotto_i_table_fit fit = fit_of(&f, fold, NULL, name);
    SOTTO_TRY(sotto_i_table_net_new(&out->mlp[fold], params, job->features->cols, &fit, err));
  }
done:
  return status;
}

sotto_status sotto_i_cross_fit_scores(sotto_matrix *scores, const sotto_i_cross_fitted *fitted,
                                      const sotto_matrix *x, const uint32_t *nodes, sotto_error *err) {
  sotto_status status;
  sotto_matrix own = {0};
  sotto_key key;
  const bool numbers = sotto_i_learns_numbers(fitted->job->options);
  sotto_i_job_key(&key, fitted->job);
  SOTTO_TRY(sotto_matrix_new(scores, x->rows, outputs_of(fitted->job), err));
  for (uint32_t fold = 0; fold < fitted->folds.count; fold++) {
    SOTTO_TRY(sotto_i_embed_all(&own, &fitted->mlp[fold], fitted->params, x, &key, err));
    if (!numbers) sotto_i_rows_to_softmax(&own);
    sotto_i_folds_add(scores, &own, &fitted->folds, fold, nodes);
    sotto_matrix_free(&own);
  }
  if (!numbers) sotto_i_to_logarithms(scores);
done:
  sotto_matrix_free(&own);
  return status;
}

sotto_status sotto_i_cross_fit(sotto_matrix *scores, sotto_quality *validation, sotto_quality *test,
                               sotto_params *params, const sotto_i_job *job, const sotto_i_parted *parted,
                               sotto_error *err) {
  sotto_status status;
  sotto_i_folds folds = {0};
  const fitting f = {job, parted, &folds};
  *scores = (sotto_matrix){0};
  SOTTO_TRY(sotto_i_folds_deal(&folds, job, parted, err));
  SOTTO_TRY(sotto_i_first_new(scores, outputs_of(job), job, err));
  for (uint32_t fold = 0; fold < folds.count; fold++) SOTTO_TRY(fit_fold(scores, &f, fold, params, err));
  if (scores->data != NULL) {
    if (!sotto_i_learns_numbers(job->options)) sotto_i_to_logarithms(scores);
    SOTTO_TRY(sotto_i_scores_measure(validation, test, scores, job, parted, err));
  }
  if (sotto_i_first_at_one(job)) {
    SOTTO_TRY(sotto_i_ranks_give(sotto_i_job_ranks(job), validation, sizeof *validation, err));
    SOTTO_TRY(sotto_i_ranks_give(sotto_i_job_ranks(job), test, sizeof *test, err));
  }
done:
  if (status != SOTTO_OK) sotto_matrix_free(scores);
  sotto_i_folds_free(&folds);
  return status;
}

/* The quality of predicted numbers on a part. */
static sotto_status measure_numbers(sotto_quality *out, const sotto_matrix *scores,
                                    const sotto_i_parted *parted, sotto_part part, sotto_error *err) {
  const sotto_i_targets targets = sotto_i_parted_targets(parted, part);
  sotto_matrix of = {0};
  sotto_status status = sotto_i_take_rows(&of, scores, parted->split.rows[part], targets.count, err);
  if (status == SOTTO_OK) status = sotto_i_targets_quality(out, &of, &targets, err);
  sotto_matrix_free(&of);
  return status;
}

sotto_status sotto_i_scores_measure(sotto_quality *validation, sotto_quality *test,
                                    const sotto_matrix *scores, const sotto_i_job *job,
                                    const sotto_i_parted *parted, sotto_error *err) {
  const sotto_split *split = &parted->split;
  const int32_t *labels = job->data->labels;
  if (sotto_i_learns_numbers(job->options)) {
    const sotto_status measured = measure_numbers(validation, scores, parted, SOTTO_PART_VALIDATION, err);
    return measured == SOTTO_OK ? measure_numbers(test, scores, parted, SOTTO_PART_TEST, err) : measured;
  }
  sotto_status status = sotto_quality_measure(validation, scores, labels, split->rows[SOTTO_PART_VALIDATION],
                                              split->count[SOTTO_PART_VALIDATION], err);
  if (status != SOTTO_OK) return status;
  return sotto_quality_measure(test, scores, labels, split->rows[SOTTO_PART_TEST],
                               split->count[SOTTO_PART_TEST], err);
}
