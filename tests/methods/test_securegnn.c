/* securegnn in one process: answers about other data, by the weights of the best epoch, in the clear; and
 * bounds. */
#include <math.h>

#include "check.h"
#include "made_run.h"
#include "methods/vfgnn/securegnn.h"
#include "sotto/model.h"

static sotto_dataset make_data(void) {
  const sotto_sbm_options sbm = {.nodes = 200,
                                 .classes = 3,
                                 .features = 12,
                                 .degree_inside = 8,
                                 .degree_outside = 2,
                                 .feature_signal = 1.5};
  return check_communities(&sbm);
}

/* Probabilities of all nodes. */
static float *answers_of(const char *run, const sotto_dataset *data) {
  sotto_model *model = NULL;
  CHECK_OK(sotto_model_open(&model, run, data, NULL, &err));
  const size_t room = data->graph.nodes * data->classes;
  float *out = calloc(room, sizeof *out);
  assert_non_null(out);
  CHECK_OK(sotto_model_predict(model, out, room, NULL, data->graph.nodes, &err));
  sotto_model_free(model);
  return out;
}

/* Other data by their digest; nodes, features and edges are those of the training, so that answers are those
 * of the scores that were opened in the best epoch. */
static double differs_by(const char *run, const sotto_dataset *data) {
  sotto_dataset other = *data;
  double worst = 0;
  const size_t count = data->graph.nodes * data->classes;
  other.digest[0] ^= 1;
  float *own = answers_of(run, data), *same = answers_of(run, &other);
  for (size_t i = 0; i < count; i++) worst = fmax(worst, fabs((double)own[i] - same[i]));
  free(own);
  free(same);
  return worst;
}

static sotto_options make_options(const char *folder, const char *layers, const char *epochs) {
  sotto_options o = check_options("securegnn", folder);
  check_set(&o, "hidden", "8");
  check_set(&o, "insecure-seed", "5");
  check_set(&o, "edges-per-node", "3");
  check_set(&o, "layers", layers);
  check_set(&o, "epochs", epochs);
  return o;
}

static void other_data_are_answered_by_the_weights_of_the_best_epoch(void **state) {
  static const char *const layers[] = {"1", "2", "3"};
  sotto_dataset data = make_data();
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    sotto_options o = make_options("best", layers[i], "60"), less = make_options("less", layers[i], "50");
    sotto_result r = check_run(&o, &data), shorter = check_run(&less, &data);
    float *all = answers_of(o.out, &data), *some = answers_of(less.out, &data);
    /* the last ten epochs were not better, so that the best epoch is not the last */
    assert_memory_equal(all, some, data.graph.nodes * data.classes * sizeof *all);
    const double by = differs_by(o.out, &data);
    print_message("%s hops: answers by the weights differ by %.3g\n", layers[i], by);
    assert_true(by < 1e-5);
    free(all);
    free(some);
    sotto_result_free(&r);
    sotto_result_free(&shorter);
  }
  sotto_dataset_free(&data);
}

/* Edges of each level are used without noise, so that nothing is released. */
/* The largest difference between answers about the training's edges and about none, at the same nodes. */
static double differs_without_edges(const char *run, const sotto_dataset *data) {
  sotto_dataset bare = *data;
  double most = 0;
  CHECK_OK(sotto_graph_from_pairs(&bare.graph, data->graph.nodes, NULL, NULL, 0, &err));
  float *with = answers_of(run, data), *without = answers_of(run, &bare);
  for (size_t i = 0; i < data->graph.nodes * data->classes; i++)
    most = fmax(most, fabs((double)with[i] - without[i]));
  free(with);
  free(without);
  sotto_graph_free(&bare.graph);
  return most;
}

static void edges_are_read_without_a_release(void **state) {
  sotto_dataset data = make_data();
  sotto_model *model = NULL;
  const sotto_model_options asked = {.seed = SOTTO_UNSET, .epsilon = 1};
  sotto_options o = make_options("edge", "2", "4");
  (void)state;
  check_set(&o, "adjacency", "edge");
  sotto_result r = check_run(&o, &data);
  assert_true(differs_by(o.out, &data) < 1e-5);
  assert_true(differs_without_edges(o.out, &data) > 1e-3);
  CHECK_FAILS(SOTTO_INVALID, "this run has no noise, and neither have its answers; leave epsilon out",
              sotto_model_open(&model, o.out, &data, &asked, &err));
  sotto_result_free(&r);
  sotto_dataset_free(&data);
}

static void more_edges_than_agreed_are_refused(void **state) {
  sotto_dataset data = make_data();
  sotto_result result = {.seeds = NULL};
  sotto_options o = make_options("many", "2", "4");
  (void)state;
  check_set(&o, "edges-per-node", "0.5");
  CHECK_FAILS(SOTTO_RANGE, "and 0.5 for each of 200 nodes at most were declared: agree on a larger number",
              sotto_train(&result, &o, &data, NULL, NULL, &err));
  sotto_result_free(&result);
  sotto_dataset_free(&data);
}

static void memory_is_above_that_of_runs_that_ran(void **state) {
  static const struct {
    const char *edges;
    double nodes, peak;
  } ran[] = {{"2.6", 2e4, 1.59e9}, {"8", 2e4, 2.13e9}};
  (void)state;
  sotto_options o = make_options("memory", "2", "4");
  check_set(&o, "hidden", "64");
  for (size_t i = 0; i < 2; i++) {
    check_set(&o, "edges-per-node", ran[i].edges);
    const double need = sotto_i_securegnn_bytes(&o, ran[i].nodes, 64, 3);
    print_message("%g nodes, %s edges a node: %g bytes; the run had %g\n", ran[i].nodes, ran[i].edges, need,
                  ran[i].peak);
    assert_true(need > ran[i].peak && need < 2 * ran[i].peak);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(other_data_are_answered_by_the_weights_of_the_best_epoch),
      cmocka_unit_test(edges_are_read_without_a_release),
      cmocka_unit_test(more_edges_than_agreed_are_refused),
      cmocka_unit_test(memory_is_above_that_of_runs_that_ran),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
