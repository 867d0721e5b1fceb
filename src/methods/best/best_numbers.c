/* BEST where numbers are learnt. Perceptrons on features alone, cross-fitted, predict the number of every
 * node. Quantiles of it are clusters: of a training node by its own number, of others by the prediction. Each
 * round releases how many neighbours a node has in each cluster, with noise, and fits a correction of the
 * prediction by these counts. Validation nodes decide how many corrections are kept. */
#include "best_numbers.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "protocols/correction.h"
#include "protocols/counts.h"
#include "protocols/table.h"
#include "run/files/job_file.h"
#include "tensor/columns.h"

sotto_status sotto_i_number_clusters_new(sotto_i_number_clusters *out, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_params_new(&out->params, err));
  SOTTO_TRY(sotto_params_add(out->params, &out->bounds, "clusters.bounds", 1, SOTTO_I_QUANTILES - 1,
                             SOTTO_INIT_ZERO, false, NULL, err));
  SOTTO_TRY(
      sotto_params_add(out->params, &out->scale, "clusters.scale", 1, 2, SOTTO_INIT_ZERO, false, NULL, err));
done:
  return status;
}

void sotto_i_number_clusters_free(sotto_i_number_clusters *clusters) {
  sotto_params_free(clusters->params);
  clusters->params = NULL;
}

static int ascending(const void *left, const void *right) {
  const float a = *(const float *)left, b = *(const float *)right;
  return (a > b) - (a < b);
}

sotto_status sotto_i_number_clusters_fit(const sotto_i_number_clusters *clusters, const sotto_matrix *values,
                                         const sotto_matrix *first, sotto_error *err) {
  const size_t nodes = values->rows;
  float *sorted = NULL, *bounds = sotto_params_value(clusters->params, clusters->bounds)->data,
        *scale = sotto_params_value(clusters->params, clusters->scale)->data;
  double *moments = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&sorted, nodes, sizeof *sorted, err));
  for (size_t v = 0; v < nodes; v++) sorted[v] = values->data[v];
  qsort(sorted, nodes, sizeof *sorted, ascending);
  for (size_t k = 1; k < SOTTO_I_QUANTILES; k++) bounds[k - 1] = sorted[k * nodes / SOTTO_I_QUANTILES];
  SOTTO_TRY(sotto_i_column_moments(&moments, first, err));
  scale[0] = (float)moments[0];
  scale[1] = moments[1] > 0 ? (float)sqrt(moments[1]) : 1;
done:
  sotto_i_free(sorted);
  sotto_i_free(moments);
  return status;
}

sotto_status sotto_i_number_clusters_of(sotto_i_clusters *out, const sotto_i_number_clusters *clusters,
                                        const sotto_matrix *values, sotto_error *err) {
  const float *bounds = sotto_params_value(clusters->params, clusters->bounds)->data;
  const sotto_status status = sotto_i_clusters_new(out, values->rows, SOTTO_I_QUANTILES, err);
  for (size_t v = 0; status == SOTTO_OK && v < values->rows; v++) {
    uint16_t k = 0;
    while (k < SOTTO_I_QUANTILES - 1 && values->data[v] >= bounds[k]) k++;
    out->of[v] = k;
  }
  return status;
}

sotto_status sotto_i_number_clusters_input(sotto_matrix *out, const sotto_i_number_clusters *clusters,
                                           const sotto_matrix *first, sotto_error *err) {
  const float *scale = sotto_params_value(clusters->params, clusters->scale)->data;
  const sotto_status status = sotto_matrix_new(out, first->rows, 1, err);
  for (size_t v = 0; status == SOTTO_OK && v < first->rows; v++)
    out->data[v] = (first->data[v] - scale[0]) / scale[1];
  return status;
}

sotto_status sotto_i_number_clusters_read(sotto_matrix *inputs, const sotto_matrix *counts,
                                          const sotto_laplace_grid *noise, sotto_error *err) {
  const sotto_i_counted of = {.noise = noise, .whole = true};
  return sotto_i_readings_append(inputs, counts, &of, err);
}

size_t sotto_i_number_clusters_width(uint32_t round) {
  return 1 + (round + 1) * sotto_i_readings_width(SOTTO_I_QUANTILES, true);
}

typedef struct state {
  const sotto_i_job *job;
  sotto_i_parted parted;
  sotto_matrix first;  /* predictions from features alone */
  sotto_matrix latest; /* of the latest round */
  sotto_matrix inputs; /* of the correction, wider in each round */
  sotto_params *perceptrons, *corrections[SOTTO_MOST_COSTS];
  sotto_i_number_clusters clusters;
  sotto_quality validation, test; /* of the best round on validation nodes */
  uint32_t kept;                  /* corrections that this needs */
} state;

/* The latest predictions; training nodes have their numbers instead. */
static sotto_status known_numbers(sotto_matrix *out, const state *s, sotto_error *err) {
  const sotto_split *split = &s->parted.split;
  const sotto_status status = sotto_i_table_join(out, &s->latest, &(sotto_matrix){0}, err);
  for (size_t i = 0; status == SOTTO_OK && i < split->count[SOTTO_PART_TRAIN]; i++)
    out->data[split->rows[SOTTO_PART_TRAIN][i]] = s->parted.numbers[SOTTO_PART_TRAIN][i];
  return status;
}

static sotto_status begin(state *s, sotto_i_outcome *out, sotto_error *err) {
  sotto_seed_result *q = &out->quality;
  sotto_matrix known = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_parted_new(&s->parted, s->job, err));
  SOTTO_TRY(sotto_params_new(&s->perceptrons, err));
  SOTTO_TRY(sotto_i_cross_fit(&s->first, &q->baseline_validation, &q->baseline_test, s->perceptrons, s->job,
                              &s->parted, err));
  s->validation = q->baseline_validation;
  s->test = q->baseline_test;
  SOTTO_TRY(sotto_i_table_join(&s->latest, &s->first, &(sotto_matrix){0}, err));
  SOTTO_TRY(sotto_i_number_clusters_new(&s->clusters, err));
  SOTTO_TRY(known_numbers(&known, s, err));
  SOTTO_TRY(sotto_i_number_clusters_fit(&s->clusters, &known, &s->first, err));
  SOTTO_TRY(sotto_i_number_clusters_input(&s->inputs, &s->clusters, &s->first, err));
done:
  sotto_matrix_free(&known);
  return status;
}

static sotto_status count(state *s, uint32_t round, sotto_error *err) {
  const bool noisy = s->job->cost->count > 0;
  sotto_dataset released = {0};
  sotto_matrix known = {0};
  sotto_i_clusters counted = {.of = NULL};
  sotto_laplace_grid grid;
  sotto_status status;
  if (noisy) SOTTO_TRY(sotto_i_counts_grid(&grid, s->job->options, err));
  SOTTO_TRY(known_numbers(&known, s, err));
  SOTTO_TRY(sotto_i_number_clusters_of(&counted, &s->clusters, &known, err));
  const sotto_i_counts counts = {
      .job = s->job, .clusters = &counted, .noise = noisy ? &grid : NULL, .round = round, .item = round};
  SOTTO_TRY(sotto_i_counts_release(&released, NULL, &counts, err));
  SOTTO_TRY(sotto_i_number_clusters_read(&s->inputs, &released.features, noisy ? &grid : NULL, err));
done:
  sotto_dataset_free(&released);
  sotto_matrix_free(&known);
  sotto_i_clusters_free(&counted);
  return status;
}

static sotto_status correct(state *s, uint32_t round, sotto_error *err) {
  const sotto_i_correction correction = {.job = s->job, .parted = &s->parted, .round = round};
  sotto_quality validation, test;
  sotto_matrix scores = {0};
  sotto_status status;
  SOTTO_TRY(sotto_params_new(&s->corrections[round], err));
  SOTTO_TRY(sotto_i_correction_fit(&validation, &test, &scores, s->corrections[round], &s->first, &s->inputs,
                                   &correction, err));
  sotto_matrix_free(&s->latest);
  s->latest = scores;
  scores = (sotto_matrix){0};
  const sotto_measure by = sotto_i_selects_by(s->job->options);
  if (sotto_i_quality_value(&validation, by) > sotto_i_quality_value(&s->validation, by)) {
    s->validation = validation;
    s->test = test;
    s->kept = round + 1;
  }
done:
  sotto_matrix_free(&scores);
  return status;
}

/* Rounds after the best one do not affect its predictions, so they are not saved. */
static sotto_status save_model(const state *s, sotto_error *err) {
  const sotto_params *sets[SOTTO_MOST_COSTS + 2] = {s->perceptrons};
  size_t used = 1;
  if (s->kept > 0) sets[used++] = s->clusters.params;
  for (uint32_t i = 0; i < s->kept; i++) sets[used++] = s->corrections[i];
  return sotto_i_job_save_model(s->job, sets, used, err);
}

sotto_status sotto_i_best_numbers_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  state s = {.job = job};
  out->quality.seed = job->seed;
  SOTTO_TRY(begin(&s, out, err));
  for (uint32_t round = 0; round < job->options->layers; round++) {
    SOTTO_TRY(count(&s, round, err));
    SOTTO_TRY(correct(&s, round, err));
  }
  SOTTO_TRY(save_model(&s, err));
  out->quality.validation = s.validation;
  out->quality.test = s.test;
done:
  sotto_i_parted_free(&s.parted);
  sotto_matrix_free(&s.first);
  sotto_matrix_free(&s.latest);
  sotto_matrix_free(&s.inputs);
  sotto_params_free(s.perceptrons);
  for (uint32_t i = 0; i < SOTTO_MOST_COSTS; i++) sotto_params_free(s.corrections[i]);
  sotto_i_number_clusters_free(&s.clusters);
  return status;
}
