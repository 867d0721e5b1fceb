/* Numbers to learn: kept by files, subsets and parts, in the digest, refused where they are not numbers. */
#include <math.h>

#include "check.h"
#include "graph/io/native.h"
#include "graph/io/npz.h"
#include "inside/graph.h"
#include "samples.h"
#include "sotto/schema.h"
#include "sotto/split.h"
#include "table_texts.h"

enum { nodes = 5 };

static const uint32_t from[] = {0, 1, 2}, to[] = {1, 2, 3};
static const float features[2 * nodes] = {1, 0, 0, 1, 1, 1, 0, 0, 2, 3};
static const float given[nodes] = {1.5F, NAN, -2, 0, 1e30F};

static sotto_arrays arrays_of(const float *numbers) {
  return (sotto_arrays){.nodes = nodes,
                        .sources = {from, 3, SOTTO_INDEX_U32},
                        .targets = {to, 3, SOTTO_INDEX_U32},
                        .features = features,
                        .feature_columns = 2,
                        .numbers = numbers};
}

static sotto_dataset make(const float *numbers) {
  const sotto_arrays arrays = arrays_of(numbers);
  sotto_dataset data;
  CHECK_OK(sotto_dataset_from_arrays(&data, &arrays, &err));
  return data;
}

static void check_numbers(const sotto_dataset *data, const float *wanted, size_t count) {
  assert_non_null(data->numbers);
  assert_int_equal(data->graph.nodes, count);
  for (size_t v = 0; v < count; v++)
    if (isnan(wanted[v]) ? !isnan(data->numbers[v]) : data->numbers[v] != wanted[v])
      fail_msg("node %zu: %g, not %g", v, (double)data->numbers[v], (double)wanted[v]);
}

static void arrays_are_copied(void **state) {
  float mine[nodes];
  (void)state;
  memcpy(mine, given, sizeof mine);
  sotto_dataset data = make(mine);
  mine[0] = 7;
  check_numbers(&data, given, nodes);
  sotto_dataset_free(&data);
}

static void files_keep_numbers(void **state) {
  static const char *const names[] = {"numbers.sotto", "numbers.npz"};
  (void)state;
  sotto_dataset data = make(given), read;
  for (int k = 0; k < 2; k++) {
    const char *path = check_path(names[k]);
    if (k == 0) CHECK_OK(sotto_dataset_save(&data, path, &err));
    if (k == 1) CHECK_OK(sotto_dataset_export(&data, NULL, path, &err));
    CHECK_OK(sotto_dataset_open(&read, path, NULL, &err));
    check_numbers(&read, given, nodes);
    assert_memory_equal(data.digest, read.digest, 32);
    sotto_dataset_free(&read);
  }
  sotto_dataset_free(&data);
}

/* A table's schema and transfers stand in the same file. */
static void files_keep_numbers_beside_transfers(void **state) {
  const float amounts[] = {1, 2, 3};
  sotto_arrays arrays = arrays_of(given);
  sotto_dataset data, read;
  (void)state;
  arrays.amounts = amounts;
  CHECK_OK(sotto_dataset_from_arrays(&data, &arrays, &err));
  CHECK_OK(sotto_dataset_save(&data, check_path("both.sotto"), &err));
  CHECK_OK(sotto_dataset_open(&read, check_path("both.sotto"), NULL, &err));
  check_numbers(&read, given, nodes);
  assert_int_equal(read.transfers.count, 3);
  assert_memory_equal(read.transfers.amounts, amounts, sizeof amounts);
  assert_memory_equal(data.digest, read.digest, 32);
  sotto_dataset_free(&read);
  sotto_dataset_free(&data);
}

/* Every NaN is one unknown number, and the account is that of the edges. */
static void numbers_change_the_digest_and_no_account(void **state) {
  float same[nodes], other[nodes];
  const uint32_t strange = 0xFFC12345;
  (void)state;
  memcpy(same, given, sizeof same);
  memcpy(&same[1], &strange, sizeof strange);
  memcpy(other, given, sizeof other);
  other[4] = 2e30F;
  sotto_dataset none = make(NULL), first = make(given), second = make(same), third = make(other);
  assert_memory_equal(first.digest, second.digest, 32);
  assert_memory_not_equal(first.digest, third.digest, 32);
  assert_memory_not_equal(first.digest, none.digest, 32);
  assert_memory_equal(first.account, none.account, 32);
  assert_memory_equal(first.account, third.account, 32);
  assert_memory_equal(first.features_digest, none.features_digest, 32);
  sotto_dataset_free(&none);
  sotto_dataset_free(&first);
  sotto_dataset_free(&second);
  sotto_dataset_free(&third);
}

static void subsets_keep_numbers_and_the_label_holder_alone_gets_them(void **state) {
  const uint32_t items[] = {4, 1, 2};
  const float wanted[] = {1e30F, NAN, -2};
  const sotto_vertical how = {.holders = 2, .share = {0.5, 0.5}, .label_holder = 1};
  sotto_dataset data = make(given), some, holders[2];
  sotto_key key;
  (void)state;
  CHECK_OK(sotto_dataset_take(&some, &data, items, 3, "some", &err));
  check_numbers(&some, wanted, 3);
  sotto_dataset_free(&some);
  sotto_key_public(&key, 1);
  CHECK_OK(sotto_split_vertical(holders, &data, &how, &key, &err));
  assert_null(holders[0].numbers);
  check_numbers(&holders[1], given, nodes);
  for (int k = 0; k < 2; k++) sotto_dataset_free(&holders[k]);
  sotto_dataset_free(&data);
}

/* Where there are labels too, they decide. */
static void a_split_is_of_the_nodes_with_a_number(void **state) {
  static const int32_t labels[nodes] = {0, 1, -1, -1, 0};
  sotto_key key;
  (void)state;
  sotto_key_public(&key, 3);
  for (int k = 0; k < 2; k++) {
    sotto_arrays arrays = arrays_of(given);
    sotto_dataset data;
    sotto_split split;
    bool seen[nodes] = {false};
    size_t all = 0;
    if (k == 1) arrays.labels = labels;
    arrays.classes = 2;
    CHECK_OK(sotto_dataset_from_arrays(&data, &arrays, &err));
    CHECK_OK(sotto_split_random(&split, &data, 0.5, 0.25, &key, &err));
    for (int part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
      for (size_t i = 0; i < split.count[part]; i++, all++) seen[split.rows[part][i]] = true;
    assert_int_equal(all, k == 0 ? 4 : 3);
    for (size_t v = 0; v < nodes; v++) assert_int_equal(seen[v], k == 0 ? !isnan(given[v]) : labels[v] >= 0);
    sotto_split_free(&split);
    sotto_dataset_free(&data);
  }
}

static void what_is_no_number_is_refused(void **state) {
  const uint64_t first[] = {0, 4, nodes};
  float numbers[nodes] = {0};
  sotto_arrays arrays = arrays_of(numbers);
  sotto_dataset data;
  (void)state;
  numbers[3] = -INFINITY;
  CHECK_FAILS(SOTTO_NUMERIC, "the number of node 3 is neither finite",
              sotto_dataset_from_arrays(&data, &arrays, &err));
  numbers[3] = 1;
  arrays.graph_count = 2;
  arrays.graph_first = first;
  CHECK_FAILS(SOTTO_INVALID, "not of a collection", sotto_dataset_from_arrays(&data, &arrays, &err));
}

/* Bytes of a file that are changed, with right checksums. */
static void damaged_numbers_are_refused(void **state) {
  const struct {
    size_t at; /* in the section, or in its entry of the table */
    bool of_table;
    uint32_t value;
    sotto_status status;
    const char *words;
  } table[] = {
      {offsetof(sotto_i_native_section, size), true, 16, SOTTO_CORRUPT, "section numbers has"},
      {offsetof(sotto_i_native_section, offset), true, 0, SOTTO_CORRUPT, "section numbers has"},
      {4, false, 0x7FC00001, SOTTO_NUMERIC, "the number of node 1 is neither finite nor the NaN"},
      {8, false, 0x7F800000, SOTTO_NUMERIC, "the number of node 2 is neither finite nor the NaN"},
      {8, false, 0x3F800000, SOTTO_OK, ""}, /* another number is data, or the rows above show nothing */
  };
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    sotto_i_native_header h;
    sotto_dataset read = {0};
    sotto_error err = {0};
    sample bytes = sample_native_numbers();
    memcpy(&h, bytes.data, sizeof h);
    const size_t entry =
        offsetof(sotto_i_native_header, table) + SOTTO_I_NATIVE_NUMBERS * sizeof(sotto_i_native_section);
    const size_t at = table[i].at + (table[i].of_table ? entry : h.table[SOTTO_I_NATIVE_NUMBERS].offset);
    memcpy(bytes.data + at, &table[i].value, sizeof table[i].value);
    sample_seal(bytes.data, bytes.size, false);
    const sotto_status status = sotto_dataset_open(&read, sample_write(&bytes, "damaged.sotto"), NULL, &err);
    if (status != table[i].status || strstr(err.text, table[i].words) == NULL)
      fail_msg("row %zu: status %d: %s", i, (int)status, err.text);
    if (status == SOTTO_OK) sotto_dataset_free(&read);
    sample_free(&bytes);
  }
}

/* Arrays of an archive beside edges of four nodes. */
static void arrays_of_archives_are_checked(void **state) {
  static const int64_t edges[2][3] = {{0, 1, 2}, {1, 2, 3}};
  static const double numbers[] = {1.5, NAN, -2, 1e39};
  static const int64_t whole[] = {1, 0, 1, 0};
  const sotto_i_npz_part index = {"edge_index", "<i8", edges, 8, 2, {2, 3}};
  const sotto_i_npz_part targets[] = {{"targets", "<f8", numbers, 8, 1, {4, 1}},
                                      {"targets", "<f8", numbers, 8, 1, {3, 1}},
                                      {"targets", "<i8", whole, 8, 1, {4, 1}}};
  const char *path = check_path("targets.npz");
  sotto_dataset data;
  (void)state;
  for (size_t k = 0; k < 3; k++) {
    const sotto_i_npz_part parts[] = {index, targets[k]};
    CHECK_OK(sotto_i_npz_write(path, parts, 2, &err));
    if (k == 0)
      CHECK_FAILS(SOTTO_NUMERIC, "array targets: element 3 is not a finite float32",
                  sotto_dataset_open(&data, path, NULL, &err));
    if (k == 1)
      CHECK_FAILS(SOTTO_PARSE, "array targets has 3 numbers for 4 nodes",
                  sotto_dataset_open(&data, path, NULL, &err));
  }
  CHECK_OK(sotto_dataset_open(&data, path, NULL, &err)); /* whole numbers are none to learn, and not read */
  assert_null(data.numbers);
  assert_int_equal(data.reading->column_count, 1);
  assert_string_equal(data.reading->columns[0].name, "array targets.npy");
  sotto_dataset_free(&data);
}

/* A table with these four cells in the column `label`. */
static sotto_status table(sotto_dataset *out, const char *const cells[4], const sotto_import_options *options,
                          sotto_error *error) {
  char text[400];
  (void)snprintf(text, sizeof text, "id,x,label\na,1,%s\nb,2,%s\nc,4,%s\nd,1,%s\n", cells[0], cells[1],
                 cells[2], cells[3]);
  return check_read_texts(out, NULL, text, options, error);
}

static void a_column_of_labels_has_numbers_where_the_task_says_so(void **state) {
  static const char *const cells[4] = {"0.5", "-1", "unknown", "-7.25"}, *const text[4] = {"1", "2", "x",
                                                                                           "3"};
  static const float wanted[4] = {0.5F, -1, NAN, -7.25F};
  const sotto_import_options regression = {.regression = true}, typed = {.types = "label=outcome"};
  sotto_schema *schema;
  sotto_dataset data;
  (void)state;
  CHECK_FAILS(SOTTO_INVALID, "to learn the numbers say so when the file is read (task regression)",
              table(&data, cells, NULL, &err));
  for (int k = 0; k < 2; k++) {
    CHECK_OK(table(&data, cells, k == 0 ? &regression : &typed, &err));
    check_numbers(&data, wanted, 4);
    assert_null(data.labels);
    assert_int_equal(data.features.cols, 1); /* x alone: no number to learn is a feature */
    assert_int_equal(data.reading->columns[2].missing, 1);
    CHECK_OK(sotto_schema_of(&schema, &data, &err));
    assert_int_equal(schema->columns[2].kind, SOTTO_COLUMN_OUTCOME);
    sotto_dataset_free(&data);
    const sotto_import_options stated = {.schema = schema};
    CHECK_OK(table(&data, cells, &stated, &err));
    check_numbers(&data, wanted, 4);
    sotto_dataset_free(&data);
    sotto_schema_free(schema);
  }
  CHECK_FAILS(SOTTO_PARSE, "line 4, column 3: 'x' is not a finite number, which regression learns",
              table(&data, text, &regression, &err));
}

static void numbers_that_may_stand_for_none_are_asked_about(void **state) {
  static const char *const odd[][4] = {{"-1", "2.5", "3", "0"}, {"7", "-999", "8", "-1"}};
  static const float kept[4] = {-1, 2.5F, 3, 0}, left_out[4] = {NAN, 2.5F, 3, 0};
  const sotto_import_options asked = {.regression = true}, keep = {.regression = true, .missing_words = "NA"},
                             leave = {.regression = true, .missing_words = "-1"};
  sotto_dataset data;
  (void)state;
  for (int k = 0; k < 2; k++)
    CHECK_FAILS(SOTTO_INVALID, "which often stands for no number", table(&data, odd[k], &asked, &err));
  CHECK_OK(table(&data, odd[0], &keep, &err));
  check_numbers(&data, kept, 4);
  sotto_dataset_free(&data);
  CHECK_OK(table(&data, odd[0], &leave, &err));
  check_numbers(&data, left_out, 4);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arrays_are_copied),
      cmocka_unit_test(files_keep_numbers),
      cmocka_unit_test(files_keep_numbers_beside_transfers),
      cmocka_unit_test(numbers_change_the_digest_and_no_account),
      cmocka_unit_test(subsets_keep_numbers_and_the_label_holder_alone_gets_them),
      cmocka_unit_test(a_split_is_of_the_nodes_with_a_number),
      cmocka_unit_test(what_is_no_number_is_refused),
      cmocka_unit_test(damaged_numbers_are_refused),
      cmocka_unit_test(arrays_of_archives_are_checked),
      cmocka_unit_test(a_column_of_labels_has_numbers_where_the_task_says_so),
      cmocka_unit_test(numbers_that_may_stand_for_none_are_asked_about),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
