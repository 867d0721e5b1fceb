/* Lists in text: what is read, and what each kind of bad line is told. */
#include "check.h"
#include "sotto/dp.h"

static sotto_status parse(sotto_mechanism **list, size_t *count, const char *text, sotto_error *err) {
  return sotto_mechanisms_parse(list, count, text, strlen(text), err);
}

static void every_kind_and_field_is_read(void **state) {
  (void)state;
  sotto_mechanism *list;
  size_t count;
  CHECK_OK(parse(&list, &count,
                 "# a list\n\n  gaussian noise=3 count=4 sensitivity=2\r\n"
                 "subsampled-gaussian\tnoise=1.2 rate=0.02 # sampled\n"
                 "subsampled-gaussian noise=1 population=100 batch=10\n"
                 "contractive noise=1 layers=5 lipschitz=0\nlaplace scale=2\ndiscrete-gaussian noise=2\n"
                 "randomized-response epsilon=1 choices=4\nmultibit noise=0.25 sampled=7\n"
                 "noise-free-sampling layers=2 epochs=3 sample=4 degree=9 rate=0.5 slack=1e-4",
                 &err));
  assert_int_equal(count, 9);
  assert_int_equal(list[0].count, 4);
  assert_true(list[0].noise == 3 && list[0].sensitivity == 2);
  assert_true(list[1].rate == 0.02 && list[1].count == 1);
  assert_true(list[2].population == 100 && list[2].batch == 10);
  assert_true(list[3].layers == 5 && list[3].lipschitz == 0);
  assert_true(list[4].kind == SOTTO_MECHANISM_LAPLACE && list[4].noise == 2);
  assert_true(list[6].epsilon == 1 && list[6].choices == 4);
  assert_true(list[7].noise == 0.25 && list[7].sampled == 7);
  assert_true(list[8].epochs == 3 && list[8].sample == 4 && list[8].degree == 9 && list[8].slack == 1e-4);
  sotto_mechanisms_free(list);
}

static void bad_lines_are_named_with_what_is_wrong(void **state) {
  (void)state;
  static const struct {
    sotto_status status;
    const char *text, *words;
  } cases[] = {
      {SOTTO_PARSE, "", "names no mechanism"},
      {SOTTO_PARSE, "\n# only this\n", "names no mechanism"},
      {SOTTO_PARSE, "gaussian noise=1\ngausian noise=1",
       "line 2: no mechanism is named 'gausian'; did you mean 'gaussian'"},
      {SOTTO_PARSE, "gaussian nose=1", "did you mean 'noise'"},
      {SOTTO_PARSE, "gaussian noise", "not of the form key=value"},
      {SOTTO_PARSE, "gaussian noise=", "not a number"},
      {SOTTO_PARSE, "gaussian noise=1x", "not a number"},
      {SOTTO_PARSE, "gaussian noise=1 noise=2", "given twice"},
      {SOTTO_PARSE, "laplace noise=1 scale=2", "given twice"},
      {SOTTO_PARSE, "gaussian noise=1 count=1.5", "not a whole number"},
      {SOTTO_PARSE, "gaussian noise=1 count=-1", "not a whole number"},
      {SOTTO_RANGE, "gaussian", "noise is 0"},
      {SOTTO_RANGE, "gaussian noise=-1", "noise is -1"},
      {SOTTO_RANGE, "gaussian noise=0", "must be above 0"},
      {SOTTO_RANGE, "gaussian noise=nan", "not finite"},
      {SOTTO_RANGE, "gaussian noise=1e999", "not finite"},
      {SOTTO_RANGE, "gaussian noise=1 count=0", "count is 0"},
      {SOTTO_RANGE, "gaussian noise=1 count=4611686018427387905", "2^62"},
      {SOTTO_RANGE, "gaussian noise=1 count=99999999999999999999", "too large"},
      {SOTTO_RANGE, "subsampled-gaussian noise=1 rate=1.01", "rate is 1.01"},
      {SOTTO_RANGE, "subsampled-gaussian noise=1", "either rate, or population"},
      {SOTTO_RANGE, "subsampled-gaussian noise=1 population=5 batch=6", "batch is 6"},
      {SOTTO_INVALID, "subsampled-gaussian noise=1 rate=0.1 population=5 batch=1",
       "either rate, or population"},
      {SOTTO_INVALID, "gaussian noise=1 rate=0.5", "has no rate"},
      {SOTTO_RANGE, "contractive noise=1 lipschitz=1", "below 1"},
      {SOTTO_RANGE, "randomized-response", "either noise"},
      {SOTTO_INVALID, "randomized-response noise=0.1 epsilon=1", "either noise"},
      {SOTTO_RANGE, "randomized-response noise=0.6", "at most 0.5"},
      {SOTTO_RANGE, "discrete-gaussian noise=1 sensitivity=1.5", "whole numbers"},
      {SOTTO_RANGE, "noise-free-sampling sample=1", "degree is 0"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sotto_mechanism *list;
    size_t count;
    CHECK_FAILS(cases[i].status, cases[i].words, parse(&list, &count, cases[i].text, &err));
    assert_null(list);
  }
}

static void overlong_words_and_zero_bytes_are_refused(void **state) {
  (void)state;
  sotto_mechanism *list;
  size_t count;
  char text[200];
  memset(text, 'a', sizeof text);
  CHECK_FAILS(SOTTO_PARSE, "line 1", sotto_mechanisms_parse(&list, &count, text, sizeof text, &err));
  CHECK_FAILS(SOTTO_PARSE, "line 1", sotto_mechanisms_parse(&list, &count, "gauss\0ian", 9, &err));
}

static void more_than_the_most_mechanisms_are_refused(void **state) {
  (void)state;
  static const char line[] = "gaussian noise=1\n";
  size_t length = sizeof line - 1, size = length * (SOTTO_MECHANISMS_MAX + 1), count;
  char *text = malloc(size);
  sotto_mechanism *list;
  for (size_t at = 0; at < size; at += length) memcpy(text + at, line, length);
  CHECK_OK(sotto_mechanisms_parse(&list, &count, text, size - length, &err));
  assert_int_equal(count, SOTTO_MECHANISMS_MAX);
  sotto_mechanisms_free(list);
  CHECK_FAILS(SOTTO_RANGE, "line 4097", sotto_mechanisms_parse(&list, &count, text, size, &err));
  free(text);
}

static void every_failed_allocation_is_reported_and_leaks_nothing(void **state) {
  (void)state;
  for (uint64_t nth = 1; nth < 100; nth++) {
    sotto_mechanism *list;
    size_t count;
    sotto_error err = {0};
    sotto_i_memory_fail_at(nth);
    sotto_status status = parse(&list, &count, "gaussian noise=1\nlaplace noise=1\n", &err);
    sotto_i_memory_fail_at(0);
    sotto_mechanisms_free(list);
    if (status == SOTTO_OK) return;
    assert_int_equal(status, SOTTO_NOMEM);
  }
  fail_msg("still failing");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_and_field_is_read),
      cmocka_unit_test(bad_lines_are_named_with_what_is_wrong),
      cmocka_unit_test(overlong_words_and_zero_bytes_are_refused),
      cmocka_unit_test(more_than_the_most_mechanisms_are_refused),
      cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
