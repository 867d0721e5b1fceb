/* Corrections learnt from rounds of counts. */
#include "rounds.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "correction.h"
#include "correction_scale.h"
#include "counts.h"
#include "inside/nn.h"
#include "nn/readings.h"
#include "options.h"
#include "release/plan.h"
#include "table.h"
#include "training_part.h"
#include "unsure.h"

static bool is_noisy(const sotto_i_rounds *r) {
  return sotto_i_price_asked(r->job->options);
}

/* Chooses the nodes that have counts, by features alone, and the training nodes among them. */
static sotto_status choose_readers(sotto_i_rounds *r, sotto_i_correction_scale *scale, sotto_error *err) {
  const sotto_split *split = &r->parted->split;
  sotto_status status = SOTTO_OK;
  scale->chosen = is_noisy(r);
  if (is_noisy(r)) {
    SOTTO_TRY(sotto_i_unsure_bound(&scale->surest, r->first, sotto_i_read_share(r->job->options), err));
    SOTTO_TRY(sotto_i_unsure_above(&r->levels, r->first, scale->surest, err));
    if (r->told && r->exactly)
      sotto_i_sure_of(r->levels, split->rows[SOTTO_PART_TRAIN], split->count[SOTTO_PART_TRAIN]);
    scale->training =
        !sotto_i_some_listen(r->levels, split->rows[SOTTO_PART_TRAIN], split->count[SOTTO_PART_TRAIN]);
  }
  SOTTO_TRY(sotto_i_training_part(&r->fitted, r->parted, r->levels, err));
  SOTTO_TRY(sotto_i_training_part(&r->guided, r->shown, r->levels, err));
done:
  return status;
}

/* First inputs: log-probabilities minus their mean, columns standardised. */
sotto_status sotto_i_rounds_begin(sotto_i_rounds *r, sotto_error *err) {
  sotto_status status;
  sotto_i_correction_scale scale = {.classes = r->first->cols};
  SOTTO_TRY(choose_readers(r, &scale, err));
  SOTTO_TRY(sotto_i_table_join(&r->latest, r->first, &(sotto_matrix){0}, err));
  SOTTO_TRY(sotto_matrix_new(&r->inputs, r->first->rows, r->first->cols, err));
  sotto_i_rows_less_mean(&r->inputs, r->first);
  SOTTO_TRY(sotto_i_column_moments(&scale.moments, &r->inputs, err));
  sotto_i_columns_by_moments(&r->inputs, scale.moments);
  if (sotto_i_ranks_first(sotto_i_job_ranks(r->job)))
    SOTTO_TRY(sotto_i_correction_scale_save(&scale, r->job->folder, err));
done:
  sotto_i_correction_scale_free(&scale);
  return status;
}

/* If one of two classes is rare, hardly any node is predicted as it. Scores are divided by the predicted
 * share of each class, so that both clusters have nodes. */
void sotto_i_rounds_even_odds(sotto_matrix *scores) {
  double share = 0;
  for (size_t v = 0; v < scores->rows; v++)
    share += 1 / (1 + exp((double)scores->data[2 * v] - (double)scores->data[2 * v + 1]));
  share = fmin(fmax(share / (double)scores->rows, 1e-6), 1 - 1e-6);
  for (size_t v = 0; v < scores->rows; v++) {
    scores->data[2 * v] -= (float)log(1 - share);
    scores->data[2 * v + 1] -= (float)log(share);
  }
}

/* The latest scores; training nodes have their labels instead. */
sotto_status sotto_i_rounds_clusters(sotto_matrix *out, const sotto_i_rounds *r, sotto_error *err) {
  const size_t cols = r->latest.cols;
  const sotto_split *split = &r->shown->split;
  sotto_status status = sotto_i_table_join(out, &r->latest, &(sotto_matrix){0}, err);
  if (status == SOTTO_OK && r->told && cols == 2) sotto_i_rounds_even_odds(out);
  for (size_t i = 0; status == SOTTO_OK && r->told && i < split->count[SOTTO_PART_TRAIN]; i++) {
    float *row = out->data + split->rows[SOTTO_PART_TRAIN][i] * cols;
    for (size_t j = 0; j < cols; j++) row[j] = (size_t)r->shown->labels[SOTTO_PART_TRAIN][i] == j;
  }
  return status;
}

sotto_status sotto_i_rounds_read(sotto_i_rounds *r, const sotto_matrix *counts, sotto_error *err) {
  sotto_status status;
  sotto_laplace_grid grid;
  sotto_matrix read = {0}, wider = {0};
  if (is_noisy(r)) SOTTO_TRY(sotto_i_counts_grid(&grid, r->job->options, err));
  SOTTO_TRY(sotto_i_readings(&read, counts, is_noisy(r) ? &grid : NULL, r->owners > 1 ? r->owners : 1, err));
  SOTTO_TRY(sotto_i_table_join(&wider, &r->inputs, &read, err));
  sotto_matrix_free(&r->inputs);
  r->inputs = wider;
done:
  sotto_matrix_free(&read);
  return status;
}

/* Replaces the perceptron's correction if the weighted one is at least as good on validation nodes. */
static sotto_status try_weights(sotto_i_rounds *r, sotto_quality *validation, sotto_quality *test,
                                sotto_matrix *scores, const sotto_i_correction *correction,
                                sotto_error *err) {
  const sotto_measure by = r->job->options->select_by;
  sotto_quality own[2];
  sotto_matrix other = {0};
  sotto_params *params = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_params_new(&params, err));
  SOTTO_TRY(sotto_i_weighted_fit(&own[0], &own[1], &other, params, r->first, &r->inputs, correction, err));
  if (sotto_i_quality_value(&own[0], by) < sotto_i_quality_value(validation, by)) goto done;
  *validation = own[0];
  *test = own[1];
  sotto_matrix_free(scores);
  *scores = other;
  other = (sotto_matrix){0};
  sotto_params_free(r->params[correction->round]);
  r->params[correction->round] = params;
  params = NULL;
done:
  sotto_matrix_free(&other);
  sotto_params_free(params);
  return status;
}

/* A correction whose scores make clusters that others see is fitted to the labels in `shown`. If these are
 * not the true labels, this correction is never the final one. */
sotto_status sotto_i_rounds_correct(sotto_i_rounds *r, uint32_t round, sotto_error *err) {
  const sotto_options *o = r->job->options;
  const bool last = round + 1 == o->layers, shows = !last && r->shown != r->parted;
  const sotto_i_correction correction = {r->job, shows ? &r->guided : &r->fitted, r->levels, round,
                                         r->shown != r->parted};
  sotto_status status;
  sotto_quality validation, test;
  sotto_matrix scores = {0};
  sotto_matrix_free(&r->latest);
  SOTTO_TRY(sotto_params_new(&r->params[round], err));
  SOTTO_TRY(sotto_i_correction_fit(&validation, &test, &scores, r->params[round], r->first, &r->inputs,
                                   &correction, err));
  if (r->weighted) SOTTO_TRY(try_weights(r, &validation, &test, &scores, &correction, err));
  r->latest = scores;
  if (shows ||
      sotto_i_quality_value(&validation, o->select_by) <= sotto_i_quality_value(&r->validation, o->select_by))
    goto done;
  r->validation = validation;
  r->test = test;
  r->kept = round + 1;
done:
  return status;
}

void sotto_i_rounds_free(sotto_i_rounds *r) {
  sotto_i_training_part_free(&r->fitted);
  sotto_i_training_part_free(&r->guided);
  sotto_i_free(r->levels);
  sotto_matrix_free(&r->latest);
  sotto_matrix_free(&r->inputs);
  for (size_t i = 0; i < SOTTO_MOST_COSTS; i++) sotto_params_free(r->params[i]);
}
