/* Runs of method progap. */
#include "progap_runs.h"

#include "check.h"
#include "ledgers.h"
#include "made_run.h"
#include "sotto/generate.h"

sotto_dataset check_progap_data(uint64_t nodes, double signal) {
  const sotto_sbm_options sbm = {.nodes = nodes,
                                 .classes = 3,
                                 .features = 6,
                                 .degree_inside = 9,
                                 .degree_outside = 1,
                                 .feature_signal = signal};
  return check_communities(&sbm);
}

sotto_options check_progap_options(const char *folder, const char *layers) {
  sotto_options o = check_options("progap", folder);
  check_set(&o, "hidden", "8");
  check_set(&o, "encoder-epochs", "12");
  check_set(&o, "epochs", "12");
  check_set(&o, "layers", layers);
  (void)snprintf(o.ledger, sizeof o.ledger, "%.900s/ledger.db", o.out);
  (void)check_new_ledger(o.ledger);
  return o;
}

sotto_options check_progap_node_options(const char *folder, const char *layers) {
  sotto_options o = check_progap_options(folder, layers);
  check_set(&o, "adjacency", "node");
  check_set(&o, "max-degree", "59");
  check_set(&o, "epsilon", "3");
  check_set(&o, "steps", "6");
  return o;
}

void check_progap_path(char out[CHECK_PROGAP_PATH], const sotto_options *options, const char *file) {
  (void)snprintf(out, CHECK_PROGAP_PATH, "%.1000s/seed-1/%s", options->out, file);
}

void check_progap_remove(const sotto_options *options, const char *file) {
  char path[CHECK_PROGAP_PATH];
  check_progap_path(path, options, file);
  assert_int_equal(remove(path), 0);
}
