/* The plan of a server that does not see the data: however often a party begins anew it is one plan, and it
 * outlives the process in the run folder. */
#include <string.h>

#include "base/file.h"
#include "check.h"
#include "made_run.h"
#include "run/storage/facts_file.h"
#include "run/train/run.h"

static void planning_again_replaces_the_plan(void **state) {
  (void)state;
  static const char *const methods[] = {"vfgnn", "vesper"};
  static char name[] = "server";
  for (size_t i = 0; i < 2; i++) {
    sotto_options options = check_options(methods[i], "plan");
    sotto_options_resolve(&options);
    sotto_dataset told = {.name = name, .graph.nodes = 300, .classes = 3};
    sotto_i_run run = {.options = &options, .data = &told, .variant = sotto_i_variant_of(&options)};
    run.releases = sotto_i_job_releases(&options);
    CHECK_OK(sotto_i_run_plan(&run, &err));
    const sotto_cost once = run.cost;
    assert_true(once.count > 0);
    for (int restarts = 0; restarts < 2 * SOTTO_MOST_COSTS; restarts++)
      CHECK_OK(sotto_i_run_plan(&run, &err));
    assert_int_equal(run.cost.count, once.count);
    assert_true(run.cost.items[0].mu == once.items[0].mu);
  }
}

static void facts_of_the_data_are_read_back(void **state) {
  (void)state;
  static const char *const corrupt[] = {
      "",           "1 2 3\n", "1 2 3 4", "1 2 3 4\nx", "-1 2 3 4\n", "1  2 3 4\n", "1 2 3 4294967296\n",
      "1 2 3 4 5\n"};
  const sotto_i_facts facts = {{4294967295U, 3, 0, 1}};
  sotto_i_facts read = {{0}};
  sotto_options options = check_options("vfgnn", "facts");
  CHECK_FAILS(SOTTO_NOT_FOUND, "facts", sotto_i_facts_load(&read, options.out, &err));
  CHECK_OK(sotto_i_facts_save(&facts, &options, &err));
  CHECK_OK(sotto_i_facts_load(&read, options.out, &err));
  assert_memory_equal(&read, &facts, sizeof facts);
  for (size_t i = 0; i < sizeof corrupt / sizeof *corrupt; i++) {
    CHECK_OK(sotto_i_write_file(check_path("facts/facts"), corrupt[i], strlen(corrupt[i]), &err));
    CHECK_FAILS(SOTTO_CORRUPT, "keeps of its data", sotto_i_facts_load(&read, options.out, &err));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planning_again_replaces_the_plan),
      cmocka_unit_test(facts_of_the_data_are_read_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
