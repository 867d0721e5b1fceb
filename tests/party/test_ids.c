/* Lists of ids: what is read, and what is refused with the lines it stands on. */
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "id_list.h"
#include "inside/party.h"

static void refused(const char *text, const char *column, sotto_status wanted, const char *words) {
  sotto_error err = {0};
  sotto_status status;
  sotto_ids *ids = check_ids_of_text(text, column, &status, &err);
  assert_null(ids);
  assert_int_equal(status, wanted);
  if (strstr(err.text, words) == NULL) fail_msg("'%s' lacks '%s'", err.text, words);
}

static void holds(const char *text, const char *column, const char *const *wanted) {
  sotto_error problem = {0};
  sotto_status status;
  sotto_ids *ids = check_ids_of_text(text, column, &status, &problem);
  if (ids == NULL) fail_msg("%s", problem.text);
  size_t row = 0, size;
  for (; wanted[row] != NULL; row++) {
    assert_true(row < sotto_ids_count(ids));
    uint8_t id[SOTTO_MOST_ID_BYTES];
    CHECK_OK(sotto_ids_get(id, &size, ids, row, &err));
    assert_int_equal(size, strlen(wanted[row]));
    assert_memory_equal(id, wanted[row], size);
  }
  assert_int_equal(sotto_ids_count(ids), row);
  sotto_ids_free(ids);
}

static void lines_are_ids_without_their_ends(void **state) {
  (void)state;
  holds("b\r\na b\nz\xC3\xA4", NULL, (const char *const[]){"b", "a b", "z\xC3\xA4", NULL});
  holds("b\n", NULL, (const char *const[]){"b", NULL});
  holds(" 1\n2 \n\t3\t\r\n", NULL, (const char *const[]){"1", "2", "3", NULL});
  holds("", NULL, (const char *const[]){NULL});
}

static void a_column_is_found_by_its_name(void **state) {
  (void)state;
  holds("x,id\r\n1,a\r\n1,\"b,\"\"c\"\r\n", "id", (const char *const[]){"a", "b,\"c", NULL});
  holds("id\n", "id", (const char *const[]){NULL});
  holds("x, id\n1, a\n2,b \n", "id", (const char *const[]){"a", "b", NULL});
  holds("id;x\n1;2\n", "x", (const char *const[]){"2", NULL});
  holds("id\tx\n1\t2\n", "x", (const char *const[]){"2", NULL});
}

/* Ids of all lengths with all kinds of bytes between them, read at random from their file, from memory, and
 * compared with what was written. */
static void ids_are_read_again_from_their_file(void **state) {
  (void)state;
  const char *path = check_path("ids.csv");
  enum { rows = 700, most = 2 << 20 };
  static char text[most], wanted[rows][SOTTO_MOST_ID_BYTES + 1];
  sotto_i_random random = check_random();
  size_t used = (size_t)sprintf(text, "other,id\n");
  for (int row = 0; row < rows; row++) {
    const size_t wide = sotto_i_random_below(&random, row % 50 == 0 ? 30000 : 20);
    size_t size = (size_t)sprintf(wanted[row], "%d-", row), kinds = sotto_i_random_below(&random, 3);
    const size_t length = kinds == 0 ? SOTTO_MOST_ID_BYTES : 6 + sotto_i_random_below(&random, 200);
    while (size < length) wanted[row][size++] = (char)('a' + sotto_i_random_below(&random, 26));
    if (kinds == 2) wanted[row][5] = '"';
    memset(text + used, '.', wide);
    used += wide;
    used += (size_t)sprintf(text + used, kinds == 0 ? "," : ",\"");
    for (size_t i = 0; i < size; i++) {
      text[used++] = wanted[row][i];
      if (wanted[row][i] == '"') text[used++] = '"';
    }
    used += (size_t)sprintf(text + used, kinds == 0 ? "\n" : "\"\n");
  }
  CHECK_OK(sotto_i_write_file(path, text, used, &err));
  sotto_status status;
  sotto_error problem = {0};
  sotto_ids *lists[2] = {NULL, check_ids_of_text(text, "id", &status, &problem)};
  CHECK_OK(sotto_ids_open(&lists[0], path, "id", &err));
  CHECK_OK(status);
  uint8_t digests[2][32], id[SOTTO_MOST_ID_BYTES];
  for (int l = 0; l < 2; l++) {
    assert_int_equal(sotto_ids_count(lists[l]), rows);
    for (int turn = 0; turn < 2 * rows; turn++) {
      const size_t row = sotto_i_random_below(&random, rows);
      size_t size;
      CHECK_OK(sotto_ids_get(id, &size, lists[l], row, &err));
      assert_int_equal(size, strlen(wanted[row]));
      assert_memory_equal(id, wanted[row], size);
    }
    CHECK_OK(sotto_ids_digest(digests[l], lists[l], NULL, 0, &err));
  }
  assert_memory_equal(digests[0], digests[1], 32);
  for (int l = 0; l < 2; l++) sotto_ids_free(lists[l]);
}

/* A file may be removed or replaced, which leaves the one that is open as it was. */
static void a_file_that_changes_is_refused(void **state) {
  (void)state;
  const char *path = check_path("ids");
  uint8_t id[SOTTO_MOST_ID_BYTES], digest[32];
  size_t size;
  sotto_ids *ids = NULL;
  CHECK_OK(sotto_i_write_file(path, "a\nb\n", 4, &err));
  CHECK_OK(sotto_ids_open(&ids, path, NULL, &err));
  assert_int_equal(remove(path), 0);
  CHECK_OK(sotto_i_write_file(path, "c\nd\n", 4, &err));
  CHECK_OK(sotto_ids_get(id, &size, ids, 1, &err));
  assert_int_equal(id[0], 'b');
  sotto_ids_free(ids);
  CHECK_OK(sotto_ids_open(&ids, path, NULL, &err));
  FILE *file = fopen(path, "a");
  assert_non_null(file);
  assert_int_equal(fputs("e\n", file) < 0 || fclose(file) != 0, 0);
  CHECK_FAILS(SOTTO_CORRUPT, "changed while ids were compared", sotto_ids_get(id, &size, ids, 1, &err));
  CHECK_FAILS(SOTTO_CORRUPT, "changed while ids were compared", sotto_ids_digest(digest, ids, NULL, 0, &err));
  sotto_alignment out[2];
  const sotto_ids *const both[2] = {ids, ids};
  CHECK_FAILS(SOTTO_CORRUPT, "changed while ids were compared", sotto_align_local(out, both, 2, NULL, &err));
  assert_int_equal(truncate(path, 2), 0);
  CHECK_FAILS(SOTTO_CORRUPT, "became shorter", sotto_ids_get(id, &size, ids, 1, &err));
  sotto_ids_free(ids);
}

static void text_that_is_not_utf8_is_refused_with_its_byte(void **state) {
  (void)state;
  refused("a\nb\xE9\n", NULL, SOTTO_PARSE, "line 2, offset 3: byte 0xe9 is not UTF-8");
  refused("\xFF\xFE"
          "1",
          NULL, SOTTO_PARSE, "line 1, offset 0: byte 0xff is not UTF-8");
  refused("n,id\n1,caf\xC3\n", "id", SOTTO_PARSE, "line 2, offset 10: byte 0xc3 is not UTF-8");
}

static void ids_twice_are_refused_with_both_lines(void **state) {
  (void)state;
  refused("a\nb\nc\nb\na\n", NULL, SOTTO_PARSE, "lines 2 and 4 have the same id");
  refused("a\nb\na\r\n", NULL, SOTTO_PARSE, "lines 1 and 3 have the same id");
  refused("n,id\n1,x\n2,y\n3,x\n", "id", SOTTO_PARSE, "lines 2 and 4 have the same id");
}

static void empty_ids_are_refused_with_their_line(void **state) {
  (void)state;
  refused("a\n\nb\n", NULL, SOTTO_PARSE, "line 2: the id is empty");
  refused("a\n\r\n", NULL, SOTTO_PARSE, "line 2: the id is empty");
  refused("n,id\n1,x\n2,\n", "id", SOTTO_PARSE, "line 3: the id is empty");
  refused("n,id\n1,x\n\n2,y\n", "id", SOTTO_PARSE, "line 3: the line is empty");
  refused("n,id\n1,x\n\n\n", "id", SOTTO_PARSE, "line 3: the line is empty");
}

static void a_column_may_be_named_by_its_number(void **state) {
  (void)state;
  holds("1,x\n2,y\n", "#2", (const char *const[]){"x", "y", NULL});
  holds("id,\"a, b\"\n", "#1", (const char *const[]){"id", NULL});
  refused("1,x\n", "#3", SOTTO_NOT_FOUND, "there is no column 3; its first line has 2");
  refused("1,x\n", "#0", SOTTO_NOT_FOUND, "there is no column 0");
  refused("1,x\n", "#x", SOTTO_PARSE, "column: 'x'");
  refused("1,x\n2\n", "#1", SOTTO_PARSE, "line 2: 1 fields");
  refused("\n1,x\n", "#2", SOTTO_PARSE, "line 1: the line is empty");
  refused("\nn,id\n1,x\n", "id", SOTTO_PARSE, "line 1: the line is empty");
}

static void tables_that_do_not_fit_are_refused(void **state) {
  (void)state;
  refused("n,id\n1,x\n", "name", SOTTO_NOT_FOUND, "no column is named 'name'");
  refused("", "id", SOTTO_NOT_FOUND, "no column is named 'id'");
  refused("id,id\n1,x\n", "id", SOTTO_PARSE, "2 columns are named 'id'");
  refused("n,id\n1\n", "id", SOTTO_PARSE, "line 2: 1 fields, where the first line has 2");
  refused("id\n\"x\n", "id", SOTTO_PARSE, "quote that opens this field is not closed");
}

static void ids_that_are_too_long_are_refused(void **state) {
  (void)state;
  char text[SOTTO_MOST_ID_BYTES + 4];
  memset(text, 'x', sizeof text);
  memcpy(text + SOTTO_MOST_ID_BYTES, "\n", 2);
  holds(text, NULL, (const char *const[]){(text[SOTTO_MOST_ID_BYTES] = '\0', text), NULL});
  memcpy(text + SOTTO_MOST_ID_BYTES, "x\n", 3);
  refused(text, NULL, SOTTO_RANGE, "line 1: the id has 1025 bytes");
}

static void a_failed_allocation_is_reported(void **state) {
  (void)state;
  for (uint64_t nth = 1;; nth++) {
    sotto_error err = {0};
    sotto_status status;
    sotto_i_memory_fail_at(nth);
    sotto_ids *ids = check_ids_of_text("id,n\na,1\nb,2\n", "id", &status, &err);
    uint64_t made = sotto_i_memory_fail_at(0);
    sotto_ids_free(ids);
    if (made < nth) break;
    assert_null(ids);
    assert_int_equal(status, SOTTO_NOMEM);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_are_ids_without_their_ends),
      cmocka_unit_test(a_column_is_found_by_its_name),
      cmocka_unit_test(ids_are_read_again_from_their_file),
      cmocka_unit_test(a_file_that_changes_is_refused),
      cmocka_unit_test(text_that_is_not_utf8_is_refused_with_its_byte),
      cmocka_unit_test(ids_twice_are_refused_with_both_lines),
      cmocka_unit_test(empty_ids_are_refused_with_their_line),
      cmocka_unit_test(a_column_may_be_named_by_its_number),
      cmocka_unit_test(tables_that_do_not_fit_are_refused),
      cmocka_unit_test(ids_that_are_too_long_are_refused),
      cmocka_unit_test(a_failed_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
