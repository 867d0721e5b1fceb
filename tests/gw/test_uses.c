/* What is made of tables: classes, clusters, places. */
#include <math.h>

#include "base/random.h"
#include "check.h"
#include "gw/bounds.h"
#include "gw/collection.h"
#include "shapes.h"
#include "sotto/gw.h"

static void shapes_are_classified_and_shuffled_labels_are_not(void **state) {
  (void)state;
  sotto_dataset data;
  sotto_gw_table t;
  sotto_gw_judgement judgement;
  const sotto_gw_plan plan = {.by = SOTTO_GW_BY_PATHS};
  sotto_key key;
  sotto_key_public(&key, 3);
  make_shapes(&data);
  CHECK_OK(sotto_gw_compare(&t, &data, &plan, NULL, &err));
  CHECK_OK(sotto_gw_classify(&judgement, &t, 4, 3, 0, &key, NULL, &err));
  assert_true(judgement.svm >= 0.9 && judgement.knn >= 0.9 && judgement.majority == 0.5);
  /* The planted fault: labels that have nothing to do with the table. A leak of test labels would show. */
  for (size_t g = 0; g < graphs; g++) t.labels[g] = (int32_t)(g / 2 % 2);
  for (size_t i = 0; i < graphs; i++)
    for (size_t j = 0; j < i; j++) {
      const double noise = 1 + (double)((i * 7919 + j * 104729) % 1009) / 1009;
      t.distance[i * graphs + j] = t.distance[j * graphs + i] = noise;
    }
  CHECK_OK(sotto_gw_classify(&judgement, &t, 4, 3, 0, &key, NULL, &err));
  assert_true(judgement.svm < 0.8 && judgement.knn < 0.8);
  CHECK_FAILS(SOTTO_RANGE, "folds", sotto_gw_classify(&judgement, &t, 1, 3, 0, &key, NULL, &err));
  for (size_t g = 0; g < graphs; g++) t.labels[g] = 0;
  CHECK_FAILS(SOTTO_RANGE, "one class", sotto_gw_classify(&judgement, &t, 4, 3, 0, &key, NULL, &err));
  sotto_gw_table_free(&t);
  sotto_dataset_free(&data);
}

static void write_parts(const char *path, size_t count, const char *word) {
  static const char *const words[] = {"train", "validation", "test"};
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  (void)fputs("item,client,part\n", out);
  for (size_t g = 0; g < count; g++)
    (void)fprintf(out, "%zu,1,%s\n", g, word != NULL ? word : words[g / 2 % 3]);
  assert_int_equal(fclose(out), 0);
}

static void graphs_that_a_model_did_not_see_are_tested_on(void **state) {
  (void)state;
  sotto_dataset data;
  sotto_gw_table t;
  sotto_gw_judgement j;
  uint8_t parts[graphs];
  const sotto_gw_plan plan = {.by = SOTTO_GW_BY_PATHS};
  const char *path = check_path("parts.csv");
  make_shapes(&data);
  CHECK_OK(sotto_gw_compare(&t, &data, &plan, NULL, &err));
  write_parts(path, graphs, NULL);
  CHECK_OK(sotto_gw_parts_open(parts, graphs, path, &err));
  for (size_t g = 0; g < graphs; g++) assert_int_equal(parts[g], SOTTO_PART_TRAIN + g / 2 % 3);
  CHECK_OK(sotto_gw_classify_parts(&j, &t, parts, 3, &err));
  assert_true(j.svm == 1 && j.knn == 1 && j.neighbours == 3 && j.svm_deviation == 0);
  /* The planted fault: wrong labels on the test part alone. They must not be learnt from. */
  for (size_t g = 0; g < graphs; g++)
    if (parts[g] == SOTTO_PART_TEST) t.labels[g] = 1 - t.labels[g];
  CHECK_OK(sotto_gw_classify_parts(&j, &t, parts, 0, &err));
  assert_true(j.svm == 0 && j.knn == 0);
  write_parts(path, graphs, "train");
  CHECK_OK(sotto_gw_parts_open(parts, graphs, path, &err));
  CHECK_FAILS(SOTTO_RANGE, "0 in test", sotto_gw_classify_parts(&j, &t, parts, 0, &err));
  write_parts(path, graphs - 1, NULL);
  CHECK_FAILS(SOTTO_PARSE, "has 33 graphs", sotto_gw_parts_open(parts, graphs, path, &err));
  write_parts(path, graphs + 1, NULL);
  CHECK_FAILS(SOTTO_PARSE, "more than the 34", sotto_gw_parts_open(parts, graphs, path, &err));
  write_parts(path, graphs, "tests");
  CHECK_FAILS(SOTTO_PARSE, "'tests'", sotto_gw_parts_open(parts, graphs, path, &err));
  sotto_gw_table_free(&t);
  sotto_dataset_free(&data);
}

/* Points in the plane, at weights that differ; every third space has uniform ones. */
static void random_space(sotto_gw_space *out, double *distance, double *weight, sotto_i_random *random,
                         size_t number) {
  const size_t n = 2 + sotto_i_random_below(random, 8);
  double x[16], y[16], sum = 0, scale = 1 + 4 * sotto_i_random_double(random);
  for (size_t i = 0; i < n; i++) {
    x[i] = scale * sotto_i_random_double(random);
    y[i] = scale * sotto_i_random_double(random);
    sum += weight[i] = 0.1 + sotto_i_random_double(random);
  }
  for (size_t i = 0; i < n; i++) weight[i] /= sum;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++) distance[i * n + k] = hypot(x[i] - x[k], y[i] - y[k]);
  *out = (sotto_gw_space){.points = n, .distance = distance, .weight = number % 3 == 0 ? NULL : weight};
}

static void no_value_is_below_its_bound_and_equal_spaces_have_none(void **state) {
  (void)state;
  enum { pairs = 400 };
  sotto_i_random random = check_random();
  double tight = 0;
  for (size_t p = 0; p < pairs; p++) {
    double distance[2][256], weight[2][16];
    sotto_gw_space space[2];
    sotto_gw_result result;
    for (size_t k = 0; k < 2; k++) random_space(&space[k], distance[k], weight[k], &random, p + k);
    const sotto_i_gw_moments a = sotto_i_gw_moments_of(&space[0]), b = sotto_i_gw_moments_of(&space[1]);
    const double bound = sotto_i_gw_lower_bound(&a, &b);
    CHECK_OK(sotto_gw_distance(&result, NULL, &space[0], &space[1], NULL, &err));
    if (result.value < bound) fail_msg("pair %zu: value %.17g, bound %.17g", p, result.value, bound);
    tight = fmax(tight, bound / result.value);
    assert_true(sotto_i_gw_lower_bound(&a, &a) == 0);
  }
  assert_true(tight > 0.8); /* a bound of nothing would pass, too */
}

/* With more clusters than kinds of shapes, and fewer. */
static void clusters_are_the_same_with_distances_left_out(void **state) {
  (void)state;
  sotto_dataset data;
  const sotto_gw_plan plan = {.by = SOTTO_GW_BY_PATHS};
  sotto_gw_clusters all, pruned;
  uint64_t measured[2], saved = 0;
  sotto_key key;
  make_shapes(&data);
  for (uint32_t clusters = 1; clusters <= 6; clusters++) {
    sotto_key_public(&key, clusters);
    all = pruned = (sotto_gw_clusters){.count = 0};
    CHECK_OK(sotto_i_gw_cluster(&all, &data, &plan, clusters, 20, &key, false, &measured[0], NULL, &err));
    CHECK_OK(sotto_i_gw_cluster(&pruned, &data, &plan, clusters, 20, &key, true, &measured[1], NULL, &err));
    assert_memory_equal(all.cluster, pruned.cluster, graphs * sizeof *all.cluster);
    assert_memory_equal(all.medoid, pruned.medoid, clusters * sizeof *all.medoid);
    assert_true(all.spread == pruned.spread && all.rounds == pruned.rounds);
    assert_true(measured[1] <= measured[0]);
    saved += measured[0] - measured[1];
    sotto_gw_clusters_free(&all);
    sotto_gw_clusters_free(&pruned);
  }
  assert_true(saved > 0);
  sotto_dataset_free(&data);
}

static void shapes_fall_into_clusters(void **state) {
  (void)state;
  sotto_dataset data;
  sotto_gw_clusters c;
  const sotto_gw_plan plan = {.by = SOTTO_GW_BY_PATHS};
  sotto_key key;
  double best = -1;
  make_shapes(&data);
  for (uint64_t seed = 1; seed <= 3; seed++) {
    sotto_key_public(&key, seed);
    CHECK_OK(sotto_gw_cluster(&c, &data, &plan, 2, 20, &key, NULL, &err));
    best = fmax(best, c.rand_index);
    sotto_gw_clusters_free(&c);
  }
  assert_true(best > 0.5);
  CHECK_FAILS(SOTTO_RANGE, "clusters", sotto_gw_cluster(&c, &data, &plan, 0, 20, &key, NULL, &err));
  sotto_dataset_free(&data);
}

static void places_keep_neighbours(void **state) {
  (void)state;
  sotto_dataset data;
  sotto_gw_table t;
  const sotto_gw_plan plan = {.by = SOTTO_GW_BY_PATHS};
  double place[2 * graphs];
  sotto_key key;
  size_t kept = 0;
  sotto_key_public(&key, 1);
  make_shapes(&data);
  CHECK_OK(sotto_gw_compare(&t, &data, &plan, NULL, &err));
  CHECK_OK(sotto_gw_places(place, &t, 5, &key, NULL, &err));
  for (size_t i = 0; i < graphs; i++) {
    size_t near = i == 0;
    for (size_t j = 0; j < graphs; j++)
      if (j != i && hypot(place[2 * j] - place[2 * i], place[2 * j + 1] - place[2 * i + 1]) <
                        hypot(place[2 * near] - place[2 * i], place[2 * near + 1] - place[2 * i + 1]))
        near = j;
    kept += t.labels[near] == t.labels[i];
  }
  assert_true(kept >= graphs * 9 / 10);
  CHECK_FAILS(SOTTO_RANGE, "perplexity", sotto_gw_places(place, &t, 20, &key, NULL, &err));
  sotto_gw_table_free(&t);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(shapes_are_classified_and_shuffled_labels_are_not),
                                     cmocka_unit_test(graphs_that_a_model_did_not_see_are_tested_on),
                                     cmocka_unit_test(no_value_is_below_its_bound_and_equal_spaces_have_none),
                                     cmocka_unit_test(clusters_are_the_same_with_distances_left_out),
                                     cmocka_unit_test(shapes_fall_into_clusters),
                                     cmocka_unit_test(places_keep_neighbours)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
