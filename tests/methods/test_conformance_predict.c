/* Every method in every variant: a finished run opens and answers with the test accuracy that it reported, or
 * says by the method's name that it does not answer queries. Answers that no edge moves are called fixed, and
 * a release answers for its nodes and features, whatever the edges are. */
#include <math.h>

#include "check.h"
#include "inside/run.h"
#include "registry_cases.h"
#include "small_graph.h"
#include "sotto/model.h"
#include "sotto/nn.h"

/* Share of test nodes whose largest probability is that of their label. */
static double accuracy_of(sotto_model *model, const int32_t *labels) {
  const size_t classes = sotto_model_classes(model);
  size_t count, right = 0;
  const uint32_t *nodes = sotto_model_part(model, SOTTO_PART_TEST, &count);
  float *answers = calloc(count * classes, sizeof *answers);
  if (answers == NULL || count == 0) fail_msg("no test nodes");
  CHECK_OK(sotto_model_predict(model, answers, count * classes, nodes, count, &err));
  for (size_t i = 0; i < count; i++) {
    size_t best = 0;
    double sum = 0;
    for (size_t c = 0; c < classes; c++) {
      sum += (double)answers[i * classes + c];
      if (answers[i * classes + c] > answers[i * classes + best]) best = c;
    }
    CHECK_NEAR(sum, 1.0, 1e-5);
    right += (int32_t)best == labels[nodes[i]];
  }
  free(answers);
  return (double)right / (double)count;
}

/* R2 of the numbers of test nodes. */
static double r2_of(sotto_model *model, const float *numbers) {
  size_t count;
  const uint32_t *nodes = sotto_model_part(model, SOTTO_PART_TEST, &count);
  float *answers = calloc(count, sizeof *answers), *truth = calloc(count, sizeof *truth);
  sotto_quality quality;
  assert_true(answers != NULL && truth != NULL && count > 0);
  assert_int_equal(sotto_model_classes(model), 1);
  CHECK_OK(sotto_model_predict(model, answers, count, nodes, count, &err));
  for (size_t i = 0; i < count; i++) truth[i] = numbers[nodes[i]];
  const sotto_matrix predicted = {answers, count, 1};
  CHECK_OK(sotto_number_quality(&quality, &predicted, truth, count, &err));
  free(answers);
  free(truth);
  return quality.of[SOTTO_MEASURE_R2];
}

static sotto_matrix ask(sotto_model *model, const sotto_query *query) {
  sotto_matrix out;
  CHECK_OK(sotto_model_query(&out, model, query, &err));
  return out;
}

/* How many nodes answer otherwise when the features of `node` are doubled. */
static size_t moved_by(sotto_model *model, const sotto_matrix *before, uint32_t node) {
  const sotto_matrix *features = sotto_model_features(model);
  const size_t row = before->cols * sizeof(float);
  sotto_matrix x;
  size_t moved = 0;
  CHECK_OK(sotto_matrix_new(&x, 1, features->cols, &err));
  for (size_t j = 0; j < x.cols; j++) x.data[j] = 2 * features->data[node * x.cols + j];
  const sotto_query query = {.changed = &node, .changed_count = 1, .x = &x};
  sotto_matrix after = ask(model, &query), again = ask(model, &(sotto_query){.wanted = NULL});
  for (size_t v = 0; v < after.rows; v++)
    moved += memcmp(after.data + v * after.cols, before->data + v * after.cols, row) != 0;
  assert_memory_equal(again.data, before->data, again.rows * row);
  sotto_matrix_free(&after);
  sotto_matrix_free(&again);
  sotto_matrix_free(&x);
  return moved;
}

/* Some answer from rows that they keep, and say so. */
static bool reads_features(sotto_model *model) {
  const uint32_t node = 0;
  sotto_matrix out, x;
  sotto_error failed = {0};
  CHECK_OK(sotto_matrix_new(&x, 1, sotto_model_features(model)->cols, &err));
  const sotto_query query = {.changed = &node, .changed_count = 1, .x = &x};
  const sotto_status status = sotto_model_query(&out, model, &query, &failed);
  sotto_matrix_free(&x);
  if (status == SOTTO_OK)
    sotto_matrix_free(&out);
  else if (strstr(failed.text, "that it keeps, so not about other features") == NULL)
    fail_msg("%s", failed.text);
  return status == SOTTO_OK;
}

/* A model is called fixed if and only if a node's features move its own answer alone. */
static void check_moves(const check_case *c, sotto_model *model) {
  static const uint32_t wanted[] = {9, 2};
  sotto_matrix all = ask(model, &(sotto_query){.wanted = NULL}),
               some = ask(model, &(sotto_query){.wanted = wanted, .wanted_count = 2});
  size_t moved = 0;
  for (uint32_t node = 0; node < 20; node++) {
    const size_t by = moved_by(model, &all, node);
    if (by > moved) moved = by;
  }
  if (sotto_model_is_fixed(model) != (moved <= 1))
    fail_msg("%s: is %s, and a node's features move %zu answers", c->name,
             sotto_model_is_fixed(model) ? "fixed" : "not fixed", moved);
  for (size_t i = 0; i < 2; i++)
    for (size_t j = 0; j < some.cols; j++)
      CHECK_NEAR((double)some.data[i * some.cols + j], (double)all.data[wanted[i] * some.cols + j], 1e-6);
  sotto_matrix_free(&all);
  sotto_matrix_free(&some);
}

/* Clients train one epoch in each round. */
static const char *epochs_of(const check_case *c, const char *epochs) {
  return check_case_has(c, "rounds") ? "1" : epochs;
}

/* Did it answer? */
static bool predict(const check_case *c, const check_case_data *data) {
  sotto_error err = {0};
  sotto_model *model = NULL;
  sotto_options o = check_case_options(c, data, c->name);
  check_set_own(
      &o, (const char *const[]){"encoder-epochs", "20", "epochs", epochs_of(c, "20"), "rounds", "10", NULL});
  const sotto_dataset *of = check_data_of(c, data);
  sotto_result r = check_run(&o, of);
  const bool graphs = sotto_model_of_graphs(&o, of);
  const sotto_model_options as = {.seed = SOTTO_UNSET, .graphs = graphs};
  sotto_status status = sotto_model_open(&model, o.out, of, &as, &err);
  if (status == SOTTO_OK) {
    const bool numbers = c->variant->numbers;
    const double found =
        numbers ? r2_of(model, of->numbers) : accuracy_of(model, sotto_model_data(model)->labels);
    const double was = r.seeds[0].test.of[numbers ? SOTTO_MEASURE_R2 : SOTTO_MEASURE_ACCURACY];
    (void)printf("  %-28s %s %.4f, by queries %.4f\n", c->name, numbers ? "R2" : "accuracy", was, found);
    if (c->method->open == NULL) fail_msg("%s: opened by a method that opens none", c->name);
    /* graphs are tested by their noisy reports, and answered about by what they are */
    bool reported = graphs && strcmp(c->adjacency, "none") != 0;
    reported |=
        strcmp(c->method->name, "locsage") == 0; /* each model is measured on the nodes of all clients */
    if (!reported && (numbers ? !(fabs(found - was) < 1e-5) : found != was))
      fail_msg("%s: answers with another quality", c->name);
    if (!graphs && reads_features(model)) check_moves(c, model);
  } else {
    (void)printf("  %-28s %s\n", c->name, err.text);
    if (status != SOTTO_UNSUPPORTED || strstr(err.text, c->method->name) == NULL)
      fail_msg("%s: '%s' (%s)", c->name, sotto_status_text(status), err.text);
  }
  sotto_model_free(model);
  sotto_result_free(&r);
  return status == SOTTO_OK;
}

static void finished_runs_answer_with_their_quality_or_say_that_they_do_not(void **state) {
  size_t count;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t i = 0; i < count;) {
    const sotto_i_method *method = cases[i].method;
    size_t answered = 0;
    for (; i < count && cases[i].method == method; i++) answered += predict(&cases[i], &data);
    if (method->open != NULL && answered == 0) fail_msg("%s opens models, and none answers", method->name);
  }
  check_case_data_free(&data);
}

static sotto_matrix answers_about(const char *run, const sotto_dataset *data) {
  sotto_model *model;
  CHECK_OK(sotto_model_open(&model, run, data, NULL, &err));
  sotto_matrix out = ask(model, &(sotto_query){.wanted = NULL});
  sotto_model_free(model);
  return out;
}

static void check_same_answers(const char *run, const sotto_dataset *data, const sotto_dataset *other) {
  sotto_matrix one = answers_about(run, data), two = answers_about(run, other);
  assert_memory_equal(one.data, two.data, one.rows * one.cols * sizeof(float));
  sotto_matrix_free(&one);
  sotto_matrix_free(&two);
}

/* Answers about the graph with one edge alone. At node level features may not decide. At edge level there are
 * none with other features, where a release was charged: false where there are, by a model that chose to read
 * no edge. */
static bool check_edges_decide_nothing(const check_case *c, const sotto_options *o,
                                       const sotto_dataset *const of[3]) {
  sotto_dataset moved = *of[2];
  sotto_model *model;
  sotto_error err = {0};
  check_same_answers(o->out, of[0], of[1]);
  if (strcmp(c->adjacency, "node") == 0) return true;
  if (sotto_model_open(&model, o->out, of[2], NULL, &err) == SOTTO_OK) {
    sotto_model_free(model);
    moved.graph = of[0]->graph;
    check_same_answers(o->out, of[2], &moved);
    return false;
  }
  if (strstr(err.text, "another release") == NULL && strstr(err.text, "is not the data of th") == NULL)
    fail_msg("%s: '%s'", c->name, err.text);
  return true;
}

static bool reads_a_release(const check_case *c) {
  if (c->method->open == NULL) return false;
  if (strcmp(c->adjacency, "node") == 0) return c->variant->own_rows && c->variant->own_alone != NULL;
  return strcmp(c->adjacency, "edge") == 0;
}

/* A refusal for other edges would show that they are others. */
static void a_release_answers_for_its_nodes_and_features_whatever_the_edges_are(void **state) {
  size_t count, looked = 0, at_node_level = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  sotto_dataset edges = check_with_one_edge(&data.graph, false),
                both = check_with_one_edge(&data.graph, true);
  const sotto_dataset *const of[] = {&data.graph, &edges, &both};
  (void)state;
  for (size_t i = 0; i < count; i++) {
    sotto_model *model = NULL;
    char folder[100];
    if (!reads_a_release(&cases[i])) continue;
    (void)snprintf(folder, sizeof folder, "%s-edges", cases[i].name);
    sotto_options o = check_case_options(&cases[i], &data, folder);
    check_set_own(&o, (const char *const[]){"epsilon", "40", "encoder-epochs", "30", "epochs",
                                            epochs_of(&cases[i], "30"), NULL});
    check_set(&o, "insecure-seed", "3"); /* some may choose a model that reads no release */
    sotto_result r = check_run(&o, &data.graph);
    if (r.cost.count > 0 && sotto_model_open(&model, o.out, &data.graph, NULL, NULL) == SOTTO_OK) {
      sotto_model_free(model);
      if (check_edges_decide_nothing(&cases[i], &o, of))
        *(strcmp(cases[i].adjacency, "node") == 0 ? &at_node_level : &looked) += 1;
      else
        (void)printf("  %-28s reads no edge\n", cases[i].name);
    }
    sotto_result_free(&r);
  }
  check_seen(looked >= 8 && at_node_level == 5);
  sotto_dataset_free(&edges);
  sotto_dataset_free(&both);
  check_case_data_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finished_runs_answer_with_their_quality_or_say_that_they_do_not),
      cmocka_unit_test(a_release_answers_for_its_nodes_and_features_whatever_the_edges_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
