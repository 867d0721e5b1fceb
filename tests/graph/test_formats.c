/* Forms of other programs: what each value becomes, and the place that each error names. */
#include "check.h"
#include "format_samples.h"
#include "graph/io/unpack.h"

static void expect_features(const sotto_i_parts *parts, const float *wanted, size_t count) {
  assert_int_equal(parts->nodes * parts->width, count);
  for (size_t i = 0; i < count; i++)
    if (parts->features[i] != wanted[i]) fail_msg("feature %zu is %g", i, (double)parts->features[i]);
}

static void expect_names(const sotto_names *names, const char *const *wanted, size_t count) {
  assert_int_equal(names->count, count);
  for (size_t i = 0; i < count; i++) assert_string_equal(sotto_name(names, i), wanted[i]);
}

/* Which sample is which. */
enum { GRAPHML, GML, JSON, MARKET, CSR, COO, INDEX, NPY };

static void read_sample(sotto_i_parts *parts, size_t which, const sotto_import_options *options) {
  sample bytes = format_sample_bytes(which);
  const sotto_i_source file = {format_samples[which].name, bytes.data, bytes.size};
  *parts = (sotto_i_parts){0};
  CHECK_OK(format_samples[which].read(parts, &file, options, &err));
  sample_free(&bytes);
}

static void graphml_takes_defaults_and_names_of_keys(void **state) {
  (void)state;
  sotto_i_parts parts;
  read_sample(&parts, GRAPHML, NULL);
  expect_features(&parts, (const float[]){4.5F, 7, 7}, 3);
  expect_names(&parts.names[SOTTO_I_NAMES_NODES], (const char *[]){"n0", "n1", "n2"}, 3);
  expect_names(&parts.names[SOTTO_I_NAMES_CLASSES], (const char *[]){"a & b", "c"}, 2);
  assert_int_equal(parts.labels[2], -1);
  assert_string_equal(parts.reading.columns[0].name, "weight");
  sotto_i_parts_free(&parts);
}

static void gml_has_names_in_label_and_classes_in_value(void **state) {
  (void)state;
  sotto_i_parts parts;
  const sotto_import_options by_age = {.label = "age"};
  read_sample(&parts, GML, NULL);
  expect_features(&parts, (const float[]){3, 4, 5}, 3);
  expect_names(&parts.names[SOTTO_I_NAMES_NODES], (const char *[]){"Ann & Co", "Bob", "Eve"}, 3);
  expect_names(&parts.names[SOTTO_I_NAMES_CLASSES], (const char *[]){"c", "l"}, 2);
  assert_int_equal(parts.labels[0], 1);
  assert_int_equal(parts.labels[2], -1);
  sotto_i_parts_free(&parts);
  sample bytes = format_sample_bytes(GML);
  sample_replace(&bytes, "label \"Eve\"", 11, "value \"c\"", 9);
  const sotto_i_source file = {"tiny.gml", bytes.data, bytes.size};
  parts = (sotto_i_parts){0};
  CHECK_OK(sotto_i_read_gml(&parts, &file, &by_age, &err));
  assert_int_equal(parts.classes, 3);
  expect_names(&parts.names[SOTTO_I_NAMES_NODES], (const char *[]){"10", "20", "30"},
               3); /* one has no label */
  sotto_i_parts_free(&parts);
  sample_free(&bytes);
}

static void json_has_a_feature_for_each_element_of_a_list(void **state) {
  (void)state;
  sotto_i_parts parts;
  read_sample(&parts, JSON, NULL);
  expect_features(&parts, (const float[]){1, 2.5F, 0, 1, 3, 4, 1, 0, 5, 6, 0, 1}, 12);
  expect_names(&parts.names[SOTTO_I_NAMES_NODES], (const char *[]){"a", "7", "c"}, 3);
  expect_names(&parts.names[SOTTO_I_NAMES_FEATURES], (const char *[]){"x[0]", "x[1]", "ok=false", "ok=true"},
               4);
  sotto_i_parts_free(&parts);
}

static void arrays_keep_their_values_and_masks_are_a_split(void **state) {
  (void)state;
  sotto_i_parts parts;
  read_sample(&parts, CSR, NULL);
  expect_features(&parts, (const float[]){1, 2, 3, 4, 5, 6}, 6);
  assert_int_equal(parts.labels[2], -1);
  assert_int_equal(parts.targets[0], 1); /* the entry 0-2 is a stored zero */
  assert_null(parts.split);
  sotto_i_parts_free(&parts);
  read_sample(&parts, INDEX, NULL);
  assert_memory_equal(parts.split, ((const uint8_t[]){1, 2, 3}), 3);
  sotto_i_parts_free(&parts);
  read_sample(&parts, NPY, NULL);
  assert_int_equal(parts.reading.view.repeats, 1);
  sotto_i_parts_free(&parts);
}

static void ogb_reads_packed_files(void **state) {
  (void)state;
  sample files[SOTTO_I_OGB_FILES];
  sotto_i_source sources[SOTTO_I_OGB_FILES];
  sotto_i_parts parts = {0};
  sample_ogb(files);
  sample_sources(sources, files, SOTTO_I_OGB_FILES);
  CHECK_OK(sotto_i_read_ogb(&parts, sources, &err));
  expect_features(&parts, (const float[]){0.5F, 1, 2, 3, 4, 5}, 6);
  assert_int_equal(parts.labels[2], -1);
  assert_memory_equal(parts.split, ((const uint8_t[]){1, 2, 3}), 3);
  sotto_i_parts_free(&parts);
  sample_free_all(files, SOTTO_I_OGB_FILES);
}

static void faults_of_texts_are_named_with_file_and_line(void **state) {
  (void)state;
  static const sample_damage table[] = {
      {GRAPHML, SAMPLE_SWAP("</node>\n<node id=\"n2\"", "\n<node id=\"n2\""), SOTTO_UNSUPPORTED,
       "tiny.graphml: line 10: a node inside another one"},
      {GRAPHML, SAMPLE_SWAP("<graphml", "<!DOCTYPE graphml SYSTEM \"/etc/passwd\">\n<graphml"),
       SOTTO_UNSUPPORTED, "line 2: has a document type"},
      {GRAPHML, SAMPLE_SWAP("<graphml", "<gexf"), SOTTO_PARSE, "line 2: is no <graphml>"},
      {GRAPHML, SAMPLE_SWAP("</graph>", ""), SOTTO_PARSE, "line 12: is not XML: mismatched tag"},
      {GRAPHML, SAMPLE_SWAP("target=\"n0\"", ""), SOTTO_PARSE, "line 7: an edge has no source or no target"},
      {GRAPHML, SAMPLE_SWAP("target=\"n0\"", "target=\"n9\""), SOTTO_RANGE,
       "line 7: 'n9' is the end of an edge"},
      {GRAPHML, SAMPLE_SWAP("id=\"n1\"", "id=\"n0\""), SOTTO_PARSE,
       "line 9: 'n0' is the id of a node before"},
      {GRAPHML, SAMPLE_SWAP("<node id=\"n2\"/>", "<node/>"), SOTTO_PARSE, "line 10: a node has no id"},
      {GRAPHML, SAMPLE_SWAP("<data key=\"d1\">c", "<data key=\"d8\">c"), SOTTO_PARSE,
       "line 9: data has a key"},
      {GRAPHML, SAMPLE_SWAP("4.5", "tall"), SOTTO_PARSE, "line 9, 'age': '7' is a number"},
      {GRAPHML, SAMPLE_SWAP("<default>7</default>", ""), SOTTO_PARSE, "node 1 ('n1') has no 'age'; give one"},
      {GRAPHML,
       SAMPLE_SWAP("<data key=\"d0\">4.5</data>", "<data key=\"d0\">1</data><data key=\"d0\">2</data>"),
       SOTTO_PARSE, "line 8: 'age' stands twice"},
      {GRAPHML, SAMPLE_SWAP("id=\"d1\"", "id=\"d0\""), SOTTO_PARSE, "line 4: a second key"},
      {GRAPHML, SAMPLE_SWAP("<node id=\"n2\"/>", "<hyperedge/>"), SOTTO_UNSUPPORTED, "line 10: a hyperedge"},
      {GRAPHML, SAMPLE_SWAP("</graph>", "</graph><graph/>"), SOTTO_UNSUPPORTED, "line 12: a second graph"},
      {GML, SAMPLE_SWAP("graph [", "graph 7"), SOTTO_PARSE, "tiny.gml: line 3: graph needs a list"},
      {GML, SAMPLE_SWAP("graph [", "grahp ["), SOTTO_PARSE, "there is no graph [ ... ]"},
      {GML, SAMPLE_SWAP("Bob\"", "Bob"), SOTTO_PARSE, "line"},
      {GML, SAMPLE_SWAP("id 20", "ID [ ]"), SOTTO_PARSE, "line 6: the node that ends here has no id"},
      {GML, SAMPLE_SWAP("id 20", "id 10"), SOTTO_PARSE, "line 6: '10' is the id of a node before"},
      {GML, SAMPLE_SWAP("target 20 weight", "target 21 weight"), SOTTO_RANGE,
       "line 8: '21' is the end of an edge"},
      {GML, SAMPLE_SWAP("source 30 ", ""), SOTTO_PARSE, "line 9: the edge that ends here has no source"},
      {GML, SAMPLE_SWAP("]\n]\n", "]\n"), SOTTO_PARSE, "line 10: the file ends inside a list"},
      {GML, SAMPLE_SWAP("age 4", "age x"), SOTTO_PARSE, "line 6, 'age': 'x' is not a finite number"},
      {GML, SAMPLE_SWAP("directed 0", "[ directed 0"), SOTTO_PARSE, "line 4: a key is expected here"},
      {JSON, SAMPLE_SWAP("\"nodes\"", "nodes"), SOTTO_PARSE, "tiny.json: line 1: is not JSON"},
      {JSON, SAMPLE_SWAP("\"nodes\"", "\"vertices\""), SOTTO_PARSE, "is not an object with the lists nodes"},
      {JSON, SAMPLE_SWAP("\"id\": 7, ", ""), SOTTO_PARSE, "node 1 (from 0) has no id"},
      {JSON, SAMPLE_SWAP("\"id\": 7", "\"id\": [7]"), SOTTO_PARSE, "node 1 (from 0) has no id"},
      {JSON, SAMPLE_SWAP("[3, 4]", "[3, \"4\"]"), SOTTO_UNSUPPORTED,
       "node 1 (from 0) has a list that is not of numbers"},
      {JSON, SAMPLE_SWAP("[3, 4]", "{\"a\": 4}"), SOTTO_UNSUPPORTED,
       "node 1 (from 0) has an attribute that is an"},
      {JSON, SAMPLE_SWAP("[3, 4]", "[3]"), SOTTO_PARSE, "node 1 ('7') has no 'x[1]'"},
      {JSON, SAMPLE_SWAP("[3, 4]", "[3, null]"), SOTTO_UNSUPPORTED,
       "node 1 (from 0) has a list that is not of numbers"},
      {JSON, SAMPLE_SWAP("\"target\": 7, ", ""), SOTTO_PARSE, "edge 0 (from 0) has no source or no target"},
      {JSON, SAMPLE_SWAP("\"target\": 7", "\"target\": 8"), SOTTO_RANGE,
       "'8' is the end of an edge and no node"},
      {MARKET, SAMPLE_SWAP("%%MatrixMarket", "%%Matrix"), SOTTO_PARSE,
       "tiny.mtx: line 1: does not begin with"},
      {MARKET, SAMPLE_SWAP("coordinate", "array"), SOTTO_UNSUPPORTED, "line 1: is not in coordinate format"},
      {MARKET, SAMPLE_SWAP("real", "complex"), SOTTO_UNSUPPORTED, "line 1: has entries that are neither"},
      {MARKET, SAMPLE_SWAP("symmetric", "hermitian"), SOTTO_UNSUPPORTED, "line 1: is neither general nor"},
      {MARKET, SAMPLE_SWAP("4 4 4", "4 5 4"), SOTTO_PARSE, "line 3: the numbers of rows and columns differ"},
      {MARKET, SAMPLE_SWAP("4 4 4", "4 4"), SOTTO_PARSE, "line 3: needs three sizes"},
      {MARKET, SAMPLE_SWAP("4 4 4", "4 4 99999999999"), SOTTO_PARSE, "line 3: claims more entries"},
      {MARKET, SAMPLE_SWAP("4 4 4", "99999999 99999999 4"), SOTTO_RANGE, "99999999 nodes are not plausible"},
      {MARKET, SAMPLE_SWAP("4 4 4", "4 4 5"), SOTTO_PARSE, "line 7: the file ends after 4 of 5 entries"},
      {MARKET, SAMPLE_SWAP("4 4 4", "4 4 3"), SOTTO_PARSE, "line 7: there are more entries"},
      {MARKET, SAMPLE_SWAP("2 1 1.5", "2 0 1.5"), SOTTO_RANGE, "line 4: a row or column is not between 1"},
      {MARKET, SAMPLE_SWAP("2 1 1.5", "2 1"), SOTTO_PARSE, "line 4: needs three numbers"},
      {MARKET, SAMPLE_SWAP("2 1 1.5", "2 1 1.5 2"), SOTTO_PARSE, "line 4: needs three numbers"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    const size_t which = table[i].file;
    sotto_i_parts parts = {0};
    sotto_error err = {0};
    sample bytes = format_sample_bytes(which);
    sample_replace(&bytes, table[i].find, table[i].find_size, table[i].with, table[i].with_size);
    const sotto_i_source file = {format_samples[which].name, bytes.data, bytes.size};
    const sotto_status status = format_samples[which].read(&parts, &file, NULL, &err);
    if (status != table[i].status || strstr(err.text, table[i].words) == NULL)
      fail_msg("row %zu: status %d: %s lacks '%s'", i, (int)status, err.text, table[i].words);
    sotto_i_parts_free(&parts);
    sample_free(&bytes);
  }
}

/* One array of an archive in the place of another. */
static void arrays_fail(const char *const *names, sample *arrays, size_t count, sotto_status status,
                        const char *words) {
  sotto_i_parts parts = {0};
  sample archive;
  sample_archive(&archive, arrays, names, count, false);
  const sotto_i_source file = {"a.npz", archive.data, archive.size};
  CHECK_FAILS(status, words, sotto_i_read_arrays(&parts, &file, NULL, &err));
  sotto_i_parts_free(&parts);
  sample_free_all(arrays, count);
  sample_free(&archive);
}
#define NPY_OF(type, shape, ...) sample_npy(type, shape, __VA_ARGS__, sizeof(__VA_ARGS__))

static void faults_of_arrays_are_named_with_the_array(void **state) {
  (void)state;
  static const char *const sparse[] = {"indptr", "indices", "shape", "x"};
  static const char *const index[] = {"edge_index", "y", "train_mask", "test_mask"};
  sample starts = NPY_OF("<i4", "(3,)", (int32_t[]){0, 1, 2});
  for (int row = 0; row < 4; row++) {
    sample arrays[4] = {{0}};
    sample_add(&arrays[0], starts.data, starts.size);
    arrays[1] =
        row == 1 ? NPY_OF("<i4", "(2,)", (int32_t[]){1, 2}) : NPY_OF("<i4", "(2,)", (int32_t[]){1, 0});
    arrays[2] =
        row == 0 ? NPY_OF("<i8", "(2,)", (int64_t[]){2, 3}) : NPY_OF("<i8", "(2,)", (int64_t[]){2, 2});
    arrays[3] = row == 2   ? NPY_OF("<f4", "(3, 1)", (float[]){1, 2, 3})
                : row == 3 ? NPY_OF("<f8", "(2, 1)", (double[]){1, 1e300})
                           : (sample){0};
    static const char *const words[] = {"the matrix is 2 x 3; an adjacency is square",
                                        "the adjacency: index 1 is not below 2",
                                        "array x has 3 rows for 2 nodes", "array x: row 1, column 0 is not"};
    static const sotto_status statuses[] = {SOTTO_PARSE, SOTTO_RANGE, SOTTO_PARSE, SOTTO_NUMERIC};
    arrays_fail(sparse, arrays, 4, statuses[row], words[row]);
  }
  sample_free(&starts);
  for (int row = 0; row < 4; row++) {
    sample arrays[4] = {{0}};
    arrays[0] = row == 0   ? NPY_OF("<i8", "(3,)", (int64_t[]){0, 1, 2})
                : row == 1 ? NPY_OF("<i8", "(2, 1)", (int64_t[]){0, -1})
                           : NPY_OF("<i8", "(2, 1)", (int64_t[]){0, 1});
    if (row > 1) arrays[1] = NPY_OF("<i8", "(2,)", (int64_t[]){0, 1});
    if (row > 1) arrays[2] = NPY_OF("|b1", "(2,)", (uint8_t[]){1, 0});
    if (row == 2) arrays[3] = NPY_OF("|b1", "(2,)", (uint8_t[]){1, 0});
    if (row == 3) arrays[3] = NPY_OF("|b1", "(3,)", (uint8_t[]){0, 0, 1});
    static const char *const words[] = {"array edge_index is neither 2 x edges nor edges x 2",
                                        "array edge_index: edge 0 has an end that is no node number",
                                        "array test_mask: node 0 is in another part too",
                                        "array test_mask does not have one element for each of the 2 nodes"};
    arrays_fail(index, arrays, 4, row == 1 ? SOTTO_RANGE : SOTTO_PARSE, words[row]);
  }
  sample none[1] = {NPY_OF("<i8", "(1,)", (int64_t[]){0})};
  arrays_fail((const char *const[]){"weights"}, none, 1, SOTTO_PARSE,
              "has no array edge_index, indptr (scipy)");
}

static void faults_of_ogb_are_named_with_file_and_line(void **state) {
  (void)state;
  enum { EDGES, NODES, FEATURES, LABELS, TRAIN };
  static const struct {
    size_t file;
    const char *text;
    sotto_status status;
    const char *words;
  } table[] = {{EDGES, "0,1\n1,x\n", SOTTO_PARSE, "file 0: line 2: needs two node numbers"},
               {EDGES, "0,1\n1,3\n", SOTTO_RANGE, "file 0: line 2: a node is not below"},
               {EDGES, "0,1,2\n", SOTTO_RANGE, "file 0: line 1: has more than two numbers"},
               {NODES, "3\n4\n", SOTTO_UNSUPPORTED, "file 1: line 2: has a second graph"},
               {NODES, "x\n", SOTTO_PARSE, "file 1: line 1: needs the number of nodes"},
               {NODES, "4000000000\n", SOTTO_RANGE, "file 1: 4000000000 nodes are not plausible"},
               {FEATURES, "1,2\n3\n4,5\n", SOTTO_PARSE, "file 2: line 2: needs as many finite numbers"},
               {FEATURES, "1,2\n3,4\n", SOTTO_PARSE, "file 2: line 2: the file ends before the last node"},
               {LABELS, "0\n1,1\n0\n", SOTTO_UNSUPPORTED, "file 3: line 2: is not one class number"},
               {LABELS, "0\n7\n0\n", SOTTO_UNSUPPORTED, "file 3: line 2: is not one class number"},
               {TRAIN, "0\n3\n", SOTTO_RANGE, "file 4: line 2: needs one node number"},
               {TRAIN, "0\n0\n", SOTTO_PARSE, "file 4: line 2: the node is in a part"}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    sample files[SOTTO_I_OGB_FILES];
    sotto_i_source sources[SOTTO_I_OGB_FILES];
    sotto_i_parts parts = {0};
    sample_ogb(files);
    sample_free(&files[table[i].file]);
    files[table[i].file] = sample_gzip(table[i].text, strlen(table[i].text));
    sample_sources(sources, files, SOTTO_I_OGB_FILES);
    CHECK_FAILS(table[i].status, table[i].words, sotto_i_read_ogb(&parts, sources, &err));
    sotto_i_parts_free(&parts);
    sample_free_all(files, SOTTO_I_OGB_FILES);
  }
}

static void a_packed_bomb_is_refused_at_64_times_its_size(void **state) {
  (void)state;
  enum { size = 64 << 20 };
  void *zeros = calloc(size, 1);
  sample bomb = sample_gzip(zeros, size);
  uint8_t *bytes = NULL;
  size_t unpacked;
  const sotto_i_source file = {"bomb.gz", bomb.data, bomb.size};
  CHECK_FAILS(SOTTO_RANGE, "bomb.gz: unpacks to more than", sotto_i_unpack(&bytes, &unpacked, &file, &err));
  sotto_i_free(bytes);
  free(zeros);
  sample_free(&bomb);
}

/* The same three nodes in half precision, big-endian, and by columns. */
static void arrays_are_read_in_the_forms_that_numpy_saves(void **state) {
  static const char *const names[] = {"edge_index", "x", "y"};
  static const uint16_t half[] = {0x3C00, 0xC000, 0x3555,
                                  0x0001, 0x7BFF, 0x8000};           /* 1, -2, 1/3, 2^-24, 65504, -0 */
  static const uint8_t big[] = {0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 2}; /* >i2: 0, 0, 1, 1, 1, 2 */
  const int64_t by_columns[] = {0, 1, 1, 2};                         /* of the rows (0, 1), (1, 2) */
  sample arrays[] = {sample_npy("<i8", "(2, 2)", by_columns, sizeof by_columns),
                     sample_npy("<f2", "(3, 2)", half, sizeof half), sample_npy(">i2", "(3,)", big + 6, 6)};
  sample archive;
  sotto_i_parts parts = {0};
  char *order = memmem(arrays[0].data, arrays[0].size, "False", 5);
  (void)state;
  memcpy(order, "True ", 5);
  sample_archive(&archive, arrays, names, 3, true);
  const sotto_i_source file = {"a.npz", archive.data, archive.size};
  CHECK_OK(sotto_i_read_arrays(&parts, &file, NULL, &err));
  assert_int_equal(parts.nodes, 3);
  assert_memory_equal(parts.offsets, ((const uint64_t[]){0, 1, 3, 4}), 4 * sizeof(uint64_t));
  const float wanted[] = {1, -2, 0x1.554p-2F, 0x1p-24F, 65504, -0.0F};
  assert_memory_equal(parts.features, wanted, sizeof wanted);
  assert_memory_equal(parts.labels, ((const int32_t[]){1, 1, 2}), 3 * sizeof(int32_t));
  sotto_i_parts_free(&parts);
  sample_free(&archive);
  sample_free_all(arrays, 3);
}

/* Class 1.25 is a quantity that was taken for a class. */
static void real_numbers_are_no_labels_of_arrays(void **state) {
  static const char *const names[] = {"edge_index", "y"};
  const int64_t ends[] = {0, 1, 1, 2};
  const float labels[] = {0, 1.25F, 2};
  sample arrays[] = {sample_npy("<i8", "(2, 2)", ends, sizeof ends),
                     sample_npy("<f4", "(3,)", labels, sizeof labels)};
  sample archive;
  sotto_i_parts parts = {0};
  (void)state;
  sample_archive(&archive, arrays, names, 2, true);
  const sotto_i_source file = {"a.npz", archive.data, archive.size};
  CHECK_FAILS(SOTTO_RANGE, "element 1 is not a whole number; numbers to learn are in the array",
              sotto_i_read_arrays(&parts, &file, NULL, &err));
  sotto_i_parts_free(&parts);
  sample_free(&archive);
  sample_free_all(arrays, 2);
}

/* A matrix of coordinates with a weight, a stored zero, and arrays that no graph has. */
static void what_is_not_used_of_an_archive_is_said(void **state) {
  static const char *const names[] = {"row", "col", "data", "shape", "format", "edge_weight", "notes"};
  const int64_t row[] = {0, 1, 2}, col[] = {1, 2, 0}, shape[] = {3, 3};
  double weights[] = {1, 0.5, 0};
  (void)state;
  for (int weighted = 1; weighted >= 0; weighted--) {
    if (!weighted) weights[1] = 1;
    sample arrays[] = {sample_npy("<i8", "(3,)", row, sizeof row),
                       sample_npy("<i8", "(3,)", col, sizeof col),
                       sample_npy("<f8", "(3,)", weights, sizeof weights),
                       sample_npy("<i8", "(2,)", shape, sizeof shape),
                       sample_npy("|S3", "()", "coo", 3),
                       sample_npy("<f8", "(3,)", weights, sizeof weights),
                       sample_npy("<i8", "(3,)", row, sizeof row)};
    sample archive;
    sotto_i_parts parts = {0};
    sample_archive(&archive, arrays, names, 7, true);
    const sotto_i_source file = {"a.npz", archive.data, archive.size};
    CHECK_OK(sotto_i_read_arrays(&parts, &file, NULL, &err));
    assert_int_equal(parts.offsets[3], 4); /* the stored zero is no edge */
    const sotto_reading *said = &parts.reading.view;
    assert_int_equal(said->column_count, 2 + weighted);
    if (weighted) assert_string_equal(said->columns[0].name, "values other than 1 (weights)");
    if (weighted) assert_true(said->columns[0].of_edges);
    assert_string_equal(said->columns[weighted].name, "array edge_weight.npy");
    assert_string_equal(said->columns[weighted + 1].name, "array notes.npy");
    assert_int_equal(said->columns[weighted].kind, SOTTO_COLUMN_UNUSED);
    sotto_i_parts_free(&parts);
    sample_free(&archive);
    sample_free_all(arrays, 7);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(graphml_takes_defaults_and_names_of_keys),
      cmocka_unit_test(gml_has_names_in_label_and_classes_in_value),
      cmocka_unit_test(json_has_a_feature_for_each_element_of_a_list),
      cmocka_unit_test(arrays_keep_their_values_and_masks_are_a_split),
      cmocka_unit_test(ogb_reads_packed_files),
      cmocka_unit_test(faults_of_texts_are_named_with_file_and_line),
      cmocka_unit_test(faults_of_arrays_are_named_with_the_array),
      cmocka_unit_test(faults_of_ogb_are_named_with_file_and_line),
      cmocka_unit_test(a_packed_bomb_is_refused_at_64_times_its_size),
      cmocka_unit_test(arrays_are_read_in_the_forms_that_numpy_saves),
      cmocka_unit_test(real_numbers_are_no_labels_of_arrays),
      cmocka_unit_test(what_is_not_used_of_an_archive_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
