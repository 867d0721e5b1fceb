/* A period of nights on a graph of transactions that grows: AUC by night, and the noise of other schedules.
 *
 *   bench_nights noise EPSILON DELTA NIGHTS          CSV: deviation of the noise of a count, by night
 *   bench_nights year NODES NIGHTS EVERY FOLDER
 *                                                    CSV: AUC by night at epsilon 8, delta 1e-6, every so
 * many nights; the first night has NODES nodes, each later one 0.3% more. FOLDER gets runs and a ledger, and
 * must not be there */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dp/noise/continual.h"
#include "inside/dp.h"
#include "inside/nn.h"
#include "sotto/dp.h"
#include "sotto/generate.h"
#include "sotto/run.h"

#define TRY(call)                                                                                            \
  do {                                                                                                       \
    sotto_error err = {0};                                                                                   \
    if ((call) != SOTTO_OK) {                                                                                \
      (void)fprintf(stderr, "bench_nights: %s\n", err.text);                                                 \
      exit(1);                                                                                               \
    }                                                                                                        \
  } while (0)

static void *room(size_t count, size_t size) {
  void *out = calloc(count, size);
  if (out == NULL) exit(1);
  return out;
}

/* Of the sum at night `last` of what was there from the first night on, and of what may have come later. */
static double deviation(const sotto_i_continual *c, uint32_t last, double sigma, double first, double later) {
  const sotto_i_continual_prior prior = {0, first, 0, later, 0};
  double *weights = room(c->nights, sizeof *weights);
  sotto_i_continual_solver solver;
  sotto_i_continual_estimate out = {.weights = weights};
  TRY(sotto_i_continual_solver_new(&solver, c, last, sigma, later, &err));
  sotto_i_continual_solve(&out, &solver, 0, &prior);
  sotto_i_continual_solver_free(&solver);
  free(weights);
  return out.deviation;
}

static int noise(double epsilon, double delta, uint32_t nights) {
  double mu;
  sotto_grid grid;
  sotto_i_continual c;
  TRY(sotto_gdp_mu(&mu, epsilon, delta, &err));
  TRY(sotto_grid_new(&grid, sqrt(2) / mu, &err));
  TRY(sotto_i_continual_new(&c, nights, grid.step, &err));
  (void)puts("night,one release,a release each night,plan unbiased,plan least squares");
  const double quarters[] = {0, 0.25, 0.5, 0.75, 1};
  for (size_t i = 0; i < 5; i++) {
    const uint32_t night = (uint32_t)(quarters[i] * (nights - 1));
    (void)printf("%u,%.2f,%.2f,%.2f,%.2f\n", (unsigned)night + 1, grid.sigma, grid.sigma * sqrt(nights),
                 deviation(&c, night, grid.sigma, 1e6, 1e6), deviation(&c, night, grid.sigma, 2, 0.004));
  }
  sotto_i_continual_free(&c);
  return 0;
}

/* The first `nodes` nodes, and the edges among them. */
static void first_nodes(sotto_dataset *out, const sotto_dataset *all, uint64_t nodes) {
  uint32_t *sources = room(all->graph.entries + 1, sizeof *sources),
           *targets = room(all->graph.entries + 1, 4);
  uint64_t count = 0;
  for (uint64_t v = 0; v < nodes; v++)
    for (uint64_t e = all->graph.offsets[v]; e < all->graph.offsets[v + 1]; e++)
      if (all->graph.targets[e] < v) {
        sources[count] = (uint32_t)v;
        targets[count++] = all->graph.targets[e];
      }
  const sotto_arrays arrays = {.name = "transactions",
                               .nodes = nodes,
                               .sources = {sources, count, SOTTO_INDEX_U32},
                               .targets = {targets, count, SOTTO_INDEX_U32},
                               .features = all->features.data,
                               .feature_columns = all->features.cols,
                               .labels = all->labels,
                               .classes = all->classes};
  TRY(sotto_dataset_from_arrays(out, &arrays, &err));
  free(sources);
  free(targets);
}

typedef struct year {
  const char *folder;
  uint64_t first, nights, every;
  sotto_dataset all;
  uint8_t *known; /* of the run's nodes: those that train or validate */
} year;

static uint64_t nodes_of(const year *y, uint64_t night) {
  return (uint64_t)((double)y->first * pow(1.003, (double)(night - 1)));
}

static void set(sotto_run *run, const char *key, const char *value) {
  TRY(sotto_run_set(run, key, value, &err));
}

/* On the first night's graph. Its counts are not read at night, so they get next to nothing of the budget.
 */
static sotto_run *train(year *y, const char *name) {
  sotto_run *run;
  sotto_dataset data;
  sotto_model *model;
  char path[1200];
  TRY(sotto_run_new(&run, &err));
  (void)snprintf(path, sizeof path, "%s/first.sotto", y->folder);
  first_nodes(&data, &y->all, y->first);
  TRY(sotto_dataset_save(&data, path, &err));
  set(run, "method", "best");
  set(run, "data", path);
  set(run, "layers", "1");
  set(run, "epsilon", "0.1");
  set(run, "select-by", "auc");
  set(run, "delta", "1e-6");
  (void)snprintf(path, sizeof path, "%s/%s.db", y->folder, name);
  TRY(sotto_ledger_init_scratch(path, &err));
  set(run, "ledger", path);
  (void)snprintf(path, sizeof path, "%s/%s", y->folder, name);
  set(run, "out", path);
  TRY(sotto_run_train(run, &data, NULL, &err));
  TRY(sotto_run_model(run, &model, 0, &err));
  for (int part = SOTTO_PART_TRAIN; part <= SOTTO_PART_VALIDATION; part++) {
    size_t count;
    const uint32_t *rows = sotto_model_part(model, (sotto_part)part, &count);
    for (size_t i = 0; i < count; i++) y->known[rows[i]] = 1;
  }
  sotto_model_free(model);
  sotto_dataset_free(&data);
  return run;
}

/* On all nodes of the night whose label the run does not know. */
static double auc(const year *y, const sotto_matrix *scores) {
  uint32_t *rows = room(scores->rows, sizeof *rows);
  size_t count = 0;
  sotto_quality out;
  for (uint32_t v = 0; v < scores->rows; v++)
    if (v >= y->first || !y->known[v]) rows[count++] = v;
  TRY(sotto_quality_measure(&out, scores, y->all.labels, rows, count, &err));
  free(rows);
  return 100 * out.of[SOTTO_MEASURE_AUC];
}

static double answer(const year *y, const sotto_run *run, uint64_t night, const sotto_model_options *as,
                     double *features) {
  sotto_dataset data;
  sotto_model *model;
  sotto_matrix scores;
  first_nodes(&data, &y->all, nodes_of(y, night));
  TRY(sotto_model_open(&model, sotto_run_folder(run), &data, as, &err));
  TRY(sotto_model_query(&scores, model, &(sotto_query){.wanted = NULL}, &err));
  const double out = auc(y, &scores);
  *features = auc(y, sotto_model_embeddings(model));
  sotto_matrix_free(&scores);
  sotto_model_free(model);
  sotto_dataset_free(&data);
  return out;
}

/* What the account has of training and all nights. */
static void tell_spent(const year *y, sotto_run *run) {
  const char *path = sotto_run_options(run)->ledger;
  sotto_ledger *ledger;
  sotto_dataset data;
  sotto_spent spent;
  first_nodes(&data, &y->all, y->first);
  TRY(sotto_ledger_open(&ledger, path, &err));
  TRY(sotto_ledger_spent(ledger, &spent, data.account, "edge", &err));
  (void)fprintf(stderr, "%llu charges, which compose to epsilon %.6f at delta %g\n",
                (unsigned long long)spent.charges, spent.epsilon, spent.delta);
  sotto_ledger_close(ledger);
  sotto_dataset_free(&data);
}

static int run_year(year *y) {
  const sotto_transactions_options options = {.nodes = nodes_of(y, y->nights)};
  sotto_key key;
  sotto_key_public(&key, 11);
  if (mkdir(y->folder, 0700) != 0) return 1;
  TRY(sotto_generate_transactions(&y->all, &options, &key, &err));
  y->known = room(y->first, 1);
  sotto_run *run = train(y, "private"), *exact = train(y, "exact");
  (void)puts("night,nodes,without noise,epsilon 8,features alone");
  for (uint64_t night = 1; night <= y->nights; night++) {
    const sotto_model_options as = {.seed = SOTTO_UNSET,
                                    .nightly = true,
                                    .epsilon = night == 1 ? 8 : 0,
                                    .nights = night == 1 ? y->nights : 0};
    double features;
    const double value = answer(y, run, night, &as, &features);
    if ((night - 1) % y->every != 0 && night != y->nights) continue;
    /* As good as none: on the nights that are looked at, a plan at epsilon 1000. */
    const sotto_model_options clearly = {
        .seed = SOTTO_UNSET, .nightly = true, .epsilon = 1000, .nights = 100};
    const double clear = answer(y, exact, night, &clearly, &features);
    (void)printf("%llu,%llu,%.2f,%.2f,%.2f\n", (unsigned long long)night,
                 (unsigned long long)nodes_of(y, night), clear, value, features);
    (void)fflush(stdout);
  }
  tell_spent(y, run);
  sotto_run_free(run);
  sotto_run_free(exact);
  sotto_dataset_free(&y->all);
  free(y->known);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 5 && strcmp(argv[1], "noise") == 0)
    return noise(strtod(argv[2], NULL), strtod(argv[3], NULL), (uint32_t)strtoul(argv[4], NULL, 10));
  year y = {.folder = argc == 6 ? argv[5] : NULL};
  if (argc != 6 || strcmp(argv[1], "year") != 0) return 2;
  y.first = strtoull(argv[2], NULL, 10);
  y.nights = strtoull(argv[3], NULL, 10);
  y.every = strtoull(argv[4], NULL, 10);
  return run_year(&y);
}
