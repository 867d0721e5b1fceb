/* Every method in every variant: what is refused is refused before any work, and leaves nothing. Roles of a
 * run without parties; budgets that protect nothing; a bound, or a number of classes, that is not declared.
 */
#include "base/file.h"
#include "check.h"
#include "placements.h"
#include "registry_cases.h"
#include "spending.h"

/* What the refusal says. */
static const char *refusal(const check_case *c) {
  if (c->method->topology == SOTTO_ONE_OWNER || c->variant->one_owner) return "is of one owner";
  return "nothing passes between clients";
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
  check_seen(refused > 20);
  check_case_data_free(&data);
}

static void check_refused(const check_case *c, const sotto_options *o, const sotto_dataset *data,
                          const char *words) {
  sotto_error err = {0};
  sotto_result none;
  sotto_status status = sotto_options_check(o, &err);
  if (status == SOTTO_OK) status = sotto_train(&none, o, data, NULL, NULL, &err);
  if (status == SOTTO_OK) fail_msg("%s: was not refused for its %s", c->name, words);
  if (strstr(err.text, words) == NULL) fail_msg("%s: '%s' lacks '%s'", c->name, err.text, words);
  if (sotto_i_is_folder(o->out) || check_charges_in(o) > 0) fail_msg("%s: something is left", c->name);
}

static bool adds_noise(const check_case *c) {
  return strcmp(c->adjacency, "none") != 0 && check_case_has(c, "epsilon");
}

static void budgets_that_protect_nothing_are_refused(void **state) {
  static const char *const bad[][3] = {{"epsilon", "0", "epsilon"},
                                       {"epsilon", "-1", "epsilon"},
                                       {"epsilon", "nan", "epsilon"},
                                       {"delta", "1", "delta"},
                                       {"delta", "-1e-9", "delta"}};
  size_t count, refused = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
      sotto_error err = {0};
      if (!adds_noise(&cases[i]) || !check_case_has(&cases[i], bad[k][0])) continue;
      if (k == 0 && strcmp(cases[i].method->name, "gwldp") == 0)
        continue; /* there 0 stands for the published choice */
      sotto_options o = check_case_options(&cases[i], &data, cases[i].name);
      refused++;
      if (sotto_options_set(&o, bad[k][0], bad[k][1], &err) == SOTTO_OK)
        check_refused(&cases[i], &o, check_data_of(&cases[i], &data), bad[k][2]);
      else if (strstr(err.text, bad[k][2]) == NULL)
        fail_msg("%s: '%s' lacks '%s'", cases[i].name, err.text, bad[k][2]);
    }
  check_seen(refused > 100);
  check_case_data_free(&data);
}

/* Where labels are protected, the number of classes must not be read off them: every variant, at every level.
 */
static void classes_are_declared_where_labels_are_protected(void **state) {
  size_t count, by_level = 0, by_epsilon = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  sotto_dataset graph = data.graph, collection = data.collection;
  (void)state;
  graph.classes_from = SOTTO_CLASSES_LARGEST;
  collection.graph_classes_from = SOTTO_CLASSES_FOUND;
  for (size_t i = 0; i < count; i++) {
    sotto_options o = check_case_options(&cases[i], &data, cases[i].name);
    check_set_own(&o, (const char *const[]){"noise", "local", NULL});
    if (o.adjacency == SOTTO_ADJACENCY_CLIENT) check_set(&o, "optimiser", "server-adam");
    if (check_case_has(&cases[i], "label-epsilon")) check_set(&o, "label-epsilon", "2");
    if (o.adjacency < SOTTO_ADJACENCY_NODE && !(o.label_epsilon > 0)) continue;
    if (!adds_noise(&cases[i]) && !(o.label_epsilon > 0)) continue;
    check_refused(&cases[i], &o, cases[i].collection ? &collection : &graph, "declare it with classes");
    by_level += o.adjacency >= SOTTO_ADJACENCY_NODE;
    by_epsilon += o.label_epsilon > 0;
  }
  check_seen(by_level >= 10 && by_epsilon >= 2);
  check_case_data_free(&data);
}

/* At node level a guess from the graph would be a release. */
static void what_node_level_needs_is_declared(void **state) {
  size_t count, refused = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  sotto_dataset guessed = data.graph; /* of classes that are one more than the largest label */
  (void)state;
  guessed.classes_from = SOTTO_CLASSES_LARGEST;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(cases[i].adjacency, "node") != 0 || !adds_noise(&cases[i])) continue;
    sotto_options o = check_case_options(&cases[i], &data, cases[i].name);
    check_set_own(&o, (const char *const[]){"noise", "local", NULL});
    check_refused(&cases[i], &o, &guessed, "declare it with classes");
    if (check_case_has(&cases[i], "max-degree")) {
      check_set(&o, "max-degree", "0");
      check_refused(&cases[i], &o, &data.graph, "max-degree: node level of");
    }
    refused++;
  }
  check_seen(refused >= 8);
  check_case_data_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_has_no_parties_refuses_every_role),
      cmocka_unit_test(budgets_that_protect_nothing_are_refused),
      cmocka_unit_test(classes_are_declared_where_labels_are_protected),
      cmocka_unit_test(what_node_level_needs_is_declared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
