/* Corrections of few weights, against a plain loss; what is read of a sum of releases; what is told of
 * clusters. */
#include <math.h>

#include "base/random.h"
#include "check.h"
#include "inside/nn.h"
#include "nn/readings.h"
#include "protocols/correction.h"
#include "protocols/counts.h"
#include "protocols/table.h"
#include "protocols/unsure.h"

enum { nodes = 60, classes = 3, rounds = 2, train = 40 };

typedef struct problem {
  sotto_dataset data;
  sotto_matrix base, counts[rounds], inputs;
  int32_t labels[nodes], by_part[4][nodes];
  uint32_t rows[4][nodes];
  uint8_t levels[nodes];
  sotto_i_parted parted;
} problem;

static void add_part(problem *p, sotto_part part, uint32_t first, uint32_t end) {
  for (uint32_t v = first; v < end; v++) {
    p->rows[part][v - first] = v;
    p->by_part[part][v - first] = p->labels[v];
  }
  p->parted.split.rows[part] = p->rows[part];
  p->parted.split.count[part] = end - first;
  p->parted.labels[part] = p->by_part[part];
}

/* Labels that both the base and the counts know something of; inputs as rounds.c joins them. */
static void problem_new(problem *p, sotto_i_random *random) {
  static char name[] = "made";
  *p = (problem){.data = {.name = name, .labels = p->labels, .classes = classes, .graph = {.nodes = nodes}}};
  CHECK_OK(sotto_matrix_new(&p->base, nodes, classes, &err));
  CHECK_OK(sotto_matrix_new(&p->inputs, nodes, classes, &err));
  for (size_t v = 0; v < nodes; v++) {
    p->labels[v] = (int32_t)sotto_i_random_below(random, classes);
    p->levels[v] = v % 10 == 0 ? SOTTO_I_DEAF : 1;
    for (size_t j = 0; j < classes; j++)
      p->base.data[v * classes + j] =
          (float)(sotto_i_random_normal(random) + ((size_t)p->labels[v] == j ? 1 : 0));
  }
  for (size_t k = 0; k < rounds; k++) {
    sotto_matrix read = {0}, wider;
    CHECK_OK(sotto_matrix_new(&p->counts[k], nodes, classes, &err));
    for (size_t v = 0; v < nodes; v++)
      for (size_t j = 0; j < classes; j++)
        p->counts[k].data[v * classes + j] =
            (float)((int)sotto_i_random_below(random, 7) - 3 + ((size_t)p->labels[v] == j ? 2 : 0));
    CHECK_OK(sotto_i_readings_append(&read, &p->counts[k], &(sotto_i_counted){.releases = 1}, &err));
    CHECK_OK(sotto_i_table_join(&wider, &p->inputs, &read, &err));
    sotto_matrix_free(&p->inputs);
    sotto_matrix_free(&read);
    p->inputs = wider;
  }
  add_part(p, SOTTO_PART_TRAIN, 0, train);
  add_part(p, SOTTO_PART_VALIDATION, train, train + 10);
  add_part(p, SOTTO_PART_TEST, train + 10, nodes);
}

static void problem_free(problem *p) {
  sotto_matrix_free(&p->base);
  sotto_matrix_free(&p->inputs);
  for (size_t k = 0; k < rounds; k++) sotto_matrix_free(&p->counts[k]);
}

/* From the counts themselves. */
static double plain_score(const problem *p, const float *w, size_t v, size_t j) {
  double sum = w[0] * (double)p->base.data[v * classes + j];
  for (size_t k = 0; k < rounds; k++) {
    const float *row = p->counts[k].data + v * classes;
    sum += w[k + 1] * ((double)row[j] - ((double)row[0] + row[1] + row[2]) / classes);
  }
  return sum;
}

static double plain_loss(const problem *p, const float *w) {
  double loss = 1e-3 / 2 * ((w[0] - 1) * (w[0] - 1) + w[1] * w[1] + w[2] * w[2]);
  for (size_t v = 0; v < train; v++) {
    double total = 0;
    for (size_t j = 0; j < classes; j++) total += exp(plain_score(p, w, v, j));
    loss += log(total) - plain_score(p, w, v, (size_t)p->labels[v]);
  }
  return loss;
}

/* The loss is convex: where no small step of any weight lowers it, it is least. */
static void weights_are_those_of_the_least_loss(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_options o;
  int told = 0;
  sotto_options_default(&o);
  for (int round = 0; round < 20; round++) {
    problem p;
    sotto_quality validation, test;
    sotto_matrix scores;
    sotto_params *params;
    problem_new(&p, &random);
    const sotto_i_job job = {.options = &o, .data = &p.data, .seed = 1};
    const sotto_i_correction correction = {.job = &job, .parted = &p.parted, .levels = p.levels, .round = 1};
    CHECK_OK(sotto_params_new(&params, &err));
    CHECK_OK(
        sotto_i_weighted_fit(&validation, &test, &scores, params, &p.base, &p.inputs, &correction, &err));
    assert_string_equal(sotto_params_name(params, 0), "weights1");
    const float *w = sotto_params_value(params, 0)->data;
    const double least = plain_loss(&p, w);
    told += w[1] > 0.05 && w[2] > 0.05;
    for (size_t k = 0; k <= rounds; k++)
      for (int way = -1; way <= 1; way += 2) {
        float moved[rounds + 1];
        memcpy(moved, w, sizeof moved);
        moved[k] += (float)way * 1e-2F;
        if (!(plain_loss(&p, moved) > least)) fail_msg("weight %zu is not the best: %g", k, (double)w[k]);
      }
    for (size_t v = 0; v < nodes; v++)
      for (size_t j = 0; j < classes; j++) {
        const double wanted =
            p.levels[v] == SOTTO_I_DEAF ? (double)p.base.data[v * classes + j] : plain_score(&p, w, v, j);
        CHECK_NEAR(scores.data[v * classes + j], wanted, 1e-4);
      }
    sotto_params_free(params);
    sotto_matrix_free(&scores);
    problem_free(&p);
  }
  assert_true(told >= 15); /* the counts tell something, but for a draw here and there */
}

/* A sum of releases is read in units of the deviation of all their noise. */
static void sums_are_read_in_units_of_their_noise(void **state) {
  (void)state;
  enum { rows = 4000, owners = 3 };
  sotto_laplace_grid grid;
  sotto_key key;
  sotto_matrix sum, one, read = {0};
  double square = 0;
  sotto_key_insecure(&key, 5);
  CHECK_OK(sotto_i_counts_grid_of(&grid, 1.5, &err));
  CHECK_OK(sotto_matrix_new(&sum, rows, 4, &err));
  for (uint32_t k = 0; k < owners; k++) {
    CHECK_OK(sotto_matrix_new(&one, rows, 4, &err));
    CHECK_OK(sotto_laplace_grid_add_noise(&one, &grid, &key, k, &err));
    for (size_t i = 0; i < rows * 4; i++) sum.data[i] += one.data[i];
    sotto_matrix_free(&one);
  }
  for (size_t i = 0; i < rows * 4; i++) square += (double)sum.data[i] * sum.data[i] / (rows * 4);
  const double unit = sotto_i_laplace_deviation(&grid) * sqrt(owners);
  CHECK_NEAR(sqrt(square) / unit, 1, 0.05);
  CHECK_OK(
      sotto_i_readings_append(&read, &sum, &(sotto_i_counted){.noise = &grid, .releases = owners}, &err));
  for (size_t j = 0; j < 4; j++) {
    const double mean = ((double)sum.data[0] + sum.data[1] + sum.data[2] + sum.data[3]) / 4;
    CHECK_NEAR(read.data[j], asinh((sum.data[j] - mean) / unit), 1e-5);
  }
  sotto_matrix_free(&read);
  sotto_matrix_free(&sum);
}

static void clusters_come_as_they_were_told(void **state) {
  (void)state;
  float values[] = {0.1F, 0.7F, 0.2F, 3, 1, 2, -2, -3, -1};
  const uint8_t levels[] = {0, 12, 5};
  uint8_t heard[3];
  const sotto_matrix scores = {values, 3, 3};
  sotto_i_clusters of, taken, many;
  sotto_matrix told;
  CHECK_OK(sotto_i_clusters_largest(&of, &scores, &err));
  CHECK_OK(sotto_i_clusters_new(&taken, 3, 3, &err));
  CHECK_OK(sotto_i_clusters_tell(&told, &of, levels, &err));
  CHECK_OK(sotto_i_clusters_take(&taken, heard, &told, &err));
  assert_memory_equal(heard, levels, sizeof heard);
  assert_memory_equal(taken.of, ((uint16_t[]){1, 0, 2}), 3 * sizeof(uint16_t));
  static const float wrong[][2] = {{3, 1},  {-1, 1}, {0.5F, 1}, {NAN, 1},
                                   {0, 13}, {0, -1}, {0, 1.5F}, {0, INFINITY}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    memcpy(told.data + 2, wrong[i], sizeof wrong[i]);
    CHECK_FAILS(SOTTO_PROTOCOL, "clusters: node 1 is in cluster",
                sotto_i_clusters_take(&taken, heard, &told, &err));
  }
  sotto_matrix_free(&told);
  CHECK_FAILS(SOTTO_UNSUPPORTED, "at most 65536 clusters", sotto_i_clusters_new(&many, 1, 65537, &err));
  sotto_i_clusters_free(&of);
  sotto_i_clusters_free(&taken);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_are_those_of_the_least_loss),
      cmocka_unit_test(sums_are_read_in_units_of_their_noise),
      cmocka_unit_test(clusters_come_as_they_were_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
