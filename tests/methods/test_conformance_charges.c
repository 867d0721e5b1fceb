/* Every method in every variant: the price that is asked of the budget, the charges that are made and what
 * the statement says are the same. */
#include <math.h>

#include "base/file.h"
#include "check.h"
#include "ledgers.h"
#include "registry_cases.h"
#include "run/statement/statement.h"

static uint64_t planned(const sotto_cost_item *item, const sotto_options *o) {
  return item->times * (item->once ? 1 : o->seeds);
}

/* Charges that the plan stands for on one account at one level of the ledger. */
static uint64_t planned_charges(const sotto_result *r, const sotto_options *o, sotto_account account,
                                const char *adjacency) {
  uint64_t sum = 0;
  for (size_t i = 0; i < r->cost.count; i++) {
    const sotto_cost_item *item = &r->cost.items[i];
    if (item->account != account) continue;
    if (strcmp(item->adjacency, adjacency) == 0) sum += planned(item, o);
    if (item->edges_too && strcmp(adjacency, "edge") == 0) sum += planned(item, o);
  }
  return sum;
}

static void check_ledger_holds(const check_case *c, const sotto_result *r, const sotto_options *o) {
  static const char *const levels[] = {"edge", "node"};
  sotto_ledger *ledger = check_ledger_at(o->ledger);
  for (sotto_account a = 0; a < SOTTO_ACCOUNTS; a++)
    for (size_t l = 0; l < 2; l++) {
      uint64_t wanted = planned_charges(r, o, a, levels[l]);
      if (wanted == 0 && !r->cost.accounts[a].here) continue;
      if (!r->cost.accounts[a].here) fail_msg("%s: nobody answers for account %d", c->name, (int)a);
      uint64_t found = check_spent_on(ledger, r->cost.accounts[a].digest, levels[l]).charges;
      if (found != wanted)
        fail_msg("%s, account %d at %s level: %llu charges, and the plan has %llu", c->name, (int)a,
                 levels[l], (unsigned long long)found, (unsigned long long)wanted);
    }
  sotto_ledger_close(ledger);
}

static uint64_t count_of(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  if (!json_is_integer(value)) fail_msg("%s is no count", key);
  return (uint64_t)json_integer_value(value);
}

static void check_statement(const check_case *c, const sotto_result *r, const sotto_options *o,
                            const sotto_dataset *data) {
  sotto_options resolved = *o;
  sotto_options_resolve(&resolved);
  const sotto_report report = {&resolved, data, r};
  json_t *s = sotto_i_statement(&report);
  const json_t *mechanisms = json_object_get(s, "mechanisms");
  uint64_t charges = 0;
  assert_int_equal(json_array_size(mechanisms), r->cost.count);
  for (size_t i = 0; i < r->cost.count; i++) {
    const json_t *m = json_array_get(mechanisms, i);
    const uint64_t wanted = planned(&r->cost.items[i], o);
    if (count_of(m, "releases_planned") != wanted || count_of(m, "releases_made") != wanted)
      fail_msg("%s: of '%s' %llu releases are planned, and stated as %llu planned, %llu made", c->name,
               r->cost.items[i].what, (unsigned long long)wanted,
               (unsigned long long)count_of(m, "releases_planned"),
               (unsigned long long)count_of(m, "releases_made"));
    if (r->cost.items[i].account == SOTTO_ACCOUNT_DATA) charges += wanted;
  }
  if (charges > 0) {
    assert_int_equal(count_of(s, "charges_made"), charges);
    assert_true(count_of(json_object_get(s, "ledger"), "charges") >= r->spent.charges);
  } else {
    assert_true(json_is_null(json_object_get(s, "ledger")));
    assert_string_equal(json_string_value(json_object_get(s, "accountant")), "none");
  }
  assert_true(json_equal(json_object_get(s, "epsilon"), json_object_get(s, "epsilon_planned")));
  assert_true(json_equal(json_object_get(s, "total_epsilon"), json_object_get(s, "total_epsilon_planned")));
  json_decref(s);
}

static void check_made(const check_case *c, const sotto_result *r, const sotto_options *o) {
  for (size_t i = 0; i < r->cost.count; i++)
    if (r->made.count[i] != planned(&r->cost.items[i], o))
      fail_msg("%s: '%s' was made %llu times, and the plan has %llu", c->name, r->cost.items[i].what,
               (unsigned long long)r->made.count[i], (unsigned long long)planned(&r->cost.items[i], o));
  if (r->cost.count == 0) return;
  assert_true(r->made.known && !r->made.missing);
  if (r->epsilon != r->epsilon_planned || r->total_epsilon != r->total_planned)
    fail_msg("%s: epsilon %.17g of %.17g planned, in all %.17g of %.17g", c->name, r->epsilon,
             r->epsilon_planned, r->total_epsilon, r->total_planned);
}

/* A run of a level that protects something has a price, unless the method reads no edge. */
static void check_priced(const check_case *c, const sotto_result *r) {
  const bool protects = strcmp(c->adjacency, "none") != 0 && r->epsilon > 0 && isfinite(r->epsilon);
  if (protects && r->cost.count == 0) fail_msg("%s: epsilon %g, and no release", c->name, r->epsilon);
  if (strcmp(c->adjacency, "none") == 0 && r->cost.count > 0)
    fail_msg("%s: adjacency none, and a release is charged", c->name);
}

static void what_is_planned_is_charged_and_stated(void **state) {
  size_t count;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t i = 0; i < count; i++) {
    const check_case *c = &cases[i];
    sotto_options o = check_case_options(c, &data, c->name);
    check_set(&o, "seeds", "2");
    sotto_result r = check_run(&o, check_data_of(c, &data));
    (void)printf("  %-30s %2zu items, %3llu charges, epsilon %g\n", c->name, r.cost.count,
                 (unsigned long long)r.made.charges, r.epsilon);
    check_priced(c, &r);
    check_made(c, &r, &o);
    if (r.cost.count > 0)
      check_ledger_holds(c, &r, &o);
    else if (sotto_i_is_file(o.ledger))
      fail_msg("%s: releases nothing, and opened a ledger", c->name);
    check_statement(c, &r, &o, check_data_of(c, &data));
    sotto_result_free(&r);
  }
  check_case_data_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_planned_is_charged_and_stated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
