/* At node level labels are private, and so is the number of classes: it is declared, never read off them. */
#include <stdlib.h>

#include "base/file.h"
#include "check.h"
#include "made_run.h"

enum { nodes = 60 };

/* Nodes on a ring with labels below `used`, the last of them at one node alone; `classes` as in sotto_arrays.
 */
static sotto_dataset ring(uint32_t used, uint32_t classes) {
  static uint32_t ends[2][nodes];
  static float features[nodes * 2];
  static int32_t labels[nodes];
  sotto_dataset out;
  for (uint32_t v = 0; v < nodes; v++) {
    ends[0][v] = v;
    ends[1][v] = (v + 1) % nodes;
    labels[v] = (int32_t)(v == 7 ? used - 1 : v % 2);
    features[2 * v] = (float)(v % 2);
    features[2 * v + 1] = (float)v / nodes;
  }
  const sotto_arrays arrays = {.name = "ring",
                               .nodes = nodes,
                               .sources = {ends[0], nodes, SOTTO_INDEX_U32},
                               .targets = {ends[1], nodes, SOTTO_INDEX_U32},
                               .features = features,
                               .feature_columns = 2,
                               .labels = labels,
                               .classes = classes};
  CHECK_OK(sotto_dataset_from_arrays(&out, &arrays, &err));
  return out;
}

static sotto_options options_of(const char *method, const char *folder, const char *classes) {
  static const char *const settings[] = {"adjacency", "node", "hidden",     "4", "steps", "3", "epsilon", "8",
                                         "delta",     "1e-3", "max-degree", "2", NULL};
  sotto_options options = check_options(method, folder);
  check_set(&options, "adjacency", "node");
  check_set_own(&options, settings);
  check_set(&options, "classes", classes);
  return options;
}

static void node_level_needs_a_declared_number_of_classes(void **state) {
  (void)state;
  sotto_dataset largest = ring(3, 0), declared = ring(3, 3);
  const sotto_options nodes_of = options_of("gap", "nodes", "0"); /* every method: conformance_refusals */
  sotto_result named = check_run(&nodes_of, &declared);
  sotto_result_free(&named);
  assert_int_equal(largest.classes_from, SOTTO_CLASSES_LARGEST);
  sotto_options client = check_options("fedavg", "client"); /* a client's labels are its own */
  sotto_result none;
  check_set(&client, "adjacency", "client");
  check_set(&client, "clients", "3");
  CHECK_FAILS(SOTTO_INVALID, "at client level it cannot be one more than its largest label",
              sotto_train(&none, &client, &largest, NULL, NULL, &err));
  const sotto_options options = check_options("gap", "edges"); /* labels are public */
  sotto_result r = check_run(&options, &largest);
  sotto_result_free(&r);
  sotto_dataset_free(&largest);
  sotto_dataset_free(&declared);
}

static size_t model_size(const sotto_result *r) {
  sotto_i_map map;
  CHECK_OK(sotto_i_map_open(&map, r->model, &err));
  const size_t size = map.size;
  sotto_i_map_close(&map);
  return size;
}

/* One node alone has the last class: with another label, the networks must not lose an output. */
static void a_model_has_the_same_shape_whatever_a_label_is(void **state) {
  (void)state;
  sotto_dataset with = ring(3, 0), without = ring(2, 0);
  const sotto_options a = options_of("gap", "with", "4"), b = options_of("gap", "without", "4");
  sotto_result one = check_run(&a, &with), two = check_run(&b, &without);
  assert_int_equal(with.classes, 3);
  assert_int_equal(without.classes, 2);
  assert_int_equal(model_size(&one), model_size(&two));
  assert_true(one.cost.items[0].mechanism.noise == two.cost.items[0].mechanism.noise);
  sotto_result_free(&one);
  sotto_result_free(&two);
  sotto_dataset_free(&with);
  sotto_dataset_free(&without);
}

static void a_label_outside_of_what_is_declared_is_refused(void **state) {
  (void)state;
  sotto_dataset data = ring(3, 0), declared = ring(3, 3);
  const sotto_options few = options_of("gap", "few", "2"), more = options_of("gap", "more", "4");
  sotto_result r;
  CHECK_FAILS(SOTTO_RANGE, "the label of node 7 is class 2, counted from 0: 2 are declared",
              sotto_train(&r, &few, &data, NULL, NULL, &err));
  CHECK_FAILS(SOTTO_RANGE, "4 are declared, and ring states 3",
              sotto_train(&r, &more, &declared, NULL, NULL, &err));
  sotto_dataset_free(&data);
  sotto_dataset_free(&declared);
}

/* Where a reader numbers the classes that occur, one more would shift the numbers of others; numbers that the
 * data give stay. */
static void more_classes_than_occur_are_accepted_where_the_data_number_them(void **state) {
  static const char *const numbers[] = {"2", "3", "5"};
  (void)state;
  for (size_t i = 0; i < 6; i++) {
    sotto_dataset data = ring(2, 0);
    sotto_result r;
    char folder[20];
    (void)snprintf(folder, sizeof folder, "given-%zu", i);
    data.classes_from = i < 3 ? SOTTO_CLASSES_LARGEST : SOTTO_CLASSES_FOUND;
    const sotto_options options = options_of("gap", folder, numbers[i % 3]);
    if (i > 3) {
      CHECK_FAILS(SOTTO_RANGE, "2 different labels occur",
                  sotto_train(&r, &options, &data, NULL, NULL, &err));
    } else {
      r = check_run(&options, &data);
      sotto_result_free(&r);
    }
    sotto_dataset_free(&data);
  }
}

/* Reported labels, and whole graphs: one label of a new class must not change the size of a model. */
static void reported_labels_need_a_declared_number_of_classes(void **state) {
  static const char *const settings[] = {"label-epsilon", "1", "hidden", "4", "encoder-epochs", "2", NULL};
  sotto_dataset with = ring(3, 0), without = ring(2, 0);
  sotto_result none;
  (void)state;
  sotto_options bare = check_options("mlp", "reported"), a = check_options("mlp", "reported-with"),
                b = check_options("mlp", "reported-without");
  check_set_own(&bare, settings);
  check_set_own(&a, settings);
  check_set_own(&b, settings);
  CHECK_FAILS(SOTTO_INVALID, "with label-epsilon it cannot be one more than its largest label",
              sotto_train(&none, &bare, &with, NULL, NULL, &err));
  check_set(&a, "classes", "4");
  check_set(&b, "classes", "4");
  sotto_result one = check_run(&a, &with), two = check_run(&b, &without);
  assert_int_equal(model_size(&one), model_size(&two));
  sotto_result_free(&one);
  sotto_result_free(&two);
  sotto_dataset_free(&with);
  sotto_dataset_free(&without);
}

/* Graphs of three nodes each; the labels below `used`, the last of them at one graph alone. */
static sotto_dataset rings(int32_t used) {
  enum { graphs = 20 };
  static uint32_t ends[2][graphs * 3];
  static uint64_t first[graphs + 1];
  static float features[graphs * 3];
  static int32_t labels[graphs];
  sotto_dataset out;
  for (uint32_t g = 0; g < graphs; g++) {
    first[g + 1] = 3 * (uint64_t)(g + 1);
    labels[g] = g == 7 ? used - 1 : (int32_t)(g % 2);
    for (uint32_t k = 0; k < 3; k++) {
      ends[0][3 * g + k] = 3 * g + k;
      ends[1][3 * g + k] = 3 * g + (k + 1) % 3;
      features[3 * g + k] = (float)(g % 2);
    }
  }
  const sotto_arrays arrays = {.name = "rings",
                               .nodes = graphs * 3,
                               .sources = {ends[0], graphs * 3, SOTTO_INDEX_U32},
                               .targets = {ends[1], graphs * 3, SOTTO_INDEX_U32},
                               .features = features,
                               .feature_columns = 1,
                               .graph_count = graphs,
                               .graph_first = first,
                               .graph_labels = labels};
  CHECK_OK(sotto_dataset_from_arrays(&out, &arrays, &err));
  return out;
}

static void graph_level_needs_a_declared_number_of_classes(void **state) {
  static const char *const settings[] = {"clients", "2",     "rounds", "2", "hidden",
                                         "4",       "noise", "local",  NULL};
  sotto_dataset with = rings(3), without = rings(2);
  sotto_result none;
  (void)state;
  sotto_options bare = check_options("fedavg", "graphs"), a = check_options("fedavg", "graphs-with"),
                b = check_options("fedavg", "graphs-without");
  sotto_options *all[] = {&bare, &a, &b};
  for (size_t i = 0; i < 3; i++) {
    check_set(all[i], "adjacency", "graph");
    check_set_own(all[i], settings);
  }
  CHECK_FAILS(SOTTO_INVALID, "at graph level it cannot be one more than its largest label",
              sotto_train(&none, &bare, &with, NULL, NULL, &err));
  check_set(&a, "classes", "4");
  check_set(&b, "classes", "4");
  sotto_result one = check_run(&a, &with), two = check_run(&b, &without);
  assert_int_equal(model_size(&one), model_size(&two));
  sotto_result_free(&one);
  sotto_result_free(&two);
  check_set(&bare, "classes", "2");
  CHECK_FAILS(SOTTO_RANGE, "the label of graph 7 is class 2",
              sotto_train(&none, &bare, &with, NULL, NULL, &err));
  sotto_dataset_free(&with);
  sotto_dataset_free(&without);
}

static void the_statement_names_what_was_declared(void **state) {
  (void)state;
  static const char *const words[] = {"there are 3 classes (declared in the data)",
                                      "there are 3 classes (declared by classes)",
                                      "which nodes have a label"};
  static const char *const folders[] = {"stated", "told"}, *const files[] = {"stated/statement.json",
                                                                             "told/statement.json"};
  for (int by_option = 0; by_option < 2; by_option++) {
    sotto_dataset data = ring(3, by_option ? 0 : 3);
    const sotto_options options = options_of("gap", folders[by_option], by_option ? "3" : "0");
    sotto_i_map map;
    sotto_result r = check_run(&options, &data);
    CHECK_OK(sotto_i_map_open(&map, check_path(files[by_option]), &err));
    assert_non_null(memmem(map.data, map.size, words[by_option], strlen(words[by_option])));
    assert_non_null(memmem(map.data, map.size, words[2], strlen(words[2])));
    sotto_i_map_close(&map);
    sotto_result_free(&r);
    sotto_dataset_free(&data);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(node_level_needs_a_declared_number_of_classes),
      cmocka_unit_test(a_model_has_the_same_shape_whatever_a_label_is),
      cmocka_unit_test(a_label_outside_of_what_is_declared_is_refused),
      cmocka_unit_test(more_classes_than_occur_are_accepted_where_the_data_number_them),
      cmocka_unit_test(reported_labels_need_a_declared_number_of_classes),
      cmocka_unit_test(graph_level_needs_a_declared_number_of_classes),
      cmocka_unit_test(the_statement_names_what_was_declared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
