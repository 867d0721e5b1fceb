/* The ledger: charges, budgets, refusals, hostile text, failing memory. */
#include <math.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "inside/dp.h"
#include "ledgers.h"
#include "sotto/dp.h"

static const uint8_t cora[32] = {1}, pubmed[32] = {2};

static void charges_compose_and_outlive_the_process(void **state) {
  (void)state;
  const char *path = check_ledger_path();
  sotto_ledger *ledger = check_ledger_at(path);
  assert_string_equal(sotto_ledger_path(ledger), path);
  sotto_charge two[] = {check_gaussian_charge("a", 0.3), check_gaussian_charge("b", 0.4)},
               pure = check_laplace_charge("c", 0.25);
  CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", two, 2, &err));
  CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", &pure, 1, &err));
  sotto_ledger_close(ledger);
  ledger = check_ledger_at(path);
  sotto_spent spent = check_spent_on(ledger, cora, "edge");
  double epsilon;
  sotto_mechanism list[] = {sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN),
                            sotto_mechanism_default(SOTTO_MECHANISM_RANDOMIZED_RESPONSE)};
  list[0].noise = 2;
  list[1].epsilon = 0.25;
  CHECK_OK(sotto_account_epsilon(&epsilon, list, 2, 1e-6, SOTTO_ACCOUNTANT_PLD, &err));
  assert_int_equal(spent.charges, 3);
  CHECK_NEAR(spent.mu, 0.5, 1e-15);
  CHECK_NEAR(spent.pure_epsilon, 0.25, 1e-15);
  CHECK_NEAR(spent.epsilon, epsilon, 1e-9);
  assert_true(spent.delta == 1e-6 && spent.budget.epsilon == 0);
  assert_int_equal(check_spent_on(ledger, cora, "node").charges, 0);
  assert_int_equal(check_spent_on(ledger, pubmed, "edge").charges, 0);
  sotto_ledger_close(ledger);
}

static void a_release_over_the_budget_is_refused_and_leaves_no_trace(void **state) {
  (void)state;
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  sotto_budget budget = {1, 1e-5};
  CHECK_OK(sotto_ledger_set_budget(ledger, cora, "cora", "edge", &budget, "", &err));
  sotto_charge first = check_laplace_charge("a", 0.75),
               batch[] = {check_laplace_charge("b", 0.2), check_laplace_charge("c", 0.2)};
  CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", &first, 1, &err));
  CHECK_FAILS(SOTTO_REFUSED,
              "'cora', edge level, at delta 1e-05: epsilon 0.749985 is spent, 1.14995 with the releases "
              "asked for, and "
              "the budget is 1",
              sotto_ledger_charge(ledger, cora, "cora", batch, 2, &err));
  CHECK_FAILS(SOTTO_REFUSED, "sotto ledger budget",
              sotto_ledger_would_accept(ledger, cora, "cora", batch, 2, &err));
  assert_int_equal(check_spent_on(ledger, cora, "edge").charges, 1);
  CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", batch, 1, &err)); /* the first of them alone fits */
  CHECK_NEAR(check_spent_on(ledger, cora, "edge").pure_epsilon, 0.95, 1e-15);
  sotto_ledger_close(ledger);
}

static void a_refusal_has_its_numbers(void **state) {
  (void)state;
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  sotto_budget budget = {1, 1e-5};
  sotto_charge first = check_laplace_charge("a", 0.75), second = check_laplace_charge("b", 0.5);
  sotto_error refusal = {0};
  CHECK_OK(sotto_ledger_set_budget(ledger, cora, "cora", "edge", &budget, "", &err));
  CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", &first, 1, &err));
  assert_int_equal(sotto_ledger_charge(ledger, cora, "cora", &second, 1, &refusal), SOTTO_REFUSED);
  CHECK_NEAR(refusal.spent, 0.75, 1e-4);
  CHECK_NEAR(refusal.asked, 1.25, 1e-4);
  CHECK_NEAR(refusal.limit, 1, 0);
  sotto_ledger_close(ledger);
}

static void a_release_calibrated_to_the_whole_budget_fits(void **state) {
  (void)state;
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  sotto_budget budget = {2, 1e-6};
  CHECK_OK(sotto_ledger_set_budget(ledger, cora, "cora", "edge", &budget, "", &err));
  double mu;
  CHECK_OK(sotto_gdp_mu(&mu, 2, 1e-6, &err));
  enum { parts = 50 };
  sotto_charge charges[parts];
  char ids[parts][8];
  for (int i = 0; i < parts; i++) {
    (void)snprintf(ids[i], sizeof ids[i], "r%d", i);
    charges[i] = check_gaussian_charge(ids[i], mu / sqrt(parts));
  }
  CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", charges, parts, &err));
  sotto_charge crumb = check_gaussian_charge("crumb", 1e-3);
  CHECK_FAILS(SOTTO_REFUSED, "budget", sotto_ledger_charge(ledger, cora, "cora", &crumb, 1, &err));
  sotto_ledger_close(ledger);
}

static void budgets_are_kept_for_each_adjacency_and_dataset(void **state) {
  (void)state;
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  sotto_budget small = {0.1, 1e-6};
  CHECK_OK(sotto_ledger_set_budget(ledger, cora, "cora", "node", &small, "", &err));
  sotto_charge edge = check_laplace_charge("a", 5), node = check_laplace_charge("b", 5), mixed[2];
  node.adjacency = "node";
  CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", &edge, 1, &err));
  CHECK_FAILS(SOTTO_REFUSED, "node level", sotto_ledger_charge(ledger, cora, "cora", &node, 1, &err));
  CHECK_OK(sotto_ledger_charge(ledger, pubmed, "pubmed", &node, 1, &err));
  mixed[0] = check_laplace_charge("c", 1);
  mixed[1] = check_laplace_charge("d", 1);
  mixed[1].adjacency = "node";
  CHECK_FAILS(SOTTO_REFUSED, "node level", sotto_ledger_charge(ledger, cora, "cora", mixed, 2, &err));
  assert_int_equal(check_spent_on(ledger, cora, "edge").charges, 1); /* all or nothing */
  sotto_ledger_close(ledger);
}

static void a_budget_below_what_is_spent_refuses_everything_until_it_is_raised(void **state) {
  (void)state;
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  sotto_charge first = check_gaussian_charge("a", 1), second = check_laplace_charge("b", 1e-6);
  CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", &first, 1, &err));
  sotto_budget low = {0.5, 1e-6}, high = {50, 1e-6}, pure_only = {50, 0};
  CHECK_OK(sotto_ledger_set_budget(ledger, cora, "cora", "edge", &low, "", &err));
  CHECK_FAILS(SOTTO_REFUSED, "budget", sotto_ledger_charge(ledger, cora, "cora", &second, 1, &err));
  CHECK_OK(sotto_ledger_set_budget(ledger, cora, "cora", "edge", &pure_only, "", &err));
  CHECK_FAILS(SOTTO_REFUSED, "budget", sotto_ledger_charge(ledger, cora, "cora", &second, 1, &err));
  CHECK_OK(sotto_ledger_set_budget(ledger, cora, "cora", "edge", &high, "", &err));
  CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", &second, 1, &err));
  assert_int_equal(check_spent_on(ledger, cora, "edge").charges, 2);
  sotto_ledger_close(ledger);
}

static void the_same_id_is_charged_once_and_may_not_change_its_cost(void **state) {
  (void)state;
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  sotto_budget budget = {1, 1e-5};
  CHECK_OK(sotto_ledger_set_budget(ledger, cora, "cora", "edge", &budget, "", &err));
  sotto_charge twice[] = {check_laplace_charge("a", 0.9), check_laplace_charge("a", 0.9)};
  CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", twice, 2, &err));
  CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", twice, 1, &err));
  assert_int_equal(check_spent_on(ledger, cora, "edge").charges, 1);
  sotto_charge other = check_laplace_charge("a", 0.5);
  CHECK_FAILS(SOTTO_CORRUPT, "charge 'a'", sotto_ledger_charge(ledger, cora, "cora", &other, 1, &err));
  other = twice[0];
  other.mechanism = "rounding";
  CHECK_FAILS(SOTTO_CORRUPT, "charge 'a'", sotto_ledger_charge(ledger, cora, "cora", &other, 1, &err));
  other = twice[0];
  other.adjacency = "node";
  CHECK_FAILS(SOTTO_CORRUPT, "charge 'a'", sotto_ledger_charge(ledger, cora, "cora", &other, 1, &err));
  CHECK_FAILS(SOTTO_CORRUPT, "charge 'a'", sotto_ledger_charge(ledger, pubmed, "p", twice, 1, &err));
  sotto_ledger_close(ledger);
}

static void would_accept_changes_nothing(void **state) {
  (void)state;
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  sotto_charge charge = check_gaussian_charge("a", 1);
  CHECK_OK(sotto_ledger_would_accept(ledger, cora, "cora", &charge, 1, &err));
  assert_int_equal(check_spent_on(ledger, cora, "edge").charges, 0);
  CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", &charge, 1, &err));
  CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", NULL, 0, &err));
  sotto_ledger_close(ledger);
}

static void arguments_that_are_not_valid_are_refused(void **state) {
  (void)state;
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  sotto_spent spent;
  sotto_charge charge = check_gaussian_charge("a", -1);
  CHECK_FAILS(SOTTO_RANGE, "mu -1", sotto_ledger_charge(ledger, cora, "cora", &charge, 1, &err));
  charge.mu = INFINITY;
  CHECK_FAILS(SOTTO_RANGE, "mu inf", sotto_ledger_charge(ledger, cora, "cora", &charge, 1, &err));
  charge = check_laplace_charge("a", (double)NAN);
  CHECK_FAILS(SOTTO_RANGE, "finite", sotto_ledger_charge(ledger, cora, "cora", &charge, 1, &err));
  charge = check_gaussian_charge("", 1);
  CHECK_FAILS(SOTTO_INVALID, "id", sotto_ledger_charge(ledger, cora, "cora", &charge, 1, &err));
  charge = check_gaussian_charge("a", 1);
  charge.run = NULL;
  CHECK_FAILS(SOTTO_INVALID, "run", sotto_ledger_charge(ledger, cora, "cora", &charge, 1, &err));
  charge = check_gaussian_charge("a", 1);
  charge.adjacency = "edges";
  CHECK_FAILS(SOTTO_INVALID, "'edges'", sotto_ledger_charge(ledger, cora, "cora", &charge, 1, &err));
  CHECK_FAILS(SOTTO_INVALID, "(none)", sotto_ledger_spent(ledger, &spent, cora, NULL, &err));
  static const sotto_budget bad[] = {{0, 0}, {-1, 0}, {INFINITY, 0}, {1, 1}, {1, -1}, {1, NAN}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK_FAILS(SOTTO_RANGE, "budget",
                sotto_ledger_set_budget(ledger, cora, "cora", "edge", &bad[i], "", &err));
  sotto_ledger_close(ledger);
}

typedef struct seen {
  int rows, stop_after;
  char last[8192];
  sotto_ledger_row row;
} seen;

static int remember(void *context, const sotto_ledger_row *row) {
  seen *s = context;
  s->row = *row;
  (void)snprintf(s->last, sizeof s->last, "%s|%s|%s|%s|%s", row->charge.id, row->name, row->charge.run,
                 row->charge.description, row->time);
  return ++s->rows == s->stop_after;
}

static void hostile_text_is_stored_as_it_is(void **state) {
  (void)state;
  const char *path = check_ledger_path();
  sotto_ledger *ledger = check_ledger_at(path);
  static char longest[4097], too_long[4098];
  memset(longest, 'x', sizeof longest - 1);
  memset(too_long, 'x', sizeof too_long - 1);
  sotto_charge charge = check_gaussian_charge("'); DROP TABLE charge; --", 1);
  charge.run = "\"\n\x01?%s%n\xc3\xa9";
  CHECK_OK(sotto_ledger_charge(ledger, cora, "d'Artagnan", &charge, 1, &err));
  seen s = {0};
  CHECK_OK(sotto_ledger_visit(ledger, cora, remember, &s, &err));
  const char *wanted = "'); DROP TABLE charge; --|d'Artagnan|\"\n\x01?%s%n\xc3\xa9|two layers|20";
  assert_memory_equal(s.last, wanted, strlen(wanted));
  charge = check_gaussian_charge(longest, 1);
  CHECK_OK(sotto_ledger_charge(ledger, cora, longest, &charge, 1, &err));
  charge.mu = 2;
  CHECK_FAILS(SOTTO_CORRUPT, "xxx...", sotto_ledger_charge(ledger, cora, longest, &charge, 1, &err));
  charge = check_gaussian_charge(too_long, 1);
  CHECK_FAILS(SOTTO_INVALID, "longer", sotto_ledger_charge(ledger, cora, "cora", &charge, 1, &err));
  charge = check_gaussian_charge("b", 1);
  CHECK_FAILS(SOTTO_INVALID, "longer", sotto_ledger_charge(ledger, cora, too_long, &charge, 1, &err));
  sotto_ledger_close(ledger);
  sotto_ledger_close(check_ledger_at(path));
}

static void rows_are_visited_oldest_first_until_the_visitor_stops(void **state) {
  (void)state;
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  sotto_charge charges[] = {check_gaussian_charge("a", 1), check_laplace_charge("b", 2),
                            check_gaussian_charge("c", 3)};
  charges[1].insecure = true;
  CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", charges, 2, &err));
  CHECK_OK(sotto_ledger_charge(ledger, pubmed, "pubmed", charges + 2, 1, &err));
  seen all = {0}, two = {.stop_after = 2}, one = {0};
  CHECK_OK(sotto_ledger_visit(ledger, NULL, remember, &all, &err));
  assert_int_equal(all.rows, 3);
  assert_memory_equal(all.last, "c|pubmed|", 9);
  CHECK_OK(sotto_ledger_visit(ledger, NULL, remember, &two, &err));
  assert_int_equal(two.rows, 2);
  assert_true(two.row.charge.insecure && two.row.charge.epsilon == 2 && two.row.charge.mu == 0);
  assert_memory_equal(two.row.digest, cora, 32);
  CHECK_OK(sotto_ledger_visit(ledger, pubmed, remember, &one, &err));
  assert_int_equal(one.rows, 1);
  sotto_ledger_close(ledger);
}

static void every_allocation_may_fail_while_opening(void **state) {
  (void)state;
  const char *path = check_ledger_path();
  setenv("SOTTO_LEDGER", check_new_ledger(path), 1);
  sotto_ledger *ledger = NULL;
  (void)sotto_i_memory_fail_at(0);
  sotto_ledger_close(check_ledger_at(NULL));
  uint64_t made = sotto_i_memory_fail_at(0);
  assert_true(made > 0);
  for (uint64_t nth = 1; nth <= made; nth++) {
    (void)sotto_i_memory_fail_at(nth);
    CHECK_FAILS(SOTTO_NOMEM, "", sotto_ledger_open(&ledger, NULL, &err));
    assert_null(ledger);
  }
  (void)sotto_i_memory_fail_at(0);
  unsetenv("SOTTO_LEDGER");
}

static void a_charge_that_runs_out_of_memory_leaves_no_trace(void **state) {
  (void)state;
  const char *path = check_ledger_path();
  int refused = 0;
  for (sqlite3_int64 room = 0; room < 4000000; room += 500 + room / 4) {
    sotto_ledger *ledger = check_ledger_at(path);
    sotto_charge charge = check_gaussian_charge("a", 1);
    (void)sqlite3_hard_heap_limit64(sqlite3_memory_used() + room + 1);
    sotto_error err = {0};
    sotto_status status = sotto_ledger_charge(ledger, cora, "cora", &charge, 1, &err);
    (void)sqlite3_hard_heap_limit64(0);
    if (status != SOTTO_OK) {
      assert_int_equal(status, SOTTO_NOMEM);
      assert_int_equal(check_spent_on(ledger, cora, "edge").charges, 0);
      refused++;
    }
    sotto_ledger_close(ledger);
    if (status == SOTTO_OK) break;
  }
  assert_true(refused > 0);
  sotto_ledger *ledger = check_ledger_at(path);
  assert_int_equal(check_spent_on(ledger, cora, "edge").charges, 1);
  sotto_ledger_close(ledger);
}

/* Without a budget, pure charges are stated at delta 0, as the statements of their runs have them. */
static void pure_charges_without_a_budget_are_at_delta_0(void **state) {
  (void)state;
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  uint8_t key[32];
  memset(key, 77, sizeof key);
  assert_true(check_spent_on(ledger, key, "edge").epsilon == 0);
  const sotto_charge pure[] = {check_laplace_charge("pure 1", 0.5), check_laplace_charge("pure 2", 0.25)};
  CHECK_OK(sotto_ledger_charge(ledger, key, "pure", pure, 2, &err));
  sotto_spent spent = check_spent_on(ledger, key, "edge");
  assert_true(spent.delta == 0 && spent.epsilon == 0.75);
  const sotto_budget budget = {4, 1e-5};
  CHECK_OK(sotto_ledger_set_budget(ledger, key, "pure", "edge", &budget, "", &err));
  spent = check_spent_on(ledger, key, "edge");
  assert_true(spent.delta == 1e-5 && spent.epsilon <= 0.75);
  const sotto_charge gaussian = check_gaussian_charge("gaussian", 0.25);
  CHECK_OK(sotto_ledger_charge(ledger, key, "pure", &gaussian, 1, &err));
  assert_true(check_spent_on(ledger, key, "edge").delta == 1e-5);
  assert_true(check_spent_on(ledger, key, "node").delta == 0);
  sotto_ledger_close(ledger);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pure_charges_without_a_budget_are_at_delta_0),
      cmocka_unit_test(charges_compose_and_outlive_the_process),
      cmocka_unit_test(a_release_over_the_budget_is_refused_and_leaves_no_trace),
      cmocka_unit_test(a_refusal_has_its_numbers),
      cmocka_unit_test(a_release_calibrated_to_the_whole_budget_fits),
      cmocka_unit_test(budgets_are_kept_for_each_adjacency_and_dataset),
      cmocka_unit_test(a_budget_below_what_is_spent_refuses_everything_until_it_is_raised),
      cmocka_unit_test(the_same_id_is_charged_once_and_may_not_change_its_cost),
      cmocka_unit_test(would_accept_changes_nothing),
      cmocka_unit_test(arguments_that_are_not_valid_are_refused),
      cmocka_unit_test(hostile_text_is_stored_as_it_is),
      cmocka_unit_test(rows_are_visited_oldest_first_until_the_visitor_stops),
      cmocka_unit_test(every_allocation_may_fail_while_opening),
      cmocka_unit_test(a_charge_that_runs_out_of_memory_leaves_no_trace),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
