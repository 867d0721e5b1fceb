/* Attention in the holders' hops: it learns, and an edge moves no more than the sensitivity says. */
#include <math.h>

#include "check.h"
#include "inside/nn.h"
#include "made_run.h"
#include "methods/vfgnn/vfgnn.h"
#include "pmp/publish.h"
#include "small_graph.h"
#include "sotto/generate.h"

static void attention_learns(void **state) {
  (void)state;
  const sotto_sbm_options sbm = {.nodes = 300,
                                 .classes = 3,
                                 .features = 12,
                                 .degree_inside = 8,
                                 .degree_outside = 2,
                                 .feature_signal = 1.5};
  sotto_dataset data = check_communities(&sbm);
  sotto_options o = check_options("vfgnn", "gat");
  check_set(&o, "aggregator", "gat");
  check_set(&o, "hidden", "8");
  check_set(&o, "epochs", "60");
  check_set(&o, "layers", "2");
  check_set(&o, "learning-rate", "0.01");
  check_set(&o, "hop-rate", "0.01");
  check_set(&o, "epsilon", "inf");
  check_set(&o, "insecure-seed", "5");
  sotto_result result = check_run(&o, &data);
  print_message("accuracy %g\n", result.seeds[0].test.of[SOTTO_MEASURE_ACCURACY]);
  assert_true(result.seeds[0].test.of[SOTTO_MEASURE_ACCURACY] > 0.75);
  sotto_result_free(&result);
  o = check_options("vesper", "gat");
  check_set(&o, "aggregator", "gat");
  CHECK_FAILS(SOTTO_UNSUPPORTED, "aggregator: method vesper does not have 'gat', but: gin gcn mean",
              sotto_options_check(&o, &err));
  sotto_dataset_free(&data);
}

typedef struct setting {
  sotto_options options;
  sotto_i_job job;
  sotto_i_vfgnn shared;
  sotto_matrix first;
} setting;

static const size_t width = 4;

/* Published rows over a graph, with weights that this stream draws. */
static sotto_matrix publish(const setting *s, const sotto_graph *graph, sotto_i_random random, double size) {
  sotto_i_vfgnn_local local;
  sotto_tape *tape;
  sotto_matrix out;
  CHECK_OK(sotto_i_vfgnn_local_new(&local, &s->shared, 0, graph, width, &err));
  for (size_t number = 0; number < sotto_params_count(local.params); number++) {
    sotto_matrix *value = sotto_params_value(local.params, number);
    for (size_t i = 0; i < value->rows * value->cols; i++)
      value->data[i] = (float)(size * (2 * sotto_i_random_double(&random) - 1));
  }
  CHECK_OK(sotto_tape_new(&tape, &err));
  sotto_var rows = sotto_i_vfgnn_local_apply(&local, tape, sotto_tape_constant(tape, &s->first), true);
  CHECK_OK(sotto_tape_check(tape, &err));
  CHECK_OK(sotto_matrix_new(&out, graph->nodes, width, &err));
  memcpy(out.data, sotto_tape_value(tape, rows).data, graph->nodes * width * sizeof(float));
  sotto_tape_free(tape);
  sotto_i_vfgnn_local_free(&local);
  return out;
}

/* How many rows the last pair of a list moves, and how far all of them together. */
static size_t moved(const setting *s, uint64_t nodes, const uint32_t *from, const uint32_t *to, size_t pairs,
                    const sotto_i_random *random, double size, double *distance) {
  sotto_graph graph;
  sotto_matrix rows[2];
  size_t count = 0;
  double square = 0;
  for (size_t without = 0; without < 2; without++) {
    CHECK_OK(sotto_graph_from_pairs(&graph, nodes, from, to, pairs - without, &err));
    rows[without] = publish(s, &graph, *random, size);
    sotto_graph_free(&graph);
  }
  for (uint64_t v = 0; v < nodes; v++) {
    double row = 0;
    for (size_t j = 0; j < width; j++)
      row += pow((double)rows[0].data[v * width + j] - rows[1].data[v * width + j], 2);
    count += row > 0;
    square += row;
  }
  *distance = sqrt(square);
  sotto_matrix_free(&rows[0]);
  sotto_matrix_free(&rows[1]);
  return count;
}

/* A path of `nodes` whose middle pair is the last in the list; each node has at most 2 neighbours. */
static size_t path(uint32_t *from, uint32_t *to, uint32_t nodes) {
  size_t count = 0;
  for (uint32_t v = 0; v + 1 < nodes; v++)
    if (v != nodes / 2) {
      from[count] = v;
      to[count++] = v + 1;
    }
  from[count] = nodes / 2;
  to[count++] = nodes / 2 + 1;
  return count;
}

/* Over random weights, of attention too, and random rows: an edge moves at most the rows that the plan
 * counts, and them by at most its sensitivity; the count is reached, and passed by an aggregator that weighs
 * by degrees. */
static void an_edge_moves_what_the_plan_counts(void **state) {
  (void)state;
  enum { nodes = 24 };
  sotto_i_random random = check_random();
  uint32_t from[nodes], to[nodes];
  size_t pairs = path(from, to, nodes);
  static const char *const kinds[] = {"gat", "gcn"};
  for (uint32_t hops = 1; hops <= 3; hops++)
    for (size_t kind = 0; kind < 2; kind++) {
      setting s;
      size_t most = 0;
      double farthest = 0, allowed = sotto_i_publish_rows_moved(SOTTO_AGGREGATOR_MEAN, hops, 2, nodes);
      sotto_options_default(&s.options);
      check_set(&s.options, "method", "vfgnn");
      check_set(&s.options, "aggregator", kinds[kind]);
      char layers[12];
      (void)snprintf(layers, sizeof layers, "%u", hops);
      check_set(&s.options, "layers", layers);
      sotto_options_resolve(&s.options);
      s.job = (sotto_i_job){.options = &s.options};
      s.shared =
          (sotto_i_vfgnn){.job = &s.job, .holders = 2, .nodes = nodes, .width = width, .collaborative = true};
      sotto_key_public(&s.shared.key, 1);
      for (int round = 0; round < 60; round++) {
        double distance, size = round % 2 == 0 ? 1 : 30; /* 30: scores at their ends */
        s.first = check_random_matrix(&random, nodes, width);
        size_t count = moved(&s, nodes, from, to, pairs, &random, size, &distance);
        (void)sotto_i_random_u32(&random);
        most = count > most ? count : most;
        farthest = fmax(farthest, distance);
        sotto_matrix_free(&s.first);
      }
      print_message("%s, %u hops: %zu rows moved of %g, by %.3g of %.3g\n", kinds[kind], hops, most, allowed,
                    farthest, 2 * sqrt(allowed));
      assert_int_equal(most, kind == 0 ? 2 * hops : 2 * hops + 2); /* all that a path has within reach */
      if (kind == 0) assert_true(most <= allowed && farthest <= 2 * sqrt(allowed));
      if (kind == 0 && hops == 1) assert_true(farthest > 0.6 * 2 * sqrt(allowed));
      if (kind == 1 && hops == 1) assert_true(most > allowed);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(attention_learns),
      cmocka_unit_test(an_edge_moves_what_the_plan_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
