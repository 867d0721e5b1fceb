/* BEST: noisy counts of neighbours by what is known of their classes, and a correction learnt from them.
 * Perceptrons on features, cross-fitted, say of every node what it may be; a training node lies in the
 * cluster of its label, any other in that of its likeliest class. Counts of neighbours by cluster are
 * released (counts.c), and a correction to the log-probabilities reads them. With several rounds the
 * corrected probabilities make the next clusters. With --fit-share below 1 counts are released for no
 * training node but those that the correction is fitted on: an edge between one of the others and a reader is
 * counted at one end alone, at twice the size under the same noise. A node's own label is not in its own
 * first counts, since a simple graph has no loops; labels of validation and test nodes enter none. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/readings.h"
#include "recipes/correction.h"
#include "recipes/counts.h"
#include "recipes/cross_fit.h"
#include "recipes/table.h"
#include "recipes/training_part.h"

enum { fit_key = 224, most_sets = SOTTO_MOST_COSTS + 1 };

typedef struct state {
  const sotto_i_job *job;
  sotto_i_parted parted, fitted; /* `fitted`: it trains on the nodes that read alone */
  uint8_t *readers;
  sotto_laplace_grid grid;
  sotto_matrix first;              /* log-probabilities from features alone */
  sotto_matrix latest;             /* scores of the latest round */
  sotto_matrix inputs;             /* of the correction, wider by the round */
  sotto_params *params[most_sets]; /* perceptrons, then one set a round */
} state;

static bool noisy(const state *s) {
  return s->job->cost->count > 0;
}

/* The readers: all nodes but those training nodes that --fit-share leaves out. */
static sotto_status choose_readers(state *s, sotto_error *err) {
  size_t nodes = s->job->data->graph.nodes, rows = s->parted.split.count[SOTTO_PART_TRAIN];
  size_t kept = (size_t)ceil(s->job->options->fit_share * (double)rows);
  sotto_status status;
  uint32_t *order = NULL;
  SOTTO_TRY(sotto_i_new_raw(&s->readers, nodes, sizeof *s->readers, err));
  SOTTO_TRY(sotto_i_training_order(&order, s->job, &s->parted, fit_key, err));
  memset(s->readers, 1, nodes);
  for (size_t i = kept; i < rows; i++) s->readers[order[i]] = 0;
  SOTTO_TRY(sotto_i_training_part(&s->fitted, &s->parted, s->readers, err));
done:
  sotto_i_free(order);
  return status;
}

/* The latest scores, but for training nodes their labels. */
static sotto_status known_classes(sotto_matrix *out, const state *s, sotto_error *err) {
  size_t cols = s->latest.cols;
  const sotto_split *split = &s->parted.split;
  sotto_status status = sotto_i_table_join(out, &s->latest, &(sotto_matrix){0}, err);
  for (size_t i = 0; status == SOTTO_OK && i < split->count[SOTTO_PART_TRAIN]; i++) {
    float *row = out->data + split->rows[SOTTO_PART_TRAIN][i] * cols;
    for (size_t j = 0; j < cols; j++) row[j] = (size_t)s->parted.labels[SOTTO_PART_TRAIN][i] == j;
  }
  return status;
}

/* First inputs: log-probabilities less their mean, columns standardised. */
static sotto_status begin(state *s, sotto_i_outcome *out, sotto_error *err) {
  sotto_seed_result *q = &out->quality;
  sotto_status status;
  if (noisy(s)) SOTTO_TRY(sotto_i_counts_grid(&s->grid, s->job->options, err));
  SOTTO_TRY(sotto_i_parted_new(&s->parted, s->job, err));
  SOTTO_TRY(choose_readers(s, err));
  SOTTO_TRY(sotto_params_new(&s->params[0], err));
  SOTTO_TRY(sotto_i_cross_fit(&s->first, &q->baseline_validation, &q->baseline_test, s->params[0], s->job,
                              &s->parted, err));
  q->validation = q->baseline_validation;
  q->test = q->baseline_test;
  SOTTO_TRY(sotto_i_table_join(&s->latest, &s->first, &(sotto_matrix){0}, err));
  SOTTO_TRY(sotto_matrix_new(&s->inputs, s->first.rows, s->first.cols, err));
  sotto_i_rows_less_mean(&s->inputs, &s->first);
  SOTTO_TRY(sotto_i_columns_to_standard(&s->inputs, err));
done:
  return status;
}

/* One release, read beside all that was read before. */
static sotto_status count_round(state *s, uint32_t round, sotto_error *err) {
  sotto_status status;
  sotto_matrix known = {0}, read = {0}, wider = {0};
  sotto_dataset released = {0};
  const sotto_i_counts counts = {.job = s->job,
                                 .scores = &known,
                                 .readers = s->readers,
                                 .noise = noisy(s) ? &s->grid : NULL,
                                 .round = round,
                                 .item = round};
  SOTTO_TRY(known_classes(&known, s, err));
  SOTTO_TRY(sotto_i_counts_release(&released, &counts, err));
  SOTTO_TRY(sotto_i_readings(&read, &released.features, noisy(s) ? &s->grid : NULL, err));
  SOTTO_TRY(sotto_i_table_join(&wider, &s->inputs, &read, err));
  sotto_matrix_free(&s->inputs);
  s->inputs = wider;
done:
  sotto_matrix_free(&known);
  sotto_matrix_free(&read);
  sotto_dataset_free(&released);
  return status;
}

/* `kept` becomes the round when validation likes it better than all before. */
static sotto_status correct_round(state *s, sotto_i_outcome *out, uint32_t round, uint32_t *kept,
                                  sotto_error *err) {
  const sotto_i_measure measure = sotto_i_job_measure(s->job->options);
  const sotto_i_correction correction = {s->job, &s->fitted, round};
  sotto_status status;
  sotto_quality validation, test;
  sotto_matrix scores = {0};
  SOTTO_TRY(sotto_params_new(&s->params[round + 1], err));
  SOTTO_TRY(sotto_i_correction_fit(&validation, &test, &scores, s->params[round + 1], &s->first, &s->inputs,
                                   &correction, err));
  sotto_matrix_free(&s->latest);
  s->latest = scores;
  if (sotto_i_quality_value(&validation, measure) <= sotto_i_quality_value(&out->quality.validation, measure))
    goto done;
  out->quality.validation = validation;
  out->quality.test = test;
  *kept = round + 1;
done:
  return status;
}

static void state_free(state *s) {
  sotto_i_training_part_free(&s->fitted);
  sotto_i_parted_free(&s->parted);
  sotto_i_free(s->readers);
  sotto_matrix_free(&s->first);
  sotto_matrix_free(&s->latest);
  sotto_matrix_free(&s->inputs);
  for (size_t i = 0; i < most_sets; i++) sotto_params_free(s->params[i]);
}

sotto_status sotto_i_best_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  state s = {.job = job};
  uint32_t kept = 0;
  out->quality.seed = job->seed;
  SOTTO_TRY(begin(&s, out, err));
  for (uint32_t round = 0; round < job->options->layers; round++) {
    SOTTO_TRY(count_round(&s, round, err));
    SOTTO_TRY(correct_round(&s, out, round, &kept, err));
  }
  /* Rounds after the one kept have no part in its scores. */
  SOTTO_TRY(sotto_i_job_save_model(job, (const sotto_params *const *)s.params, kept + 1, err));
done:
  state_free(&s);
  return status;
}
