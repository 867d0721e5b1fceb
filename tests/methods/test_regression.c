/* Regression: networks on features alone find the least squares, neighbours add what features lack, and what
 * cannot be learnt is refused. */
#include <math.h>

#include "base/random.h"
#include "check.h"
#include "federation.h"
#include "made_run.h"
#include "run/method/method.h"

enum { nodes = 1500, columns = 3, neighbours = 6 };

/* numbers[v] = unit (2 x_0 - x_1 + `outside` times the mean of x_0 of the neighbours of v) + shift, with
 * noise of deviation unit / 4. */
typedef struct made {
  double unit, shift, outside;
} made;

static sotto_dataset make(const made *m) {
  static float x[nodes * columns], y[nodes];
  static uint32_t from[nodes * neighbours / 2], to[nodes * neighbours / 2];
  static double sum[nodes], degree[nodes];
  const size_t edges = sizeof from / sizeof *from;
  sotto_i_random random;
  sotto_key key;
  sotto_dataset out;
  sotto_key_public(&key, 11);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_GENERATE, 1, 0);
  memset(sum, 0, sizeof sum);
  memset(degree, 0, sizeof degree);
  for (size_t i = 0; i < nodes * columns; i++) x[i] = (float)sotto_i_random_normal(&random);
  for (size_t e = 0; e < edges; e++) {
    from[e] = (uint32_t)(e % nodes);
    to[e] = (uint32_t)sotto_i_random_below(&random, nodes - 1);
    if (to[e] >= from[e]) to[e]++;
    sum[from[e]] += x[to[e] * columns], sum[to[e]] += x[from[e] * columns];
    degree[from[e]]++, degree[to[e]]++;
  }
  for (size_t v = 0; v < nodes; v++) {
    const float *own = x + v * columns;
    const double outside = m->outside * sum[v] / fmax(degree[v], 1);
    y[v] = (float)(m->shift + m->unit * (2 * own[0] - own[1] + outside + sotto_i_random_normal(&random) / 4));
  }
  const sotto_arrays arrays = {.name = "made",
                               .nodes = nodes,
                               .sources = {from, edges, SOTTO_INDEX_U32},
                               .targets = {to, edges, SOTTO_INDEX_U32},
                               .features = x,
                               .feature_columns = columns,
                               .numbers = y};
  CHECK_OK(sotto_dataset_from_arrays(&out, &arrays, &err));
  return out;
}

static sotto_result train(const sotto_dataset *data, const char *method, const char *const *settings) {
  static unsigned number;
  char folder[40];
  (void)snprintf(folder, sizeof folder, "%s-%u", method, number++);
  sotto_options o = check_options(method, folder);
  check_set(&o, "task", "regression");
  check_set(&o, "feature-scale", "standard");
  check_set_own(&o, settings);
  return check_run(&o, data);
}

static double r2_of(const sotto_result *r) {
  return r->seeds[0].test.of[SOTTO_MEASURE_R2];
}

/* Solves a w = b of 4 unknowns by elimination, a positive definite. */
static void solve(double w[columns + 1], double a[columns + 1][columns + 1], double b[columns + 1]) {
  enum { n = columns + 1 };
  for (size_t k = 0; k < n; k++)
    for (size_t i = k + 1; i < n; i++) {
      const double factor = a[i][k] / a[k][k];
      for (size_t j = k; j < n; j++) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  for (size_t k = n; k-- > 0;) {
    w[k] = b[k];
    for (size_t j = k + 1; j < n; j++) w[k] -= a[k][j] * w[j];
    w[k] /= a[k][k];
  }
}

static double cell(const sotto_dataset *data, uint32_t v, size_t j) {
  return j < columns ? (double)data->features.data[v * columns + j] : 1;
}

/* R2 on the test nodes of ridge regression on the training nodes, of the same split. */
static double ridge_r2(const sotto_dataset *data) {
  double a[columns + 1][columns + 1] = {{0}}, b[columns + 1] = {0}, w[columns + 1], mean = 0, off = 0,
                                  all = 0;
  sotto_options o = check_options("mlp", "ridge");
  sotto_i_parted parted;
  check_set(&o, "task", "regression");
  const sotto_i_job job = {.options = &o, .data = data, .seed = o.seed};
  CHECK_OK(sotto_i_parted_new(&parted, &job, &err));
  for (size_t i = 0; i < parted.split.count[SOTTO_PART_TRAIN]; i++)
    for (size_t j = 0; j <= columns; j++) {
      const uint32_t v = parted.split.rows[SOTTO_PART_TRAIN][i];
      for (size_t k = 0; k <= columns; k++) a[j][k] += cell(data, v, j) * cell(data, v, k);
      b[j] += cell(data, v, j) * (double)parted.numbers[SOTTO_PART_TRAIN][i];
    }
  for (size_t j = 0; j < columns; j++) a[j][j] += 1e-3;
  solve(w, a, b);
  const size_t tested = parted.split.count[SOTTO_PART_TEST];
  const float *truth = parted.numbers[SOTTO_PART_TEST];
  for (size_t i = 0; i < tested; i++) mean += (double)truth[i] / (double)tested;
  for (size_t i = 0; i < tested; i++) {
    double predicted = 0;
    for (size_t j = 0; j <= columns; j++)
      predicted += w[j] * cell(data, parted.split.rows[SOTTO_PART_TEST][i], j);
    off += pow((double)truth[i] - predicted, 2);
    all += pow((double)truth[i] - mean, 2);
  }
  sotto_i_parted_free(&parted);
  return 1 - off / all;
}

static const char *const alone[] = {"adjacency", "none", "encoder-epochs", "200", NULL};

static void a_perceptron_finds_what_ridge_regression_finds(void **state) {
  sotto_dataset data = make(&(made){.unit = 300, .shift = 2000});
  const double ridge = ridge_r2(&data);
  (void)state;
  sotto_result r = train(&data, "mlp", alone);
  (void)printf("  R2 of ridge regression %.4f, of mlp %.4f\n", ridge, r2_of(&r));
  assert_true(ridge > 0.97);
  CHECK_NEAR(r2_of(&r), ridge, 0.02);
  CHECK_NEAR(r.seeds[0].test.of[SOTTO_MEASURE_RMSE], 300.0 / 4, 30);
  assert_true(isnan(r.seeds[0].test.of[SOTTO_MEASURE_ACCURACY]));
  sotto_result_free(&r);
  sotto_dataset_free(&data);
}

static void the_unit_of_the_numbers_does_not_matter(void **state) {
  static const char *const methods[] = {"mlp", "gnn", "sage", "best", "fedavg"};
  static const char *const alike[] = {"adjacency", "none",       "epochs", "40", "encoder-epochs",
                                      "40",        "aggregator", "mean",   NULL},
                           *const clients[] = {"clients",       "3",    "rounds", "40", "aggregator", "sage",
                                               "feature-scale", "none", NULL};
  (void)state;
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    double r2[2], rmse[2];
    for (int k = 0; k < 2; k++) {
      sotto_dataset data =
          make(&(made){.unit = k == 0 ? 1 : 4096, .shift = k == 0 ? 0 : 65536, .outside = 2});
      sotto_result r = train(&data, methods[m], strcmp(methods[m], "fedavg") == 0 ? clients : alike);
      r2[k] = r2_of(&r);
      rmse[k] = r.seeds[0].test.of[SOTTO_MEASURE_RMSE];
      sotto_result_free(&r);
      sotto_dataset_free(&data);
    }
    (void)printf("  %-6s R2 %.4f and %.4f\n", methods[m], r2[0], r2[1]);
    CHECK_NEAR(r2[0], r2[1], 0.02);
    CHECK_NEAR(rmse[1] / rmse[0], 4096, 200);
  }
}

/* Mean and standard deviation of the training numbers of all clients together. */
static void true_scale(double *mean, double *deviation, const sotto_i_job *job) {
  sotto_i_parted parted;
  CHECK_OK(sotto_i_parted_new(&parted, job, &err));
  const size_t count = parted.split.count[SOTTO_PART_TRAIN];
  const float *numbers = parted.numbers[SOTTO_PART_TRAIN];
  *mean = *deviation = 0;
  for (size_t i = 0; i < count; i++) *mean += (double)numbers[i] / (double)count;
  for (size_t i = 0; i < count; i++) *deviation += pow((double)numbers[i] - *mean, 2) / (double)count;
  *deviation = sqrt(*deviation);
  sotto_i_parted_free(&parted);
}

static double value_of(const sotto_i_fed_client *c, size_t number) {
  return (double)sotto_params_value(c->model.params, number)->data[0];
}

/* The nodes with the lowest half of the numbers are the first client's, so that no client has the mean and
 * the deviation of all. */
static void write_halves(const char *path, const sotto_dataset *data, double border) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (size_t v = 0; v < nodes; v++) (void)fprintf(file, "%d\n", (double)data->numbers[v] < border ? 1 : 2);
  assert_int_equal(fclose(file), 0);
}

static bool exposes(const sotto_result *r, const char *name) {
  for (size_t i = 0; i < r->exposure_count; i++)
    if (strcmp(r->exposures[i].name, name) == 0) return true;
  return false;
}

static void clients_count_in_the_deviation_of_all_of_them(void **state) {
  static const char *const optimisers[] = {"server-adam", "adam", "sgd"};
  sotto_dataset data = make(&(made){.unit = 300, .shift = 2000});
  const double ridge = ridge_r2(&data);
  char partition[1100];
  (void)state;
  (void)snprintf(partition, sizeof partition, "file:%.1000s", check_path("halves"));
  write_halves(partition + strlen("file:"), &data, 2000);
  for (size_t k = 0; k < sizeof optimisers / sizeof *optimisers; k++) {
    double mean, deviation;
    char model[1100];
    check_clients clients;
    sotto_options o = check_options("fedavg", optimisers[k]);
    check_set(&o, "task", "regression");
    check_set(&o, "feature-scale", "none");
    check_set_own(&o, (const char *const[]){"clients", "2", "partition", partition, "aggregator", "sage",
                                            "rounds", "300", "optimiser", optimisers[k], "local-momentum",
                                            k == 2 ? "0.5" : "0", "batch-size", k == 2 ? "100" : "0", NULL});
    sotto_result r = check_run(&o, &data);
    check_clients_new(&clients, &o, &data);
    true_scale(&mean, &deviation, &clients.job);
    (void)snprintf(model, sizeof model, "%.1000s/seed-1/model.safetensors", o.out);
    CHECK_OK(sotto_params_load(&clients.of[0].model.params, 1, model, &err));
    (void)printf("  %-11s R2 %.4f (ridge regression %.4f), mean %.1f, deviation %.1f\n", optimisers[k],
                 r2_of(&r), ridge, mean, deviation);
    CHECK_NEAR(value_of(clients.of, clients.of->model.scale.mean), mean, 1e-5 * mean);
    CHECK_NEAR(value_of(clients.of, clients.of->model.scale.deviation), deviation, 1e-5 * deviation);
    CHECK_NEAR(r2_of(&r), ridge, 0.05);
    assert_true(exposes(&r, "number statistics"));
    check_clients_free(&clients);
    sotto_result_free(&r);
  }
  sotto_dataset_free(&data);
}

static void counts_by_quantiles_add_what_features_lack(void **state) {
  static const char *const settings[] = {"adjacency", "edge", "epsilon", "4", "insecure-seed", "1", NULL};
  sotto_dataset data = make(&(made){.unit = 1, .outside = 6});
  (void)state;
  sotto_result r = train(&data, "best", settings);
  const double features = r.seeds[0].baseline_test.of[SOTTO_MEASURE_R2];
  (void)printf("  R2 of features alone %.4f, of best at epsilon 4 %.4f\n", features, r2_of(&r));
  assert_true(r2_of(&r) > features + 0.05);
  assert_true(r.cost.count == 1 && r.cost.items[0].mechanism.kind == SOTTO_MECHANISM_LAPLACE);
  sotto_result_free(&r);
  sotto_dataset_free(&data);
}

static void check_refused(const sotto_dataset *data, const char *task, const char *method,
                          const char *const *settings, sotto_status status, const char *text) {
  sotto_result r = {0};
  sotto_options o = check_options(method, "refused");
  check_set(&o, "task", task);
  for (size_t i = 0; settings[i] != NULL; i += 2) check_set(&o, settings[i], settings[i + 1]);
  CHECK_FAILS(status, text, sotto_train(&r, &o, data, NULL, NULL, &err));
  sotto_result_free(&r);
}

static void what_learns_no_numbers_says_so(void **state) {
  static const char *const
      none[] = {NULL},
      *const node[] = {"adjacency", "node", "max-degree", "50", NULL},
      *const counts[] = {"publication", "counts", NULL}, *const reported[] = {"label-epsilon", "2", NULL},
      *const measure[] = {"select-by", "auc", NULL}, *const classes[] = {"classes", "3", NULL},
      *const masked[] = {"secure-aggregation", "true", NULL}, *const checked[] = {"update-bound", "2", NULL},
      *const edge[] = {"adjacency", "edge", NULL}, *const graph[] = {"adjacency", "graph", NULL},
      *const client[] = {"adjacency", "client", NULL};
  sotto_dataset numbers = make(&(made){.unit = 1});
  sotto_dataset labels = check_communities(&(sotto_sbm_options){
      .nodes = 60, .classes = 2, .features = 3, .degree_inside = 3, .degree_outside = 1});
  (void)state;
  check_refused(&numbers, "regression", "gap", none, SOTTO_UNSUPPORTED,
                "gap with adjacency edge learns classes alone");
  check_refused(&numbers, "regression", "best", node, SOTTO_UNSUPPORTED,
                "at node level labels are protected");
  check_refused(&numbers, "regression", "fedavg", edge, SOTTO_UNSUPPORTED,
                "fedavg with adjacency edge learns classes alone");
  check_refused(&numbers, "regression", "fedavg", node, SOTTO_UNSUPPORTED,
                "at node level labels are protected");
  check_refused(&numbers, "regression", "fedavg", graph, SOTTO_UNSUPPORTED,
                "at graph level labels are protected");
  check_refused(&numbers, "regression", "fedavg", client, SOTTO_UNSUPPORTED,
                "at client level labels are protected");
  check_refused(&numbers, "regression", "fedavg", masked, SOTTO_INVALID,
                "secure-aggregation: has no meaning");
  check_refused(&numbers, "regression", "fedavg", checked, SOTTO_INVALID, "update-bound: has no meaning");
  check_refused(&numbers, "regression", "vesper", counts, SOTTO_UNSUPPORTED, "counts learn classes alone");
  check_refused(&numbers, "regression", "vesper", reported, SOTTO_UNSUPPORTED, "numbers cannot be");
  check_refused(&numbers, "regression", "gnn", measure, SOTTO_INVALID, "select-by: has no meaning with task");
  check_refused(&numbers, "regression", "gnn", classes, SOTTO_INVALID, "classes: has no meaning with task");
  check_refused(&numbers, "classification", "gnn", none, SOTTO_INVALID, "learn them with task regression");
  check_refused(&labels, "regression", "gnn", none, SOTTO_INVALID, "has no numbers to learn");
  sotto_dataset_free(&numbers);
  sotto_dataset_free(&labels);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_perceptron_finds_what_ridge_regression_finds),
      cmocka_unit_test(the_unit_of_the_numbers_does_not_matter),
      cmocka_unit_test(clients_count_in_the_deviation_of_all_of_them),
      cmocka_unit_test(counts_by_quantiles_add_what_features_lack),
      cmocka_unit_test(what_learns_no_numbers_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
