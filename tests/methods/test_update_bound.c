/* Federated averaging whose updates are checked by two servers: a bound holds updates back, and a client that
 * poisons is named and left out. */
#include <math.h>

#include "check.h"
#include "federation.h"
#include "placements.h"
#include "run/parties/party_roles.h"

static check_federation bounded(const char *folder, const char *bound) {
  check_federation f = check_federation_new(folder);
  check_set(&f.options, "clients", "5");
  check_set(&f.options, "update-bound", bound);
  return f;
}

/* The losses of a run, and who was left out of it. */
static void train(double losses[6], char left_out[256], const char *bound, const char *poisoner) {
  check_federation f = bounded("bounded", bound);
  if (poisoner != NULL) setenv("SOTTO_POISON", poisoner, 1);
  sotto_result r = check_run(&f.options, &f.data);
  unsetenv("SOTTO_POISON");
  check_losses(losses, 6, &f.options, NULL);
  memcpy(left_out, r.left_out, sizeof r.left_out);
  sotto_result_free(&r);
  sotto_dataset_free(&f.data);
}

static void a_wide_bound_learns_and_a_narrow_one_holds_back(void **state) {
  (void)state;
  double wide[6], narrow[6];
  char left_out[256];
  train(wide, left_out, "10", NULL);
  assert_string_equal(left_out, "");
  train(narrow, left_out, "0.001", NULL);
  assert_string_equal(left_out, "");
  assert_true(wide[5] < wide[0] - 0.05);
  assert_true(fabs(narrow[5] - narrow[0]) < 0.01); /* six updates of norm 0.001 */
}

static void a_client_that_poisons_is_named_and_left_out(void **state) {
  (void)state;
  double honest[6], poisoned[6];
  char left_out[256];
  train(honest, left_out, "10", NULL);
  train(poisoned, left_out, "10", "2");
  assert_string_equal(left_out, "client 2 (6 rounds)");
  for (int i = 0; i < 6; i++) assert_true(isfinite(poisoned[i]) && fabs(poisoned[i] - honest[i]) < 0.2);
  assert_true(poisoned[5] < poisoned[0] - 0.05);
}

static void what_cannot_be_checked_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *key, *value, *words;
  } cases[] = {{"secure-aggregation", "true", "goes without secure-aggregation"},
               {"clients", "2", "hides nothing"},
               {"fraction", "0.4", "hides nothing"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    check_federation f = bounded("refused", "1");
    sotto_result r;
    check_set(&f.options, cases[i].key, cases[i].value);
    CHECK_FAILS(SOTTO_INVALID, cases[i].words, sotto_train(&r, &f.options, &f.data, NULL, NULL, &err));
    sotto_dataset_free(&f.data);
  }
}

/* It is there with the option alone, and talks to the server alone. */
static void a_helper_is_a_party_where_updates_are_checked(void **state) {
  (void)state;
  check_federation f = bounded("roles", "2");
  const sotto_peer peer = {"server", NULL};
  char roles[CHECK_MOST_PARTIES][SOTTO_ROLE_SIZE];
  sotto_party helper = {.peers = &peer, .peer_count = 1}, server = {.role = SOTTO_ROLE_SERVER};
  sotto_options_resolve(&f.options);
  CHECK_OK(sotto_party_role_read(&helper, "helper", &err));
  CHECK_OK(sotto_party_role_check(&helper, &f.options, &err));
  assert_int_equal(sotto_i_party_peers(&server, &f.options), 6);
  (void)sotto_party_peer_roles(roles, CHECK_MOST_PARTIES, &server, &f.options);
  assert_string_equal(roles[4], "client5");
  assert_string_equal(roles[5], "helper");
  assert_int_equal(sotto_i_party_peers(&helper, &f.options), 1);
  (void)sotto_party_peer_roles(roles, CHECK_MOST_PARTIES, &helper, &f.options);
  assert_string_equal(roles[0], "server");
  check_set(&f.options, "update-bound", "0");
  CHECK_FAILS(SOTTO_INVALID, "helper, and this run has none",
              sotto_party_role_check(&helper, &f.options, &err));
  assert_int_equal(sotto_i_party_peers(&server, &f.options), 5);
  sotto_dataset_free(&f.data);
}

/* A server, five clients and a helper, over sockets of this machine, to their ends. */
static void processes_finish_too(void **state) {
  (void)state;
  check_federation f = bounded("whole", "2");
  uint32_t owner[90];
  check_placement placement;
  for (uint32_t i = 0; i < 90; i++) owner[i] = i % 5;
  check_placement_new(&placement, &f.options, &f.data, owner);
  assert_int_equal(placement.count, 7);
  assert_string_equal(placement.of[6].role, "helper");
  check_placement_run(&placement);
  sotto_dataset_free(&f.data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wide_bound_learns_and_a_narrow_one_holds_back),
      cmocka_unit_test(a_client_that_poisons_is_named_and_left_out),
      cmocka_unit_test(what_cannot_be_checked_is_refused),
      cmocka_unit_test(a_helper_is_a_party_where_updates_are_checked),
      cmocka_unit_test(processes_finish_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
