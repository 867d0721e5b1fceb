/* Attacks from the view of a server and of a client, in recorded runs of several parties. */
#include <math.h>

#include "base/file.h"
#include "check.h"
#include "made_run.h"
#include "sotto/attack.h"
#include "sotto/generate.h"

/* Features that say little of the class: a network learns its training nodes by heart. */
static sotto_dataset weak_blocks(void) {
  const sotto_sbm_options sbm = {.nodes = 400,
                                 .classes = 3,
                                 .features = 40,
                                 .degree_inside = 3,
                                 .degree_outside = 2,
                                 .feature_signal = 0.5};
  return check_communities(&sbm);
}

/* A recorded run in a folder of its own; settings are key, value, ... up to NULL. */
static const char *recorded(const char *name, const char *method, const char *const *settings,
                            const sotto_dataset *data) {
  static char folder[1200];
  char path[1300];
  sotto_options options = check_options(method, name);
  (void)snprintf(folder, sizeof folder, "%s", options.out);
  check_set(&options, "record-wire", "true");
  for (size_t i = 0; settings[i] != NULL; i += 2) check_set(&options, settings[i], settings[i + 1]);
  sotto_options_resolve(&options);
  (void)snprintf(path, sizeof path, "%s/run.yaml", folder);
  CHECK_OK(sotto_options_write(&options, path, &err));
  sotto_result result = check_run(&options, data);
  sotto_result_free(&result);
  return folder;
}

static sotto_attack_result seen(const char *run, const sotto_dataset *data, sotto_view view, size_t which) {
  sotto_findings findings = {.count = 0};
  sotto_audit_ask ask = sotto_audit_ask_default();
  ask.view = view;
  CHECK_OK(sotto_attack(&findings, run, data, "received", &ask, NULL, &err));
  const sotto_finding *f = &findings.items[which];
  (void)printf("  %-8s %-22s auc %.3f (%.3f to %.3f), %zu members\n", findings.method, f->variant,
               f->attacked.auc, f->attacked.auc_low, f->attacked.auc_high, f->attacked.members);
  assert_false(f->decides);
  return f->attacked;
}

/* How many payloads of an end the run has, and whether one of them has that name. */
static size_t kept(const char *run, const char *end, const char *name, bool *there) {
  size_t count = 0;
  *there = false;
  for (;; count++) {
    char path[1400];
    sotto_dataset payload;
    (void)snprintf(path, sizeof path, "%s/seed-1/owner-only/wire/%s-%06zu.sotto", run, end, count + 1);
    if (!sotto_i_is_file(path)) return count;
    CHECK_OK(sotto_dataset_open(&payload, path, NULL, &err));
    const char *what = strchr(payload.name, ' ');
    *there |= what != NULL && strcmp(what + 1, name) == 0;
    sotto_dataset_free(&payload);
  }
}

static void refuses(const char *run, const sotto_dataset *data, sotto_view view, sotto_status status,
                    const char *words) {
  sotto_findings findings = {.count = 0};
  sotto_audit_ask ask = sotto_audit_ask_default();
  ask.view = view;
  CHECK_FAILS(status, words, sotto_attack(&findings, run, data, "received", &ask, NULL, &err));
}

static void a_server_finds_edges_in_published_rows_unless_they_have_noise(void **state) {
  (void)state;
  static const char *const
      clear[] = {"holders", "2", "initial", "individually", "epochs", "12", "epsilon", "inf", NULL},
      *const noisy[] = {"holders", "2",     "initial", "individually", "epochs", "12", "epsilon",
                        "4",       "delta", "1e-4",    "publication",  "rows",   NULL},
      *const counted[] = {"holders", "2",   "initial", "individually", "encoder-epochs", "12",
                          "epsilon", "0.1", NULL},
      *const shared[] = {"holders", "2", "initial", "collaboratively", "epochs", "4", "epsilon", "inf", NULL};
  sotto_dataset data = weak_blocks();
  const char *run = recorded("clear", "vfgnn", clear, &data);
  const sotto_attack_result shown = seen(run, &data, SOTTO_VIEW_SERVER, 0),
                            alike = seen(run, &data, SOTTO_VIEW_SERVER, 1);
  assert_true(shown.auc > 0.85 && alike.auc < 0.65);
  refuses(run, &data, SOTTO_VIEW_CLIENT, SOTTO_UNSUPPORTED,
          "a run of vfgnn has no attack from the view of the client");
  refuses(run, &data, SOTTO_VIEW_LABEL, SOTTO_UNSUPPORTED,
          "a run of vfgnn has no attack from the view of the label");
  const sotto_attack_result hidden =
      seen(recorded("noisy", "vfgnn", noisy, &data), &data, SOTTO_VIEW_SERVER, 0);
  assert_true(hidden.auc < 0.6);
  assert_true(seen(recorded("counted", "vfgnn", counted, &data), &data, SOTTO_VIEW_SERVER, 0).auc < 0.6);
  assert_true(seen(recorded("shared", "vfgnn", shared, &data), &data, SOTTO_VIEW_SERVER, 0).auc > 0.7);
  sotto_dataset_free(&data);
}

static const char *const overfit[] = {"clients", "4",       "rounds", "30",           "epochs", "8", "hidden",
                                      "32",      "dropout", "0",      "weight-decay", "0",      NULL},
                         *const masked[] = {"clients",
                                            "4",
                                            "rounds",
                                            "30",
                                            "epochs",
                                            "8",
                                            "hidden",
                                            "32",
                                            "dropout",
                                            "0",
                                            "weight-decay",
                                            "0",
                                            "secure-aggregation",
                                            "true",
                                            NULL},
                         *const idle[] = {"clients", "4", "rounds", "3", "learning-rate", "1e-9", NULL};

static void models_tell_server_and_clients_what_they_were_trained_on(void **state) {
  (void)state;
  sotto_dataset data = weak_blocks();
  bool updates, models;
  const char *run = recorded("overfit", "fedavg", overfit, &data);
  const sotto_attack_result server = seen(run, &data, SOTTO_VIEW_SERVER, 0),
                            client = seen(run, &data, SOTTO_VIEW_CLIENT, 0);
  assert_true(server.auc > 0.7 && client.auc > 0.6);
  assert_true(client.members < server.members && client.members > server.members / 2);
  const size_t first = kept(run, "server-from-2", "update", &updates);
  assert_true(updates && kept(run, "client2", "model", &models) >= 32 && models);
  refuses(run, &data, SOTTO_VIEW_LABEL, SOTTO_UNSUPPORTED,
          "a run of fedavg has no attack from the view of the label");
  run = recorded("overfit", "fedavg", overfit, &data); /* another start keeps its own wire alone */
  assert_int_equal(kept(run, "server-from-2", "update", &updates), first);
  run = recorded("idle", "fedavg", idle, &data); /* nothing was learnt, and nothing is found */
  assert_true(fabs(seen(run, &data, SOTTO_VIEW_SERVER, 0).auc - 0.5) < 0.1);
  sotto_dataset_free(&data);
}

static void under_masks_a_server_sees_what_goes_out_alone(void **state) {
  (void)state;
  sotto_dataset data = weak_blocks();
  bool updates;
  const char *run = recorded("masked", "fedavg", masked, &data);
  (void)kept(run, "server-from-1", "update", &updates);
  assert_false(updates);
  const sotto_attack_result server = seen(run, &data, SOTTO_VIEW_SERVER, 0);
  assert_true(server.auc > 0.6);
  sotto_dataset_free(&data);
}

static void other_federations_have_views_or_are_refused_by_name(void **state) {
  (void)state;
  static const char *const parts[] = {"clients",          "3", "rounds", "4",
                                      "generator-epochs", "2", "hidden", "8",
                                      "embed-epochs",     "2", NULL},
                           *const codes[] = {"clients", "3",           "rounds",   "4", "epsilon",
                                             "40",      "publication", "multibit", NULL};
  static const char *const refused[] = {"locsage", "fedsage+", "gap"};
  sotto_dataset data = weak_blocks();
  (void)seen(recorded("feddep", "feddep", parts, &data), &data, SOTTO_VIEW_SERVER, 0);
  (void)seen(recorded("gwldp", "gwldp", codes, &data), &data, SOTTO_VIEW_CLIENT, 0);
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    sotto_options options = check_options(refused[i], "refused");
    char words[80];
    check_set(&options, "record-wire", "true");
    sotto_options_resolve(&options);
    (void)snprintf(words, sizeof words, "record-wire: method %s has no such option", refused[i]);
    CHECK_FAILS(SOTTO_INVALID, words, sotto_options_check(&options, &err));
  }
  sotto_options plain = check_options("fedavg", "plain");
  char path[1300];
  check_set(&plain, "clients", "3");
  check_set(&plain, "rounds", "2");
  sotto_options_resolve(&plain);
  (void)snprintf(path, sizeof path, "%s/run.yaml", plain.out);
  CHECK_OK(sotto_options_write(&plain, path, &err));
  sotto_result result = check_run(&plain, &data);
  sotto_result_free(&result);
  refuses(plain.out, &data, SOTTO_VIEW_SERVER, SOTTO_INVALID, "record-wire");
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_server_finds_edges_in_published_rows_unless_they_have_noise),
      cmocka_unit_test(models_tell_server_and_clients_what_they_were_trained_on),
      cmocka_unit_test(under_masks_a_server_sees_what_goes_out_alone),
      cmocka_unit_test(other_federations_have_views_or_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
