/* LPGNet (Kolluri, Baluta, Hooi and Saxena 2022). A perceptron on features puts every node into the cluster
 * of its likeliest class. Then, `layers` times: for every node, how many of its neighbours lie in each
 * cluster, with Laplace noise, is released; the next perceptron takes features and all that was released so
 * far, and its answers are the next clusters. An edge (u, v) moves one count of u and one of v by 1: l1
 * sensitivity 2. Clusters follow from features, labels and earlier releases, so each release has epsilon /
 * layers. */
#include "lpgnet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "nn/inside/nn.h"
#include "recipes/table.h"
#include "run/files/job_file.h"

/* Degrees differ by orders of magnitude: rows to norm 1, as the features are. Post-processing. */
void sotto_i_lpgnet_scale(sotto_matrix *x, const sotto_matrix *from) {
  for (size_t i = 0; i < x->rows; i++) {
    double square = 0;
    for (size_t j = 0; j < x->cols; j++) square += pow(from->data[i * x->cols + j], 2);
    for (size_t j = 0; j < x->cols; j++)
      x->data[i * x->cols + j] = square > 0 ? (float)(from->data[i * x->cols + j] / sqrt(square)) : 0;
  }
}

sotto_status sotto_i_lpgnet_widen(sotto_matrix *table, const sotto_i_counts *counts, sotto_error *err) {
  sotto_status status;
  sotto_dataset released = {0};
  sotto_matrix wider = {0}, scaled = {0};
  SOTTO_TRY(sotto_i_counts_release(&released, NULL, counts, err));
  SOTTO_TRY(sotto_matrix_new(&scaled, released.features.rows, released.features.cols, err));
  sotto_i_lpgnet_scale(&scaled, &released.features);
  SOTTO_TRY(sotto_i_table_join(&wider, table, &scaled, err));
  sotto_matrix_free(table);
  *table = wider;
done:
  sotto_matrix_free(&scaled);
  sotto_dataset_free(&released);
  return status;
}

sotto_status sotto_i_lpgnet_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_quality *validation = &out->quality.validation, *test = &out->quality.test;
  sotto_status status;
  sotto_i_parted parted = {0};
  sotto_matrix scores = {0}, table = {0};
  sotto_params *params = NULL;
  sotto_laplace_grid grid;
  bool noisy = job->cost->count > 0;
  if (noisy) SOTTO_TRY(sotto_i_counts_grid(&grid, o, err));
  SOTTO_TRY(sotto_i_parted_new(&parted, job, err));
  SOTTO_TRY(sotto_params_new(&params, err));
  SOTTO_TRY(sotto_i_table_join(&table, job->features, &(sotto_matrix){0}, err));
  for (uint32_t k = 0; k <= o->layers; k++) {
    char name[32];
    (void)snprintf(name, sizeof name, "stack%u", k);
    const sotto_i_counts counts = {
        .job = job, .scores = &scores, .noise = noisy ? &grid : NULL, .round = k - 1, .item = k - 1};
    if (k > 0) SOTTO_TRY(sotto_i_lpgnet_widen(&table, &counts, err));
    sotto_matrix_free(&scores);
    const sotto_i_table_fit fit = {.job = job,
                                   .parted = &parted,
                                   .name = name,
                                   .stage = k == 0 ? "encoder" : "network",
                                   .number = k,
                                   .part = k == 0 ? 0 : k - 1,
                                   .epochs = k == 0 ? o->encoder_epochs : o->epochs,
                                   .input_dropout = (float)o->dropout};
    const sotto_i_row_source source = sotto_i_row_source_of(&table);
    SOTTO_TRY(sotto_i_table_fit_run(validation, test, &scores, params, &source, &fit, err));
    if (k > 0) continue;
    out->quality.baseline_validation = *validation;
    out->quality.baseline_test = *test;
  }
  out->quality.seed = job->seed;
  const sotto_params *sets[] = {params};
  SOTTO_TRY(sotto_i_job_save_model(job, sets, 1, err));
done:
  sotto_matrix_free(&scores);
  sotto_matrix_free(&table);
  sotto_params_free(params);
  sotto_i_parted_free(&parted);
  return status;
}
