/* vfgnn in one process about other data: its parties answer by the networks of the training. Data with the
 * same features and edges get the scores that the training kept, to the rounding of shares; other edges move
 * them. A release of other data is one charge, whatever number of holders makes it. */
#include <math.h>

#include "check.h"
#include "made_run.h"
#include "small_graph.h"
#include "sotto/generate.h"
#include "sotto/model.h"
#include "spending.h"

static sotto_dataset blocks(double signal) {
  return check_communities(&(sotto_sbm_options){.nodes = 180,
                                                .classes = 3,
                                                .features = 7,
                                                .degree_inside = 5,
                                                .degree_outside = 1,
                                                .feature_signal = signal});
}

static sotto_options trained(const char *const *settings, const sotto_dataset *data) {
  static unsigned folders;
  char folder[32];
  (void)snprintf(folder, sizeof folder, "others-%u", folders++);
  sotto_options o = check_options("vfgnn", folder);
  check_set(&o, "adjacency", "none");
  for (; *settings != NULL; settings += 2) check_set(&o, settings[0], settings[1]);
  check_set_own(&o, (const char *const[]){"epochs", "12", "encoder-epochs", "40", "hidden", "8", NULL});
  sotto_result result = check_run(&o, data);
  sotto_result_free(&result);
  return o;
}

static sotto_matrix answers(const sotto_options *o, const sotto_dataset *data, double epsilon) {
  sotto_model *model;
  sotto_matrix out;
  const sotto_model_options as = {.seed = SOTTO_UNSET, .epsilon = epsilon};
  CHECK_OK(sotto_model_open(&model, o->out, data, &as, &err));
  CHECK_OK(sotto_model_query(&out, model, &(sotto_query){0}, &err));
  sotto_model_free(model);
  return out;
}

static double largest_difference(const sotto_matrix *a, const sotto_matrix *b) {
  double most = 0;
  assert_true(a->rows == b->rows && a->cols == b->cols);
  for (size_t i = 0; i < a->rows * a->cols; i++)
    most = fmax(most, fabs((double)a->data[i] - (double)b->data[i]));
  return most;
}

/* Of the same nodes without a label: not the data of the run. */
static sotto_dataset unlabelled(const sotto_dataset *data) {
  sotto_dataset out = *data;
  out.labels = NULL;
  out.classes = 0;
  return out;
}

/* Of the run's own data, of the same without labels, and of those with one edge left. */
typedef struct answered {
  sotto_matrix own, again, moved;
} answered;

typedef struct worlds {
  sotto_dataset data, same, other, fewer;
} worlds;

static worlds make_worlds(uint64_t seed) {
  worlds w = {.data = blocks(seed)};
  w.same = unlabelled(&w.data);
  w.other = check_with_one_edge(&w.data, false);
  w.fewer = unlabelled(&w.other);
  return w;
}

static void free_worlds(worlds *w) {
  sotto_dataset_free(&w->data);
  sotto_dataset_free(&w->other);
}

/* Edges are read: without them answers are others. */
static answered answer_all(const sotto_options *o, const worlds *w) {
  const answered a = {answers(o, &w->data, 0), answers(o, &w->same, 0), answers(o, &w->fewer, 0)};
  assert_true(largest_difference(&a.again, &a.moved) > 1e-3);
  return a;
}

static void free_answers(answered *a) {
  sotto_matrix_free(&a->own);
  sotto_matrix_free(&a->again);
  sotto_matrix_free(&a->moved);
}

static void rows_over_the_same_edges_are_those_of_the_training(void **state) {
  static const char *const cases[][9] = {
      {"holders", "2"},
      {"holders", "3", "aggregator", "gcn", "combine", "regression"},
      {"holders", "2", "aggregator", "gat", "batch-size", "30"},
      {"holders", "2", "initial", "opened", "combine", "cat"},
      {"holders", "2", "label-holder", "3"},
      {"holders", "3", "initial", "individually"},
      {"holders", "1", "initial", "individually"},
      {"holders", "2", "feature-scale", "standard", "feature-bound", "16"},
  };
  worlds w = make_worlds(1);
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const sotto_options o = trained(cases[k], &w.data);
    answered a = answer_all(&o, &w);
    const bool steps = cases[k][4] != NULL && strcmp(cases[k][4], "batch-size") == 0;
    if (!steps) /* a step reads edges among its nodes alone */
      CHECK_NEAR(largest_difference(&a.own, &a.again), 0, 1e-4);
    free_answers(&a);
  }
  free_worlds(&w);
}

/* Nodes that trained have scores of a network that did not learn from them; about other data each node has
 * those of all networks. So answers are compared by how many are right. */
static size_t right(const sotto_matrix *scores, const int32_t *labels) {
  size_t count = 0;
  for (size_t v = 0; v < scores->rows; v++) {
    const float *row = scores->data + v * scores->cols;
    size_t best = 0;
    for (size_t j = 1; j < scores->cols; j++)
      if (row[j] > row[best]) best = j;
    count += (int32_t)best == labels[v];
  }
  return count;
}

static void counts_over_the_same_edges_are_as_often_right(void **state) {
  static const char *const apart[] = {"publication", "counts", "label-holder", "3", NULL}, *const plain[] = {
                                                                                               "publication",
                                                                                               "counts",
                                                                                               NULL};
  worlds w = make_worlds(2);
  (void)state;
  for (int k = 0; k < 2; k++) {
    const sotto_options o = trained(k == 0 ? plain : apart, &w.data);
    answered a = answer_all(&o, &w);
    const size_t was = right(&a.own, w.data.labels), is = right(&a.again, w.data.labels);
    (void)printf("  right: %zu, about other data %zu, without their edges %zu, of %zu\n", was, is,
                 right(&a.moved, w.data.labels), a.own.rows);
    assert_true(is + a.own.rows / 20 >= was && is > a.own.rows / 2);
    free_answers(&a);
  }
  free_worlds(&w);
}

/* Each edge is one holder's, so that the holders' releases are of disjoint parts of one account. */
static void a_release_of_all_holders_is_one_charge(void **state) {
  static const char *const rows[] = {"adjacency", "edge", "epsilon", "8", "publication", "rows",
                                     "holders",   "3",    "layers",  "1", NULL};
  sotto_dataset data = blocks(2), same = unlabelled(&data);
  sotto_model *model;
  (void)state;
  const sotto_options o = trained(rows, &data);
  CHECK_FAILS(SOTTO_INVALID, "another release", sotto_model_open(&model, o.out, &same, NULL, &err));
  const uint64_t before = check_charges_in(&o);
  sotto_matrix one = answers(&o, &same, 4);
  assert_int_equal(check_charges_in(&o) - before, 1);
  sotto_matrix_free(&one);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_over_the_same_edges_are_those_of_the_training),
      cmocka_unit_test(counts_over_the_same_edges_are_as_often_right),
      cmocka_unit_test(a_release_of_all_holders_is_one_charge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
