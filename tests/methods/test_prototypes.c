/* Prototypes of embeddings: centres, the scale that clients have in common, and what one node moves. */
#include <math.h>

#include "check.h"
#include "inside/graph.h"
#include "methods/feddep/class_prototypes.h"
#include "methods/feddep/feddep.h"
#include "methods/feddep/noisy_prototypes.h"
#include "methods/feddep/prototypes.h"
#include "nn/kmeans.h"
#include "small_graph.h"

static void centres_are_those_of_groups_apart(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  float values[60 * 2], centres[3 * 2];
  const sotto_matrix x = {values, 60, 2};
  sotto_matrix out = {centres, 3, 2};
  sotto_key key;
  sotto_key_public(&key, sotto_i_random_u64(&random));
  for (int v = 0; v < 60; v++) {
    values[2 * v] = 10 * (float)(v % 3) + 0.1F * (float)sotto_i_random_normal(&random);
    values[2 * v + 1] = (float)(v % 3 == 1 ? 10 : 0);
  }
  CHECK_OK(sotto_i_kmeans(&out, &x, &key, &err));
  for (int group = 0; group < 3; group++) {
    const float wanted[2] = {10 * (float)group, group == 1 ? 10 : 0};
    double distance;
    (void)sotto_i_nearest_centre(&distance, &out, 3, wanted);
    assert_true(distance < 0.05);
  }
  const sotto_matrix few = {values, 2, 2}; /* fewer rows than centres: rows are repeated */
  CHECK_OK(sotto_i_kmeans(&out, &few, &key, &err));
  for (int c = 0; c < 3; c++)
    assert_true(memcmp(centres + 2 * c, values, 8) == 0 || memcmp(centres + 2 * c, values + 2, 8) == 0);
}

/* [sums of deep rows | counts] by the sign of own rows, or by label and `buckets` of neighbours' labels. */
static void add_up_groups(double *out, const sotto_matrix *own, const sotto_matrix *deep,
                          const sotto_graph *graph, const int32_t *labels, size_t buckets) {
  size_t cols = deep->cols + 1;
  uint32_t rows[64];
  sotto_matrix sums;
  if (buckets > 0) {
    for (uint32_t v = 0; v < graph->nodes; v++) rows[v] = v;
    const sotto_i_labelled of = {
        .graph = graph, .labels = labels, .rows = rows, .count = graph->nodes, .classes = 2};
    CHECK_OK(sotto_matrix_new(&sums, 2 * buckets, cols, &err));
    CHECK_OK(sotto_i_class_sums(&sums, deep, SOTTO_I_COUNT_WEIGHT, buckets, &of, &err));
    for (size_t i = 0; i < sums.rows * cols; i++) out[i] = sums.data[i];
    sotto_matrix_free(&sums);
    return;
  }
  for (size_t v = 0; v < deep->rows; v++) { /* the rule of the mechanism: by own rows alone */
    size_t home = own->data[v * own->cols] > 0;
    for (size_t j = 0; j < deep->cols; j++) out[home * cols + j] += deep->data[v * deep->cols + j];
    out[home * cols + deep->cols] += SOTTO_I_COUNT_WEIGHT;
  }
}

/* The change of these numbers when one node is another one with another label and other edges. */
static double change_of(sotto_i_random *random, uint64_t layers, uint64_t degree, size_t buckets) {
  enum { nodes = 24, width = 2, most_groups = 6 };
  sotto_dataset data[2] = {{.name = "a"}, {.name = "b"}};
  sotto_options o;
  int32_t labels[2][nodes];
  double sums[2][most_groups * (width + 1)] = {{0}}, change = 0;
  sotto_matrix x[2], own[2], deep[2];
  sotto_graph cut;
  sotto_key key;
  sotto_options_default(&o);
  o.max_degree = degree;
  char text[24];
  (void)snprintf(text, sizeof text, "%u", (unsigned)layers);
  CHECK_OK(sotto_options_set(&o, "embed-layers", text, &err));
  sotto_key_public(&key, sotto_i_random_u64(random));
  sotto_graph whole = check_hub_graph(random, nodes, 60);
  uint32_t from[2][200], to[2][200];
  uint64_t count[2] = {0, 0};
  CHECK_OK(sotto_graph_cut_degrees(&cut, &whole, degree, &key, &err));
  for (uint32_t v = 0; v < nodes; v++)
    for (uint64_t e = cut.offsets[v]; e < cut.offsets[v + 1]; e++)
      for (int g = 0; g < 2; g++)
        if (cut.targets[e] > v && (g == 0 || v != 0)) {
          from[g][count[g]] = v;
          to[g][count[g]++] = cut.targets[e];
        }
  x[0] = check_random_matrix(random, nodes, 3);
  CHECK_OK(sotto_matrix_new(&x[1], nodes, 3, &err));
  memcpy(x[1].data, x[0].data, nodes * 3 * sizeof(float));
  for (int j = 0; j < 3; j++) x[1].data[j] = -x[0].data[j];
  for (int v = 0; v < nodes; v++) labels[0][v] = labels[1][v] = (int32_t)sotto_i_random_below(random, 2);
  labels[1][0] = 1 - labels[0][0];
  for (int g = 0; g < 2; g++) {
    const sotto_i_federation f = {.options = &o, .settings = sotto_i_client_settings_of(&o), .seed = 5};
    CHECK_OK(sotto_graph_from_pairs(&data[g].graph, nodes, from[g], to[g], count[g], &err));
    const sotto_i_fed_client c = {.federation = &f, .data = data[g], .features = x[g]};
    CHECK_OK(sotto_i_public_embed(&own[g], &deep[g], &c, width, &err));
    add_up_groups(sums[g], &own[g], &deep[g], &data[g].graph, labels[g], buckets);
    sotto_graph_free(&data[g].graph);
    sotto_matrix_free(&x[g]);
    sotto_matrix_free(&own[g]);
    sotto_matrix_free(&deep[g]);
  }
  for (int i = 0; i < most_groups * (width + 1); i++) change += pow(sums[0][i] - sums[1][i], 2);
  sotto_graph_free(&cut);
  sotto_graph_free(&whole);
  return sqrt(change);
}

/* Embeddings on the scale of the prototypes do not depend on the units and the origin of any column. */
static void the_common_scale_takes_units_and_origin_away(void **state) {
  (void)state;
  enum { rows = 40, cols = 5 };
  sotto_i_random random = check_random();
  sotto_matrix seen = check_random_matrix(&random, 12, cols), x = check_random_matrix(&random, rows, cols);
  sotto_matrix seen_too = check_random_matrix(&random, 12, cols),
               y = check_random_matrix(&random, rows, cols);
  sotto_i_scale one, two;
  for (size_t i = 0; i < 12; i++) seen.data[i * cols + 4] = 0.5F; /* a column in which all are alike */
  for (size_t i = 0; i < 12 * cols; i++) seen_too.data[i] = 3 * seen.data[i] + (float)(i % cols);
  for (size_t i = 0; i < rows * cols; i++) y.data[i] = 3 * x.data[i] + (float)(i % cols);
  CHECK_OK(sotto_i_scale_new(&one, &seen, &err));
  CHECK_OK(sotto_i_scale_new(&two, &seen_too, &err));
  sotto_i_scale_rows(&x, &one);
  sotto_i_scale_rows(&y, &two);
  for (size_t v = 0; v < rows; v++) {
    double square = 0;
    for (size_t j = 0; j < cols; j++) {
      CHECK_NEAR(y.data[v * cols + j], x.data[v * cols + j], 1e-5);
      square += (double)x.data[v * cols + j] * x.data[v * cols + j];
    }
    CHECK_NEAR(square, 1, 1e-6);
    assert_true(x.data[v * cols + 4] == 0);
  }
  sotto_i_scale_free(&one);
  sotto_i_scale_free(&two);
  for (size_t i = 0; i < 4; i++) sotto_matrix_free((sotto_matrix *[]){&seen, &x, &seen_too, &y}[i]);
}

static void one_node_moves_noisy_sums_by_no_more_than_is_charged(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (size_t buckets = 0; buckets < 2; buckets++) {
    double most = 0, share = 0;
    for (int i = 0; i < 300; i++) {
      uint64_t layers = 1 + sotto_i_random_below(&random, 3), degree = 1 + sotto_i_random_below(&random, 8);
      double change = change_of(&random, layers, degree, buckets);
      assert_true(change <= sotto_i_deep_sensitivity(layers, degree));
      share = fmax(share, change / sotto_i_deep_sensitivity(layers, degree));
      most = fmax(most, change);
    }
    /* The bound adds up the changes of all rows, as if all lay in one direction, and the one of the groups.
     */
    print_message("  sums of embeddings by %s: found %.3f of the bound\n",
                  buckets == 0 ? "clusters" : "classes", share);
    assert_true(most > 1.4); /* a bound of sqrt 2, of the node's own row alone, would be too small */
  }
}

/* A hub whose label is another one moves all its leaves to another bucket, so that with structure counts
 * alone move by more than is charged: such tables are shown without noise or not at all. */
static void one_node_moves_tables_with_structure_by_more_than_is_charged(void **state) {
  (void)state;
  enum { leaves = 40 };
  uint32_t from[leaves], to[leaves], rows[leaves + 1] = {0};
  int32_t labels[leaves + 1] = {0};
  sotto_graph star;
  sotto_matrix x, sums[2];
  double change = 0;
  for (uint32_t i = 0; i < leaves; i++) {
    from[i] = 0;
    to[i] = rows[i + 1] = i + 1;
  }
  CHECK_OK(sotto_graph_from_pairs(&star, leaves + 1, from, to, leaves, &err));
  CHECK_OK(sotto_matrix_new(&x, leaves + 1, 1, &err));
  for (int g = 0; g < 2; g++) {
    const sotto_i_labelled of = {
        .graph = &star, .labels = labels, .rows = rows, .count = leaves + 1, .classes = 2};
    labels[0] = g;
    CHECK_OK(sotto_matrix_new(&sums[g], 6, 2, &err));
    CHECK_OK(sotto_i_class_sums(&sums[g], &x, SOTTO_I_COUNT_WEIGHT, 3, &of, &err));
  }
  for (int i = 0; i < 12; i++) change += pow(sums[0].data[i] - sums[1].data[i], 2);
  double with_structure = sotto_i_deep_sensitivity(2, leaves) + (2 * leaves + 1) * sqrt(2);
  print_message("  with structure counts move by %.1f; charged for classes alone: %.1f\n", sqrt(change),
                sotto_i_deep_sensitivity(2, leaves));
  assert_true(sqrt(change) > sotto_i_deep_sensitivity(2, leaves) && sqrt(change) <= with_structure);
  for (int g = 0; g < 2; g++) sotto_matrix_free(&sums[g]);
  sotto_matrix_free(&x);
  sotto_graph_free(&star);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_common_scale_takes_units_and_origin_away),
      cmocka_unit_test(centres_are_those_of_groups_apart),
      cmocka_unit_test(one_node_moves_noisy_sums_by_no_more_than_is_charged),
      cmocka_unit_test(one_node_moves_tables_with_structure_by_more_than_is_charged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
