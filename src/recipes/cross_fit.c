/* Cross-fitted perceptrons: what a fitted perceptron says of its own training nodes is nearly always right,
 * and whoever learns from that trusts it too much. */
#include "cross_fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "networks.h"
#include "table.h"
#include "training_part.h"

enum { most_folds = 3, fold_key = 192, FOLD_NAME = 32 };
static const float least = 1e-6F; /* of a probability, so that its logarithm is finite */

typedef struct folds {
  const sotto_i_job *job;
  const sotto_i_parted *parted;
  uint32_t count;
  uint8_t *of; /* by node: its fold, or `count` when it does not train */
} folds;

static sotto_status deal(folds *f, sotto_error *err) {
  size_t rows = f->parted->split.count[SOTTO_PART_TRAIN];
  uint32_t *order = NULL;
  sotto_status status;
  if (rows < 2)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: cross-fitting needs two training nodes, and there is %zu",
                        f->job->data->name, rows);
  f->count = rows < most_folds ? (uint32_t)rows : most_folds;
  SOTTO_TRY(sotto_i_new_raw(&f->of, f->job->data->graph.nodes, sizeof *f->of, err));
  SOTTO_TRY(sotto_i_training_order(&order, f->job, f->parted, fold_key, err));
  memset(f->of, (int)f->count, f->job->data->graph.nodes);
  for (size_t i = 0; i < rows; i++) f->of[order[i]] = (uint8_t)(i % f->count);
done:
  sotto_i_free(order);
  return status;
}

static sotto_i_table_fit fit_of(const folds *f, uint32_t fold, const sotto_i_parted *parted,
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

/* Fits on the training nodes outside of one fold; `own` is what every node is then thought to be. */
static sotto_status fit_fold(sotto_matrix *own, const folds *f, uint32_t fold, sotto_params *params,
                             sotto_error *err) {
  sotto_status status;
  sotto_i_parted rest = {0};
  uint8_t *keep = NULL;
  size_t nodes = f->job->data->graph.nodes;
  char name[FOLD_NAME];
  SOTTO_TRY(sotto_i_new_raw(&keep, nodes, sizeof *keep, err));
  for (size_t v = 0; v < nodes; v++) keep[v] = f->of[v] != fold;
  SOTTO_TRY(sotto_i_training_part(&rest, f->parted, keep, err));
  const sotto_i_table_fit fit = fit_of(f, fold, &rest, name);
  sotto_quality validation, test;
  SOTTO_TRY(sotto_i_table_fit_run(&validation, &test, own, params, f->job->features, &fit, err));
done:
  sotto_i_training_part_free(&rest);
  sotto_i_free(keep);
  return status;
}

/* A training node takes what its own fold's perceptron says, any other node a share of what each says. Row i
 * is of nodes[i]; NULL: of node i. */
static void take(sotto_matrix *scores, const sotto_matrix *own, const folds *f, uint32_t fold,
                 const uint32_t *nodes) {
  size_t cols = own->cols;
  for (size_t i = 0; i < own->rows; i++) {
    uint8_t of = f->of[nodes == NULL ? i : nodes[i]];
    float weight = of == f->count ? 1 / (float)f->count : of == fold ? 1 : 0;
    for (size_t j = 0; j < cols; j++) scores->data[i * cols + j] += weight * own->data[i * cols + j];
  }
}

static void to_logarithms(sotto_matrix *scores) {
  for (size_t i = 0; i < scores->rows * scores->cols; i++) scores->data[i] = logf(scores->data[i] + least);
}

sotto_status sotto_i_cross_fit_new(sotto_i_cross_fitted *out, sotto_params *params, const sotto_i_job *job,
                                   const sotto_i_parted *parted, sotto_error *err) {
  folds f = {.job = job, .parted = parted};
  char name[FOLD_NAME];
  sotto_status status;
  *out = (sotto_i_cross_fitted){.job = job, .params = params};
  SOTTO_TRY(deal(&f, err));
  out->count = f.count;
  out->of = f.of;
  f.of = NULL;
  for (uint32_t fold = 0; fold < f.count; fold++) {
    const sotto_i_table_fit fit = fit_of(&f, fold, parted, name);
    SOTTO_TRY(sotto_i_table_net_new(&out->mlp[fold], params, job->features->cols, &fit, err));
  }
done:
  sotto_i_free(f.of);
  return status;
}

sotto_status sotto_i_cross_fit_scores(sotto_matrix *scores, const sotto_i_cross_fitted *fitted,
                                      const sotto_matrix *x, const uint32_t *nodes, sotto_error *err) {
  const folds f = {.job = fitted->job, .count = fitted->count, .of = fitted->of};
  sotto_status status;
  sotto_matrix own = {0};
  sotto_key key;
  sotto_i_job_key(&key, fitted->job);
  SOTTO_TRY(sotto_matrix_new(scores, x->rows, fitted->job->data->classes, err));
  for (uint32_t fold = 0; fold < f.count; fold++) {
    SOTTO_TRY(sotto_i_embed_all(&own, &fitted->mlp[fold], fitted->params, x, &key, err));
    sotto_i_rows_to_softmax(&own);
    take(scores, &own, &f, fold, nodes);
    sotto_matrix_free(&own);
  }
  to_logarithms(scores);
done:
  sotto_matrix_free(&own);
  return status;
}

sotto_status sotto_i_cross_fit(sotto_matrix *scores, sotto_quality *validation, sotto_quality *test,
                               sotto_params *params, const sotto_i_job *job, const sotto_i_parted *parted,
                               sotto_error *err) {
  const sotto_split *split = &parted->split;
  sotto_status status;
  folds f = {.job = job, .parted = parted};
  sotto_matrix own = {0};
  *scores = (sotto_matrix){0};
  SOTTO_TRY(deal(&f, err));
  SOTTO_TRY(sotto_matrix_new(scores, job->data->graph.nodes, job->data->classes, err));
  for (uint32_t fold = 0; fold < f.count; fold++) {
    SOTTO_TRY(fit_fold(&own, &f, fold, params, err));
    take(scores, &own, &f, fold, NULL);
    sotto_matrix_free(&own);
  }
  to_logarithms(scores);
  SOTTO_TRY(sotto_quality_measure(validation, scores, job->data->labels, split->rows[SOTTO_PART_VALIDATION],
                                  split->count[SOTTO_PART_VALIDATION], err));
  SOTTO_TRY(sotto_quality_measure(test, scores, job->data->labels, split->rows[SOTTO_PART_TEST],
                                  split->count[SOTTO_PART_TEST], err));
done:
  if (status != SOTTO_OK) sotto_matrix_free(scores);
  sotto_matrix_free(&own);
  sotto_i_free(f.of);
  return status;
}
