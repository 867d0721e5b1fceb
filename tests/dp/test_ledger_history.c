/* What was spent over time: each moment is the ledger's own sum of what was charged until then. */
#include <math.h>

#include "check.h"
#include "inside/dp.h"
#include "ledgers.h"
#include "sotto/dp.h"

enum { most = 64 };
static const uint8_t may[32] = {1}, june[32] = {2}, other[32] = {3};

typedef struct seen {
  double epsilon[most];
  uint64_t charges[most];
  char run[most][16], time[most][32];
  size_t count, stop_at; /* stop_at 0: never */
} seen;

static int keep(void *context, const sotto_moment *m) {
  seen *s = context;
  assert_true(s->count < most);
  s->epsilon[s->count] = m->epsilon;
  s->charges[s->count] = m->charges;
  (void)snprintf(s->run[s->count], sizeof s->run[0], "%s", m->run);
  (void)snprintf(s->time[s->count], sizeof s->time[0], "%s", m->time);
  return ++s->count == s->stop_at;
}

static seen visit(sotto_ledger *ledger, const uint8_t key[32], const char *level, size_t times) {
  seen s = {.count = 0};
  CHECK_OK(sotto_ledger_visit_spent(ledger, key, level, times, keep, &s, &err));
  return s;
}

/* Random charges of all kinds; after each the ledger's own answer is noted. */
static void each_moment_is_what_the_ledger_said_then(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  const sotto_budget budget = {1000, 1e-5};
  double said[2][most];
  static const char *const levels[] = {"edge", "node"};
  size_t counts[2] = {0, 0};
  for (int l = 0; l < 2; l++) /* whose delta does not depend on the charges */
    CHECK_OK(sotto_ledger_set_budget(ledger, may, "may", levels[l], &budget, "", &err));
  for (unsigned i = 0; i < 24; i++) {
    char id[16], run[16];
    const bool gaussian = sotto_i_random_below(&random, 2) == 0, node = sotto_i_random_below(&random, 3) == 0;
    (void)snprintf(id, sizeof id, "charge %u", i);
    (void)snprintf(run, sizeof run, "run %u", i);
    sotto_charge c =
        gaussian ? check_gaussian_charge(id, 0.25 * (1 + i % 3)) : check_laplace_charge(id, 0.125);
    c.run = run;
    if (node) c.adjacency = "node";
    CHECK_OK(sotto_ledger_charge(ledger, may, "may", &c, 1, &err));
    CHECK_OK(sotto_ledger_charge(ledger, other, "other",
                                 &(sotto_charge){.id = run,
                                                 .run = "",
                                                 .mechanism = "laplace",
                                                 .adjacency = "edge",
                                                 .description = "",
                                                 .epsilon = 5},
                                 1, &err)); /* does not count */
    for (int l = 0; l < 2; l++)
      if (l == 0 || node) said[l][counts[l]++] = check_spent_on(ledger, may, levels[l]).epsilon;
  }
  for (int l = 0; l < 2; l++) {
    const seen all = visit(ledger, may, levels[l], 0);
    assert_int_equal(all.count, counts[l]);
    for (size_t i = 0; i < all.count; i++) {
      assert_true(all.epsilon[i] == said[l][i]); /* the same sums in the same order */
      assert_int_equal(all.charges[i], i + 1);
      assert_int_equal(strlen(all.time[i]), 20);
    }
  }
  const seen few = visit(ledger, may, "edge", 5);
  assert_int_equal(few.count, 5);
  assert_int_equal(few.charges[4], 24);
  assert_true(few.epsilon[4] == check_spent_on(ledger, may, "edge").epsilon);
  assert_string_equal(few.run[4], "run 23");
  sotto_ledger_close(ledger);
}

static void versions_count_for_their_account_and_a_visitor_may_stop(void **state) {
  (void)state;
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  sotto_ledger_account account;
  seen s = {.stop_at = 2};
  CHECK_OK(sotto_ledger_account_new(ledger, "customers", NULL, &err));
  CHECK_OK(sotto_ledger_account_named(ledger, &account, "customers", &err));
  CHECK_OK(check_add_version(ledger, "customers", may, "may", &err));
  CHECK_OK(check_add_version(ledger, "customers", june, "june", &err));
  for (unsigned i = 0; i < 6; i++) {
    char id[16];
    (void)snprintf(id, sizeof id, "charge %u", i);
    const sotto_charge c = check_laplace_charge(id, 0.5);
    CHECK_OK(sotto_ledger_charge(ledger, i % 2 == 0 ? may : june, "graph", &c, 1, &err));
  }
  const seen all = visit(ledger, account.key, "edge", 0);
  assert_int_equal(all.count, 6);
  assert_true(all.epsilon[5] == check_spent_on(ledger, account.key, "edge").epsilon);
  assert_int_equal(visit(ledger, june, "edge", 0).count, 3);
  assert_int_equal(visit(ledger, account.key, "edge", 4).count, 3); /* after 2, 4 and 6 */
  assert_int_equal(visit(ledger, account.key, "node", 0).count, 0);
  assert_int_equal(visit(ledger, other, "edge", 0).count, 0);
  CHECK_OK(sotto_ledger_visit_spent(ledger, account.key, "edge", 0, keep, &s, &err));
  assert_int_equal(s.count, 2);
  CHECK_FAILS(SOTTO_INVALID, "'client'", sotto_ledger_visit_spent(ledger, may, "client", 0, keep, &s, &err));
  sotto_ledger_close(ledger);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_moment_is_what_the_ledger_said_then),
      cmocka_unit_test(versions_count_for_their_account_and_a_visitor_may_stop)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
