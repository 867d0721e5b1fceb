/* Clusters of features: the nearest centre, kept and read again. */
#include "protocols/feature_clusters.h"

#include <math.h>

#include "base/memory.h"
#include "check.h"

enum { nodes = 9000, cols = 3 };

static sotto_matrix make_rows(sotto_i_random *random) {
  sotto_matrix x;
  CHECK_OK(sotto_matrix_new(&x, nodes, cols, &err));
  for (size_t i = 0; i < x.rows * x.cols; i++) x.data[i] = (float)(sotto_i_random_below(random, 2) * 10);
  return x;
}

/* Rows that are corners of a cube: each corner is a cluster, whichever rows the centres were fitted on. */
static void corners_are_clusters(void **state) {
  sotto_i_random random = check_random();
  sotto_matrix x = make_rows(&random);
  sotto_i_clusters clusters;
  const sotto_i_row_source rows = sotto_i_row_source_of(&x);
  sotto_params *centres, *again;
  sotto_key key;
  size_t of[8];
  (void)state;
  sotto_key_public(&key, 3);
  CHECK_OK(sotto_params_new(&centres, &err));
  CHECK_OK(sotto_i_feature_clusters_fit(centres, &rows, &key, &err));
  const sotto_params *sets[] = {centres};
  CHECK_OK(sotto_params_save(sets, 1, check_path("model"), NULL, 0, &err));
  CHECK_OK(sotto_params_new(&again, &err));
  CHECK_OK(sotto_i_feature_clusters_new(again, cols, &err));
  CHECK_OK(sotto_params_load(&again, 1, check_path("model"), &err));
  CHECK_OK(sotto_i_feature_clusters_of(&clusters, again, &rows, &err));
  assert_int_equal(clusters.count, 8);
  for (int c = 0; c < 8; c++) of[c] = SIZE_MAX;
  for (size_t v = 0; v < nodes; v++) {
    const float *row = x.data + v * cols;
    const size_t corner = (row[0] > 0) + 2 * (size_t)(row[1] > 0) + 4 * (size_t)(row[2] > 0);
    const size_t cluster = clusters.of[v];
    if (of[corner] == SIZE_MAX) of[corner] = cluster;
    assert_int_equal(of[corner], cluster);
  }
  sotto_params_free(centres);
  sotto_params_free(again);
  sotto_i_clusters_free(&clusters);
  sotto_matrix_free(&x);
}

static double share_of(sotto_matrix *x) {
  const sotto_i_row_source rows = sotto_i_row_source_of(x);
  sotto_params *centres;
  sotto_key key;
  double share;
  sotto_key_public(&key, 3);
  CHECK_OK(sotto_params_new(&centres, &err));
  CHECK_OK(sotto_i_feature_clusters_fit(centres, &rows, &key, &err));
  CHECK_OK(sotto_i_feature_clusters_share(&share, centres, &rows, &err));
  sotto_params_free(centres);
  return share;
}

/* Where one column has large units the centres tell that column alone, and the share says so. */
static void the_share_is_a_mean_over_columns(void **state) {
  enum { wide = 10 };
  sotto_i_random random = check_random();
  sotto_matrix corners = make_rows(&random), x;
  (void)state;
  assert_true(share_of(&corners) > 0.999);
  for (size_t v = 0; v < nodes; v++) corners.data[v * cols] = 1e-3F * corners.data[v * cols];
  assert_true(share_of(&corners) > 0.6); /* the two columns that the corners still show */
  for (size_t v = 0; v < nodes; v++) corners.data[v * cols] = 7;
  assert_true(share_of(&corners) > 0.999); /* one that does not vary counts for nothing */
  CHECK_OK(sotto_matrix_new(&x, nodes, wide, &err));
  for (size_t i = 0; i < (size_t)nodes * wide; i++) x.data[i] = (float)sotto_i_random_normal(&random);
  for (size_t v = 0; v < nodes; v++) x.data[v * wide] *= 1000;
  const double share = share_of(&x);
  assert_true(share > 0.9 / wide && share < 1.3 / wide);
  x.data[0] = NAN;
  assert_true(share_of(&x) == 1);
  sotto_matrix_free(&corners);
  sotto_matrix_free(&x);
}

static void wide_rows_are_not_clustered(void **state) {
  (void)state;
  assert_false(sotto_i_can_cluster_features(0));
  assert_true(sotto_i_can_cluster_features(1));
  assert_true(sotto_i_can_cluster_features(SOTTO_I_MOST_CLUSTER_COLUMNS));
  assert_false(sotto_i_can_cluster_features(SOTTO_I_MOST_CLUSTER_COLUMNS + 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(corners_are_clusters),
                                     cmocka_unit_test(the_share_is_a_mean_over_columns),
                                     cmocka_unit_test(wide_rows_are_not_clustered)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
