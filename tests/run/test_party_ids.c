/* The digest of ids that two parties compare: one for the same nodes, whatever the files are. */
#include "check.h"
#include "sotto/methods.h"
#include "sotto/options.h"

static const char *write_text(const char *name, const char *text) {
  const char *path = check_path(name);
  FILE *file = fopen(path, "w");
  if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) abort();
  return path;
}

/* The digest of a party's nodes, with this file of data. */
static void digest_of(uint8_t out[32], const char *data, sotto_role role) {
  static sotto_options options;
  sotto_dataset opened;
  const sotto_party party = {.role = role};
  sotto_options_default(&options);
  (void)snprintf(options.data, sizeof options.data, "%s", data);
  CHECK_OK(sotto_party_dataset_open(&opened, out, &options, &party, NULL, NULL, &err));
  sotto_dataset_free(&opened);
}

static void a_file_with_ids_and_a_table_of_the_same_nodes_agree(void **state) {
  (void)state;
  uint8_t kept[32], table[32], other[32], numbers[32];
  sotto_dataset data;
  (void)write_text("own.csv", "u,v\na,b\nb,c\n");
  (void)write_text("own.nodes.csv", "id,x\na,1\nb,2\nc,3\n");
  CHECK_OK(sotto_dataset_open(&data, check_path("own.csv"), NULL, &err));
  CHECK_OK(sotto_dataset_save(&data, check_path("own.sotto"), &err));
  digest_of(kept, check_path("own.sotto"), SOTTO_ROLE_DATA);
  digest_of(table, write_text("labels.csv", "id,label\na,p\nb,q\nc,p\n"), SOTTO_ROLE_LABEL);
  assert_memory_equal(kept, table, 32);
  digest_of(other, write_text("moved.csv", "id,label\nb,q\na,p\nc,p\n"), SOTTO_ROLE_LABEL);
  assert_memory_not_equal(kept, other, 32);
  data.node_ids = (sotto_names){0};
  CHECK_OK(sotto_dataset_save(&data, check_path("bare.sotto"), &err));
  digest_of(numbers, check_path("bare.sotto"), SOTTO_ROLE_DATA);
  assert_memory_not_equal(kept, numbers, 32);
  digest_of(table, write_text("numbered.csv", "id,label\n0,p\n1,q\n2,p\n"), SOTTO_ROLE_LABEL);
  assert_memory_equal(numbers, table, 32);
  sotto_dataset_free(&data);
}

/* Opens a party's data with a file of ids. */
static sotto_status open_by(sotto_dataset *out, uint8_t digest[32], const char *data, const char *ids,
                            sotto_role role, sotto_error *err) {
  static sotto_options options;
  const sotto_party party = {.role = role};
  sotto_options_default(&options);
  (void)snprintf(options.data, sizeof options.data, "%s", data);
  (void)snprintf(options.ids, sizeof options.ids, "%s", ids);
  return sotto_party_dataset_open(out, digest, &options, &party, NULL, NULL, err);
}

static void listed_ids_choose_and_order_the_rows(void **state) {
  (void)state;
  uint8_t bank[32], partner[32];
  sotto_dataset data, labels;
  (void)write_text("big.csv", "u,v\na,b\nb,c\nc,d\na,d\n");
  const char *table = write_text("big.nodes.csv", "id,x\na,1\nb,2\nc,3\nd,4\n");
  const char *ids = write_text("ids.txt", " d\nb\nc\n");
  (void)table;
  CHECK_OK(open_by(&data, bank, check_path("big.csv"), ids, SOTTO_ROLE_DATA, &err));
  CHECK_OK(open_by(&labels, partner, write_text("own.csv", "id,label\nc,p\nz,p\nb,q\nd,q\n"), ids,
                   SOTTO_ROLE_LABEL, &err));
  assert_memory_equal(bank, partner, 32);
  assert_int_equal(data.graph.nodes, 3);
  assert_int_equal(data.graph.entries, 4); /* b-c and c-d: a is not common */
  assert_true(data.features.data[0] == 4 && data.features.data[1] == 2 && data.features.data[2] == 3);
  assert_string_equal(sotto_name(&labels.node_ids, 0), "d");
  assert_string_equal(sotto_name(&labels.class_names, (uint64_t)labels.labels[0]), "q");
  assert_string_equal(sotto_name(&labels.class_names, (uint64_t)labels.labels[2]), "p");
  assert_non_null(data.path); /* by which the ledger knows it */
  sotto_dataset_free(&labels);
  sotto_dataset whole;
  CHECK_OK(sotto_dataset_open(&whole, check_path("big.csv"), NULL, &err));
  assert_memory_equal(whole.account, data.account, sizeof data.account);
  sotto_dataset_free(&whole);
  sotto_dataset_free(&data);
}

/* What another program for private set intersection writes: own rows of the common ids, in one order. */
static void a_table_of_common_rows_gives_the_ids_too(void **state) {
  (void)state;
  uint8_t bank[32], partner[32], lines[32];
  sotto_dataset data;
  const char *table = write_text("all.csv", "id,label\na,p\nb,q\nc,p\nd,q\n");
  CHECK_OK(
      open_by(&data, bank, table, write_text("psi.csv", "age,id\n40,d\n31,b\n"), SOTTO_ROLE_LABEL, &err));
  assert_int_equal(data.graph.nodes, 2);
  assert_string_equal(sotto_name(&data.node_ids, 0), "d");
  sotto_dataset_free(&data);
  CHECK_OK(open_by(&data, partner, table, write_text("psi-of-partner.csv", "id,town\nd,Bern\nb,Chur\n"),
                   SOTTO_ROLE_LABEL, &err));
  sotto_dataset_free(&data);
  CHECK_OK(open_by(&data, lines, table, write_text("lines.csv", "d\nb\n"), SOTTO_ROLE_LABEL, &err));
  sotto_dataset_free(&data);
  assert_memory_equal(bank, partner, 32);
  assert_memory_equal(bank, lines, 32);
  CHECK_OK(
      open_by(&data, lines, table, write_text("moved.csv", "age,id\n31,b\n40,d\n"), SOTTO_ROLE_LABEL, &err));
  sotto_dataset_free(&data);
  assert_memory_not_equal(bank, lines, 32); /* another order: the greeting refuses it */
  CHECK_FAILS(
      SOTTO_INVALID, "none of its columns is named 'id'",
      open_by(&data, lines, table, write_text("other.csv", "key,age\nd,40\n"), SOTTO_ROLE_LABEL, &err));
}

static void ids_that_are_not_those_of_the_table_are_refused(void **state) {
  (void)state;
  uint8_t digest[32];
  sotto_dataset data;
  const char *table = write_text("some.csv", "id,label\na,p\nb,q\nc,p\n");
  CHECK_FAILS(SOTTO_INVALID, "id 2 is 'z', which no row of",
              open_by(&data, digest, table, write_text("z.txt", "a\nz\nb\n"), SOTTO_ROLE_LABEL, &err));
  CHECK_FAILS(SOTTO_PARSE, "same id",
              open_by(&data, digest, table, write_text("t.txt", "a\nb\na\n"), SOTTO_ROLE_LABEL, &err));
  /* numbers in the order of rows are ids, too */
  table = write_text("numbers.csv", "id,label\n0,p\n1,q\n2,p\n");
  CHECK_OK(open_by(&data, digest, table, write_text("n.txt", "1\n0\n"), SOTTO_ROLE_LABEL, &err));
  assert_int_equal(data.graph.nodes, 2);
  assert_string_equal(sotto_name(&data.class_names, (uint64_t)data.labels[0]), "q");
  sotto_dataset_free(&data);
}

static void lines_are_ids_of_rows_where_the_data_have_none(void **state) {
  (void)state;
  static const float x[] = {1, 2, 3};
  static const int32_t labels[] = {0, 1, 0};
  uint8_t digest[32], table[32];
  sotto_dataset data, opened;
  const sotto_arrays arrays = {.nodes = 3, .features = x, .feature_columns = 1, .labels = labels};
  CHECK_OK(sotto_dataset_from_arrays(&data, &arrays, &err));
  CHECK_OK(sotto_dataset_save(&data, check_path("bare.sotto"), &err));
  sotto_dataset_free(&data);
  CHECK_OK(open_by(&opened, digest, check_path("bare.sotto"), write_text("names.txt", "b\na\nc\n"),
                   SOTTO_ROLE_LABEL, &err));
  digest_of(table, write_text("named.csv", "id,label\nb,p\na,q\nc,p\n"), SOTTO_ROLE_LABEL);
  assert_memory_equal(digest, table, 32);
  sotto_dataset_free(&opened);
  CHECK_FAILS(SOTTO_INVALID, "has 2 ids, and the data 3 nodes",
              open_by(&opened, digest, check_path("bare.sotto"), write_text("few.txt", "a\nb\n"),
                      SOTTO_ROLE_LABEL, &err));
  CHECK_FAILS(SOTTO_INVALID, "numbers of its rows in another order",
              open_by(&opened, digest, check_path("bare.sotto"), write_text("moved.txt", "1\n0\n2\n"),
                      SOTTO_ROLE_LABEL, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_with_ids_and_a_table_of_the_same_nodes_agree),
      cmocka_unit_test(listed_ids_choose_and_order_the_rows),
      cmocka_unit_test(a_table_of_common_rows_gives_the_ids_too),
      cmocka_unit_test(ids_that_are_not_those_of_the_table_are_refused),
      cmocka_unit_test(lines_are_ids_of_rows_where_the_data_have_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
