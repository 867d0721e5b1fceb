/* The page of a ledger: what was spent, what is left, and that no name in it breaks the page. */
#include "check.h"
#include "common/file.h"
#include "inside/dp.h"
#include "pages.h"
#include "report/page/page.h"
#include "sotto/guarantee.h"

enum { most = 400000 };

static void charge(sotto_ledger *ledger, const uint8_t key[32], unsigned number, const char *level) {
  char id[32];
  (void)snprintf(id, sizeof id, "charge %u", number);
  const sotto_charge one = {.id = id,
                            .run = hostile,
                            .mechanism = "gaussian",
                            .adjacency = level,
                            .description = hostile,
                            .mu = 0.02};
  CHECK_OK(sotto_ledger_charge(ledger, key, hostile, &one, 1, &err));
}

static void a_ledger_says_what_is_spent_and_left(void **state) {
  const uint8_t key[32] = {1};
  const sotto_budget budget = {2, 1e-6};
  sotto_ledger *ledger;
  sotto_spent spent;
  char *text, words[200], epsilon[SOTTO_EPSILON_WORDS];
  size_t size;
  (void)state;
  const char *path = check_path("ledger.db"), *file = check_path("ledger.html");
  assert_int_equal(setenv("SOTTO_LEDGER_KEY", check_path("ledger.key"), 1), 0);
  CHECK_OK(sotto_ledger_init(path, &err));
  CHECK_OK(sotto_ledger_open(&ledger, path, &err));
  CHECK_OK(page_write_ledger(ledger, file, &err)); /* nothing in it yet */
  CHECK_OK(sotto_ledger_set_budget(ledger, key, hostile, "edge", &budget, hostile, &err));
  for (unsigned i = 0; i < 340; i++) charge(ledger, key, i, i % 3 == 0 ? "node" : "edge");
  CHECK_OK(sotto_ledger_spent(ledger, &spent, key, "edge", &err));
  CHECK_OK(page_write_ledger(ledger, file, &err));
  sotto_ledger_close(ledger);
  CHECK_OK(app_read_file(&text, &size, file, &err));
  assert_true(size <= most);
  expect_well_formed(text);
  refuse_words(text, "<script");
  expect_words(text, "entries hold");
  expect_words(text, "edge level: epsilon spent over time");
  expect_words(text, "node level: epsilon spent over time");
  expect_words(text, "of 340 are shown");
  sotto_epsilon_words(epsilon, spent.epsilon);
  (void)snprintf(words, sizeof words,
                 "<td data-of=\"Epsilon spent\">%s</td><td data-of=\"At delta\">%.3g</td><td "
                 "data-of=\"Budget\">%.4g</td><td data-of=\"Left\">%.4g</td>",
                 epsilon, spent.delta, 2.0, 2 - spent.epsilon);
  expect_words(text, words);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_ledger_says_what_is_spent_and_left)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
