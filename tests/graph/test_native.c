/* The native format: errors behind right checksums, arrays used in place, files that are replaced. */
#include "graph/io/native.h"
#include "samples.h"

#include "check.h"
#include "inside/graph.h"
#include "sotto/split.h"

#define FIELD(name)      offsetof(sotto_i_native_header, name)
#define LIST(list, name) SECTION(SOTTO_I_NATIVE_NAMES + SOTTO_I_NAMES_##list, name)
#define NAMES            (HEADER + 448) /* where the ids of nodes begin: six starts, then the texts */
#define HEADER           sizeof(sotto_i_native_header)
#define SECTION(kind, name)                                                                                  \
  FIELD(table) + (kind) * sizeof(sotto_i_native_section) + offsetof(sotto_i_native_section, name)

static void claims_of_the_header_are_held_against_the_file(void **state) {
  (void)state;
  static const struct {
    size_t at, bytes;
    uint64_t value;
    sotto_status status;
    const char *words;
  } table[] = {
      {FIELD(magic), 1, 'X', SOTTO_PARSE, "offset 0: is not a native file"},
      {FIELD(version), 4, SOTTO_I_NATIVE_VERSION + 1, SOTTO_UNSUPPORTED,
       "offset 8: format version 10; this library reads version 9: import the data again"},
      {FIELD(version), 4, SOTTO_I_NATIVE_VERSION - 1, SOTTO_UNSUPPORTED, "offset 8: format version 8"},
      {FIELD(version), 4, 0, SOTTO_UNSUPPORTED, "offset 8: format version 0"},
      {FIELD(sections), 4, 9, SOTTO_CORRUPT, "offset 16"},
      {FIELD(file_size), 8, 10000000000, SOTTO_CORRUPT, "the header claims 10000000000 bytes"},
      {FIELD(file_size), 8, 1, SOTTO_CORRUPT, "it was changed"},
      {FIELD(nodes), 8, 10000000000, SOTTO_CORRUPT, "the counts are too large for any file"},
      {FIELD(nodes), 8, 6, SOTTO_CORRUPT, "section offsets has an offset or a size"},
      {FIELD(entries), 8, 10000000000, SOTTO_CORRUPT, "section targets has an offset or a size"},
      {FIELD(entries), 8, UINT64_MAX, SOTTO_CORRUPT, "the counts are too large for any file"},
      {FIELD(width), 8, 1 << 30, SOTTO_CORRUPT, "section features has an offset or a size"},
      {FIELD(width), 8, 0, SOTTO_CORRUPT, "section features has an offset or a size"},
      {FIELD(graph_count), 8, 0, SOTTO_CORRUPT, "section graph_first has an offset or a size"},
      {FIELD(graph_count), 8, UINT64_MAX, SOTTO_CORRUPT, "the counts are too large for any file"},
      {SECTION(SOTTO_I_NATIVE_NAME, size), 8, 10000000000, SOTTO_CORRUPT,
       "section name has an offset or a size"},
      {SECTION(SOTTO_I_NATIVE_NAME, size), 8, 3, SOTTO_CORRUPT, "the padding after section name is not zero"},
      {SECTION(SOTTO_I_NATIVE_TARGETS, offset), 8, HEADER, SOTTO_CORRUPT,
       "section targets has an offset or a size"},
      {SECTION(SOTTO_I_NATIVE_TARGETS, offset), 8, 0, SOTTO_CORRUPT,
       "section targets has an offset or a size"},
      {SECTION(SOTTO_I_NATIVE_FEATURES, offset), 8, UINT64_MAX, SOTTO_CORRUPT,
       "section features has an offset"},
      {SECTION(SOTTO_I_NATIVE_LABELS, offset), 8, 1, SOTTO_CORRUPT, "section labels has an offset or a size"},
      {HEADER + 64 + 8, 8, 3, SOTTO_CORRUPT, "node 0, entry 2"}, /* offsets[1] */
      {HEADER + 64 + 5 * 8, 8, 9, SOTTO_CORRUPT, "ends at 9"},   /* offsets[5] */
      {HEADER + 128, 4, 7, SOTTO_CORRUPT, "entry 0"},            /* targets[0] */
      {HEADER + 192, 4, 0x7F800000, SOTTO_NUMERIC, "feature 0 of node 0 is not finite"},
      {FIELD(graph_classes), 4, 1, SOTTO_CORRUPT, "section graph_class_names is not a list of 1 names"},
      {LIST(NODES, size), 8, UINT64_MAX, SOTTO_CORRUPT, "section node_ids has an offset or a size"},
      {LIST(NODES, size), 8, 40, SOTTO_CORRUPT, "section feature_names has an offset or a size"},
      {LIST(CLASSES, offset), 8, 64, SOTTO_CORRUPT, "section class_names has an offset or a size"},
      {NAMES, 8, 1, SOTTO_CORRUPT, "5 names for 5 nodes"},                /* the first start */
      {NAMES + 8, 8, 0, SOTTO_CORRUPT, "name 0 of the nodes has no end"}, /* the next one before it */
      {NAMES + 8, 8, UINT64_MAX, SOTTO_CORRUPT, "name 0 of the nodes has no end"},
      {NAMES + 40, 8, UINT64_MAX, SOTTO_CORRUPT, "section node_ids is not a list of 5 names"},
      {NAMES + 48, 1, 0, SOTTO_CORRUPT, "name 0 of the nodes has no end"},   /* a zero inside */
      {NAMES + 51, 1, 'x', SOTTO_CORRUPT, "name 0 of the nodes has no end"}, /* no zero at the end */
      {NAMES + 48, 1, 0x1b, SOTTO_CORRUPT, "or is not UTF-8 text without control"},
      {NAMES + 48, 1, 0xc3, SOTTO_CORRUPT, "or is not UTF-8 text without control"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    sample bytes = sample_native();
    memcpy(bytes.data + table[i].at, &table[i].value, table[i].bytes);
    sample_seal(bytes.data, bytes.size, false);
    const char *path = sample_write(&bytes, "claims.sotto");
    sotto_dataset data;
    sotto_error err = {0};
    sotto_status status = sotto_dataset_open(&data, path, NULL, &err);
    if (status != table[i].status || strstr(err.text, table[i].words) == NULL ||
        strstr(err.text, path) == NULL)
      fail_msg("row %zu: status %d: %s", i, (int)status, err.text);
    sample_free(&bytes);
  }
}

/* Where a section begins, by its entry in the header. */
static uint8_t *section_of(sample *bytes, size_t kind) {
  sotto_i_native_section s;
  memcpy(&s, bytes->data + FIELD(table) + kind * sizeof s, sizeof s);
  return bytes->data + s.offset;
}

static void edges_to_others_are_checked(void **state) {
  (void)state;
  static const struct {
    size_t kind, at;
    uint32_t value;
    sotto_status status;
    const char *words;
  } table[] = {
      {SOTTO_I_NATIVE_FOREIGN, 0, 2, SOTTO_RANGE, "node 2 is not below 2"},
      {SOTTO_I_NATIVE_FOREIGN, 0, 1, SOTTO_CORRUPT, "edge 1 to another owner is out of order"},
      {SOTTO_I_NATIVE_FOREIGN, 4, 1, SOTTO_CORRUPT, "edge 2 to another owner is out of order or there twice"},
      {SOTTO_I_NATIVE_FOREIGN_IDS, 32, '3', SOTTO_CORRUPT,
       "edge 1 to another owner is out of order or there"},
      {SOTTO_I_NATIVE_FOREIGN_IDS, 24, 9, SOTTO_CORRUPT, "section foreign_ids is not a list of 3 names"},
      {SOTTO_I_NATIVE_FOREIGN_IDS, 32, 0x1b, SOTTO_CORRUPT, "without control characters"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    sample bytes = sample_native_foreign();
    sotto_dataset data;
    sotto_error err = {0};
    memcpy(section_of(&bytes, table[i].kind) + table[i].at, &table[i].value,
           table[i].kind == SOTTO_I_NATIVE_FOREIGN_IDS && table[i].at == 32 ? 1 : 4);
    sample_seal(bytes.data, bytes.size, false);
    const sotto_status status = sotto_dataset_open(&data, sample_write(&bytes, "foreign.sotto"), NULL, &err);
    if (status != table[i].status || strstr(err.text, table[i].words) == NULL)
      fail_msg("row %zu: status %d: %s", i, (int)status, err.text);
    sample_free(&bytes);
  }
}

static void kinds_are_checked(void **state) {
  (void)state;
  static const struct {
    size_t kind, at;
    uint8_t value;
    sotto_status status;
    const char *words;
  } table[] = {
      {SOTTO_I_NATIVE_TRANSFER_KINDS, 2, 2, SOTTO_RANGE, "transfer 2 is of a kind without a name"},
      {SOTTO_I_NATIVE_KIND_NAMES, 16, 9, SOTTO_CORRUPT, "section kind_names is not a list of 1 to 16 names"},
      {SOTTO_I_NATIVE_KIND_NAMES, 8, 4, SOTTO_CORRUPT, "name 0 of the kinds has no end"},
      {SOTTO_I_NATIVE_KIND_NAMES, 24, 0x1b, SOTTO_CORRUPT, "without control characters"},
      {SOTTO_I_NATIVE_KIND_NAMES, 26, 'r', SOTTO_OK, ""},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    sample bytes = sample_native_kinds();
    sotto_dataset data;
    sotto_error err = {0};
    section_of(&bytes, table[i].kind)[table[i].at] = table[i].value;
    sample_seal(bytes.data, bytes.size, false);
    const sotto_status status = sotto_dataset_open(&data, sample_write(&bytes, "kinds.sotto"), NULL, &err);
    if (status != table[i].status || (status != SOTTO_OK && strstr(err.text, table[i].words) == NULL))
      fail_msg("row %zu: status %d: %s", i, (int)status, err.text);
    if (status == SOTTO_OK) assert_string_equal(sotto_name(&data.transfers.kind_names, 0), "carh");
    if (status == SOTTO_OK) sotto_dataset_free(&data);
    sample_free(&bytes);
  }
}

static void bytes_after_the_last_section_are_refused(void **state) {
  (void)state;
  sample bytes = sample_native();
  sotto_dataset data;
  static const uint8_t more[64];
  sample_add(&bytes, more, sizeof more);
  sample_seal(bytes.data, bytes.size, true);
  CHECK_FAILS(SOTTO_CORRUPT, "bytes follow the last section",
              sotto_dataset_open(&data, sample_write(&bytes, "longer.sotto"), NULL, &err));
  sample_free(&bytes);
}

/* The planted fault: without this, a seal that seals nothing would make the table above pass for the
 * checksum. */
static void a_sealed_file_without_change_opens(void **state) {
  (void)state;
  sample bytes = sample_native();
  sotto_dataset data;
  sample_seal(bytes.data, bytes.size, true);
  CHECK_OK(sotto_dataset_open(&data, sample_write(&bytes, "sealed.sotto"), NULL, &err));
  assert_string_equal(data.name, "tiny");
  assert_int_equal((uintptr_t)data.features.data % 64, 0);
  assert_int_equal((uintptr_t)data.graph.targets % 64, 0);
  sotto_dataset_free(&data);
  sample_free(&bytes);
}

static void names_are_kept_beside_the_data(void **state) {
  (void)state;
  sample bytes = sample_native();
  sotto_dataset data;
  CHECK_OK(sotto_dataset_open(&data, sample_write(&bytes, "names.sotto"), NULL, &err));
  assert_int_equal(data.node_ids.count, 5);
  assert_string_equal(sotto_name(&data.node_ids, 0), "ann");
  assert_string_equal(sotto_name(&data.node_ids, 2), "\xc3\xa9va");
  assert_null(sotto_name(&data.node_ids, 5));
  assert_string_equal(sotto_name(&data.feature_names, 3), "age");
  assert_null(sotto_name(&data.class_names, 0));
  assert_string_equal(sotto_name(&data.graph_class_names, 1), "yes");
  sotto_dataset_free(&data);
  sample_free(&bytes);
}

/* One graph has one account, whatever its nodes are called. */
static void names_change_no_digest(void **state) {
  (void)state;
  sample bytes = sample_native();
  sotto_dataset named, bare;
  CHECK_OK(sotto_dataset_open(&named, sample_write(&bytes, "named.sotto"), NULL, &err));
  sotto_dataset without = named;
  without.node_ids = without.feature_names = without.class_names = without.graph_class_names =
      (sotto_names){0};
  CHECK_OK(sotto_dataset_save(&without, check_path("bare.sotto"), &err));
  CHECK_OK(sotto_dataset_open(&bare, check_path("bare.sotto"), NULL, &err));
  assert_int_equal(named.node_ids.count, 5);
  assert_int_equal(bare.node_ids.count, 0);
  assert_memory_equal(named.digest, bare.digest, 32);
  assert_memory_equal(named.account, bare.account, 32);
  assert_memory_equal(named.features_digest, bare.features_digest, 32);
  sotto_dataset_free(&named);
  sotto_dataset_free(&bare);
  sample_free(&bytes);
}

static void names_that_do_not_fit_are_not_saved(void **state) {
  (void)state;
  sample bytes = sample_native();
  sotto_dataset data;
  CHECK_OK(sotto_dataset_open(&data, sample_write(&bytes, "fit.sotto"), NULL, &err));
  sotto_dataset changed = data;
  changed.graph_classes = 3;
  CHECK_FAILS(SOTTO_INVALID, "2 graph_class_names for 3",
              sotto_dataset_save(&changed, check_path("unfit.sotto"), &err));
  sotto_dataset_free(&data);
  sample_free(&bytes);
}

static void parts_of_a_dataset_keep_the_names_of_what_they_have(void **state) {
  (void)state;
  sample bytes = sample_native();
  sotto_dataset data, part;
  const uint32_t second = 1;
  CHECK_OK(sotto_dataset_open(&data, sample_write(&bytes, "whole.sotto"), NULL, &err));
  CHECK_OK(sotto_dataset_take(&part, &data, &second, 1, "second", &err));
  assert_int_equal(part.node_ids.count, 2);
  assert_string_equal(sotto_name(&part.node_ids, 0), "dan");
  assert_string_equal(sotto_name(&part.feature_names, 0), "kind=3");
  assert_string_equal(sotto_name(&part.graph_class_names, 0), "no");
  sotto_dataset_free(&part);
  sotto_dataset_free(&data);
  sample_free(&bytes);
}

static void a_dataset_can_be_saved_over_the_file_it_was_opened_from(void **state) {
  (void)state;
  sample bytes = sample_native();
  const char *path = sample_write(&bytes, "over.sotto");
  sotto_dataset data, again;
  CHECK_OK(sotto_dataset_open(&data, path, NULL, &err));
  CHECK_OK(sotto_dataset_save(&data, path, &err));
  CHECK_OK(sotto_dataset_open(&again, path, NULL, &err));
  assert_memory_equal(data.digest, again.digest, sizeof data.digest);
  assert_memory_equal(data.features.data, again.features.data,
                      sizeof(float) * data.graph.nodes * data.features.cols);
  sotto_dataset_free(&data);
  sotto_dataset_free(&again);
  sample_free(&bytes);
}

static void saving_where_there_is_no_folder_is_an_error(void **state) {
  (void)state;
  sample bytes = sample_native();
  sotto_dataset data;
  CHECK_OK(sotto_dataset_open(&data, sample_write(&bytes, "good.sotto"), NULL, &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "/nonexistent/x.sotto",
              sotto_dataset_save(&data, "/nonexistent/x.sotto", &err));
  sotto_dataset_free(&data);
  CHECK_FAILS(SOTTO_INVALID, "no graph to save", sotto_dataset_save(&data, "/nonexistent/x.sotto", &err));
  sample_free(&bytes);
}

static void checksums_do_not_depend_on_the_number_of_threads(void **state) {
  (void)state;
  enum { size = 5 * (1 << 20) / 2 };
  uint8_t *data = calloc(1, size), one[32], four[32];
  sotto_i_random random = check_random();
  sotto_i_random_bytes(&random, data, size);
  CHECK_OK(sotto_threads_set(1, &err));
  CHECK_OK(sotto_i_checksum(one, data, size, &err));
  CHECK_OK(sotto_threads_set(4, &err));
  CHECK_OK(sotto_i_checksum(four, data, size, &err));
  assert_memory_equal(one, four, sizeof one);
  data[size - 1] ^= 1;
  CHECK_OK(sotto_i_checksum(four, data, size, &err));
  assert_memory_not_equal(one, four, sizeof one);
  free(data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(claims_of_the_header_are_held_against_the_file),
      cmocka_unit_test(edges_to_others_are_checked),
      cmocka_unit_test(kinds_are_checked),
      cmocka_unit_test(bytes_after_the_last_section_are_refused),
      cmocka_unit_test(a_sealed_file_without_change_opens),
      cmocka_unit_test(names_are_kept_beside_the_data),
      cmocka_unit_test(names_change_no_digest),
      cmocka_unit_test(names_that_do_not_fit_are_not_saved),
      cmocka_unit_test(parts_of_a_dataset_keep_the_names_of_what_they_have),
      cmocka_unit_test(a_dataset_can_be_saved_over_the_file_it_was_opened_from),
      cmocka_unit_test(saving_where_there_is_no_folder_is_an_error),
      cmocka_unit_test(checksums_do_not_depend_on_the_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
