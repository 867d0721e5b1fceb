/* Every method in every variant: the price that is asked of the budget, the charges that are made and what
 * the statement says are the same. */
#include <math.h>

#include "base/file.h"
#include "check.h"
#include "ledgers.h"
#include "registry_cases.h"
#include "run/method/method.h"
#include "run/settings/options.h"
#include "run/statement/statement.h"

static uint64_t planned(const sotto_cost_item *item, const sotto_options *o) {
  return item->times * (item->once ? 1 : o->seeds);
}

static const char *const levels[] = {"transfer", "edge", "node"};
enum { level_count = sizeof levels / sizeof *levels };

static size_t level_of(const char *name) {
  size_t l = 0;
  while (strcmp(levels[l], name) != 0) l++;
  return l;
}

/* Charges that the plan stands for on one account at one level of the ledger. */
static uint64_t planned_charges(const sotto_result *r, const sotto_options *o, sotto_account account,
                                const char *adjacency) {
  uint64_t sum = 0;
  for (size_t i = 0; i < r->cost.count; i++) {
    const sotto_cost_item *item = &r->cost.items[i];
    if (item->account != account) continue;
    if (level_of(item->adjacency) >= level_of(adjacency)) sum += planned(item, o);
  }
  return sum;
}

static void check_ledger_holds(const check_case *c, const sotto_result *r, const sotto_options *o) {
  sotto_ledger *ledger = check_ledger_at(o->ledger);
  for (sotto_account a = 0; a < SOTTO_ACCOUNTS; a++)
    for (size_t l = 0; l < level_count; l++) {
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
    assert_true(json_is_object(json_object_get(s, "ledger")));
  } else {
    assert_true(json_is_null(json_object_get(s, "ledger")) ==
                (r->cost.count == 0)); /* labels may be charged */
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

/* The run with two seeds, to be freed; all that it spends is compared. */
static sotto_result check_spending(const check_case *c, const sotto_options *o, const sotto_dataset *data) {
  sotto_result r = check_run(o, data);
  (void)printf("  %-40s %2zu items, %3llu charges, epsilon %g\n", o->out + strlen(check_folder()) + 1,
               r.cost.count, (unsigned long long)r.made.charges, r.epsilon);
  check_made(c, &r, o);
  if (r.cost.count > 0)
    check_ledger_holds(c, &r, o);
  else if (check_ledger_rows(o->ledger) > 0)
    fail_msg("%s: releases nothing, and was charged", c->name);
  check_statement(c, &r, o, data);
  return r;
}

static void what_is_planned_is_charged_and_stated(void **state) {
  size_t count;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t i = 0; i < count; i++) {
    sotto_options o = check_case_options(&cases[i], &data, cases[i].name);
    check_set(&o, "seeds", "2");
    sotto_result r = check_spending(&cases[i], &o, check_data_of(&cases[i], &data));
    check_priced(&cases[i], &r);
    sotto_result_free(&r);
  }
  check_case_data_free(&data);
}

/* Is it the value that the option has anyway? */
static bool is_usual(const sotto_options *options, const char *key, const char *value) {
  sotto_i_option row;
  char text[1024];
  sotto_options o = *options;
  sotto_options_resolve(&o);
  if (!sotto_i_option_has(&row, &o, key)) return false;
  sotto_i_option_value(text, sizeof text, &o, &row);
  return strcmp(text, value) == 0;
}

/* Options that ask for releases of their own, or for more of them, in whatever method has them. */
static void further_releases_are_charged_and_stated(void **state) {
  size_t count, runs = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t k = 0; k < CHECK_FURTHER; k++)
    for (size_t i = 0; i < count; i++) {
      char folder[140];
      if (!check_case_takes(&cases[i], check_further[k])) continue;
      (void)snprintf(folder, sizeof folder, "%s-%s", cases[i].name, check_further[k][0]);
      sotto_options o = check_case_options(&cases[i], &data, folder);
      if (is_usual(&o, check_further[k][0], check_further[k][1])) continue;
      check_set(&o, check_further[k][0], check_further[k][1]);
      /* which some of them need */
      check_set_own(&o, (const char *const[]){"max-degree", data.max_degree, NULL});
      check_set(&o, "seeds", "2");
      sotto_result r = check_spending(&cases[i], &o, check_data_of(&cases[i], &data));
      runs += r.cost.count > 0;
      sotto_result_free(&r);
    }
  check_seen(runs > 20);
  check_case_data_free(&data);
}

/* Epsilon that the ledger will have to take on an account at a level, at this delta, for a run that was made.
 */
static double needed(const sotto_options *o, const sotto_cost_account *account, const char *level,
                     double delta) {
  const sotto_budget wide = {.epsilon = 1e9, .delta = delta};
  sotto_ledger *ledger = check_ledger_at(o->ledger);
  CHECK_OK(sotto_ledger_set_budget(ledger, account->digest, account->name, level, &wide, "", &err));
  double epsilon = check_spent_on(ledger, account->digest, level).epsilon;
  sotto_ledger_close(ledger);
  return epsilon;
}

static void no_epoch(void *context, const sotto_epoch *epoch) {
  fail_msg("%s: %s was trained, though the budget refuses the run", (const char *)context, epoch->stage);
}

/* The same run under this budget, in a new folder: refused before any work, or taken. */
static void run_on_budget(const check_case *c, const check_case_data *data, const sotto_cost_account *account,
                          const char *level, const sotto_budget *budget, bool taken) {
  char folder[140], words[100];
  const sotto_dataset *of = check_data_of(c, data);
  sotto_result r = {0};
  (void)snprintf(folder, sizeof folder, "%s-%s-%s", taken ? "taken" : "refused", c->name, level);
  sotto_options o = check_case_options(c, data, folder);
  (void)snprintf(words, sizeof words, "%s", c->name);
  const sotto_recorder recorder = {.context = words, .epoch = taken ? NULL : no_epoch};
  check_set(&o, "seeds", "2");
  sotto_ledger *ledger = check_ledger_at(o.ledger);
  CHECK_OK(sotto_ledger_set_budget(ledger, account->digest, account->name, level, budget, "", &err));
  sotto_ledger_close(ledger);
  if (sotto_i_has_clients(&o) &&
      !c->variant->covered) { /* models are averaged as they are: no budget takes that unsaid */
    CHECK_FAILS(SOTTO_REFUSED, "a part of what it shows", sotto_train(&r, &o, of, NULL, &recorder, &err));
    check_set(&o, "anyway", "not-private");
  }
  if (taken) {
    CHECK_OK(sotto_train(&r, &o, of, NULL, &recorder, &err));
    sotto_result_free(&r);
    return;
  }
  CHECK_FAILS(SOTTO_REFUSED, "budget", sotto_train(&r, &o, of, NULL, &recorder, &err));
  if (sotto_i_is_folder(o.out)) fail_msg("%s: a refused run left a folder", c->name);
  ledger = check_ledger_at(o.ledger);
  for (size_t l = 0; l < level_count; l++)
    assert_int_equal(check_spent_on(ledger, account->digest, levels[l]).charges, 0);
  sotto_ledger_close(ledger);
}

/* At a level of the dataset's account where the ledger has charges: a budget that is just too small refuses
 * the run, and the least that is enough takes it. */
static void check_budget(const check_case *c, const check_case_data *data, const sotto_options *o,
                         const sotto_result *r, const char *level) {
  const sotto_cost_account *account = &r->cost.accounts[SOTTO_ACCOUNT_DATA];
  double spent = needed(o, account, level, o->delta);
  bool pure = true, laplace = false;
  for (size_t i = 0; i < r->cost.count; i++) {
    pure = pure && r->cost.items[i].mu == 0;
    laplace = laplace || r->cost.items[i].mechanism.kind == SOTTO_MECHANISM_LAPLACE;
  }
  const double slack = r->cost.by_mu ? 1e-9 : 1e-3; /* what pld may be too high by */
  /* The statement adds pure epsilons up, and the ledger spends delta on them. Counts with discrete Laplace
   * noise are pure releases of their epsilon to the ledger, which costs more than the continuous mechanism.
   */
  if (!(spent <= r->total_planned * (1 + slack)) && !laplace)
    fail_msg("%s: the ledger has epsilon %.9g, and the plan %.9g", c->name, spent, r->total_planned);
  if (!pure && !(spent >= r->total_planned * (1 - slack)))
    fail_msg("%s: the ledger has epsilon %.9g, and the plan %.9g", c->name, spent, r->total_planned);
  run_on_budget(c, data, account, level, &(sotto_budget){.epsilon = spent * (1 - 1e-6), .delta = o->delta},
                false);
  run_on_budget(c, data, account, level, &(sotto_budget){.epsilon = spent, .delta = o->delta}, true);
}

static void the_budget_refuses_less_than_the_plan_and_takes_the_plan(void **state) {
  size_t count, refused = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t i = 0; i < count; i++) {
    char folder[140];
    if (strcmp(cases[i].adjacency, "none") == 0) continue;
    (void)snprintf(folder, sizeof folder, "whole-%s", cases[i].name);
    sotto_options o = check_case_options(&cases[i], &data, folder);
    check_set(&o, "seeds", "2");
    sotto_result r = check_run(&o, check_data_of(&cases[i], &data));
    for (size_t l = cases[i].transfers ? 0 : 1; l < level_count; l++)
      if (planned_charges(&r, &o, SOTTO_ACCOUNT_DATA, levels[l]) > 0) {
        check_budget(&cases[i], &data, &o, &r, levels[l]);
        refused++;
      }
    sotto_result_free(&r);
  }
  check_seen(refused > 10);
  check_case_data_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_planned_is_charged_and_stated),
      cmocka_unit_test(further_releases_are_charged_and_stated),
      cmocka_unit_test(the_budget_refuses_less_than_the_plan_and_takes_the_plan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
