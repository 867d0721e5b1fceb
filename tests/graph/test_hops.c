/* Drawn neighbours: who may be drawn, and that the mean over draws is right on the average. */
#include <math.h>

#include "check.h"
#include "gradient.h"
#include "graph/kernels/hops.h"
#include "inside/graph.h"
#include "sotto/generate.h"

enum { nodes = 40, fan_out = 3, cols = 2 };

static sotto_dataset made(void) {
  const sotto_sbm_options options = {.nodes = nodes, .classes = 2, .degree_inside = 4, .degree_outside = 1};
  sotto_dataset data;
  sotto_key key;
  sotto_key_public(&key, 8);
  CHECK_OK(sotto_generate_sbm(&data, &options, &key, &err));
  return data;
}

static void draws_are_neighbours_apart_where_there_are_enough(void **state) {
  (void)state;
  sotto_dataset data = made();
  sotto_i_hops hops;
  sotto_key key;
  sotto_key_public(&key, 3);
  CHECK_OK(sotto_i_hops_new(&hops, 2, fan_out, &data.graph, &err));
  for (uint64_t step = 0; step < 50; step++) {
    sotto_i_hops_draw(&hops, &key, step);
    for (size_t v = 0; v < nodes; v++)
      for (int i = 0; sotto_graph_degree(&data.graph, v) > 0 && i < fan_out; i++) {
        const uint32_t *drawn = hops.each[step % 2].drawn + v * fan_out;
        bool found = false;
        for (uint64_t e = data.graph.offsets[v]; e < data.graph.offsets[v + 1]; e++)
          found |= data.graph.targets[e] == drawn[i];
        assert_true(found);
        for (int j = 0; sotto_graph_degree(&data.graph, v) > fan_out && j < i; j++)
          assert_true(drawn[i] != drawn[j]);
      }
  }
  assert_true(memcmp(hops.each[0].drawn, hops.each[1].drawn, nodes * fan_out * 4) != 0);
  sotto_i_hops_free(&hops);
  sotto_dataset_free(&data);
}

static sotto_var apply(const void *context, sotto_tape *tape, const sotto_var *x) {
  return sotto_i_hop_var(context, tape, x[0]);
}

static void slow(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  const sotto_i_hop *hop = context;
  for (size_t v = 0; v < nodes; v++)
    for (size_t j = 0; j < cols; j++) {
      double degree = (double)sotto_graph_degree(hop->graph, v), sum = 0;
      for (size_t i = 0; degree > 0 && i < fan_out; i++)
        sum += x->data[hop->drawn[v * fan_out + i] * cols + j];
      y->data[v * cols + j] = (x->data[v * cols + j] + degree / fan_out * sum) / (degree + 1);
    }
}

static void the_mean_over_draws_is_that_over_neighbours_on_the_average(void **state) {
  (void)state;
  enum { draws = 4000 };
  sotto_i_random random = check_random();
  static const size_t shapes[][2] = {{nodes, cols}};
  sotto_dataset data = made();
  sotto_i_hops hops;
  sotto_operator *mean;
  sotto_matrix x, wanted;
  static double sums[nodes * cols];
  sotto_tape *tape;
  sotto_key key;
  sotto_key_public(&key, 5);
  CHECK_OK(sotto_i_hops_new(&hops, 1, fan_out, &data.graph, &err));
  sotto_i_hops_draw(&hops, &key, 0);
  const gradient_op op = {"mean over sampled neighbours", 1, apply, slow, &hops.each[0], 0};
  check_gradient(&op, shapes, &random);
  CHECK_OK(sotto_matrix_new(&x, nodes, cols, &err));
  CHECK_OK(sotto_matrix_new(&wanted, nodes, cols, &err));
  for (size_t i = 0; i < nodes * cols; i++) x.data[i] = (float)sotto_i_random_normal(&random);
  CHECK_OK(sotto_operator_new(&mean, &data.graph, SOTTO_AGGREGATOR_MEAN, 0, true, &err));
  CHECK_OK(sotto_operator_apply(mean, &wanted, &x, &err));
  CHECK_OK(sotto_tape_new(&tape, &err));
  for (uint64_t step = 0; step < draws; step++) {
    sotto_i_hops_draw(&hops, &key, step);
    sotto_tape_reset(tape);
    const sotto_matrix y =
        sotto_tape_value(tape, sotto_i_hop_var(&hops.each[0], tape, sotto_tape_constant(tape, &x)));
    for (size_t i = 0; i < nodes * cols; i++) sums[i] += y.data[i] / draws;
  }
  for (size_t i = 0; i < nodes * cols; i++) CHECK_NEAR(sums[i], wanted.data[i], 0.08); /* 5 deviations */
  sotto_tape_free(tape);
  sotto_operator_free(mean);
  sotto_matrix_free(&x);
  sotto_matrix_free(&wanted);
  sotto_i_hops_free(&hops);
  sotto_dataset_free(&data);
}

static void hidden_nodes_lose_their_edges_and_no_other(void **state) {
  (void)state;
  sotto_dataset data = made();
  bool hidden[nodes] = {false};
  sotto_graph visible;
  hidden[0] = hidden[7] = hidden[nodes - 1] = true;
  CHECK_OK(sotto_i_graph_hide(&visible, &data.graph, hidden, &err));
  assert_int_equal(visible.nodes, nodes);
  for (size_t v = 0; v < nodes; v++) {
    uint64_t at = visible.offsets[v];
    for (uint64_t e = data.graph.offsets[v]; e < data.graph.offsets[v + 1]; e++)
      if (!hidden[v] && !hidden[data.graph.targets[e]]) {
        assert_true(at < visible.offsets[v + 1]);
        assert_int_equal(visible.targets[at++], data.graph.targets[e]);
      }
    assert_int_equal(at, visible.offsets[v + 1]);
  }
  sotto_graph_free(&visible);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(draws_are_neighbours_apart_where_there_are_enough),
      cmocka_unit_test(the_mean_over_draws_is_that_over_neighbours_on_the_average),
      cmocka_unit_test(hidden_nodes_lose_their_edges_and_no_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
