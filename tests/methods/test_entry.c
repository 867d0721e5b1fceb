/* A program may begin with any of these public calls: each hands the list of methods to the engine. */
#include "check.h"
#include "inside/run.h"
#include "run/method/method.h"
#include "sotto/attack.h"
#include "sotto/methods.h"
#include "sotto/model.h"
#include "sotto/run.h"

static void begin_with_options(void) {
  sotto_options o;
  sotto_options_default(&o);
  assert_string_not_equal(o.method, "");
}

static void begin_with_option_table(void) {
  size_t count;
  assert_non_null(sotto_option_table(&count));
  assert_true(count > 0);
}

static void begin_with_method_table(void) {
  size_t count;
  assert_non_null(sotto_method_table(&count));
  assert_true(count > 0);
}

static void begin_with_method_options(void) {
  sotto_option_info infos[SOTTO_MOST_OPTIONS];
  assert_true(sotto_method_options(infos, SOTTO_MOST_OPTIONS, "best") > 0);
}

static void begin_with_method_default(void) {
  char text[600];
  CHECK_OK(sotto_method_default(text, sizeof text, "best", "epochs", &err));
}

static void begin_with_run(void) {
  sotto_run *run;
  CHECK_OK(sotto_run_new(&run, &err));
  sotto_run_free(run);
}

static void begin_with_model(void) {
  sotto_model *model;
  sotto_error err;
  assert_int_not_equal(sotto_model_open(&model, "/nowhere", NULL, NULL, &err), SOTTO_OK);
}

static void begin_with_attack(void) {
  sotto_findings found = {.count = 0};
  sotto_dataset data = {.name = "none"};
  sotto_error err;
  const sotto_audit_ask ask = sotto_audit_ask_default();
  assert_int_not_equal(sotto_attack(&found, "/nowhere", &data, "canary", &ask, NULL, &err), SOTTO_OK);
}

static void begin_with_self_method(void) {
  assert_non_null(sotto_self_method(0));
}

static void each_first_call_finds_the_methods(void **state) {
  void (*const calls[])(void) = {
      begin_with_options,        begin_with_option_table,   begin_with_method_table,
      begin_with_method_options, begin_with_method_default, begin_with_run,
      begin_with_model,          begin_with_attack,         begin_with_self_method};
  (void)state;
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
    sotto_i_methods_use(NULL);
    calls[i]();
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_first_call_finds_the_methods)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
