/* Every method in every variant that has no parties says so, whatever role asks, and leaves nothing. */
#include "base/file.h"
#include "check.h"
#include "placements.h"
#include "registry_cases.h"
#include "spending.h"

/* What the refusal says. */
static const char *refusal(const check_case *c) {
  if (c->method->topology == SOTTO_ONE_OWNER || c->variant->one_owner) return "is of one owner";
  return c->method->apart ? "nothing passes between clients" : "accounting: paper";
}

static void what_has_no_parties_refuses_every_role(void **state) {
  static const char *const roles[] = {"data", "server", "holder1", "client1"};
  size_t count, refused = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < sizeof roles / sizeof *roles; k++) {
      const uint8_t nodes[32] = {0};
      const sotto_peer peer = {"server", "127.0.0.1:1"};
      sotto_party party = {.peers = &peer, .peer_count = 1, .insecure_loopback = true};
      sotto_options o = check_case_options(&cases[i], &data, cases[i].name);
      sotto_result none;
      if (check_has_parties(&o)) continue;
      const char *words = refusal(&cases[i]);
      CHECK_OK(sotto_party_role_read(&party, roles[k], &err));
      CHECK_FAILS(SOTTO_UNSUPPORTED, words, sotto_party_role_check(&party, &o, &err));
      CHECK_FAILS(
          SOTTO_UNSUPPORTED, words,
          sotto_train_party(&none, &o, check_data_of(&cases[i], &data), nodes, &party, NULL, NULL, &err));
      if (sotto_i_is_folder(o.out) || check_charges_in(&o) > 0)
        fail_msg("%s: a party that was refused left something", cases[i].name);
      refused++;
    }
  assert_true(refused > 20);
  check_case_data_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_has_no_parties_refuses_every_role),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
