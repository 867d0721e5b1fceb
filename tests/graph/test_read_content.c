/* What the small samples mean: each value at its place. */
#include "graph/tables/tables.h"
#include "samples.h"

#include "check.h"

static void expect_features(const sotto_i_parts *parts, const float *wanted, size_t count) {
  assert_int_equal(parts->nodes * parts->width, count);
  for (size_t i = 0; i < count; i++)
    if (parts->features[i] != wanted[i])
      fail_msg("feature %zu of node %zu is %g", i % parts->width, i / parts->width,
               (double)parts->features[i]);
}

static void expect_labels(const int32_t *labels, const int32_t *wanted, size_t count) {
  for (size_t i = 0; i < count; i++) assert_int_equal(labels[i], wanted[i]);
}

static void expect_row(const sotto_i_parts *parts, uint64_t node, size_t degree, const uint32_t *wanted) {
  assert_int_equal(parts->offsets[node + 1] - parts->offsets[node], degree);
  for (size_t i = 0; i < degree; i++) assert_int_equal(parts->targets[parts->offsets[node] + i], wanted[i]);
}

static void planetoid_rows_of_tx_go_where_test_index_says(void **state) {
  (void)state;
  /* tx has the columns and values 2: 5 and 1: 6; line 1 of test.index is node 6, line 2 node 4. */
  static const float features[21] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 4, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 5};
  static const int32_t labels[7] = {0, 1, 0, 1, 0, -1, 1};
  static const uint8_t split[7] = {1, 1, 2, 2, 3, 0, 3};
  sample files[SOTTO_I_PLANETOID_FILES];
  sotto_i_source sources[SOTTO_I_PLANETOID_FILES];
  sotto_i_parts parts = {0};
  sample_planetoid(files);
  for (size_t i = 0; i < SOTTO_I_PLANETOID_FILES; i++)
    sources[i] = (sotto_i_source){"tiny", files[i].data, files[i].size};
  CHECK_OK(sotto_i_read_planetoid(&parts, sources, &err));
  expect_features(&parts, features, 21);
  expect_labels(parts.labels, labels, 7);
  assert_memory_equal(parts.split, split, sizeof split);
  expect_row(&parts, 1, 2, (const uint32_t[]){0, 2});
  expect_row(&parts, 3, 0, NULL);
  expect_row(&parts, 5, 2, (const uint32_t[]){4, 6});
  sotto_i_parts_free(&parts);
  for (size_t i = 0; i < SOTTO_I_PLANETOID_FILES; i++) sample_free(&files[i]);
}

static void npz_attributes_and_labels_keep_their_values(void **state) {
  (void)state;
  static const float features[8] = {0.5F, 0, 0, -1, 0, 0, 0, 2};
  static const int32_t labels[4] = {0, 1, 1, 0};
  sample arrays[SAMPLE_ARRAYS], archive;
  sotto_i_parts parts = {0};
  sample_npz_arrays(arrays);
  sample_npz(&archive, arrays, true);
  const sotto_i_source source = {"tiny.npz", archive.data, archive.size};
  CHECK_OK(sotto_i_read_npz(&parts, &source, &err));
  expect_features(&parts, features, 8);
  expect_labels(parts.labels, labels, 4);
  expect_row(&parts, 0, 1, (const uint32_t[]){1}); /* the entry 0-2 is a stored zero */
  expect_row(&parts, 3, 0, NULL);                  /* a loop */
  sotto_i_parts_free(&parts);
  for (size_t i = 0; i < SAMPLE_ARRAYS; i++) sample_free(&arrays[i]);
  sample_free(&archive);
}

static void facebook_drops_people_without_a_year(void **state) {
  (void)state;
  /* Two genders, three schools; 0 is no category. */
  static const float features[20] = {1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0};
  static const int32_t labels[4] = {0, 1, 0, 2};
  for (int compressed = 0; compressed < 2; compressed++) {
    sample file;
    sotto_i_parts parts = {0};
    sample_mat(&file, compressed);
    const sotto_i_source source = {"tiny.mat", file.data, file.size};
    CHECK_OK(sotto_i_read_facebook(&parts, &source, NULL, &err));
    assert_int_equal(parts.nodes, 4);
    assert_int_equal(parts.width, 5);
    assert_int_equal(parts.classes, 3);
    assert_string_equal(sotto_name(&parts.names[SOTTO_I_NAMES_CLASSES], 2), "2006");
    expect_features(&parts, features, 20);
    expect_labels(parts.labels, labels, 4);
    expect_row(&parts, 0, 2, (const uint32_t[]){1, 2});
    expect_row(&parts, 3, 0, NULL); /* the friend had no year */
    sotto_i_parts_free(&parts);
    sample_free(&file);
  }
}

static void collections_have_one_hot_labels_before_attributes(void **state) {
  (void)state;
  static const float features[20] = {1, 0, 0, 0.5F, 0, 1, 0, 1, 1, 0, 0, -0.2F, 0, 0, 1, 0, 0, 1, 0, 1.5F};
  sample files[SOTTO_I_TU_FILES];
  sotto_i_source sources[SOTTO_I_TU_FILES];
  sotto_i_parts parts = {0};
  sample_tu(files);
  for (size_t i = 0; i < SOTTO_I_TU_FILES; i++)
    sources[i] = (sotto_i_source){"tiny", files[i].data, files[i].size};
  CHECK_OK(sotto_i_read_tu(&parts, sources, &err));
  expect_features(&parts, features, 20);
  expect_labels(parts.graph_labels, (const int32_t[]){1, 0}, 2); /* 1 and -1, ascending */
  assert_string_equal(sotto_name(&parts.names[SOTTO_I_NAMES_GRAPH_CLASSES], 0), "-1");
  assert_int_equal(parts.graph_first[1], 3);
  assert_int_equal(parts.graph_first[2], 5);
  assert_null(parts.labels);
  sotto_i_parts_free(&parts);
  sources[SOTTO_I_TU_NODE_LABELS].data = sources[SOTTO_I_TU_NODE_ATTRIBUTES].data = NULL;
  sources[SOTTO_I_TU_NODE_LABELS].size = sources[SOTTO_I_TU_NODE_ATTRIBUTES].size = 0;
  CHECK_OK(sotto_i_read_tu(&parts, sources, &err));
  assert_int_equal(parts.width, 0);
  sotto_i_parts_free(&parts);
  for (size_t i = 0; i < SOTTO_I_TU_FILES; i++) sample_free(&files[i]);
}

/* Reads texts; `nodes` may be NULL. */
static void read_tables(sotto_i_parts *parts, const char *edges, const char *nodes, char separator) {
  const sotto_i_source edge_file = {"edges", (const uint8_t *)edges, strlen(edges)};
  const sotto_i_source node_file = {separator == '\t' ? "nodes.tsv" : "nodes.csv", (const uint8_t *)nodes,
                                    nodes == NULL ? 0 : strlen(nodes)};
  *parts = (sotto_i_parts){0};
  CHECK_OK(sotto_i_read_edges(parts, &edge_file, &node_file, NULL, &err));
}

static void ids_follow_the_node_table_or_their_first_appearance(void **state) {
  (void)state;
  sotto_i_parts parts;
  read_tables(&parts, "c,a\nb,c\n", "id\na\nb\nc\n", ',');
  assert_int_equal(parts.nodes, 3);
  expect_row(&parts, 2, 2, (const uint32_t[]){0, 1});
  sotto_i_parts_free(&parts);
  read_tables(&parts, "c,a\nb,c\n", NULL, ',');
  assert_int_equal(parts.nodes, 3);
  expect_row(&parts, 0, 2, (const uint32_t[]){1, 2});
  assert_null(parts.labels);
  assert_int_equal(parts.width, 0);
  sotto_i_parts_free(&parts);
}

static void a_header_is_told_by_its_words_or_by_the_numbers_below_it(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint64_t nodes, entries;
  } table[] = {{"Source,Target\na,b\n", 2, 2},
               {"x,y\n1,2\n", 2, 2},
               {"1,2\n3,4\n", 4, 4},
               {"x,y\na,x\n", 3, 4},
               {"a,b", 2, 2},
               {"a b\n b  c \n", 3, 4},
               {"# who knows whom\n% twice\n\na;b\n#c;d\nb;c\n", 3, 4},
               {"weight,target,source\n0.5,a,b\n", 2, 2},
               {"1 2 0.5\n2 3 0.25\n", 3, 4},
               {"a, b\nb , c\n", 3, 4},
               {"\"a\",\"b \"\"x\"\", c\"\n", 2, 2},
               {"a,b\n\n\nb,c\n", 3, 4},
               {"\xEF\xBB\xBFsrc,dst\r\na,b\r\n", 2, 2}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    sotto_i_parts parts;
    read_tables(&parts, table[i].text, NULL, ',');
    if (parts.nodes != table[i].nodes || parts.offsets[parts.nodes] != table[i].entries)
      fail_msg("'%s': %d nodes, %d entries", table[i].text, (int)parts.nodes,
               (int)parts.offsets[parts.nodes]);
    sotto_i_parts_free(&parts);
  }
}

static void labels_are_numbered_by_value_or_by_their_bytes(void **state) {
  (void)state;
  sotto_i_parts parts;
  read_tables(&parts, "a\tb\n", "name\tlabel\tx\na\t10\t1\nb\t9\t2\nc\t\t3\n", '\t');
  expect_labels(parts.labels, (const int32_t[]){1, 0, -1}, 3);
  assert_int_equal(parts.classes, 2);
  expect_features(&parts, (const float[]){1, 2, 3}, 3);
  sotto_i_parts_free(&parts);
  read_tables(&parts, "a\tb\n", "name\tlabel\na\t10\nb\t9\nc\tz\n", '\t');
  expect_labels(parts.labels, (const int32_t[]){0, 1, 2}, 3);
  sotto_i_parts_free(&parts);
}

static void a_thousand_ids_are_found_again(void **state) {
  (void)state;
  sample edges = {0};
  char line[64];
  sotto_i_parts parts = {0};
  for (int i = 0; i < 1000; i++) {
    (void)snprintf(line, sizeof line, "node-%d,node-%d\n", i, (i + 1) % 1000);
    sample_text(&edges, line);
  }
  const sotto_i_source file = {"ring", edges.data, edges.size}, none = {.file = "none"};
  CHECK_OK(sotto_i_read_edges(&parts, &file, &none, NULL, &err));
  assert_int_equal(parts.nodes, 1000);
  for (uint64_t v = 0; v < 1000; v++) assert_int_equal(parts.offsets[v], 2 * v);
  sotto_i_parts_free(&parts);
  sample_free(&edges);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planetoid_rows_of_tx_go_where_test_index_says),
      cmocka_unit_test(npz_attributes_and_labels_keep_their_values),
      cmocka_unit_test(facebook_drops_people_without_a_year),
      cmocka_unit_test(collections_have_one_hot_labels_before_attributes),
      cmocka_unit_test(ids_follow_the_node_table_or_their_first_appearance),
      cmocka_unit_test(a_header_is_told_by_its_words_or_by_the_numbers_below_it),
      cmocka_unit_test(labels_are_numbered_by_value_or_by_their_bytes),
      cmocka_unit_test(a_thousand_ids_are_found_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
