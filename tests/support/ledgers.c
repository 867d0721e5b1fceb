#include "ledgers.h"

#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "dp/ledger/ledger.h"

const char *check_ledger_path(void) {
  static int files;
  char name[32];
  (void)snprintf(name, sizeof name, "ledger%d.db", files++);
  return check_path(name);
}

sotto_charge check_gaussian_charge(const char *id, double mu) {
  return (sotto_charge){.id = id,
                        .run = "runs/a",
                        .mechanism = "gaussian",
                        .adjacency = "edge",
                        .description = "two layers",
                        .mu = mu};
}

sotto_charge check_laplace_charge(const char *id, double epsilon) {
  sotto_charge charge = check_gaussian_charge(id, 0);
  charge.mechanism = "laplace";
  charge.epsilon = epsilon;
  return charge;
}

const char *check_new_ledger(const char *path) {
  if (!sotto_i_is_file(path)) CHECK_OK(sotto_ledger_init(path, &err));
  return path;
}

sotto_ledger *check_ledger_at(const char *path) {
  sotto_ledger *ledger;
  CHECK_OK(sotto_ledger_open(&ledger, path == NULL ? NULL : check_new_ledger(path), &err));
  return ledger;
}

sotto_spent check_spent_on(sotto_ledger *ledger, const uint8_t digest[32], const char *adjacency) {
  sotto_spent spent;
  CHECK_OK(sotto_ledger_spent(ledger, &spent, digest, adjacency, &err));
  return spent;
}

static int count_row(void *context, const sotto_ledger_row *row) {
  (void)row;
  ++*(uint64_t *)context;
  return 0;
}

void check_forget_ledger(const char *path) {
  char memory[1100];
  (void)snprintf(memory, sizeof memory, "%.1080s.ledger", path);
  (void)unlink(memory);
}

uint64_t check_ledger_rows(const char *path) {
  uint64_t count = 0;
  sotto_ledger *ledger = check_ledger_at(path);
  CHECK_OK(sotto_ledger_visit(ledger, NULL, count_row, &count, &err));
  sotto_ledger_close(ledger);
  return count;
}

/* Runs SQL behind the library's back. */
void check_tamper(const char *path, const char *sql) {
  sqlite3 *db;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

sotto_status check_add_version(sotto_ledger *ledger, const char *account, const uint8_t data[32],
                               const char *name, sotto_error *err) {
  sotto_status status = sotto_i_ledger_begin(ledger, true, err);
  if (status == SOTTO_OK) status = sotto_i_ledger_attach(ledger, account, data, name, err);
  if (status == SOTTO_OK) status = sotto_i_ledger_commit(ledger, err);
  sotto_i_ledger_end(ledger);
  return status;
}
