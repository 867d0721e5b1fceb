/* The published datasets come out with their published counts. */
#include "sotto/graph.h"

#include "check.h"

typedef struct published {
  const char *folder, *rest; /* of the shared data; what follows the path that must be there */
  uint64_t nodes, edges;
  size_t width;
  uint32_t classes;
  uint64_t graphs;
  uint64_t parts[4]; /* nodes in each part of the split; train 0 means there is no split */
} published;

static const published table[] = {
    {"data/planetoid", ":cora", 2708, 5278, 1433, 7, 0, {0, 140, 500, 1000}},
    {"data/planetoid", ":citeseer", 3327, 4552, 3703, 6, 0, {0, 120, 500, 1000}},
    {"data/npz/amazon_electronics_photo.npz", "", 7650, 119081, 745, 8, 0, {0}},
    {"data/npz/amazon_electronics_computers.npz", "", 13752, 245861, 767, 10, 0, {0}},
    {"data/tu/MUTAG", "", 3371, 3721, 7, 0, 188, {0}},
    {"data/tu/PROTEINS", "", 43471, 81044, 3, 0, 1113, {0}},
    {"data/tu/IMDB-BINARY", "", 19773, 96531, 0, 0, 1000, {0}},
};

static void check_published(const published *p) {
  const char *shared = check_shared(p->folder);
  char path[1200];
  sotto_dataset data;
  uint64_t parts[4] = {0};
  if (shared == NULL) skip();
  (void)snprintf(path, sizeof path, "%s%s", shared, p->rest);
  CHECK_OK(sotto_dataset_open(&data, path, NULL, &err));
  assert_int_equal(data.graph.nodes, p->nodes);
  assert_int_equal(data.graph.entries, 2 * p->edges);
  assert_int_equal(data.features.cols, p->width);
  assert_int_equal(data.classes, p->classes);
  assert_int_equal(data.graph_count, p->graphs);
  if (p->graphs > 0) assert_int_equal(data.graph_classes, 2);
  assert_int_equal(data.split != NULL, p->parts[SOTTO_PART_TRAIN] > 0);
  for (uint64_t v = 0; data.split != NULL && v < p->nodes; v++) parts[data.split[v]]++;
  for (int part = 1; part < 4; part++) assert_int_equal(parts[part], p->parts[part]);
  sotto_dataset_free(&data);
}

#define PUBLISHED(test, place)                                                                               \
  static void test(void **state) {                                                                           \
    (void)state;                                                                                             \
    check_published(&table[place]);                                                                          \
  }
PUBLISHED(cora_has_its_published_counts, 0)
PUBLISHED(citeseer_has_its_published_counts, 1)
PUBLISHED(photo_has_its_published_counts, 2)
PUBLISHED(computers_has_its_published_counts, 3)
PUBLISHED(mutag_has_its_published_counts, 4)
PUBLISHED(proteins_has_its_published_counts, 5)
PUBLISHED(imdb_has_its_published_counts, 6)

static void citeseer_has_fifteen_test_nodes_without_label_features_or_part(void **state) {
  (void)state;
  const char *shared = check_shared("data/planetoid");
  char path[1200];
  sotto_dataset data;
  sotto_matrix row;
  uint64_t unknown = 0;
  if (shared == NULL) skip();
  (void)snprintf(path, sizeof path, "%s:citeseer", shared);
  CHECK_OK(sotto_dataset_open(&data, path, NULL, &err));
  CHECK_OK(sotto_matrix_new(&row, 1, data.features.cols, &err));
  for (uint64_t v = 0; v < data.graph.nodes; v++) {
    if (data.labels[v] >= 0) continue;
    unknown++;
    assert_int_equal(data.split[v], SOTTO_PART_NONE);
    sotto_dataset_rows(row.data, &data, v, 1);
    for (size_t j = 0; j < data.features.cols; j++) assert_true(row.data[j] == 0);
  }
  assert_int_equal(unknown, 15);
  sotto_matrix_free(&row);
  sotto_dataset_free(&data);
}

/* Counted from the file: 769 people, 114 without a year, 66 without a gender. */
static void caltech_keeps_the_people_with_a_year(void **state) {
  (void)state;
  const char *path = check_shared("data/facebook100/Caltech36.mat");
  sotto_dataset data;
  if (path == NULL) skip();
  CHECK_OK(sotto_dataset_open(&data, path, NULL, &err));
  assert_int_equal(data.graph.nodes, 769 - 114);
  assert_int_equal(data.classes, 17);
  assert_int_equal(data.features.cols, 4 + 2 + 30 + 35 + 8 + 500);
  sotto_dataset_free(&data);
  const sotto_import_options options = {.target = "gender"};
  CHECK_OK(sotto_dataset_open(&data, path, &options, &err));
  assert_int_equal(data.graph.nodes, 769 - 66);
  assert_int_equal(data.classes, 2);
  assert_int_equal(data.features.cols, 4 + 30 + 35 + 8 + 17 + 500);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cora_has_its_published_counts),
      cmocka_unit_test(citeseer_has_its_published_counts),
      cmocka_unit_test(photo_has_its_published_counts),
      cmocka_unit_test(computers_has_its_published_counts),
      cmocka_unit_test(mutag_has_its_published_counts),
      cmocka_unit_test(proteins_has_its_published_counts),
      cmocka_unit_test(imdb_has_its_published_counts),
      cmocka_unit_test(citeseer_has_fifteen_test_nodes_without_label_features_or_part),
      cmocka_unit_test(caltech_keeps_the_people_with_a_year),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
