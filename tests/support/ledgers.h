/* Ledgers for tests. */
#ifndef SOTTO_TESTS_LEDGERS_H
#define SOTTO_TESTS_LEDGERS_H

#include "sotto/dp.h"

/* A path that no test used before. */
const char *check_ledger_path(void);
/* A charge at edge level of a Gaussian release; of a pure one. */
sotto_charge check_gaussian_charge(const char *id, double mu);
sotto_charge check_laplace_charge(const char *id, double epsilon);
/* Makes a ledger, unless one is there; gives the path back. */
const char *check_new_ledger(const char *path);
/* Opens it, or makes it first. */
sotto_ledger *check_ledger_at(const char *path);
/* What data at a path remembers of its ledger is forgotten: the next test has another one. */
void check_forget_ledger(const char *path);
/* How many charges stand in it. */
uint64_t check_ledger_rows(const char *path);
sotto_spent check_spent_on(sotto_ledger *ledger, const uint8_t digest[32], const char *adjacency);
/* Makes a dataset a version of a named account. */
sotto_status check_add_version(sotto_ledger *ledger, const char *account, const uint8_t data[32],
                               const char *name, sotto_error *err);
/* Runs SQL behind the library's back. */
void check_tamper(const char *path, const char *sql);

#endif
