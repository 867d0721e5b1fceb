/* Cells in which clients count neighbours at edge level: what an edge moves, how pilots of all clients
 * choose, and what is released for it. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "federation.h"
#include "inside/graph.h"
#include "ledgers.h"
#include "protocols/counts.h"
#include "protocols/unsure.h"
#include "sotto/generate.h"
#include "spending.h"

/* Four nodes at one client, by three clusters of class and eight of features. */
enum {
  small = 4,
  pairs = small * (small - 1) / 2,
  by_class = 3,
  by_features = 8,
  most_values = small * 8 * 2
};

static void graph_of(sotto_graph *out, uint32_t mask) {
  uint32_t from[pairs], to[pairs];
  uint64_t count = 0;
  for (uint32_t u = 0, bit = 0; u < small; u++)
    for (uint32_t v = u + 1; v < small; v++, bit++)
      if (mask >> bit & 1) from[count] = u, to[count++] = v;
  CHECK_OK(sotto_graph_from_pairs(out, small, from, to, count, &err));
}

/* One release before its noise, by the code of a run; its values are added to `out`. */
static void add_release(float *out, const sotto_graph *g, const uint8_t *group, uint32_t stage,
                        const uint32_t *cluster, size_t cells) {
  const sotto_i_federation federation = {.seed = 1};
  const sotto_i_fed_client client = {.federation = &federation, .data = {.graph = *g}};
  uint8_t levels[small], groups[small];
  const sotto_i_pilots pilots = {.group = groups};
  sotto_i_clusters known;
  sotto_matrix table;
  sotto_key key;
  memcpy(groups, group, small);
  memset(levels, SOTTO_I_DEAF + 1, small);
  if (stage > 0)
    sotto_i_pilots_levels(levels, small, &pilots, (sotto_i_pilot_stage)stage);
  else
    sotto_i_pilots_spent(levels, small, &pilots);
  CHECK_OK(sotto_i_clusters_new(&known, small, cells, &err));
  for (size_t v = 0; v < small; v++) known.of[v] = (uint16_t)cluster[v];
  sotto_i_fed_counting counting = {.client = &client, .known = &known, .levels = levels, .stage = stage};
  sotto_key_public(&key, 1);
  CHECK_OK(sotto_i_fed_counts_make(&counting, NULL, &table, &key, &err));
  for (size_t i = 0; i < table.rows * table.cols; i++) out[i] += table.data[i];
  sotto_i_clusters_free(&known);
  sotto_matrix_free(&table);
}

/* Every graph of four nodes, an edge more or less, and all groups of its ends: the three releases together
 * move by 2. */
static void no_edge_moves_all_releases_together_by_more_than_two(void **state) {
  static const uint8_t groups[] = {0, SOTTO_I_STAGE_CLASS, SOTTO_I_STAGE_FEATURES};
  static const uint32_t class_of[small] = {0, 1, 2, 0}, cluster_of[small] = {5, 1, 7, 5};
  double most = 0;
  (void)state;
  for (uint32_t mask = 0; mask < 1U << pairs; mask += 2)
    for (int kinds = 0; kinds < 9; kinds++) {
      const uint8_t group[small] = {groups[kinds % 3], groups[kinds / 3], groups[(kinds + 1) % 3], 0};
      float tables[2][3][most_values] = {{{0}}};
      double moved = 0;
      for (uint32_t with = 0; with < 2; with++) {
        sotto_graph g;
        graph_of(&g, mask | with);
        add_release(tables[with][0], &g, group, SOTTO_I_STAGE_CLASS, class_of, by_class);
        add_release(tables[with][1], &g, group, SOTTO_I_STAGE_FEATURES, cluster_of, by_features);
        add_release(tables[with][2], &g, group, 0, cluster_of, by_features);
        sotto_graph_free(&g);
      }
      for (size_t i = 0; i < sizeof tables[0] / sizeof(float); i++)
        moved += fabs((double)(&tables[1][0][0])[i] - (double)(&tables[0][0][0])[i]);
      most = fmax(most, moved);
    }
  CHECK_NEAR(most, 2, 0);
}

enum { rows = 3000, classes = 3, cells = 4 };

/* Rows whose class is that of their largest cell, or of none, and logits that know nothing. */
static double gain_of(double *error, bool telling) {
  static float block[20000];
  static double sums[20000];
  static uint32_t nodes[rows];
  static int32_t labels[rows];
  sotto_i_random random = check_random();
  sotto_matrix logits, read;
  double mean;
  CHECK_OK(sotto_matrix_new(&logits, rows, classes, &err));
  CHECK_OK(sotto_matrix_new(&read, rows, 2 * cells, &err)); /* columns after the cells are not used */
  memset(block, 0, sizeof block);
  for (uint32_t i = 0; i < rows; i++) {
    nodes[i] = i;
    labels[i] = (int32_t)sotto_i_random_below(&random, classes);
    const size_t cell = telling ? (size_t)labels[i] : sotto_i_random_below(&random, cells);
    read.data[i * read.cols + cell] = 1;
    read.data[i * read.cols + cells] = (float)labels[i];
  }
  const size_t size = sotto_i_fed_moments_size(classes, cells);
  assert_in_range(size, 1, 20000);
  sotto_i_fed_moments_add(block, &logits, &read, cells, labels, nodes, rows);
  for (size_t j = 0; j < size; j++) sums[j] = (double)block[j];
  CHECK_OK(sotto_i_fed_moments_gain(&mean, error, sums, classes, cells, &err));
  sotto_matrix_free(&logits);
  sotto_matrix_free(&read);
  return mean;
}

/* Without what tells the class the squared error is 2/3. A ridge of a fifth of the rows leaves some of it. */
static void gains_are_of_what_tells_the_class(void **state) {
  double error, none = gain_of(&error, false);
  (void)state;
  assert_true(none < 2 * error);
  assert_true(none > -0.01);
  assert_in_range((int)(1000 * gain_of(&error, true)), 300, 667);
  assert_true(error < 0.02);
}

static check_federation mines_new(const char *folder, uint64_t nodes, const char *epsilon) {
  const sotto_mines_options mines = {.nodes = nodes};
  char ledger[60];
  sotto_key key;
  check_federation f = check_federation_new(folder);
  sotto_dataset_free(&f.data);
  sotto_key_public(&key, 5);
  CHECK_OK(sotto_generate_mines(&f.data, &mines, &key, &err));
  (void)snprintf(ledger, sizeof ledger, "%.40s.db", folder);
  check_set(&f.options, "adjacency", "edge");
  check_set(&f.options, "epsilon", epsilon);
  check_set(&f.options, "partition", "communities");
  check_set(&f.options, "clients", "3");
  check_set(&f.options, "encoder-epochs", "4");
  check_set(&f.options, "rounds", "5");
  check_set(&f.options, "insecure-seed", "3");
  check_set(&f.options, "train-share", "0.7");
  check_set(&f.options, "validation-share", "0.1");
  check_set(&f.options, "ledger", check_new_ledger(check_path(ledger)));
  return f;
}

static void open_table(sotto_dataset *out, const sotto_options *o, const char *file) {
  char path[1200];
  (void)snprintf(path, sizeof path, "%.1000s/seed-1/%s", o->out, file);
  CHECK_OK(sotto_dataset_open(out, path, NULL, &err));
}

/* In a field of mines features win. With next to no noise nodes have their neighbours at the client, and
 * pilots none in the release after theirs. All is one charge of each client, and one of the whole. */
static void pilots_of_all_clients_choose_features(void **state) {
  check_federation f = mines_new("mines", 2500, "30");
  sotto_dataset table;
  size_t pilots[2], empty = 0;
  (void)state;
  sotto_result result = check_run(&f.options, &f.data);
  open_table(&table, &f.options, "pilots-1-2.sotto");
  pilots[0] = table.features.rows;
  assert_int_equal(table.features.cols, 2);
  sotto_dataset_free(&table);
  open_table(&table, &f.options, "pilots-2-2.sotto");
  pilots[1] = table.features.rows;
  assert_int_equal(table.features.cols, by_features);
  sotto_dataset_free(&table);
  open_table(&table, &f.options, "counts-2.sotto");
  assert_int_equal(table.features.cols, by_features);
  for (size_t v = 0; v < table.features.rows; v++) {
    double sum = 0;
    for (size_t j = 0; j < by_features; j++) sum += (double)table.features.data[v * by_features + j];
    assert_true(sum <= 8);
    empty += sum == 0;
  }
  assert_int_equal(empty, pilots[0] + pilots[1]);
  sotto_dataset_free(&table);
  assert_int_equal(check_charges_in(&f.options), 4);
  CHECK_NEAR(result.epsilon, 30, 1e-6);
  sotto_result_free(&result);
  sotto_dataset_free(&f.data);
}

/* Fewer than 1,000 training nodes: nobody is a pilot, and classes are counted. */
static void few_training_nodes_choose_nothing(void **state) {
  check_federation f = mines_new("few", 900, "1000");
  sotto_dataset table;
  (void)state;
  sotto_result result = check_run(&f.options, &f.data);
  open_table(&table, &f.options, "counts-2.sotto");
  assert_int_equal(table.features.cols, 2);
  sotto_dataset_free(&table);
  sotto_result_free(&result);
  sotto_dataset_free(&f.data);
}

/* Centres follow from features alone. */
static void centres_depend_on_no_edge(void **state) {
  sotto_matrix centres[2];
  (void)state;
  for (int i = 0; i < 2; i++) {
    check_federation f = mines_new(i == 0 ? "edges" : "no-edges", 2500, "4");
    check_set(&f.options, "partition", "alike");
    const sotto_graph whole = f.data.graph;
    char path[1200];
    sotto_params *set = NULL, *kind = NULL;
    size_t number;
    if (i == 1) CHECK_OK(sotto_graph_from_pairs(&f.data.graph, whole.nodes, NULL, NULL, 0, &err));
    sotto_result result = check_run(&f.options, &f.data);
    (void)snprintf(path, sizeof path, "%.1000s/seed-1/cells.safetensors", f.options.out);
    CHECK_OK(sotto_params_new(&set, &err));
    CHECK_OK(sotto_params_new(&kind, &err));
    CHECK_OK(sotto_params_add(set, &number, "clusters", by_features, f.data.features.cols, SOTTO_INIT_ZERO,
                              false, NULL, &err));
    CHECK_OK(sotto_params_add(kind, &number, "kind", 1, 1, SOTTO_INIT_ZERO, false, NULL, &err));
    sotto_params *const sets[] = {set, kind};
    CHECK_OK(sotto_params_load(sets, 2, path, &err));
    const sotto_matrix *found = sotto_params_value(set, 0);
    CHECK_OK(sotto_matrix_new(&centres[i], found->rows, found->cols, &err));
    memcpy(centres[i].data, found->data, found->rows * found->cols * sizeof(float));
    sotto_params_free(set);
    sotto_params_free(kind);
    if (i == 1) {
      sotto_graph_free(&f.data.graph);
      f.data.graph = whole;
    }
    sotto_result_free(&result);
    sotto_dataset_free(&f.data);
  }
  assert_memory_equal(centres[0].data, centres[1].data, centres[0].rows * centres[0].cols * sizeof(float));
  for (size_t a = 0, b = 1; b < 7; b++) /* a centre for each of the seven rows that there are */
    assert_true(memcmp(centres[0].data + a * centres[0].cols, centres[0].data + b * centres[0].cols,
                       centres[0].cols * sizeof(float)) != 0);
  for (int i = 0; i < 2; i++) sotto_matrix_free(&centres[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_edge_moves_all_releases_together_by_more_than_two),
      cmocka_unit_test(gains_are_of_what_tells_the_class),
      cmocka_unit_test(pilots_of_all_clients_choose_features),
      cmocka_unit_test(few_training_nodes_choose_nothing),
      cmocka_unit_test(centres_depend_on_no_edge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
