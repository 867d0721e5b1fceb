/* Codes of graphs: the nearest anchor, what reports show, and distances between codes. */
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "graph/io/npz.h"
#include "gw/folds.h"
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
  CHECK_OK(sotto_i_gw_codes_save(path, &p, distance, NULL, &err));
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
  CHECK_OK(sotto_i_gw_codes_save(path, &p, distance, NULL, &err));
  CHECK_FAILS(SOTTO_CORRUPT, "probability", sotto_gw_codes_open(&codes, path, &err));
  p.data[5] = 3;
  CHECK_OK(sotto_i_gw_codes_save(path, &p, distance, NULL, &err));
  CHECK_FAILS(SOTTO_CORRUPT, "add up", sotto_gw_codes_open(&codes, path, &err));
  distance[1] = 7;
  CHECK_OK(sotto_i_gw_codes_save(path, &p, distance, NULL, &err));
  CHECK_FAILS(SOTTO_CORRUPT, "anchors 0 and 1", sotto_gw_codes_open(&codes, path, &err));
  sotto_matrix_free(&p);
  sotto_dataset_free(&data);
}

/* Of each ten graphs two have the other label than their anchor gets. */
static void right_answers_are_counted_from_reports_without_bias(void **state) {
  (void)state;
  enum { count = 40000 };
  static int32_t truth[count], reports[count * values];
  static uint32_t judged[count];
  static const double epsilons[] = {4, 1.5}; /* reports of one value, and of two */
  static const int32_t predicted[anchors] = {0, 0, 0, 1, 1, 1};
  uint32_t places[anchors] = {0};
  sotto_key key;
  truths(truth, count, 2);
  for (uint32_t i = 0; i < count; i++) judged[i] = i;
  sotto_key_system(&key);
  for (uint32_t e = 0; e < 2; e++) {
    sotto_subset s;
    CHECK_OK(sotto_subset_new(&s, values, 0, epsilons[e], &err));
    assert_int_equal(s.members, e + 1);
    CHECK_OK(sotto_subset_apply(reports, truth, count, &s, &key, e, &err));
    sotto_gw_reported r = {.reports = reports, .members = s.members, .classes = classes};
    sotto_subset_chances(&r.truth, &r.other, &s);
    const sotto_i_gw_task task = {
        .test = places, .test_count = anchors, .reported = &r, .judged = judged, .judged_count = count};
    /* Hoeffding: a report has 0 to `members` right values; wrong once in 1e9. */
    const double bound = s.members * sqrt(log(2e9) / (2.0 * count)) / (r.truth - r.other);
    CHECK_NEAR(sotto_i_gw_count_right(&task, predicted) / count, 0.8, bound);
    CHECK_NEAR(sotto_i_gw_largest_reported(&r, judged, count, anchors), 0.5, 2 * bound);
    /* A planted fault: other values are not taken off. */
    r.other = 0;
    assert_true(fabs(sotto_i_gw_count_right(&task, predicted) / count - 0.8) > bound);
  }
}

/* Graphs whose reports are nearly sure to be true, on anchors of a line, as codes that were opened. */
static void make_reported(sotto_gw_codes *out, size_t count) {
  double distance[anchors * anchors];
  sotto_gw_reported *r = &out->reported;
  line(distance);
  *out = (sotto_gw_codes){.posterior = {0}};
  CHECK_OK(sotto_matrix_new(&out->posterior, count, anchors, &err));
  CHECK_OK(sotto_matrix_new(&out->distance, anchors, anchors, &err));
  CHECK_OK(sotto_i_new(&r->reports, count, sizeof *r->reports, &err));
  CHECK_OK(sotto_i_new(&r->answers, count, sizeof *r->answers, &err));
  for (size_t k = 0; k < anchors * anchors; k++) out->distance.data[k] = (float)distance[k];
  r->members = 1;
  r->classes = classes;
  r->truth = 0.999;
  r->other = 0.001 / (values - 1);
  truths(r->reports, count, 2);
  for (size_t g = 0; g < count; g++) {
    out->posterior.data[g * anchors + (size_t)r->reports[g] / classes] = 1;
    r->answers[g] = r->reports[g] / classes >= 3;
  }
}

static void reports_alone_train_classifiers_and_estimate_how_good_they_are(void **state) {
  (void)state;
  sotto_gw_codes codes;
  sotto_gw_judgement j;
  sotto_key key;
  sotto_key_public(&key, 1);
  make_reported(&codes, 70);
  for (size_t g = 60; g < 70; g++) codes.reported.reports[g] = -1; /* held out: no label was reported */
  CHECK_OK(sotto_gw_classify_codes(&j, &codes, 3, 2, 9, &key, NULL, &err));
  assert_int_equal(j.graphs, 60);
  CHECK_NEAR(j.knn, 0.8, 0.02);
  CHECK_NEAR(j.svm, 0.8, 0.1);
  CHECK_NEAR(j.majority, 0.5, 0.1);
  CHECK_FAILS(SOTTO_RANGE, "folds", sotto_gw_classify_codes(&j, &codes, 1, 3, 15, &key, NULL, &err));
  sotto_i_free(codes.reported.reports);
  codes.reported.reports = NULL;
  CHECK_FAILS(SOTTO_INVALID, "without reports",
              sotto_gw_classify_codes(&j, &codes, 5, 3, 15, &key, NULL, &err));
  sotto_gw_codes_free(&codes);
}

static void save_reported(const sotto_gw_codes *codes, const char *path) {
  double distance[anchors * anchors];
  line(distance);
  CHECK_OK(sotto_i_gw_codes_save(path, &codes->posterior, distance, &codes->reported, &err));
}

static void what_was_reported_is_stored_and_faults_in_it_are_refused(void **state) {
  (void)state;
  enum { count = 30 };
  sotto_gw_codes made, read;
  const char *path = check_path("reported.npz");
  sotto_gw_reported *r = &made.reported;
  make_reported(&made, count);
  r->reports[3] = -1;
  save_reported(&made, path);
  CHECK_OK(sotto_gw_codes_open(&read, path, &err));
  assert_memory_equal(read.reported.reports, r->reports, count * sizeof *r->reports);
  assert_memory_equal(read.reported.answers, r->answers, count * sizeof *r->answers);
  assert_true(read.reported.truth == r->truth && read.reported.other == r->other);
  assert_int_equal(read.reported.classes, classes);
  sotto_gw_codes_free(&read);
  const int32_t report = r->reports[5], answer = r->answers[6];
  r->reports[5] = values;
  save_reported(&made, path);
  CHECK_FAILS(SOTTO_CORRUPT, "graph 5 has no such report", sotto_gw_codes_open(&read, path, &err));
  r->reports[5] = report;
  r->answers[6] = classes;
  save_reported(&made, path);
  CHECK_FAILS(SOTTO_CORRUPT, "graph 6 has no such report or class", sotto_gw_codes_open(&read, path, &err));
  r->answers[6] = answer;
  r->other = r->truth;
  save_reported(&made, path);
  CHECK_FAILS(SOTTO_CORRUPT, "law", sotto_gw_codes_open(&read, path, &err));
  sotto_gw_codes_free(&made);
}

static void a_server_compares_graphs_of_which_it_has_reports_alone(void **state) {
  (void)state;
  enum { count = 24 };
  const char *folder = check_path("seed-1");
  char path[1200];
  sotto_gw_codes codes;
  sotto_gw_reports reports;
  sotto_gw_table t;
  sotto_gw_clusters clusters;
  sotto_key key;
  sotto_key_public(&key, 1);
  CHECK_FAILS(SOTTO_NOT_FOUND, "", sotto_gw_reports_open(&reports, folder, SOTTO_GW_BY_CODES, &err));
  CHECK_FAILS(SOTTO_RANGE, "by codes or", sotto_gw_reports_open(&reports, folder, SOTTO_GW_BY_PATHS, &err));
  assert_int_equal(mkdir(folder, 0700), 0);
  (void)snprintf(path, sizeof path, "%.1000s/codes.npz", folder);
  make_reported(&codes, count);
  save_reported(&codes, path);
  CHECK_OK(sotto_gw_reports_open(&reports, folder, SOTTO_GW_BY_CODES, &err));
  const sotto_gw_plan plan = {.by = SOTTO_GW_BY_CODES, .codes = &reports.codes};
  CHECK_OK(sotto_gw_compare(&t, &reports.graphs, &plan, NULL, &err));
  assert_int_equal(t.count, count);
  for (size_t g = 0; g < count; g++) {
    assert_int_equal(t.labels[g], -1);
    assert_int_equal(t.sizes[g], 0);
    CHECK_NEAR(t.distance[g], (double)((g % anchors) * (g % anchors)), 1e-9);
  }
  CHECK_OK(sotto_gw_cluster(&clusters, &reports.graphs, &plan, 2, 20, &key, NULL, &err));
  assert_true(isnan(clusters.rand_index));
  for (uint32_t k = 0; k < 2; k++) { /* the first graph of those at the anchor nearest to the centre */
    assert_int_equal(clusters.cluster[clusters.medoid[k]], k);
    assert_true(clusters.medoid[k] < anchors);
    assert_int_equal(clusters.medoid[k] % 3, 1); /* clusters are 0 1 2 and 3 4 5 */
  }
  sotto_gw_clusters_free(&clusters);
  sotto_gw_table_free(&t);
  sotto_gw_reports_free(&reports);
  sotto_gw_codes_free(&codes);
}

static void save_rows(const char *folder, const sotto_matrix *rows, const uint32_t *sizes, size_t count) {
  char path[1200];
  (void)snprintf(path, sizeof path, "%.1000s/embeddings.npz", folder);
  const sotto_i_npz_part of_rows = {"embeddings",  "<f4", rows->data,
                                    sizeof(float), 2,     {rows->rows, rows->cols}};
  CHECK_OK(sotto_i_npz_write(path, &of_rows, 1, &err));
  (void)snprintf(path, sizeof path, "%.1000s/owner-only/sizes.npz", folder);
  const sotto_i_npz_part of_sizes = {"sizes", "<u4", sizes, sizeof *sizes, 1, {count, 1}};
  CHECK_OK(sotto_i_npz_write(path, &of_sizes, 1, &err));
}

static void embeddings_are_compared_within_the_borders_that_were_reported(void **state) {
  (void)state;
  uint32_t sizes[] = {1, 2, 3};
  const char *folder = check_path("seed-2"), *own = check_path("seed-2/owner-only");
  sotto_gw_reports reports;
  sotto_gw_table t;
  sotto_matrix rows;
  assert_int_equal(mkdir(folder, 0700), 0);
  assert_int_equal(mkdir(own, 0700), 0);
  CHECK_OK(sotto_matrix_new(&rows, 6, 2, &err));
  rows.data[2 * 2] = 4; /* the second graph has two points, 4 apart; all others are one point */
  save_rows(folder, &rows, sizes, 3);
  CHECK_OK(sotto_gw_reports_open(&reports, folder, SOTTO_GW_BY_EMBEDDINGS, &err));
  const sotto_gw_plan plan = {.by = SOTTO_GW_BY_EMBEDDINGS, .embeddings = &reports.embeddings};
  CHECK_OK(sotto_gw_compare(&t, &reports.graphs, &plan, NULL, &err));
  for (size_t g = 0; g < 3; g++) assert_int_equal(t.sizes[g], sizes[g]);
  CHECK_NEAR(t.distance[1], 8, 1e-9); /* half of all pairs of points are 4 apart, against 0 */
  CHECK_NEAR(t.distance[2], 0, 1e-9);
  sotto_gw_table_free(&t);
  sotto_gw_reports_free(&reports);
  sizes[2] = 4;
  save_rows(folder, &rows, sizes, 3);
  CHECK_FAILS(SOTTO_CORRUPT, "6 rows", sotto_gw_reports_open(&reports, folder, SOTTO_GW_BY_EMBEDDINGS, &err));
  sotto_matrix_free(&rows);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_code_is_the_nearest_anchor_of_its_graph_alone),
      cmocka_unit_test(public_graphs_are_anchors_by_their_distance),
      cmocka_unit_test(what_is_learnt_is_right_without_noise_and_with_it),
      cmocka_unit_test(labels_of_no_meaning_are_seen_as_that),
      cmocka_unit_test(posteriors_follow_from_the_law_of_reports),
      cmocka_unit_test(distances_of_codes_are_expected_ones_and_bad_files_are_refused),
      cmocka_unit_test(right_answers_are_counted_from_reports_without_bias),
      cmocka_unit_test(reports_alone_train_classifiers_and_estimate_how_good_they_are),
      cmocka_unit_test(what_was_reported_is_stored_and_faults_in_it_are_refused),
      cmocka_unit_test(a_server_compares_graphs_of_which_it_has_reports_alone),
      cmocka_unit_test(embeddings_are_compared_within_the_borders_that_were_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
