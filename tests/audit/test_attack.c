/* Attacks on finished runs: what leaks is found, what does not is not, and a bound that is no test fails
 * nobody.
 */
#include <math.h>

#include "base/file.h"
#include "check.h"
#include "inside/audit.h"
#include "ledgers.h"
#include "made_run.h"
#include "sotto/attack.h"
#include "sotto/generate.h"
#include "sotto/methods.h"

static sotto_dataset blocks(void) {
  const sotto_sbm_options options = {.nodes = 240,
                                     .classes = 3,
                                     .features = 12,
                                     .degree_inside = 7,
                                     .degree_outside = 1,
                                     .feature_signal = 1.5};
  sotto_dataset data;
  sotto_key key;
  sotto_key_public(&key, 5);
  CHECK_OK(sotto_generate_sbm(&data, &options, &key, &err));
  return data;
}

/* A trained run in a folder; settings are key, value, ... up to NULL. */
static const char *run_of(const char *name, const sotto_dataset *data, const char *const *settings) {
  static char folder[1200];
  static const char *const shared[] = {"encoder-epochs", "25",     "epochs", "25",   "hidden", "16",
                                       "data",           "blocks", "delta",  "1e-4", NULL};
  sotto_options options;
  sotto_result result;
  char path[1300];
  (void)snprintf(folder, sizeof folder, "%s", check_path(name));
  sotto_options_default(&options);
  for (size_t i = 0; settings[i] != NULL; i += 2) check_set(&options, settings[i], settings[i + 1]);
  check_set_own(&options, shared);
  CHECK_OK(sotto_options_set(&options, "out", folder, &err));
  CHECK_OK(sotto_options_set(&options, "ledger", check_new_ledger(check_path("ledger.db")), &err));
  sotto_options_resolve(&options);
  (void)snprintf(path, sizeof path, "%s/run.yaml", folder);
  CHECK_OK(sotto_i_make_folder(folder, &err));
  CHECK_OK(sotto_options_write(&options, path, &err));
  CHECK_OK(sotto_train(&result, &options, data, NULL, NULL, &err));
  sotto_result_free(&result);
  return folder;
}

static const char *const gcn[] = {"method", "gnn", "aggregator", "gcn", NULL},
                         *const gap[] = {"method", "gap", "epsilon", "4", NULL},
                         *const gap_clear[] = {"method", "gap", "epsilon", "inf", NULL},
                         *const mlp[] = {"method", "mlp", NULL};

static sotto_audit_ask small_ask(void) {
  sotto_audit_ask ask = sotto_audit_ask_default();
  ask.link.nodes = 100;
  ask.link.pairs = 300;
  ask.trials = 1000;
  ask.shadows = 6;
  return ask;
}

static sotto_findings found(const char *run, const sotto_dataset *data, const char *attack,
                            const sotto_audit_ask *ask) {
  sotto_findings findings = {.count = 0};
  CHECK_OK(sotto_attack(&findings, run, data, attack, ask, NULL, &err));
  for (size_t i = 0; i < findings.count; i++) {
    const sotto_finding *f = &findings.items[i];
    (void)printf("  %-8s %-14s %-22s auc %.3f (%.3f to %.3f), implied %.2f, stated %.2f\n", findings.method,
                 f->attack, f->variant, f->attacked.auc, f->attacked.auc_low, f->attacked.auc_high,
                 f->attacked.implied, findings.stated);
  }
  return findings;
}

static void linkteller_finds_edges_of_methods_without_noise_and_none_of_a_kept_release(void **state) {
  (void)state;
  sotto_dataset data = blocks();
  sotto_audit_ask ask = small_ask();
  sotto_findings f = found(run_of("tell-gcn", &data, gcn), &data, "linkteller", &ask);
  assert_true(f.items[0].attacked.auc > 0.9 && isinf(f.stated) && sotto_findings_hold(&f));
  f = found(run_of("tell-clear", &data, gap_clear), &data, "linkteller", &ask);
  assert_true(f.items[0].attacked.auc > 0.85);
  const char *run = run_of("tell-gap", &data, gap);
  f = found(run, &data, "linkteller", &ask);
  assert_true(f.items[0].attacked.auc == 0.5 && f.items[0].attacked.implied == 0);
  ask.model.fresh = true;
  f = found(run, &data, "linkteller", &ask);
  assert_true(f.fresh && f.items[0].attacked.auc < 0.75);
  sotto_dataset_free(&data);
}

/* Neighbours have like features: posteriors of a model that saw no edge tell of edges, and it states 0. */
static void a_bound_that_is_no_test_fails_nobody(void **state) {
  (void)state;
  sotto_dataset data = blocks();
  const sotto_audit_ask ask = small_ask();
  sotto_findings f = found(run_of("steal-mlp", &data, mlp), &data, "link-stealing", &ask);
  assert_true(f.count == SOTTO_STEALINGS && f.stated == 0);
  assert_true(f.items[1].attacked.auc > 0.55);
  for (size_t i = 0; i < f.count; i++) assert_false(f.items[i].decides);
  assert_true(sotto_findings_hold(&f));
  sotto_dataset_free(&data);
}

static void attacks_that_train_anew_leave_the_run_as_it_is(void **state) {
  (void)state;
  sotto_dataset data = blocks();
  const sotto_audit_ask ask = small_ask();
  const char *run = run_of("anew", &data, gap);
  char path[1300];
  sotto_ledger *ledger;
  sotto_spent before, after;
  (void)snprintf(path, sizeof path, "%s", check_path("ledger.db"));
  ledger = check_ledger_at(path);
  CHECK_OK(sotto_ledger_spent(ledger, &before, data.account, "edge", &err));
  sotto_findings f = found(run, &data, "node-mia", &ask);
  assert_true(f.items[0].attacked.members > 40 && f.items[0].attacked.others > 40);
  f = found(run, &data, "entropy", &ask);
  assert_true(f.items[0].attacked.auc > 0 && f.items[0].attacked.auc < 1);
  CHECK_OK(sotto_ledger_spent(ledger, &after, data.account, "edge", &err));
  assert_true(before.epsilon == after.epsilon);
  sotto_ledger_close(ledger);
  sotto_dataset_free(&data);
}

static void likelihood_ratios_attack_nodes_and_edges(void **state) {
  (void)state;
  sotto_dataset data = blocks();
  sotto_audit_ask ask = small_ask();
  const char *run = run_of("lira", &data, gcn);
  sotto_findings f = found(run, &data, "lira", &ask);
  assert_true(f.items[0].attacked.members + f.items[0].attacked.others <= 6 * 500);
  assert_false(f.items[0].decides);
  ask.of_edges = true;
  ask.shadows = 4;
  f = found(run, &data, "lira", &ask);
  assert_true(f.items[0].attacked.auc > 0.5);
  sotto_dataset_free(&data);
}

static size_t recorded(const char *run, const char *role) {
  size_t count = 0;
  for (bool there = true; there;) {
    char path[1400];
    (void)snprintf(path, sizeof path, "%s/seed-1/owner-only/wire/%s-%06zu.sotto", run, role, count + 1);
    there = sotto_i_is_file(path);
    count += there ? 1 : 0;
  }
  return count;
}

static void the_label_party_is_attacked_with_what_it_received(void **state) {
  (void)state;
  static const char *const noisy[] = {"method",      "vesper", "epsilon",       "2",    "record-wire", "true",
                                      "publication", "layers", "feature-scale", "none", NULL},
                           *const clear[] = {"method",      "vesper", "epsilon", "inf",
                                             "record-wire", "true",   NULL},
                           *const none[] = {"method",      "vesper", "epsilon", "2",
                                            "publication", "layers", NULL};
  sotto_dataset data = blocks();
  sotto_audit_ask ask = small_ask();
  ask.view = SOTTO_VIEW_LABEL;
  const char *run = run_of("view-noisy", &data, noisy);
  assert_true(recorded(run, "label") > 3 && recorded(run, "data") > 3);
  sotto_findings hidden = found(run, &data, "received", &ask);
  ask.view = SOTTO_VIEW_ANYONE;
  sotto_findings kept = found(run, &data, "received", &ask);
  assert_true(fabs(kept.items[0].attacked.auc - hidden.items[0].attacked.auc) < 0.02);
  ask.view = SOTTO_VIEW_DATA;
  CHECK_FAILS(SOTTO_UNSUPPORTED, "view", sotto_attack(&kept, run, &data, "received", &ask, NULL, &err));
  ask.view = SOTTO_VIEW_LABEL;
  sotto_findings shown = found(run_of("view-clear", &data, clear), &data, "received", &ask);
  assert_true(shown.items[0].attacked.auc > 0.75);
  assert_true(shown.items[0].attacked.auc > hidden.items[0].attacked.auc + 0.1);
  CHECK_FAILS(SOTTO_INVALID, "record-wire",
              sotto_attack(&kept, run_of("view-none", &data, none), &data, "received", &ask, NULL, &err));
  CHECK_FAILS(SOTTO_UNSUPPORTED, "a run of gap has no attack from the view of the label",
              sotto_attack(&kept, run_of("view-gap", &data, gap), &data, "received", &ask, NULL, &err));
  sotto_dataset_free(&data);
}

static void a_canary_decides_and_its_finding_is_reported(void **state) {
  (void)state;
  sotto_dataset data = blocks();
  sotto_audit_ask ask = small_ask();
  sotto_findings f = found(run_of("canary", &data, gap), &data, "canary", &ask);
  assert_true(f.count == 1 && f.items[0].is_canary && f.items[0].decides);
  f.items[0].holds = false;
  assert_false(sotto_findings_hold(&f));
  CHECK_FAILS(SOTTO_NOT_FOUND, "'canary'",
              sotto_attack(&f, check_path("canary"), &data, "canari", &ask, NULL, &err));
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linkteller_finds_edges_of_methods_without_noise_and_none_of_a_kept_release),
      cmocka_unit_test(a_bound_that_is_no_test_fails_nobody),
      cmocka_unit_test(attacks_that_train_anew_leave_the_run_as_it_is),
      cmocka_unit_test(likelihood_ratios_attack_nodes_and_edges),
      cmocka_unit_test(the_label_party_is_attacked_with_what_it_received),
      cmocka_unit_test(a_canary_decides_and_its_finding_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
