/* Prototypes by class and by the class of neighbours: against their definitions, and which of them nodes ask.
 */
#include <math.h>

#include "check.h"
#include "methods/feddep/candidates.h"
#include "small_graph.h"

enum { nodes = 60, classes = 3, width = 4 };

typedef struct fixture {
  sotto_graph graph;
  int32_t labels[nodes];
  uint32_t rows[nodes];
  size_t count;
  bool labelled[nodes];
} fixture;

static fixture make(sotto_i_random *random) {
  fixture f = {.count = 0};
  f.graph = check_hub_graph(random, nodes, 90);
  for (uint32_t v = 0; v < nodes; v++) {
    f.labels[v] = (int32_t)sotto_i_random_below(random, classes);
    f.labelled[v] = sotto_i_random_double(random) < 0.5;
    if (f.labelled[v])
      f.rows[f.count++] = v;
    else
      f.labels[v] = -1; /* not to be read */
  }
  return f;
}

static sotto_i_labelled of_fixture(const fixture *f) {
  return (sotto_i_labelled){
      .graph = &f->graph, .labels = f->labels, .rows = f->rows, .count = f->count, .classes = classes};
}

static uint32_t slow_neighbour_class(const fixture *f, uint32_t v) {
  uint32_t best = classes;
  int most = 0;
  for (int32_t c = 0; c < classes; c++) {
    int seen = 0;
    for (uint32_t u = 0; u < nodes; u++)
      seen += f->labelled[u] && f->labels[u] == c && check_has_edge(&f->graph, v, u);
    if (seen > most) {
      most = seen;
      best = (uint32_t)c;
    }
  }
  return best;
}

static void classes_of_neighbours_are_those_of_most_labelled_ones(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  uint32_t found[nodes], likely[nodes];
  for (int i = 0; i < 20; i++) {
    fixture f = make(&random);
    const sotto_i_labelled of = of_fixture(&f);
    CHECK_OK(sotto_i_neighbour_classes(found, &of, &err));
    CHECK_OK(sotto_i_likely_classes(likely, &of, &err));
    for (uint32_t v = 0; v < nodes; v++) {
      assert_int_equal(found[v], slow_neighbour_class(&f, v));
      assert_int_equal(likely[v], f.labelled[v] ? (uint32_t)f.labels[v] : found[v]);
    }
    sotto_graph_free(&f.graph);
  }
}

static void prototypes_are_means_by_class_and_bucket(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int i = 0; i < 20; i++) {
    fixture f = make(&random);
    size_t buckets = sotto_i_class_buckets(classes, i % 2 == 0);
    const sotto_i_labelled of = of_fixture(&f);
    sotto_matrix x = check_random_matrix(&random, nodes, width), out;
    CHECK_OK(sotto_matrix_new(&out, classes * buckets, width, &err));
    CHECK_OK(sotto_i_class_prototypes(&out, &x, buckets, &of, &err));
    for (size_t r = 0; r < out.rows; r++)
      for (size_t j = 0; j < width; j++) {
        double sum = 0, count = 0;
        for (uint32_t v = 0; v < nodes; v++) {
          if (!f.labelled[v] || (size_t)f.labels[v] != r / buckets) continue;
          if (buckets > 1 && slow_neighbour_class(&f, v) != r % buckets) continue;
          sum += x.data[v * width + j];
          count++;
        }
        CHECK_NEAR(out.data[r * width + j], count > 0 ? sum / count : 0, 1e-5);
      }
    sotto_matrix_free(&x);
    sotto_matrix_free(&out);
    sotto_graph_free(&f.graph);
  }
}

/* Nodes of class 0 and 1 are next to one another alone, those of class 2 next to their own: a node of class 0
 * misses nodes of class 1 whose neighbours are of class 0. */
static void nodes_ask_for_the_class_and_surroundings_that_they_miss(void **state) {
  (void)state;
  static const uint32_t from[] = {0, 0, 2, 4, 4, 6}, to[] = {1, 3, 3, 5, 7, 1};
  static const int32_t labels[9] = {0, 1, 0, 1, 2, 2, -1, -1, -1};
  static const uint32_t rows[] = {0, 1, 2, 3, 4, 5};
  enum { buckets = classes + 1, each = classes * buckets };
  sotto_graph graph;
  sotto_matrix others;
  sotto_i_candidates asked;
  CHECK_OK(sotto_graph_from_pairs(&graph, 9, from, to, 6, &err));
  CHECK_OK(sotto_matrix_new(&others, 2 * each, 2, &err));
  static const size_t filled[] = {1 * buckets + 0, 1 * buckets + 2, each + 1 * buckets + 0,
                                  each + 0 * buckets + 3};
  for (int i = 0; i < 4; i++) others.data[2 * filled[i]] = 1;
  const sotto_i_labelled of = {
      .graph = &graph, .labels = labels, .rows = rows, .count = 6, .classes = classes};
  CHECK_OK(sotto_i_candidates_by_class(&asked, &others, 2, buckets, &of, &err));
  assert_int_equal(asked.groups, classes + 1);
  assert_int_equal(asked.begin[1] - asked.begin[0],
                   2); /* class 0 asks class 1 in bucket 0, of both clients */
  assert_int_equal(asked.members[asked.begin[0]], filled[0]);
  assert_int_equal(asked.members[asked.begin[0] + 1], filled[2]);
  assert_int_equal(asked.begin[2] - asked.begin[1],
                   1); /* class 1 asks class 0; without bucket 1 any bucket */
  assert_int_equal(asked.members[asked.begin[1]], filled[3]);
  assert_int_equal(asked.begin[4], asked.begin[2]); /* class 2 has no prototype, and no class asks nothing */
  static const uint32_t group[9] = {0, 1, 0, 1, 2, 2, 1, 2, classes};
  for (int v = 0; v < 9; v++) assert_int_equal(asked.group_of[v], group[v]);
  sotto_i_candidates_free(&asked);
  sotto_matrix_free(&others);
  sotto_graph_free(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(classes_of_neighbours_are_those_of_most_labelled_ones),
      cmocka_unit_test(prototypes_are_means_by_class_and_bucket),
      cmocka_unit_test(nodes_ask_for_the_class_and_surroundings_that_they_miss),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
