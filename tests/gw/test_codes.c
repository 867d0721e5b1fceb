/* Codes of graphs: the nearest anchor, what reports show, and distances between codes. */
#include <math.h>
#include <unistd.h>

#include "check.h"
#include "gw/codes.h"
#include "inside/dp.h"
#include "shapes.h"
#include "sotto/dp.h"

/* By the definition, over all anchors. */
static size_t nearest(const sotto_i_gw_anchors *a, double nodes, double edges) {
  size_t best = 0;
  double least = INFINITY;
  for (size_t k = 0; k < a->count; k++) {
    const double x = log2(a->by_size ? nodes : edges) - a->place[2 * k];
    const double y = (a->by_size ? 0 : log2(2 * edges / nodes)) - a->place[2 * k + 1];
    if (x * x + y * y < least) best = k;
    least = fmin(least, x * x + y * y);
  }
  return best;
}

static void a_code_is_the_nearest_anchor_of_its_graph_alone(void **state) {
  (void)state;
  sotto_dataset data;
  uint32_t codes[graphs];
  make_shapes(&data);
  for (int way = 0; way < 2; way++) {
    sotto_i_gw_anchors a;
    CHECK_OK(way == 0 ? sotto_i_gw_anchors_by_shape(&a, &err) : sotto_i_gw_anchors_by_size(&a, &err));
    assert_int_equal(a.count, way == 0 ? 27 : 18);
    CHECK_OK(sotto_i_gw_code(codes, &a, &data, &err));
    for (size_t g = 0; g < graphs; g++) {
      const uint64_t first = data.graph_first[g], last = data.graph_first[g + 1];
      const double edges = (double)(data.graph.offsets[last] - data.graph.offsets[first]) / 2;
      assert_int_equal(codes[g], nearest(&a, (double)(last - first), edges));
    }
    sotto_i_gw_anchors_free(&a);
  }
  sotto_dataset_free(&data);
}

/* The collection is public here: each of its graphs is its own nearest anchor, or a copy of it. */
static void public_graphs_are_anchors_by_their_distance(void **state) {
  (void)state;
  sotto_dataset data;
  sotto_i_gw_anchors a;
  uint32_t codes[graphs];
  const char *path = check_path("public.sotto");
  make_shapes(&data);
  CHECK_OK(sotto_dataset_save(&data, path, &err));
  CHECK_OK(sotto_i_gw_anchors_open(&a, path, &err));
  assert_int_equal(a.count, graphs);
  CHECK_OK(sotto_i_gw_code(codes, &a, &data, &err));
  for (size_t g = 0; g < graphs; g++) assert_true(a.distance[g * graphs + codes[g]] < 1e-9);
  sotto_i_gw_anchors_free(&a);
  sotto_dataset_free(&data);
  CHECK_FAILS(SOTTO_NOT_FOUND, "", sotto_i_gw_anchors_open(&a, check_path("missing.sotto"), &err));
}

enum { anchors = 6, classes = 2, values = anchors * classes };

/* Anchors on a line, a step apart. */
static void line(double *distance) {
  for (int i = 0; i < anchors; i++)
    for (int j = 0; j < anchors; j++) distance[i * anchors + j] = (i - j) * (i - j);
}

/* Graphs below the third anchor are of class 0, and the others of class 1; `wrong` of each ten are not. */
static void truths(int32_t *out, size_t count, int wrong) {
  for (size_t i = 0; i < count; i++) {
    const int32_t anchor = (int32_t)(i % anchors), label = anchor >= 3;
    out[i] = anchor * classes + (i / anchors % 10 < (size_t)wrong ? 1 - label : label);
  }
}

static void what_is_learnt_is_right_without_noise_and_with_it(void **state) {
  (void)state;
  enum { count = 6000 };
  static int32_t truth[count], answers[count * values];
  static const double epsilons[] = {INFINITY, 4, 2};
  double distance[anchors * anchors];
  sotto_key key;
  line(distance);
  truths(truth, count, 2);
  sotto_key_system(&key);
  for (uint32_t e = 0; e < 3; e++) {
    sotto_subset s;
    sotto_i_gw_reports r = {truth, count, 1, 1, 0, anchors, classes};
    sotto_i_gw_learned learned;
    if (isfinite(epsilons[e])) {
      CHECK_OK(sotto_subset_new(&s, values, 0, epsilons[e], &err));
      CHECK_OK(sotto_subset_apply(answers, truth, count, &s, &key, e, &err));
      r.answers = answers;
      r.members = s.members;
      sotto_subset_chances(&r.truth, &r.other, &s);
    }
    CHECK_OK(sotto_i_gw_learn(&learned, &r, distance, &err));
    for (uint32_t a = 0; a < anchors; a++) assert_int_equal(learned.label[a], a >= 3);
    CHECK_NEAR(learned.accuracy, 0.8, e == 0 ? 1e-9 : e == 1 ? 0.05 : 0.1);
    double sum = 0;
    for (int v = 0; v < values; v++) sum += learned.share[v];
    CHECK_NEAR(sum, 1, 1e-9);
    /* Where classes are equally common a report stands; where one is nine times as common a noisy one does
     * not. */
    assert_int_equal(sotto_i_gw_answer(&learned, classes, 0.6, 0.4, 1), 1);
    learned.table[0] *= 9;
    assert_int_equal(sotto_i_gw_answer(&learned, classes, 0.6, 0.4, 1), 0);
    assert_int_equal(sotto_i_gw_answer(&learned, classes, 0.99, 0.01, 1), 1);
    if (e < 2) CHECK_NEAR(learned.share[1 * classes], 0.8 / anchors, e == 0 ? 1e-9 : 0.06);
    sotto_i_gw_learned_free(&learned);
  }
}

/* A planted fault: labels that follow from nothing leave nothing to learn. */
static void labels_of_no_meaning_are_seen_as_that(void **state) {
  (void)state;
  enum { count = 3000 };
  static int32_t truth[count];
  double distance[anchors * anchors];
  sotto_i_random random = check_random();
  sotto_i_gw_learned learned;
  line(distance);
  for (int i = 0; i < count; i++) truth[i] = (int32_t)sotto_i_random_below(&random, values);
  const sotto_i_gw_reports r = {truth, count, 1, 1, 0, anchors, classes};
  CHECK_OK(sotto_i_gw_learn(&learned, &r, distance, &err));
  /* What is learnt on some reports is judged on the others: chance in one direction here is its opposite
   * there, so that less than half is common. */
  if (!(learned.accuracy > 0.3 && learned.accuracy < 0.56)) fail_msg("accuracy %g", learned.accuracy);
  sotto_i_gw_learned_free(&learned);
  truth[7] = values;
  CHECK_FAILS(SOTTO_RANGE, "report 7", sotto_i_gw_learn(&learned, &r, distance, &err));
}

/* Bayes' rule by hand: sets by their exact probabilities. */
static void posteriors_follow_from_the_law_of_reports(void **state) {
  (void)state;
  sotto_subset s, held;
  double share[values], expected[anchors], sum = 0;
  uint32_t label[anchors];
  float out[anchors];
  const int32_t answer[3] = {1, 4, 9};
  CHECK_OK(sotto_subset_new(&s, values, 3, 1.3, &err));
  CHECK_OK(sotto_subset_new(&held, classes, 1, 1.3, &err));
  for (int v = 0; v < values; v++) share[v] = (v + 1) / (values * (values + 1) / 2.0);
  for (uint32_t a = 0; a < anchors; a++) label[a] = a % 2;
  sotto_i_gw_reports r = {.members = 3, .anchors = anchors, .classes = classes};
  const sotto_i_gw_learned learned = {.label = label, .share = share};
  sotto_subset_chances(&r.truth, &r.other, &s);
  sotto_i_gw_posterior(out, &learned, &r, answer);
  for (int a = 0; a < anchors; a++) {
    expected[a] = 0;
    for (int c = 0; c < classes; c++) {
      const int v = a * classes + c;
      const bool in = v == 1 || v == 4 || v == 9;
      expected[a] += share[v] * (in ? r.truth / 55 : (1 - r.truth) / 165); /* C(11, 2), C(11, 3) */
    }
    sum += expected[a];
  }
  for (int a = 0; a < anchors; a++) CHECK_NEAR((double)out[a], expected[a] / sum, 1e-6);
  sotto_subset_chances(&r.truth, &r.other, &held);
  sotto_i_gw_posterior_of_label(out, &learned, &r, 1);
  sum = 0;
  for (int a = 0; a < anchors; a++)
    sum += expected[a] = (share[2 * a] + share[2 * a + 1]) * (a % 2 == 1 ? r.truth : 1 - r.truth);
  for (int a = 0; a < anchors; a++) CHECK_NEAR((double)out[a], expected[a] / sum, 1e-6);
}

static void distances_of_codes_are_expected_ones_and_bad_files_are_refused(void **state) {
  (void)state;
  sotto_dataset data;
  sotto_gw_codes codes;
  sotto_gw_table t;
  double distance[anchors * anchors];
  sotto_matrix p;
  sotto_i_random random = check_random();
  const char *path = check_path("codes.npz");
  make_shapes(&data);
  line(distance);
  CHECK_OK(sotto_matrix_new(&p, graphs, anchors, &err));
  for (size_t g = 0; g < graphs; g++) {
    float sum = 0;
    for (size_t a = 0; a < anchors; a++)
      sum += p.data[g * anchors + a] = (float)sotto_i_random_double(&random) + 0.01F;
    for (size_t a = 0; a < anchors; a++) p.data[g * anchors + a] /= sum;
  }
  CHECK_OK(sotto_i_gw_codes_save(path, &p, distance, &err));
  CHECK_OK(sotto_gw_codes_open(&codes, path, &err));
  sotto_gw_plan plan = {.by = SOTTO_GW_BY_CODES, .codes = &codes};
  CHECK_OK(sotto_gw_compare(&t, &data, &plan, NULL, &err));
  for (size_t g = 0; g < graphs; g++)
    for (size_t h = 0; h < graphs; h++) {
      double sum = 0;
      for (size_t a = 0; a < anchors; a++)
        for (size_t b = 0; b < anchors; b++)
          sum +=
              (double)p.data[g * anchors + a] * (double)p.data[h * anchors + b] * distance[a * anchors + b];
      CHECK_NEAR(t.distance[g * graphs + h], g == h ? 0 : sum, 1e-9);
    }
  assert_int_equal(t.labels[1], data.graph_labels[1]);
  /* Two groups of codes at the two ends of the line are two clusters. */
  sotto_gw_clusters clusters;
  sotto_key key;
  sotto_key_public(&key, 1);
  for (size_t g = 0; g < graphs; g++)
    for (size_t a = 0; a < anchors; a++)
      codes.posterior.data[g * anchors + a] = a == (g % 2 == 0 ? 0 : anchors - 1) ? 0.9F : 0.02F;
  CHECK_OK(sotto_gw_cluster(&clusters, &data, &plan, 2, 20, &key, NULL, &err));
  CHECK_NEAR(clusters.rand_index, 1, 1e-12); /* every other graph is of class 1 */
  sotto_gw_clusters_free(&clusters);
  sotto_gw_table_free(&t);
  codes.posterior.rows--;
  CHECK_FAILS(SOTTO_INVALID, "codes of", sotto_gw_compare(&t, &data, &plan, NULL, &err));
  codes.posterior.rows++;
  plan.codes = NULL;
  CHECK_FAILS(SOTTO_INVALID, "its codes", sotto_gw_compare(&t, &data, &plan, NULL, &err));
  sotto_gw_codes_free(&codes);
  p.data[5] = -1;
  CHECK_OK(sotto_i_gw_codes_save(path, &p, distance, &err));
  CHECK_FAILS(SOTTO_CORRUPT, "probability", sotto_gw_codes_open(&codes, path, &err));
  p.data[5] = 3;
  CHECK_OK(sotto_i_gw_codes_save(path, &p, distance, &err));
  CHECK_FAILS(SOTTO_CORRUPT, "add up", sotto_gw_codes_open(&codes, path, &err));
  distance[1] = 7;
  CHECK_OK(sotto_i_gw_codes_save(path, &p, distance, &err));
  CHECK_FAILS(SOTTO_CORRUPT, "anchors 0 and 1", sotto_gw_codes_open(&codes, path, &err));
  sotto_matrix_free(&p);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_code_is_the_nearest_anchor_of_its_graph_alone),
      cmocka_unit_test(public_graphs_are_anchors_by_their_distance),
      cmocka_unit_test(what_is_learnt_is_right_without_noise_and_with_it),
      cmocka_unit_test(labels_of_no_meaning_are_seen_as_that),
      cmocka_unit_test(posteriors_follow_from_the_law_of_reports),
      cmocka_unit_test(distances_of_codes_are_expected_ones_and_bad_files_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
