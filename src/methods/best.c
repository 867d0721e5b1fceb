/* BEST: one noisy sum over neighbours of what is known of their classes, and a correction learnt from it.
 * At edge level features and labels are not protected: the rows that are added up are the true classes of
 * training nodes, and elsewhere what perceptrons on features say. Rows are centred on equal odds and have
 * norm at most 1; an edge moves two sums by at most 1 each: sensitivity sqrt 2 (DESIGN section 4, sum without
 * the own row). A node's own label is not in its own sum, since a simple graph has no loops and there is one
 * hop; labels of validation and test nodes enter nowhere. What follows the noise is post-processing. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "correction.h"
#include "cost.h"
#include "cross_fit.h"
#include "kept.h"
#include "pmp/noisy_sums.h"
#include "table.h"

static sotto_status plan_of(sotto_pmp_plan *plan, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  const sotto_pmp_options pmp = {.aggregator = SOTTO_AGGREGATOR_SUM, .layers = 1};
  return sotto_pmp_plan_new(plan, &pmp, job->data->graph.nodes, job->data->classes,
                            sotto_i_price_asked(o) ? o->epsilon : INFINITY, o->delta, err);
}

sotto_status sotto_i_best_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  sotto_pmp_plan plan;
  *out = (sotto_cost){.adjacency = "edge"};
  sotto_status status = plan_of(&plan, job, err);
  if (status != SOTTO_OK || !(plan.grid.sigma > 0)) return status;
  sotto_mechanism gaussian = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
  gaussian.noise = plan.grid.sigma;
  gaussian.sensitivity = plan.sensitivity;
  out->items[out->count++] = (sotto_cost_item){
      .what = "sums over neighbours of training labels and, elsewhere, class probabilities from features",
      .mechanism = gaussian,
      .mu = plan.mu};
  return SOTTO_OK;
}

/* (row - 1/C) / |one-hot - 1/C|: norm 1 for a known class, less for a doubtful one, 0 for equal odds. */
static sotto_status known_classes(sotto_matrix *out, const sotto_matrix *scores, const sotto_i_parted *parted,
                                  sotto_error *err) {
  size_t cols = scores->cols;
  double equal = 1 / (double)cols, length = cols > 1 ? sqrt(1 - equal) : 1;
  sotto_status status = sotto_matrix_new(out, scores->rows, cols, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < scores->rows * cols; i++) out->data[i] = expf(scores->data[i]);
  for (size_t i = 0; i < parted->split.count[SOTTO_PART_TRAIN]; i++) {
    float *row = out->data + parted->split.rows[SOTTO_PART_TRAIN][i] * cols;
    for (size_t j = 0; j < cols; j++) row[j] = (size_t)parted->labels[SOTTO_PART_TRAIN][i] == j;
  }
  for (size_t i = 0; i < scores->rows * cols; i++) out->data[i] = (float)((out->data[i] - equal) / length);
  return SOTTO_OK;
}

typedef struct release_context {
  const sotto_i_job *job;
  const sotto_matrix *rows;
} release_context;

static sotto_status release(void *context, sotto_graph *graph, sotto_matrix *table, sotto_error *err) {
  const release_context *c = context;
  sotto_pmp_plan plan;
  sotto_key key;
  sotto_status status;
  (void)graph;
  sotto_i_job_noise_key(&key, c->job);
  SOTTO_TRY(plan_of(&plan, c->job, err));
  SOTTO_TRY(sotto_i_noisy_sums(table, &plan, &c->job->data->graph, c->rows, &key, err));
done:
  sotto_key_wipe(&key);
  return status;
}

/* Sums of `rows` as they were released and paid for: one release a seed. */
static sotto_status released_sums(sotto_dataset *out, const sotto_matrix *rows, const sotto_i_job *job,
                                  sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_status status;
  char name[96];
  release_context context = {job, rows};
  (void)snprintf(name, sizeof name, "best %s %.17g %.17g", o->adjacency, o->epsilon, o->delta);
  const sotto_i_keeping keeping = {.file = "sums.sotto", .name = name, .context = &context, .make = release};
  SOTTO_TRY(sotto_i_kept(out, job, &keeping, err));
  if (job->cost->count > 0) SOTTO_TRY(sotto_i_cost_charge(job, 0, 1, err));
done:
  return status;
}

/* What the correction reads of the sums: asinh of each value in units of the noise, which tells how many
 * neighbours speak for a class over orders of magnitude, and the direction of the row. Without noise the unit
 * is one neighbour. */
static sotto_status readings(sotto_matrix *out, const sotto_matrix *sums, double sigma, sotto_error *err) {
  size_t cols = sums->cols;
  double unit = sigma > 0 ? sigma : 1;
  sotto_status status = sotto_matrix_new(out, sums->rows, 2 * cols, err);
  if (status != SOTTO_OK) return status;
  for (size_t v = 0; v < sums->rows; v++) {
    const float *from = sums->data + v * cols;
    float *to = out->data + 2 * v * cols;
    double square = 0;
    for (size_t j = 0; j < cols; j++) square += (double)from[j] * from[j];
    for (size_t j = 0; j < cols; j++) {
      to[j] = (float)asinh(from[j] / unit);
      to[cols + j] = square > 0 ? (float)(from[j] / sqrt(square)) : 0;
    }
  }
  return SOTTO_OK;
}

/* [log-probabilities less their mean, columns standardised | readings of the sums]. */
static sotto_status correction_inputs(sotto_matrix *out, const sotto_matrix *scores, const sotto_matrix *sums,
                                      const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  sotto_matrix odds = {0}, read = {0};
  sotto_pmp_plan plan;
  SOTTO_TRY(plan_of(&plan, job, err));
  SOTTO_TRY(sotto_matrix_new(&odds, scores->rows, scores->cols, err));
  for (size_t v = 0; v < odds.rows; v++) {
    const float *from = scores->data + v * odds.cols;
    double mean = 0;
    for (size_t j = 0; j < odds.cols; j++) mean += from[j] / (double)odds.cols;
    for (size_t j = 0; j < odds.cols; j++) odds.data[v * odds.cols + j] = (float)(from[j] - mean);
  }
  SOTTO_TRY(sotto_i_columns_to_standard(&odds, err));
  SOTTO_TRY(readings(&read, sums, plan.grid.sigma, err));
  SOTTO_TRY(sotto_i_table_join(out, &odds, &read, err));
done:
  sotto_matrix_free(&odds);
  sotto_matrix_free(&read);
  return status;
}

sotto_status sotto_i_best_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  sotto_seed_result *q = &out->quality;
  sotto_i_parted parted = {0};
  sotto_matrix scores = {0}, rows = {0}, inputs = {0};
  sotto_dataset released = {0};
  sotto_params *perceptrons = NULL, *correction = NULL;
  SOTTO_TRY(sotto_i_parted_new(&parted, job, err));
  SOTTO_TRY(sotto_params_new(&perceptrons, err));
  SOTTO_TRY(sotto_params_new(&correction, err));
  SOTTO_TRY(
      sotto_i_cross_fit(&scores, &q->baseline_validation, &q->baseline_test, perceptrons, job, &parted, err));
  SOTTO_TRY(known_classes(&rows, &scores, &parted, err));
  SOTTO_TRY(released_sums(&released, &rows, job, err));
  SOTTO_TRY(correction_inputs(&inputs, &scores, &released.features, job, err));
  double least = sotto_i_quality_value(&q->baseline_validation, sotto_i_job_measure(job->options));
  SOTTO_TRY(sotto_i_correction_fit(&q->validation, &q->test, correction, &scores, &inputs, least, job,
                                   &parted, err));
  q->seed = job->seed;
  const sotto_params *sets[] = {perceptrons, correction};
  SOTTO_TRY(sotto_i_job_save_model(job, sets, 2, err));
done:
  sotto_dataset_free(&released);
  sotto_matrix_free(&scores);
  sotto_matrix_free(&rows);
  sotto_matrix_free(&inputs);
  sotto_params_free(perceptrons);
  sotto_params_free(correction);
  sotto_i_parted_free(&parted);
  return status;
}
