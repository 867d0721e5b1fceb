/* What two parties are planned to exchange, against what they exchange. */
#include "check.h"
#include "made_run.h"
#include "methods/vesper/options.h"
#include "run/parties/traffic.h"

enum { nodes = 3000 };

static double exchanged(const sotto_traffic *t, bool sent) {
  double out = 0;
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++) out += (double)(sent ? t->sent : t->received)[kind];
  return out;
}

/* Counts are planned by class, and without those of pilots, who may choose 8 clusters of features: it shows
 * where little else is sent. */
enum { of_pilots = 16000, more_clusters = 8 - 3 };

static void compare(const char *method, const char *const *settings, const sotto_dataset *data) {
  static int number;
  char folder[16];
  (void)snprintf(folder, sizeof folder, "run%d", number++);
  sotto_options o = check_options(method, folder);
  check_set(&o, "hidden", "24");
  for (size_t i = 0; settings[i] != NULL; i += 2) check_set(&o, settings[i], settings[i + 1]);
  if (o.accounting != SOTTO_ACCOUNTING_PAPER) check_set(&o, "encoder-epochs", "40");
  sotto_options_resolve(&o);
  sotto_options_settle(&o, nodes);
  sotto_result result = check_run(&o, data);
  const double sent[2] = {exchanged(&result.data_party, true), exchanged(&result.data_party, false)};
  const bool once = sotto_i_vesper_settings_of(&o)->share_features == SOTTO_I_SHARE_FEATURES_ONCE;
  for (sotto_role role = SOTTO_ROLE_DATA; role <= SOTTO_ROLE_LABEL; role++) {
    sotto_i_exchanged planned;
    if (once && role == SOTTO_ROLE_LABEL) {
      assert_false(sotto_i_traffic_expect(&planned, &o, data, role)); /* the columns are the other party's */
      continue;
    }
    assert_true(sotto_i_traffic_expect(&planned, &o, data, role));
    const double unplanned = once ? of_pilots + more_clusters * nodes * sizeof(float) : 0;
    assert_true(planned.to_label > 0.98 * sent[0] - unplanned && planned.to_label < 1.02 * sent[0]);
    assert_true(planned.to_data > 0.98 * sent[1] && planned.to_data < 1.02 * sent[1]);
  }
  sotto_result_free(&result);
}

static void planned_bytes_are_those_that_are_sent(void **state) {
  static const char *const counts[][11] = {
      {"epsilon", "4", "epochs", "5", NULL},
      {"epsilon", "4", "epochs", "5", "wire", "int8", "layers", "3", NULL},
      {"epsilon", "4", "epochs", "5", "clusters", "labels", "train-share", "0.3", NULL},
      {"epsilon", "4", "epochs", "5", "share-features", "once", NULL},
      {"publication", "layers", "epsilon", "4", "epochs", "5", "wire", "bf16", NULL},
      {"publication", "layers", "epsilon", "4", "epochs", "6", "releases", "3", "layers", "2", NULL},
      {"publication", "layers", "adjacency", "none", "epochs", "5", "constant", "0.5", NULL},
      {"accounting", "paper", "epsilon", "4", "epochs", "2", "batch-size", "64", NULL}};
  static const char *const none[] = {NULL}, *const narrow[] = {"release-width", "9", NULL};
  sotto_dataset data = check_communities(&(sotto_sbm_options){.nodes = nodes,
                                                              .classes = 3,
                                                              .features = 12,
                                                              .degree_inside = 6,
                                                              .degree_outside = 2,
                                                              .feature_signal = 1});
  (void)state;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) compare("vesper", counts[i], &data);
  compare("mlp", none, &data);
  compare("mlp", narrow, &data);
  sotto_dataset_free(&data);
}

static void what_an_earlier_start_did_is_not_planned_again(void **state) {
  sotto_options o = check_options("vesper", "again");
  sotto_i_exchange_shape shape = {.nodes = nodes, .count = {0, 2100, 300, 600}, .classes = 3};
  sotto_i_exchanged whole, half, rest;
  (void)state;
  check_set(&o, "epsilon", "4");
  check_set(&o, "encoder-epochs", "10");
  sotto_options_resolve(&o);
  const sotto_i_variant *variant = sotto_i_variant_of(&o);
  assert_true(variant->exchange(&whole, &o, &shape));
  shape.trained = 1;
  shape.epoch = 5;
  assert_true(variant->exchange(&half, &o, &shape));
  shape.trained = 3;
  shape.epoch = 0;
  assert_true(variant->exchange(&rest, &o, &shape));
  CHECK_NEAR(half.to_label - rest.to_label, (whole.to_label - rest.to_label) / 2, 1);
  /* A trip for each epoch, and for the last decision of each of the three networks, or two of them. */
  CHECK_NEAR(whole.trips - rest.trips, 3 * 10 + 3, 1e-9);
  CHECK_NEAR(half.trips - rest.trips, 3 * 10 / 2 + 2, 1e-9);
  assert_true(rest.to_label > 0 && rest.trips > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(planned_bytes_are_those_that_are_sent),
                                     cmocka_unit_test(what_an_earlier_start_did_is_not_planned_again)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
