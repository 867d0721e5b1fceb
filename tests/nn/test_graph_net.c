/* Networks over batches of graphs: each graph gets what it would get by itself. */
#include "check.h"
#include "gradient.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "nn/graph_net.h"
#include "small_graph.h"

/* Three graphs, of 4, 1 and 3 nodes, and an empty one between. */
enum { graphs = 4, all_nodes = 8, width = 3, classes = 2 };
static const uint64_t borders[graphs + 1] = {0, 4, 4, 5, 8};
static const uint32_t sources[] = {0, 1, 2, 0, 5, 6}, targets[] = {1, 2, 3, 3, 6, 7};

static void apply_net(sotto_matrix *out, bool gin, const sotto_graph *graph, const sotto_matrix *x,
                      size_t count, const uint64_t *first, bool training) {
  const sotto_i_graph_net_options options = {
      .gin = gin, .layers = 3, .in = width, .hidden = 5, .out = classes};
  sotto_key key;
  sotto_params *params;
  sotto_tape *tape;
  sotto_operator *spread;
  sotto_i_graph_net net;
  sotto_key_public(&key, 7);
  CHECK_OK(sotto_params_new(&params, &err));
  CHECK_OK(sotto_tape_new(&tape, &err));
  CHECK_OK(sotto_i_graph_net_operator(&spread, &options, graph, &err));
  CHECK_OK(sotto_i_graph_net_new(&net, params, &options, 0, &key, &err));
  const sotto_i_graph_batch batch = {.features = x, .spread = spread, .graphs = count, .first = first};
  const sotto_pass pass = {.tape = tape, .key = &key, .training = training};
  sotto_var y = sotto_i_graph_net_apply(&net, params, &pass, &batch);
  CHECK_OK(sotto_tape_copy(out, tape, y, &err));
  sotto_operator_free(spread);
  sotto_tape_free(tape);
  sotto_params_free(params);
}

static void graphs_of_a_batch_get_what_each_gets_by_itself(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_matrix x = check_random_matrix(&random, all_nodes, width);
  sotto_graph whole;
  CHECK_OK(sotto_graph_from_pairs(&whole, all_nodes, sources, targets, 6, &err));
  for (int gin = 0; gin < 2; gin++) {
    sotto_matrix together;
    apply_net(&together, gin, &whole, &x, graphs, borders, false);
    assert_true(together.rows == graphs && together.cols == classes);
    for (size_t g = 0; g < graphs; g++) {
      size_t begin = borders[g], size = borders[g + 1] - begin, count = 0;
      const uint64_t own[2] = {0, size};
      uint32_t from[6], to[6];
      if (size == 0) {
        for (size_t j = 0; j < classes; j++) assert_true(together.data[g * classes + j] == 0);
        continue;
      }
      for (int e = 0; e < 6; e++)
        if (sources[e] >= begin && sources[e] < begin + size) {
          from[count] = sources[e] - (uint32_t)begin;
          to[count++] = targets[e] - (uint32_t)begin;
        }
      sotto_graph one;
      sotto_matrix alone, rows = {x.data + begin * width, size, width};
      CHECK_OK(sotto_graph_from_pairs(&one, size, from, to, count, &err));
      apply_net(&alone, gin, &one, &rows, 1, own, false);
      for (size_t j = 0; j < classes; j++) CHECK_NEAR(together.data[g * classes + j], alone.data[j], 1e-5);
      sotto_matrix_free(&alone);
      sotto_graph_free(&one);
    }
    sotto_matrix_free(&together);
  }
  sotto_graph_free(&whole);
  sotto_matrix_free(&x);
}

static void the_answer_for_a_graph_is_the_mean_of_its_nodes(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_matrix x = check_random_matrix(&random, all_nodes, width), of_nodes, of_graphs;
  sotto_graph whole;
  CHECK_OK(sotto_graph_from_pairs(&whole, all_nodes, sources, targets, 6, &err));
  apply_net(&of_nodes, true, &whole, &x, 0, NULL, true);
  apply_net(&of_graphs, true, &whole, &x, graphs, borders, true);
  assert_int_equal(of_nodes.rows, all_nodes);
  for (size_t g = 0; g < graphs; g++)
    for (size_t j = 0; j < classes && borders[g + 1] > borders[g]; j++) {
      double sum = 0;
      for (uint64_t v = borders[g]; v < borders[g + 1]; v++) sum += of_nodes.data[v * classes + j];
      CHECK_NEAR(of_graphs.data[g * classes + j], sum / (double)(borders[g + 1] - borders[g]), 1e-5);
    }
  sotto_matrix_free(&of_nodes);
  sotto_matrix_free(&of_graphs);
  sotto_matrix_free(&x);
  sotto_graph_free(&whole);
}

static sotto_var apply_mean(const void *context, sotto_tape *tape, const sotto_var *x) {
  return sotto_i_graph_mean(tape, x[0], context);
}

static void mean_slowly(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  const sotto_i_graph_batch *batch = context;
  for (size_t g = 0; g < batch->graphs; g++)
    for (size_t j = 0; j < x->cols; j++) {
      double sum = 0, count = 0;
      for (size_t v = 0; v < x->rows; v++)
        if (v >= batch->first[g] && v < batch->first[g + 1]) {
          sum += x->data[v * x->cols + j];
          count++;
        }
      y->data[g * x->cols + j] = count == 0 ? 0 : sum / count;
    }
}

static void mean_of_graphs_has_the_right_gradient(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  const sotto_i_graph_batch batch = {.graphs = graphs, .first = borders};
  const gradient_op op = {.name = "mean of a graph",
                          .inputs = 1,
                          .apply = apply_mean,
                          .reference = mean_slowly,
                          .context = &batch};
  const size_t shapes[][2] = {{all_nodes, 5}};
  check_gradient(&op, shapes, &random);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(graphs_of_a_batch_get_what_each_gets_by_itself),
      cmocka_unit_test(the_answer_for_a_graph_is_the_mean_of_its_nodes),
      cmocka_unit_test(mean_of_graphs_has_the_right_gradient),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
