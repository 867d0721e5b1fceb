/* Sampled subgraphs: what an example holds, and what steps of DP-SGD on them show of a node that is replaced.
 */
#include "protocols/subgraphs.h"

#include <math.h>

#include "base/random.h"
#include "check.h"
#include "inside/graph.h"
#include "inside/nn.h"
#include "nn/dpsgd.h"
#include "small_graph.h"
#include "sotto/audit.h"

enum { nodes = 30, cols = 3 };

static void an_example_is_a_nodes_features_beside_the_mean_of_some_neighbours(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, nodes, 120);
  sotto_matrix x = check_random_matrix(&random, nodes, cols), out, all;
  sotto_i_subgraphs s = {.graph = &graph, .features = &x, .sample = 1, .degree = 4};
  uint32_t list[nodes];
  size_t differ = 0;
  sotto_key key;
  sotto_key_insecure(&key, sotto_i_random_u64(&random));
  for (uint32_t v = 0; v < nodes; v++) list[v] = nodes - 1 - v;
  CHECK_OK(sotto_matrix_new(&out, nodes, 2 * cols, &err));
  CHECK_OK(sotto_matrix_new(&all, nodes, 2 * cols, &err));
  CHECK_OK(sotto_i_subgraph_rows(&s, &out, list, nodes, &key, 7, &err));
  s.sample = s.degree;
  CHECK_OK(sotto_i_subgraph_rows(&s, &all, list, nodes, &key, 7, &err));
  for (uint32_t i = 0; i < nodes; i++) {
    const uint32_t v = list[i];
    double mean[cols] = {0};
    for (uint64_t e = graph.offsets[v]; e < graph.offsets[v + 1]; e++)
      for (size_t j = 0; j < cols; j++)
        mean[j] += x.data[graph.targets[e] * cols + j] / (double)sotto_graph_degree(&graph, v);
    for (size_t j = 0; j < cols; j++) {
      assert_true(out.data[i * 2 * cols + j] == x.data[v * cols + j]);
      CHECK_NEAR(all.data[i * 2 * cols + cols + j], mean[j], 1e-5);
      differ += fabs(out.data[i * 2 * cols + cols + j] - mean[j]) > 1e-3;
    }
  }
  assert_true(differ > nodes);
  sotto_matrix_free(&out);
  sotto_matrix_free(&all);
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

/* One feature that node 0 alone has: it is in the example of a neighbour as often as the account says,
 * whatever degree that neighbour has. */
static void a_neighbour_joins_with_one_chance_whatever_the_degree(void **state) {
  (void)state;
  enum { leaves = 10, rounds = 4000 };
  const uint32_t sources[leaves + 5] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
  const uint32_t targets[leaves + 5] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 2, 3, 4, 5, 6};
  sotto_i_random random = check_random();
  sotto_graph graph;
  sotto_matrix x, out;
  sotto_key key;
  uint32_t list[2] = {1, 10};
  size_t joined[2] = {0, 0}, both = 0;
  sotto_key_insecure(&key, sotto_i_random_u64(&random));
  CHECK_OK(sotto_graph_from_pairs(&graph, leaves + 1, sources, targets, leaves + 5, &err));
  CHECK_OK(sotto_matrix_new(&x, leaves + 1, 1, &err));
  CHECK_OK(sotto_matrix_new(&out, 2, 2, &err));
  x.data[0] = 1;
  sotto_i_subgraphs s = {.graph = &graph, .features = &x, .sample = 3, .degree = 10};
  for (uint32_t step = 0; step < rounds; step++) {
    CHECK_OK(sotto_i_subgraph_rows(&s, &out, list, 2, &key, step, &err));
    for (int i = 0; i < 2; i++) joined[i] += out.data[2 * i + 1] > 0;
    both += out.data[1] > 0 && out.data[3] > 0;
  }
  for (int i = 0; i < 2; i++) assert_true(fabs((double)joined[i] / rounds - 0.3) < 0.04);
  assert_true(fabs((double)both / rounds - 0.09) < 0.03); /* by coins of each node's own */
  sotto_matrix_free(&out);
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

/* The worst pair of the derivation. Node 0 has `most` neighbours, before, and as many others after. Each of
 * these has other neighbours that pull its gradient one way when node 0, which outweighs them all, has not
 * joined, and the labels of those after turn that round. */
enum { most = 8, seers = 2 * most, fillers = 2 * (most - 1), all_nodes = 1 + seers + fillers };

typedef struct world {
  sotto_graph graph;
  sotto_matrix x;
  int32_t labels[all_nodes];
  uint32_t rows[seers];
  sotto_params *params;
  sotto_mlp mlp;
} world;

static void make_world(world *w, bool after) {
  uint32_t sources[seers * most], targets[seers * most];
  uint64_t count = 0;
  const sotto_mlp_options options = {.widths = {2, 2}, .layers = 1};
  sotto_key key;
  for (uint32_t i = 0; i < most; i++, count++) {
    sources[count] = 0;
    targets[count] = 1 + i + (after ? most : 0);
  }
  for (uint32_t i = 0; i < seers * (most - 1); i++, count++) {
    sources[count] = 1 + i % seers;
    targets[count] = 1 + seers + i / most;
  }
  CHECK_OK(sotto_graph_from_pairs(&w->graph, all_nodes, sources, targets, count, &err));
  CHECK_OK(sotto_graph_check_degrees(&w->graph, most, &err));
  CHECK_OK(sotto_matrix_new(&w->x, all_nodes, 1, &err));
  w->x.data[0] = 1e6F;
  for (uint32_t v = 1 + seers; v < all_nodes; v++) w->x.data[v] = -1e3F;
  for (uint32_t v = 0; v < all_nodes; v++) w->labels[v] = v > most && v <= seers ? 1 : 0;
  for (uint32_t i = 0; i < seers; i++) w->rows[i] = 1 + i;
  sotto_key_public(&key, 1);
  CHECK_OK(sotto_params_new(&w->params, &err));
  CHECK_OK(sotto_mlp_new(&w->mlp, w->params, "net", &options, 0, &key, &err));
  for (size_t p = 0; p < sotto_params_count(w->params); p++) {
    sotto_matrix *value = sotto_params_value(w->params, p);
    for (size_t i = 0; i < value->rows * value->cols; i++) value->data[i] = 0;
  }
}

static void drop_world(world *w) {
  sotto_params_free(w->params);
  sotto_matrix_free(&w->x);
  sotto_graph_free(&w->graph);
}

/* How far the noisy sums of a training lie along the direction of the gradients, together. */
static void draw_trainings(double *values, const world *w, const sotto_dpsgd *dpsgd, uint64_t sample,
                           uint32_t steps, uint32_t trials) {
  sotto_i_subgraphs s = {.graph = &w->graph, .features = &w->x, .sample = sample, .degree = most};
  sotto_matrix wide;
  sotto_key key;
  sotto_key_system(&key);
  CHECK_OK(sotto_matrix_new(&wide, all_nodes, 2, &err));
  const sotto_i_dpsgd_examples examples = {
      .x = &wide, .labels = w->labels, .rows = w->rows, .make = sotto_i_subgraph_rows, .context = &s};
  for (uint32_t step = 0; step < steps * trials; step++) {
    CHECK_OK(sotto_i_dpsgd_gradient(&w->mlp, w->params, &examples, dpsgd, &key, step, &err));
    const float *around = sotto_params_gradient(w->params, w->mlp.linear[0].weight)->data + 2;
    if (step % steps == 0) values[step / steps] = 0;
    values[step / steps] += (double)around[0] - (double)around[1];
  }
  sotto_matrix_free(&wide);
}

enum { most_trials = 40000 };
static const double delta = 0.02, rate = 0.1;

/* What is shown of trainings whose noise is `part` of what `asked` needs for epsilon 2. */
static double shown_of(double part, const sotto_mechanism *asked, uint64_t sample, uint32_t trials) {
  static double values[2][most_trials];
  double sigma, lower;
  sotto_dpsgd dpsgd = {.clip = 1, .sampling = {.population = seers, .rate = rate}};
  CHECK_OK(sotto_account_noise(&sigma, asked, 1, 0, 2, delta, SOTTO_ACCOUNTANT_PLD, &err));
  CHECK_OK(sotto_i_dpsgd_grid(&dpsgd.grid, sigma * part, &err));
  for (int after = 0; after < 2; after++) {
    world w;
    make_world(&w, after != 0);
    draw_trainings(values[after], &w, &dpsgd, sample, (uint32_t)asked->count, trials);
    drop_world(&w);
  }
  CHECK_OK(sotto_audit_bound(&lower, values[0], values[1], trials, delta, &err));
  return lower;
}

static sotto_mechanism training_of(uint64_t sample, uint64_t steps) {
  sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_SAMPLED_SUBGRAPHS);
  m.rate = rate;
  m.sample = sample;
  m.degree = most;
  m.count = steps;
  return m;
}

/* A bound is wrong once in twenty times: three times above is no accident, nor three times far below. Of
 * several steps fewer trials are drawn, which show less: of 4,000 a Gaussian mechanism shows 1.4 of 2. Node 0
 * has no example of its own here, and where not all neighbours join, the account counts more as seen than
 * there is. */
static void the_worst_pair_shows_most_of_what_is_stated(void **state) {
  static const struct {
    uint64_t sample, steps;
    uint32_t trials;
    double share;
  } cases[] = {{most, 1, 40000, 0.7}, {most / 2, 16, 4000, 0.35}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const sotto_mechanism m = training_of(cases[i].sample, cases[i].steps);
    double shown = 0;
    for (int attempt = 0; attempt < 3; attempt++) {
      shown = shown_of(1, &m, cases[i].sample, cases[i].trials);
      (void)printf("  sample %llu of %d, steps %llu: stated 2, shown %.3f\n",
                   (unsigned long long)cases[i].sample, most, (unsigned long long)cases[i].steps, shown);
      if (shown <= 2 && shown >= 2 * cases[i].share) break;
    }
    assert_true(shown <= 2 && shown >= 2 * cases[i].share);
  }
}

static void half_the_noise_and_an_account_of_own_examples_alone_are_found_out(void **state) {
  const sotto_mechanism m = training_of(most, 1);
  sotto_mechanism own = sotto_mechanism_default(SOTTO_MECHANISM_REPLACED_GAUSSIAN);
  (void)state;
  own.rate = rate;
  assert_true(shown_of(0.5, &m, most, 20000) > 2);
  assert_true(shown_of(1, &own, most / 2, 20000) > 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_example_is_a_nodes_features_beside_the_mean_of_some_neighbours),
      cmocka_unit_test(a_neighbour_joins_with_one_chance_whatever_the_degree),
      cmocka_unit_test(the_worst_pair_shows_most_of_what_is_stated),
      cmocka_unit_test(half_the_noise_and_an_account_of_own_examples_alone_are_found_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
