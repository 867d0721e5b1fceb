/* A run goes on with the options that it was begun with. */
#include "run/storage/begun.h"

#include "check.h"
#include "made_run.h"

static sotto_options begin_run(void) {
  sotto_options o = check_options("gap", "begun");
  check_set(&o, "epsilon", "2");
  sotto_options_resolve(&o);
  CHECK_OK(sotto_options_write(&o, check_path("run.yaml"), &err));
  return o;
}

static void options_that_a_statement_is_of_may_not_change(void **state) {
  (void)state;
  static const char *const changes[][3] = {{"epsilon", "8", "was begun with 2, and 8 is asked for"},
                                           {"delta", "1e-3", "delta: "},
                                           {"seeds", "3", "seeds: "},
                                           {"seed", "3", "seed: "},
                                           {"layers", "3", "layers: "},
                                           {"max-degree", "3", "max-degree: "},
                                           {"account", "other", "account: "},
                                           {"anyway", "not-private", "anyway: "}};
  const sotto_options begun = begin_run();
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    sotto_options changed = begun;
    check_set(&changed, changes[i][0], changes[i][1]);
    CHECK_FAILS(SOTTO_INVALID, changes[i][2], sotto_i_check_begun(&changed, check_folder(), &err));
  }
  sotto_options other = check_options("mlp", "begun");
  CHECK_FAILS(SOTTO_INVALID, "method: ", sotto_i_check_begun(&other, check_folder(), &err));
}

static void where_files_lie_threads_and_limits_may_change(void **state) {
  (void)state;
  sotto_options changed = begin_run();
  CHECK_OK(sotto_i_check_begun(&changed, check_folder(), &err));
  check_set(&changed, "data", "elsewhere.sotto");
  check_set(&changed, "threads", "3");
  check_set(&changed, "checkpoint-every", "3");
  CHECK_OK(sotto_i_check_begun(&changed, check_folder(), &err));
  (void)remove(check_path("run.yaml"));
  check_set(&changed, "epsilon", "8");
  CHECK_OK(sotto_i_check_begun(&changed, check_folder(), &err)); /* nothing was begun */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_that_a_statement_is_of_may_not_change),
      cmocka_unit_test(where_files_lie_threads_and_limits_may_change),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
