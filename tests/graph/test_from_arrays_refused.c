/* Arrays of the caller that make no dataset: each error names the array, the element and what is wrong. */
#include <math.h>

#include "check.h"
#include "index_arrays.h"
#include "sotto/schema.h"

/* Four nodes in a ring with two features: good arrays that each case below spoils. */
static const uint64_t ring_offsets[] = {0, 2, 4, 6, 8};
static const uint32_t ring_neighbours[] = {1, 3, 0, 2, 1, 3, 0, 2};
static const float ring_features[] = {1, 2, 3, 4, 5, 6, 7, 8};
static const int32_t ring_labels[] = {0, 1, -1, 1};

static sotto_arrays ring(void) {
  return (sotto_arrays){.nodes = 4,
                        .offsets = check_u64(ring_offsets, 5),
                        .neighbours = check_u32(ring_neighbours, 8),
                        .features = ring_features,
                        .feature_columns = 2,
                        .labels = ring_labels};
}

static void refuse(const sotto_arrays *a, sotto_status wanted, const char *words) {
  sotto_dataset data;
  CHECK_FAILS(wanted, words, sotto_dataset_from_arrays(&data, a, &err));
  assert_null(data.storage);
  sotto_dataset_free(&data);
}

#define REFUSE(wanted, words, ...)                                                                           \
  do {                                                                                                       \
    sotto_arrays a = ring();                                                                                 \
    __VA_ARGS__;                                                                                             \
    refuse(&a, wanted, words);                                                                               \
  } while (0)

static void edges_that_do_not_fit_are_named(void **state) {
  (void)state;
  static const int64_t ids[] = {0, 1, -1}, high[] = {0, 4, 1};
  static const uint64_t back[] = {0, 2, 1, 6, 8}, late[] = {1, 2, 4, 6, 8}, huge[] = {UINT64_MAX, 1, 2};
  static const int32_t far[] = {1, 3, 0, 2, 1, 3, 0, 9}, minus[] = {1, 3, -7, 2, 1, 3, 0, 2};
  REFUSE(SOTTO_RANGE, "nodes: 0", a.nodes = 0);
  REFUSE(SOTTO_RANGE, "nodes: 4294967295", a.nodes = UINT32_MAX);
  REFUSE(SOTTO_INVALID, "offsets: has 4 elements, but 4 nodes need 5", a.offsets.count = 4);
  REFUSE(SOTTO_RANGE, "offsets: element 2 is 1", a.offsets.data = back);
  REFUSE(SOTTO_RANGE, "offsets: element 0 is 1", a.offsets.data = late);
  REFUSE(SOTTO_INVALID, "offsets: end at 8, but neighbours has 7", a.neighbours.count = 7);
  REFUSE(SOTTO_INVALID, "offsets: is NULL", a.offsets = check_u64(NULL, 0));
  REFUSE(SOTTO_INVALID, "neighbours: is NULL, but has 8", a.neighbours.data = NULL);
  REFUSE(SOTTO_RANGE, "neighbours: element 7, of node 3, is 9", a.neighbours = check_i32(far, 8));
  REFUSE(SOTTO_RANGE, "neighbours: element 2, of node 1, is -7", a.neighbours = check_i32(minus, 8));
  REFUSE(SOTTO_INVALID, "neighbours: type 9", a.neighbours.type = (sotto_index_type)9);
  REFUSE(SOTTO_INVALID, "not as both", a.sources = check_i64(ids, 3));
  REFUSE(SOTTO_INVALID, "sources, targets: 3 and 2", a.offsets = a.neighbours = check_u64(NULL, 0);
         a.sources = check_i64(high, 3), a.targets = check_i64(high, 2));
  REFUSE(SOTTO_INVALID, "targets: is NULL", a.offsets = a.neighbours = check_u64(NULL, 0);
         a.sources = check_i64(high, 3), a.targets = check_i64(NULL, 3));
  REFUSE(SOTTO_RANGE, "sources: edge 2 has node -1", a.offsets = a.neighbours = check_u64(NULL, 0);
         a.sources = check_i64(ids, 3), a.targets = check_i64(high, 3));
  REFUSE(SOTTO_RANGE, "targets: edge 1 has node 4", a.offsets = a.neighbours = check_u64(NULL, 0);
         a.sources = check_i64(ids, 2), a.targets = check_i64(high, 2));
  REFUSE(SOTTO_RANGE, "sources: edge 0 has node 9223372036854775807",
         a.offsets = a.neighbours = check_u64(NULL, 0);
         a.sources = check_u64(huge, 3), a.targets = check_i64(ids, 3));
}

static void features_that_do_not_fit_are_named(void **state) {
  (void)state;
  static const float holes[] = {1, 2, 3, 4, 5, INFINITY, 7, 8}, values[] = {1, NAN, 3};
  static const int32_t indptr[] = {0, 1, 2, 3, 3}, indices[] = {0, 1, 1}, wide[] = {0, 1, 2};
  REFUSE(SOTTO_NUMERIC, "feature 1 of node 2 is not finite", a.features = holes);
  REFUSE(SOTTO_INVALID, "features: are given, and feature_columns is 0", a.feature_columns = 0);
  REFUSE(SOTTO_INVALID, "features: are NULL, and feature_columns is 2", a.features = NULL);
  REFUSE(SOTTO_INVALID, "not as both", a.feature_indptr = check_i32(indptr, 5));
  REFUSE(SOTTO_NOMEM, "are more than memory can hold", a.feature_columns = SIZE_MAX / 2);
  REFUSE(SOTTO_INVALID, "feature_values: is NULL", a.features = NULL;
         a.feature_indptr = check_i32(indptr, 5), a.feature_indices = check_i32(indices, 3));
  REFUSE(SOTTO_INVALID, "feature_indices: is NULL", a.features = NULL;
         a.feature_indptr = check_i32(indptr, 5), a.feature_indices = check_i32(NULL, 3),
         a.feature_values = values);
  REFUSE(SOTTO_INVALID, "feature_indptr: has 4 elements", a.features = NULL;
         a.feature_indptr = check_i32(indptr, 4), a.feature_indices = check_i32(indices, 3),
         a.feature_values = values);
  REFUSE(SOTTO_RANGE, "feature_indices: element 2, of node 2, is 2, not 0 to 1", a.features = NULL;
         a.feature_indptr = check_i32(indptr, 5), a.feature_indices = check_i32(wide, 3),
         a.feature_values = values);
  REFUSE(SOTTO_NUMERIC, "feature 1 of node 1 is not finite", a.features = NULL;
         a.feature_indptr = check_i32(indptr, 5), a.feature_indices = check_i32(indices, 3),
         a.feature_values = values);
  REFUSE(SOTTO_INVALID, "not a sotto_index_type", a.features = NULL;
         a.feature_indptr = check_i32(indptr, 5), a.feature_indices = check_i32(indices, 3),
         a.feature_indices.type = (sotto_index_type)4);
}

static void labels_and_parts_that_do_not_fit_are_named(void **state) {
  (void)state;
  static const int32_t low[] = {0, -2, 0, 0}, high[] = {0, 0, 0, 4};
  static const uint8_t some[] = {1, 0, 1, 0}, others[] = {0, 1, 1, 0};
  static const uint64_t first[] = {0, 2, 3}, down[] = {0, 4, 2, 4};
  REFUSE(SOTTO_RANGE, "labels: element 1 is -2", a.labels = low);
  REFUSE(SOTTO_RANGE, "labels: element 3 is 4", a.labels = high);
  REFUSE(SOTTO_RANGE, "label 4 of node 3 is not below the 2 classes", a.labels = high; a.classes = 2);
  REFUSE(SOTTO_RANGE, "label -2 of node 1", a.labels = low; a.classes = 2);
  REFUSE(SOTTO_RANGE, "train, test: node 2 is in both", a.train = some, a.test = others);
  REFUSE(SOTTO_INVALID, "graph_first", a.graph_count = 2);
  REFUSE(SOTTO_INVALID, "graph_first", a.graph_first = first);
  REFUSE(SOTTO_CORRUPT, "do not cover", a.graph_first = first; a.graph_count = 2);
  REFUSE(SOTTO_CORRUPT, "ends before it begins", a.graph_first = down; a.graph_count = 3);
  REFUSE(SOTTO_RANGE, "graph_labels: element 0 is 3", a.graph_first = (const uint64_t[]){0, 4};
         a.graph_count = 1; a.graph_labels = (const int32_t[]){3});
}

static void what_cannot_be_borrowed_is_named(void **state) {
  (void)state;
  static const uint32_t one_way[] = {1, 3, 0, 2, 1, 3, 0, 1}, order[] = {3, 1, 0, 2, 1, 3, 0, 2};
  static const int64_t ids[] = {0, 1}, offsets[] = {0, 2, 4, 6, 8}, indptr[] = {0, 0, 0, 0, 0};
  const uint64_t down[] = {0, 9, 4, 6, 8};
  const float *skewed = (const float *)((uintptr_t)ring_features + 2);
  REFUSE(SOTTO_CORRUPT, "node 2, entry 5: neighbour 3 does not have", a.borrow = true;
         a.neighbours.data = one_way);
  REFUSE(SOTTO_CORRUPT, "node 0, entry 1: neighbour 1 is out of order", a.borrow = true;
         a.neighbours.data = order);
  REFUSE(SOTTO_CORRUPT, "the row of node 0", a.borrow = true; a.offsets.data = down);
  REFUSE(SOTTO_INVALID, "end at 8, but neighbours has 6", a.borrow = true; a.neighbours.count = 6);
  REFUSE(SOTTO_INVALID, "can be borrowed", a.borrow = true; a.offsets = check_i64(offsets, 5));
  REFUSE(SOTTO_INVALID, "pairs cannot be borrowed", a.borrow = true;
         a.offsets = a.neighbours = check_u64(NULL, 0); a.sources = a.targets = check_i64(ids, 2));
  REFUSE(SOTTO_INVALID, "CSR features cannot be borrowed", a.borrow = true; a.features = NULL;
         a.feature_indptr = check_i64(indptr, 5));
  REFUSE(SOTTO_INVALID, "CSR features cannot be borrowed", a.borrow_features = true; a.features = NULL;
         a.feature_indptr = check_i64(indptr, 5));
  REFUSE(SOTTO_INVALID, "features: is not aligned to 4", a.borrow_features = true; a.features = skewed);
  REFUSE(SOTTO_INVALID, "features: is not aligned to 4", a.borrow = true; a.features = skewed);
}

static void names_that_do_not_fit_are_counted(void **state) {
  (void)state;
  static const char text[] =
      "{\"sotto-schema\": 1, \"classes\": [\"a\", \"b\", \"c\"], \"columns\": [{\"name\": \"x\", "
      "\"type\": \"number\"}]}";
  static const int32_t high_labels[] = {0, 3, -1, 1};
  sotto_schema *schema;
  CHECK_OK(sotto_schema_parse(&schema, "schema", text, strlen(text), &err));
  REFUSE(SOTTO_INVALID, "schema: has 1 features, and feature_columns is 2", a.schema = schema);
  REFUSE(SOTTO_RANGE, "schema: names 3 classes, and classes is 2", a.schema = schema;
         a.feature_columns = 1, a.classes = 2);
  REFUSE(SOTTO_RANGE, "names 3 classes, and a label is 3", a.schema = schema;
         a.feature_columns = 1, a.labels = high_labels);
  sotto_schema_free(schema);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(edges_that_do_not_fit_are_named),
      cmocka_unit_test(features_that_do_not_fit_are_named),
      cmocka_unit_test(labels_and_parts_that_do_not_fit_are_named),
      cmocka_unit_test(names_that_do_not_fit_are_counted),
      cmocka_unit_test(what_cannot_be_borrowed_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
