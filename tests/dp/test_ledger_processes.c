/* The ledger under two processes at once, and under processes killed in the middle of a charge. */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "await.h"
#include "check.h"
#include "inside/dp.h"
#include "ledgers.h"
#include "sotto/dp.h"

/* Charges `count` times with ids of its own; returns how many were accepted, telling `pipe_end` of each. */
static int charge_many(const char *path, const uint8_t digest[32], const char *prefix, int count,
                       double epsilon, int pipe_end) {
  sotto_ledger *ledger;
  if (sotto_ledger_open(&ledger, path, NULL) != SOTTO_OK) return -1;
  int accepted = 0;
  for (int i = 0; i < count; i++) {
    char id[64];
    (void)snprintf(id, sizeof id, "%s.%d", prefix, i);
    sotto_charge charge = {.id = id,
                           .run = "r",
                           .mechanism = "laplace",
                           .adjacency = "edge",
                           .description = "",
                           .epsilon = epsilon};
    sotto_status status = sotto_ledger_charge(ledger, digest, "cora", &charge, 1, NULL);
    if (status == SOTTO_REFUSED) continue;
    if (status != SOTTO_OK) return -1;
    accepted++;
    if (pipe_end >= 0 && write(pipe_end, "x", 1) != 1) return -1;
  }
  sotto_ledger_close(ledger);
  return accepted;
}

static sotto_spent spent_at(const char *path, const uint8_t digest[32]) {
  sotto_ledger *ledger;
  sotto_spent spent;
  ledger = check_ledger_at(path);
  CHECK_OK(sotto_ledger_spent(ledger, &spent, digest, "edge", &err));
  sotto_ledger_close(ledger);
  return spent;
}

static void set_budget(const char *path, const uint8_t digest[32], double epsilon) {
  sotto_ledger *ledger;
  sotto_budget budget = {epsilon, 0};
  ledger = check_ledger_at(path);
  CHECK_OK(sotto_ledger_set_budget(ledger, digest, "cora", "edge", &budget, "", &err));
  sotto_ledger_close(ledger);
}

static void two_processes_charge_at_once_and_the_totals_are_exact(void **state) {
  (void)state;
  static const uint8_t digest[32] = {3};
  const char *path = check_path("both.db");
  enum { each = 300 };
  (void)check_new_ledger(path);
  pid_t child = fork();
  if (child == 0) _exit(charge_many(path, digest, "child", each, 0x1p-10, -1) == each ? 0 : 1);
  assert_true(child > 0);
  int accepted = charge_many(path, digest, "parent", each, 0x1p-10, -1), result;
  assert_int_equal(waitpid(child, &result, 0), child);
  assert_int_equal(accepted, each);
  assert_int_equal(result, 0);
  sotto_spent spent = spent_at(path, digest);
  assert_int_equal(spent.charges, 2 * each);
  assert_true(spent.pure_epsilon == 2 * each * 0x1p-10);
}

static void two_processes_never_pass_a_budget_between_them(void **state) {
  (void)state;
  static const uint8_t digest[32] = {4};
  const char *path = check_path("limit.db");
  set_budget(path, digest, 50);
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) _exit(charge_many(path, digest, "child", 80, 1, ends[1]) < 0);
  assert_true(child > 0);
  int accepted = charge_many(path, digest, "parent", 80, 1, -1), result;
  assert_int_equal(waitpid(child, &result, 0), child);
  assert_int_equal(result, 0);
  close(ends[1]);
  char told[128];
  assert_int_equal(accepted + (int)read(ends[0], told, sizeof told), 50);
  close(ends[0]);
  assert_true(spent_at(path, digest).pure_epsilon == 50);
}

static void a_killed_process_never_leaves_fewer_charges_than_it_reported(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  const char *path = check_path("killed.db");
  enum { rounds = 60, fits = 4 };
  int behind = 0, full = 0;
  for (int round = 0; round < rounds; round++) {
    uint8_t digest[32] = {5, (uint8_t)round};
    char prefix[16];
    (void)snprintf(prefix, sizeof prefix, "k%d", round);
    set_budget(path, digest, fits);
    int ends[2], result;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) _exit(charge_many(path, digest, prefix, 1000000, 1, ends[1]) < 0);
    assert_true(child > 0);
    close(ends[1]);
    check_moment((double)sotto_i_random_below(&random, 60000000) / 1e9);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFSIGNALED(result));
    char told[64];
    ssize_t reported = read(ends[0], told, sizeof told);
    close(ends[0]);
    assert_true(reported >= 0);
    sotto_spent spent = spent_at(path, digest);
    if (!(spent.charges >= (uint64_t)reported && spent.charges <= (uint64_t)reported + 1))
      fail_msg("round %d: %zd reported, %llu in the ledger", round, reported,
               (unsigned long long)spent.charges);
    assert_true(spent.charges <= fits && spent.pure_epsilon == (double)spent.charges);
    behind += spent.charges > (uint64_t)reported;
    full += spent.charges == fits;
  }
  print_message("killed %d times: %d reached the budget, %d died between commit and report\n", rounds, full,
                behind);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_processes_charge_at_once_and_the_totals_are_exact),
      cmocka_unit_test(two_processes_never_pass_a_budget_between_them),
      cmocka_unit_test(a_killed_process_never_leaves_fewer_charges_than_it_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
