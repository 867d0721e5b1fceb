/* LPGNet (Kolluri, Baluta, Hooi and Saxena 2022). A perceptron on features puts every node into the cluster
 * of its likeliest class. Then, `layers` times: for every node, how many of its neighbours lie in each
 * cluster, with Laplace noise, is released; the next perceptron takes features and all that was released so
 * far, and its answers are the next clusters. An edge (u, v) moves one count of u and one of v by 1: l1
 * sensitivity 2. Clusters follow from features, labels and earlier releases, so each release has epsilon /
 * layers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cost.h"
#include "kept.h"
#include "lpgnet.h"
#include "table.h"

static double epsilon_each(const sotto_options *o) {
  return o->epsilon / (double)o->layers;
}

/* Counts are whole; while the step is 1 or less they lie on the grid, and rounding moves none. */
static sotto_status grid_of(sotto_laplace_grid *grid, const sotto_options *o, sotto_error *err) {
  double epsilon = epsilon_each(o);
  if (!(epsilon >= 1e-2 && epsilon <= 1e3))
    return sotto_i_fail(err, SOTTO_RANGE, "epsilon: %g for each of %llu stacks; it must be 0.01 to 1000 each",
                        epsilon, (unsigned long long)o->layers);
  sotto_status status = sotto_laplace_grid_new(grid, 2 / epsilon * (1 + 0x1p-40), err);
  SOTTO_I_CHECK(status != SOTTO_OK || grid->step <= 1);
  return status;
}

sotto_status sotto_i_lpgnet_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_laplace_grid grid;
  *out = (sotto_cost){.adjacency = "edge"};
  if (!sotto_i_price_asked(o)) return SOTTO_OK;
  sotto_status status = grid_of(&grid, o, err);
  if (status != SOTTO_OK) return status;
  const sotto_mechanism laplace = sotto_laplace_grid_mechanism(&grid, 2, 0);
  for (uint64_t k = 0; k < o->layers; k++)
    sotto_i_cost_add_pure(out, "how many neighbours of each node lie in each cluster", &laplace,
                          epsilon_each(o));
  return SOTTO_OK;
}

static size_t largest(const float *row, size_t count) {
  size_t best = 0;
  for (size_t j = 1; j < count; j++)
    if (row[j] > row[best]) best = j;
  return best;
}

static sotto_status release(void *context, sotto_graph *unused, sotto_matrix *table, sotto_error *err) {
  const sotto_i_degrees *c = context;
  const sotto_graph *graph = &c->job->data->graph;
  size_t clusters = c->scores->cols;
  sotto_key key;
  sotto_status status;
  (void)unused;
  sotto_i_job_noise_key(&key, c->job);
  SOTTO_TRY(sotto_matrix_new(table, graph->nodes, clusters, err));
  for (uint64_t u = 0; u < graph->nodes; u++)
    for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++)
      table->data[u * clusters + largest(c->scores->data + graph->targets[e] * clusters, clusters)]++;
  if (c->noise != NULL) SOTTO_TRY(sotto_laplace_grid_add_noise(table, c->noise, &key, c->stack, err));
done:
  sotto_key_wipe(&key);
  return status;
}

/* Degrees differ by orders of magnitude: rows to norm 1, as the features are. Post-processing. */
static void rows_to_unit_norm(sotto_matrix *x, const sotto_matrix *from) {
  for (size_t i = 0; i < x->rows; i++) {
    double square = 0;
    for (size_t j = 0; j < x->cols; j++) square += pow(from->data[i * x->cols + j], 2);
    for (size_t j = 0; j < x->cols; j++)
      x->data[i * x->cols + j] = square > 0 ? (float)(from->data[i * x->cols + j] / sqrt(square)) : 0;
  }
}

sotto_status sotto_i_lpgnet_widen(sotto_matrix *table, const sotto_i_degrees *degrees, sotto_error *err) {
  const sotto_i_job *job = degrees->job;
  sotto_status status;
  sotto_dataset released = {0};
  sotto_matrix wider = {0}, scaled = {0};
  char file[32], name[96];
  sotto_i_degrees context = *degrees;
  (void)snprintf(file, sizeof file, "degrees-%u.sotto", degrees->stack);
  (void)snprintf(name, sizeof name, "lpgnet %s %.17g %llu", job->options->adjacency, job->options->epsilon,
                 (unsigned long long)job->options->layers);
  const sotto_i_keeping keeping = {.file = file, .name = name, .context = &context, .make = release};
  SOTTO_TRY(sotto_i_kept(&released, job, &keeping, err));
  if (degrees->noise != NULL) SOTTO_TRY(sotto_i_cost_charge(job, degrees->item, 1, err));
  SOTTO_TRY(sotto_matrix_new(&scaled, released.features.rows, released.features.cols, err));
  rows_to_unit_norm(&scaled, &released.features);
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
  if (noisy) SOTTO_TRY(grid_of(&grid, o, err));
  SOTTO_TRY(sotto_i_parted_new(&parted, job, err));
  SOTTO_TRY(sotto_params_new(&params, err));
  SOTTO_TRY(sotto_i_table_join(&table, job->features, &(sotto_matrix){0}, err));
  for (uint32_t k = 0; k <= o->layers; k++) {
    char name[32];
    (void)snprintf(name, sizeof name, "stack%u", k);
    const sotto_i_degrees degrees = {job, &scores, noisy ? &grid : NULL, k - 1, k - 1};
    if (k > 0) SOTTO_TRY(sotto_i_lpgnet_widen(&table, &degrees, err));
    sotto_matrix_free(&scores);
    const sotto_i_table_fit fit = {.job = job,
                                   .parted = &parted,
                                   .name = name,
                                   .stage = k == 0 ? "encoder" : "network",
                                   .number = k,
                                   .epochs = k == 0 ? o->encoder_epochs : o->epochs};
    SOTTO_TRY(sotto_i_table_fit_run(validation, test, &scores, params, &table, &fit, err));
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
