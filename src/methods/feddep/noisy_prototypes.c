/* k-means with Gaussian noise on counts and sums. The cluster of a node follows from its own features and
 * earlier releases. So a node and its edges change the cluster of no other node. */
#include "noisy_prototypes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "class_prototypes.h"
#include "inside/dp.h"
#include "nn/kmeans.h"
#include "pmp/release.h"
#include "prototypes.h"
#include "release/artifact.h"

enum { stream_centres = 66 };

static bool of_classes(const sotto_options *o) {
  return sotto_i_prototypes_of(o).classes;
}

static uint32_t releases_of(const sotto_options *o) {
  return of_classes(o) ? 1 : SOTTO_I_PROTOTYPE_STEPS + 1;
}

bool sotto_i_prototypes_are_noisy(const sotto_options *options) {
  const sotto_i_part_settings *own = sotto_i_part_settings_of(options);
  const sotto_i_shown_prototypes shown = sotto_i_prototypes_of(options);
  return own->prototype_noise > 0 && (shown.classes || shown.centres > 0);
}

/* The l2 sensitivity of [sums of own rows | counts] to one node, for clusters of own rows and for labels. A
 * row that stays in its group changes by at most 2. One that changes its group removes a norm of 1 and a
 * count from one and adds them to another. */
static double own_sensitivity(void) {
  return fmax(2, sqrt(2 + 2 * SOTTO_I_COUNT_WEIGHT * SOTTO_I_COUNT_WEIGHT));
}

double sotto_i_deep_sensitivity(uint64_t layers, uint64_t max_degree) {
  double degree = (double)max_degree, each = 4 * degree / (degree + 1);
  double moved =
      2 + (double)layers * each + sqrt(2); /* all rows together; the node's own row in another cluster */
  return sqrt(moved * moved + 2 * SOTTO_I_COUNT_WEIGHT * SOTTO_I_COUNT_WEIGHT);
}

/* An upper bound on what single precision adds to the change of rows within L hops: each has an error of at
 * most this many roundings of numbers below 1. */
static double rounding_slack(const sotto_options *o, size_t nodes, size_t inputs) {
  const sotto_i_part_settings *own = sotto_i_part_settings_of(o);
  double reached = 2, degree = (double)o->max_degree;
  for (uint64_t l = 0; l < own->embed_layers; l++) reached = reached * degree + 2;
  return fmin(reached, (double)nodes) * (double)(own->embed_layers + 1) * (degree + (double)inputs) * 0x1p-22;
}

/* [sums of rows | weighted count] of each cluster: C x (width + 1). */
static void sum_clusters(sotto_matrix *out, double *sums, const sotto_matrix *rows, const uint32_t *home) {
  size_t cols = out->cols;
  memset(sums, 0, out->rows * cols * sizeof *sums);
  for (size_t v = 0; v < rows->rows; v++) {
    for (size_t j = 0; j + 1 < cols; j++) sums[home[v] * cols + j] += rows->data[v * rows->cols + j];
    sums[home[v] * cols + cols - 1] += SOTTO_I_COUNT_WEIGHT;
  }
  for (size_t i = 0; i < out->rows * cols; i++) out->data[i] = (float)sums[i];
}

/* Noisy sums divided by noisy counts, clipped to norm 1: post-processing. */
static void compute_centres(sotto_matrix *centres, const sotto_matrix *noisy) {
  for (size_t c = 0; c < centres->rows; c++) {
    const float *row = noisy->data + c * noisy->cols;
    double count = fmax(1, row[centres->cols] / SOTTO_I_COUNT_WEIGHT);
    for (size_t j = 0; j < centres->cols; j++) centres->data[c * centres->cols + j] = (float)(row[j] / count);
  }
  sotto_i_cut_rows(centres);
}

static void assign_clusters(uint32_t *home, const sotto_matrix *rows, const sotto_matrix *centres) {
  for (size_t v = 0; v < rows->rows; v++) {
    double distance;
    home[v] =
        (uint32_t)sotto_i_nearest_centre(&distance, centres, centres->rows, rows->data + v * rows->cols);
  }
}

static void draw_centres(sotto_matrix *out, uint64_t seed) {
  sotto_i_random random;
  sotto_key key;
  sotto_key_public(&key, seed);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_GENERATE, stream_centres, 0);
  for (size_t i = 0; i < out->rows * out->cols; i++) out->data[i] = (float)sotto_i_random_normal(&random);
  sotto_i_cut_rows(out);
}

/* mu of each release, by --prototype-noise and delta. */
static sotto_status mu_each(double *out, const sotto_options *o, sotto_error *err) {
  sotto_status status = sotto_gdp_mu(out, sotto_i_part_settings_of(o)->prototype_noise, o->delta, err);
  *out /= sqrt((double)releases_of(o));
  return status;
}

/* The least noise on a grid, with its rounding counted. Sums in single precision have errors of 2^-24 times
 * the number of rows each. */
static sotto_status find_grid(sotto_grid *grid, double moved, double rows, double values, double mu,
                              sotto_error *err) {
  double sensitivity = moved + rows * 0x1p-23 * sqrt(values), sigma = sensitivity / mu;
  for (int round = 0; round < 16; round++) {
    sotto_status status = sotto_grid_new(grid, sigma, err);
    if (status != SOTTO_OK) return status;
    double actual = sotto_grid_sensitivity(grid, sensitivity, values);
    if (actual / sigma <= mu) return SOTTO_OK;
    sigma = actual / mu * (1 + 1e-12);
  }
  return sotto_i_fail(err, SOTTO_RANGE, "prototype-noise: %g values are too many for the grid of noise",
                      values);
}

/* The noise of one release of `sums`, and its mu. */
static sotto_status plan_noise(sotto_grid *grid, double *mu, const sotto_matrix *sums, double sensitivity,
                               const sotto_i_fed_client *c, sotto_error *err) {
  const double values = (double)(sums->rows * sums->cols);
  sotto_status status = mu_each(mu, c->federation->options, err);
  return status == SOTTO_OK ? find_grid(grid, sensitivity, (double)c->features.rows, values, *mu, err)
                            : status;
}

/* No noise if epsilon is infinite: then nothing is charged either, and the sums are exposed. */
static sotto_status add_noise(sotto_matrix *sums, double sensitivity, const sotto_i_fed_client *c,
                              const sotto_key *key, uint32_t number, sotto_error *err) {
  double mu;
  sotto_grid grid;
  if (isinf(sotto_i_part_settings_of(c->federation->options)->prototype_noise)) return SOTTO_OK;
  const sotto_status status = plan_noise(&grid, &mu, sums, sensitivity, c, err);
  return status == SOTTO_OK ? sotto_grid_add_noise(sums, &grid, key, number, err) : status;
}

/* For the audit: noisy sums minus `exact` (or minus nothing) into one release's rows of `shown`, in units
 * in which their noise is 1 / mu of all releases, as in the plan's item. */
static sotto_status show_sums(sotto_matrix *shown, uint32_t number, const sotto_matrix *noisy,
                              const double *exact, double sensitivity, const sotto_i_fed_client *c,
                              sotto_error *err) {
  const uint32_t releases = releases_of(c->federation->options);
  const size_t values = noisy->rows * noisy->cols;
  double mu;
  sotto_grid grid;
  sotto_status status;
  SOTTO_TRY(plan_noise(&grid, &mu, noisy, sensitivity, c, err));
  if (shown->data == NULL) SOTTO_TRY(sotto_matrix_new(shown, noisy->rows * releases, noisy->cols, err));
  for (size_t i = 0; i < values; i++)
    shown->data[number * values + i] = (float)(((double)noisy->data[i] - (exact == NULL ? 0 : exact[i])) /
                                               (mu * sqrt((double)releases) * grid.sigma));
done:
  return status;
}

/* Sums and weighted counts of classes, cols + 1 columns, and their sensitivity to a node. */
static sotto_status sum_classes(sotto_matrix *sums, double *moved, const sotto_matrix *deep,
                                const sotto_i_fed_client *c, sotto_error *err) {
  const sotto_options *o = c->federation->options;
  const sotto_i_labelled of = {.graph = &c->data.graph,
                               .labels = c->data.labels,
                               .rows = c->rows[SOTTO_PART_TRAIN],
                               .count = c->count[SOTTO_PART_TRAIN],
                               .classes = c->federation->classes};
  *moved = sotto_i_deep_sensitivity(sotto_i_part_settings_of(o)->embed_layers, o->max_degree) +
           rounding_slack(o, deep->rows, c->features.cols);
  return sotto_i_class_sums(sums, deep, SOTTO_I_COUNT_WEIGHT, 1, &of, err);
}

/* The single release of class prototypes. A class whose noisy count is below 1 has none. */
static sotto_status release_classes(sotto_matrix *out, sotto_matrix *shown, const sotto_matrix *deep,
                                    const sotto_i_fed_client *c, const sotto_key *whole, sotto_error *err) {
  double moved;
  sotto_matrix noisy = {0};
  sotto_key key;
  sotto_status status;
  sotto_i_key_derive(&key, whole, (c->federation->seed << 20) ^ c->number);
  SOTTO_TRY(sotto_matrix_new(&noisy, out->rows, out->cols + 1, err));
  SOTTO_TRY(sum_classes(&noisy, &moved, deep, c, err));
  SOTTO_TRY(add_noise(&noisy, moved, c, &key, 0, err));
  if (shown != NULL) SOTTO_TRY(show_sums(shown, 0, &noisy, NULL, moved, c, err));
  compute_centres(out, &noisy);
  for (size_t y = 0; y < out->rows; y++)
    if (noisy.data[y * noisy.cols + out->cols] < SOTTO_I_COUNT_WEIGHT)
      memset(out->data + y * out->cols, 0, out->cols * sizeof(float));
done:
  sotto_key_wipe(&key);
  sotto_matrix_free(&noisy);
  return status;
}

/* All releases of a client: k-means with noise; `whole` is the run's key. The sums of a draw follow from
 * the noise of the draw before, so `shown` (or NULL) gets the noise of the sums. */
static sotto_status release_clusters(sotto_matrix *out, sotto_matrix *shown, const sotto_matrix *own,
                                     const sotto_matrix *deep, const sotto_i_fed_client *c,
                                     const sotto_key *whole, sotto_error *err) {
  const sotto_options *o = c->federation->options;
  double slack = rounding_slack(o, own->rows, c->features.cols), *sums = NULL;
  sotto_matrix noisy = {0};
  uint32_t *home = NULL;
  sotto_key key;
  sotto_status status;
  sotto_i_key_derive(&key, whole, (c->federation->seed << 20) ^ c->number);
  SOTTO_TRY(sotto_matrix_new(&noisy, out->rows, out->cols + 1, err));
  SOTTO_TRY(sotto_i_new(&sums, noisy.rows * noisy.cols, sizeof *sums, err));
  SOTTO_TRY(sotto_i_new(&home, own->rows, sizeof *home, err));
  draw_centres(out, c->federation->seed);
  for (uint32_t i = 0; i < releases_of(o); i++) {
    bool last = i + 1 == releases_of(o);
    double moved = last ? sotto_i_deep_sensitivity(sotto_i_part_settings_of(o)->embed_layers, o->max_degree)
                        : own_sensitivity();
    assign_clusters(home, own, out);
    sum_clusters(&noisy, sums, last ? deep : own, home);
    SOTTO_TRY(add_noise(&noisy, moved + slack, c, &key, i, err));
    if (shown != NULL) SOTTO_TRY(show_sums(shown, i, &noisy, sums, moved + slack, c, err));
    compute_centres(out, &noisy);
  }
done:
  sotto_key_wipe(&key);
  sotto_matrix_free(&noisy);
  sotto_i_free(sums);
  sotto_i_free(home);
  return status;
}

typedef struct clustering {
  const sotto_matrix *own, *deep;
  const sotto_i_fed_client *client;
  size_t rows, cols;
  sotto_matrix *shown; /* for an audit: the noisy sums; NULL: no audit */
} clustering;

static sotto_status make_prototypes(void *context, sotto_graph *graph, sotto_matrix *table,
                                    const sotto_key *key, sotto_error *err) {
  const clustering *c = context;
  (void)graph;
  sotto_status status = sotto_matrix_new(table, c->rows, c->cols, err);
  if (status != SOTTO_OK) return status;
  if (of_classes(c->client->federation->options))
    return release_classes(table, c->shown, c->deep, c->client, key, err);
  return release_clusters(table, c->shown, c->own, c->deep, c->client, key, err);
}

static sotto_status show_noise(void *context, sotto_graph *graph, sotto_matrix *table, const sotto_key *key,
                               sotto_error *err) {
  clustering c = *(const clustering *)context;
  sotto_matrix centres = {0};
  c.shown = table;
  const sotto_status status = make_prototypes(&c, graph, &centres, key, err);
  sotto_matrix_free(&centres);
  return status;
}

/* A prototype has the direction of its noisy sum. For classes the audit compares it with the sum, in the
 * units of `shown`. Clusters follow from noise that is not stored. */
static sotto_status exact_table(void *context, sotto_matrix *table, sotto_error *err) {
  const clustering *c = context;
  double moved, mu;
  sotto_grid grid;
  sotto_matrix sums = {0};
  sotto_status status = SOTTO_OK;
  if (!of_classes(c->client->federation->options)) return SOTTO_OK;
  SOTTO_TRY(sotto_matrix_new(&sums, c->rows, c->cols + 1, err));
  SOTTO_TRY(sotto_matrix_new(table, c->rows, c->cols, err));
  SOTTO_TRY(sum_classes(&sums, &moved, c->deep, c->client, err));
  SOTTO_TRY(plan_noise(&grid, &mu, &sums, moved, c->client, err));
  for (size_t y = 0; y < c->rows; y++)
    for (size_t j = 0; j < c->cols; j++)
      table->data[y * c->cols + j] = (float)((double)sums.data[y * sums.cols + j] / (mu * grid.sigma));
done:
  sotto_matrix_free(&sums);
  return status;
}

sotto_status sotto_i_noisy_prototypes(sotto_matrix *out, sotto_i_receipt *receipt, const sotto_matrix *own,
                                      const sotto_matrix *deep, const sotto_i_fed_client *c,
                                      sotto_error *err) {
  const sotto_options *o = c->federation->options;
  const sotto_i_job *job = c->federation->job;
  bool whole = c->federation->apart;
  clustering context = {own, deep, c, out->rows, out->cols, NULL};
  sotto_dataset found;
  char file[64], made_with[256];
  (void)snprintf(file, sizeof file, "prototypes-%u.sotto", (unsigned)c->number + 1);
  (void)snprintf(made_with, sizeof made_with,
                 "%s: %zu rows of %zu, epsilon %.17g, delta %.17g, layers %llu, max degree %llu",
                 of_classes(o) ? "prototypes of classes" : "prototypes", out->rows, out->cols,
                 sotto_i_part_settings_of(o)->prototype_noise, o->delta,
                 (unsigned long long)sotto_i_part_settings_of(o)->embed_layers,
                 (unsigned long long)o->max_degree);
  const sotto_i_table_artifact table = {
      .artifact = {.owner = sotto_i_job_owner(job),
                   .item = sotto_i_cost_item_of(job->cost, SOTTO_ACCOUNT_DATA),
                   .file = file,
                   .made_with = made_with,
                   .part = whole ? 0 : c->number + 1,
                   .part_data = whole ? NULL : &c->data,
                   .run_key = true},
      .rows = out->rows,
      .context = &context,
      .make = make_prototypes,
      .show = show_noise,
      .exact = exact_table};
  sotto_status status = sotto_i_table_use(&found, receipt, &table, err);
  if (status != SOTTO_OK) return status;
  memcpy(out->data, found.features.data, out->rows * out->cols * sizeof(float));
  sotto_dataset_free(&found);
  return SOTTO_OK;
}

/* A node belongs to one client's part, so the whole costs as much as one client. */
sotto_status sotto_i_prototypes_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  const sotto_i_part_settings *own = sotto_i_part_settings_of(o);
  double mu;
  *out = (sotto_cost){.adjacency = "node"};
  if (!sotto_i_prototypes_are_noisy(o) || isinf(own->prototype_noise)) return SOTTO_OK;
  if (job->seat != NULL && job->seat->role == SOTTO_ROLE_SERVER) return SOTTO_OK;
  /* Nodes without features get classes of degrees, which also depend on a neighbour's edges. */
  if (job->data->features.cols == 0)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "prototype-noise: the nodes of %s have no features, and degrees in their place would "
        "show edges beyond the stated sensitivity; give features, or leave prototype-noise out",
        job->data->name);
  sotto_status status = sotto_gdp_mu(&mu, own->prototype_noise, o->delta, err);
  if (status != SOTTO_OK) return status;
  sotto_mechanism gaussian = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
  gaussian.noise = 1 / mu;
  (void)sotto_i_cost_add(out,
                         of_classes(o) ? "prototypes: noisy counts and sums of classes, embeddings"
                                       : "prototypes: noisy counts and sums of clusters, embeddings",
                         &gaussian, mu, 0);
  return SOTTO_OK;
}
