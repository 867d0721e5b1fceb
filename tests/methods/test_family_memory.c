/* Runs of the methods of one owner with every allocation failing in turn: refused, or done, and nothing lost.
 */
#include <string.h>

#include "base/file.h"
#include "check.h"
#include "ledgers.h"
#include "made_run.h"
#include "sotto/generate.h"
#include "sotto/methods.h"

static sotto_dataset make_data(void) {
  const sotto_sbm_options sbm = {
      .nodes = 40, .classes = 2, .features = 3, .degree_inside = 4, .degree_outside = 1, .feature_signal = 1};
  return check_communities(&sbm);
}

static void run_with_failures(const char *method, const char *adjacency, uint64_t thinning) {
  sotto_dataset data = make_data();
  sotto_options o;
  sotto_options_default(&o);
  check_set(&o, "method", method);
  check_set(&o, "adjacency", adjacency);
  check_set(&o, "data", "here");
  static const char *const settings[] = {"hidden",         "4",  "layers", "1", "epochs",     "1",
                                         "encoder-epochs", "1",  "steps",  "1", "batch-rate", "1",
                                         "max-degree",     "39", NULL};
  check_set_own(&o, settings);
  char folder[64];
  (void)snprintf(folder, sizeof folder, "%s-%s", method, adjacency);
  check_set(&o, "out", check_path(folder));
  CHECK_OK(sotto_i_make_folder(o.out, &err));
  (void)snprintf(o.ledger, sizeof o.ledger, "%.900s/ledger.db", o.out);
  (void)check_new_ledger(o.ledger);
  check_set(&o, "resume", "true");
  sotto_status status = SOTTO_NOMEM;
  sotto_result result = {0};
  for (uint64_t nth = 1; status == SOTTO_NOMEM && nth < 20000; nth += 1 + nth / thinning) {
    (void)sotto_i_memory_fail_at(nth);
    status = sotto_train(&result, &o, &data, NULL, NULL, NULL);
  }
  (void)sotto_i_memory_fail_at(0);
  if (status != SOTTO_OK) fail_msg("%s: '%s', not out of memory", method, sotto_status_text(status));
  /* However often it was stopped, each of its releases was charged once. */
  assert_int_equal(result.spent.charges, result.cost.count);
  sotto_result_free(&result);
  sotto_dataset_free(&data);
}

static void edge_level_methods_survive_every_failed_allocation(void **state) {
  (void)state;
  run_with_failures("pertgraph", "edge", UINT64_MAX);
  run_with_failures("dpdgc", "edge", UINT64_MAX);
  run_with_failures("lpgnet", "edge", UINT64_MAX);
  run_with_failures("best", "edge", UINT64_MAX);
}

/* Its accountant allocates a thousand times: some of those fail, not each. */
static void dpsgd_survives_failed_allocations(void **state) {
  (void)state;
  run_with_failures("mlp", "node", 8);
  run_with_failures("sage", "node", 4);
  run_with_failures("gap", "node", 4);
  run_with_failures("caribou", "node", 4);
  run_with_failures("dpdgc", "node", 4);
  run_with_failures("lpgnet", "node", 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(edge_level_methods_survive_every_failed_allocation),
      cmocka_unit_test(dpsgd_survives_failed_allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
