#include "paper_run.h"

#include "base/file.h"
#include "check.h"
#include "ledgers.h"
#include "sotto/generate.h"

sotto_dataset check_paper_data(void) {
  sotto_dataset data;
  sotto_key key;
  const sotto_sbm_options options = {.nodes = CHECK_PAPER_NODES,
                                     .classes = 2,
                                     .features = 6,
                                     .degree_inside = 5,
                                     .degree_outside = 1,
                                     .feature_signal = 2};
  sotto_key_public(&key, 4);
  CHECK_OK(sotto_generate_sbm(&data, &options, &key, &err));
  return data;
}

sotto_options check_paper_options(const char *aggregator, const char *folder) {
  static const char *const settings[][2] = {{"data", "made"},      {"accounting", "paper"}, {"hidden", "5"},
                                            {"epochs", "2"},       {"batch-size", "16"},    {"fan-out", "3"},
                                            {"degree-floor", "2"}, {"epsilon", "4"},        {"threads", "1"}};
  sotto_options o;
  sotto_options_default(&o);
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    CHECK_OK(sotto_options_set(&o, settings[i][0], settings[i][1], &err));
  CHECK_OK(sotto_options_set(&o, "aggregator", aggregator, &err));
  (void)snprintf(o.out, sizeof o.out, "%s", check_path(folder));
  CHECK_OK(sotto_i_make_folder(o.out, &err));
  (void)snprintf(o.ledger, sizeof o.ledger, "%.900s/ledger.db", o.out);
  (void)check_new_ledger(o.ledger);
  sotto_options_resolve(&o);
  return o;
}
