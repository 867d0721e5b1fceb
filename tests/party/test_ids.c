/* Lists of ids: what is read, and what is refused with the lines it stands on. */
#include "check.h"
#include "id_list.h"

static void refused(const char *text, const char *column, sotto_status wanted, const char *words) {
  sotto_error err = {0};
  sotto_status status;
  sotto_ids *ids = check_ids_of_text(text, column, &status, &err);
  assert_null(ids);
  assert_int_equal(status, wanted);
  if (strstr(err.text, words) == NULL) fail_msg("'%s' lacks '%s'", err.text, words);
}

static void holds(const char *text, const char *column, const char *const *wanted) {
  sotto_error err = {0};
  sotto_status status;
  sotto_ids *ids = check_ids_of_text(text, column, &status, &err);
  if (ids == NULL) fail_msg("%s", err.text);
  size_t row = 0, size;
  for (; wanted[row] != NULL; row++) {
    assert_true(row < sotto_ids_count(ids));
    const uint8_t *id = sotto_ids_get(ids, row, &size);
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
  holds("", NULL, (const char *const[]){NULL});
}

static void a_column_is_found_by_its_name(void **state) {
  (void)state;
  holds("x,id\r\n1,a\r\n1,\"b,\"\"c\"\r\n", "id", (const char *const[]){"a", "b,\"c", NULL});
  holds("id\n", "id", (const char *const[]){NULL});
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
  refused("id\n\"x\n", "id", SOTTO_PARSE, "quotes");
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
      cmocka_unit_test(ids_twice_are_refused_with_both_lines),
      cmocka_unit_test(empty_ids_are_refused_with_their_line),
      cmocka_unit_test(a_column_may_be_named_by_its_number),
      cmocka_unit_test(tables_that_do_not_fit_are_refused),
      cmocka_unit_test(ids_that_are_too_long_are_refused),
      cmocka_unit_test(a_failed_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
