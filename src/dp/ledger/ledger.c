/* Charging the ledger, budgets, and reading it back.
 *
 * Composition: Gaussian releases compose exactly, mu^2 adding up; pure releases add their epsilon on top,
 * which is sound (basic composition) and simple:  epsilon(delta) = pure + epsilon_gdp(mu, delta). Budgets are
 * kept separately for each adjacency: a release is counted under the adjacency it was charged for. (A
 * node-level guarantee covers edges too; whoever wants it counted there charges it there as well.) */
#include "ledger.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

enum { adjacencies = 2, longest_text = 4096, shown_name = 64 };
static const char *const adjacency_names[adjacencies] = {"edge", "node"};

/* Noise calibrated to a whole budget must fit it in spite of rounding in sigma and in the sum of mu^2: this
 * part of the budget is the tolerance, the same as that of sotto_gdp_epsilon. */
static const double tolerance = 1e-9;
static const double default_delta = 1e-6;

typedef struct account {
  uint64_t charges;
  double mu_squared, pure_epsilon;
  sotto_budget budget;
} account;

static double epsilon_of(const account *a, double delta) {
  if (!(a->mu_squared > 0)) return a->pure_epsilon;
  double gaussian;
  if (delta <= 0 || sotto_gdp_epsilon(&gaussian, sqrt(a->mu_squared), delta, NULL) != SOTTO_OK)
    return INFINITY;
  return a->pure_epsilon + gaussian;
}

/* A name as an error may show it: short, whole characters, no control characters. */
static void shown(char out[shown_name], const char *name) {
  size_t length = strlen(name), end = length < shown_name - 1 ? length : shown_name - 4;
  while (end < length && end > 0 && ((unsigned char)name[end] & 0xC0U) == 0x80U) end--;
  for (size_t i = 0; i < end; i++)
    out[i] = (unsigned char)name[i] < 0x20 || (unsigned char)name[i] == 0x7f ? '?' : name[i];
  memcpy(out + end, end < length ? "..." : "", end < length ? 4 : 1);
}

static sotto_status find_adjacency(int *out, const char *adjacency, sotto_error *err) {
  for (int i = 0; adjacency != NULL && i < adjacencies; i++)
    if (strcmp(adjacency, adjacency_names[i]) == 0) {
      *out = i;
      return SOTTO_OK;
    }
  char word[shown_name];
  shown(word, adjacency == NULL ? "(none)" : adjacency);
  return sotto_i_fail(err, SOTTO_INVALID, "adjacency '%s': the ledger knows 'edge' and 'node'", word);
}

static sotto_status check_text(const char *text, const char *what, sotto_error *err) {
  if (text == NULL) return sotto_i_fail(err, SOTTO_INVALID, "a charge needs its %s", what);
  if (strnlen(text, longest_text + 1) > longest_text)
    return sotto_i_fail(err, SOTTO_INVALID, "a charge's %s is longer than %d bytes", what, longest_text);
  return SOTTO_OK;
}

static sotto_status check_charge(const sotto_charge *c, int *adjacency, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(find_adjacency(adjacency, c->adjacency, err));
  SOTTO_TRY(check_text(c->id, "id", err));
  SOTTO_TRY(check_text(c->run, "run", err));
  SOTTO_TRY(check_text(c->mechanism, "mechanism", err));
  SOTTO_TRY(check_text(c->description, "description", err));
  if (c->id[0] == '\0') return sotto_i_fail(err, SOTTO_INVALID, "a charge needs its id");
  if (!(c->mu >= 0 && c->mu < INFINITY && c->epsilon >= 0 && c->epsilon < INFINITY))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "a charge of mu %g and epsilon %g: both must be finite and not negative", c->mu,
                        c->epsilon);
done:
  return status;
}

static int bind_account(sqlite3_stmt *s, const uint8_t digest[32], const char *adjacency) {
  int code = sqlite3_bind_blob(s, 1, digest, 32, SQLITE_STATIC);
  return code != SQLITE_OK ? code : sqlite3_bind_text(s, 2, adjacency, -1, SQLITE_STATIC);
}

/* All zero when the dataset has no account yet. */
static sotto_status load_account(const sotto_ledger *ledger, account *out, const uint8_t digest[32],
                                 const char *adjacency, sotto_error *err) {
  *out = (account){0};
  sqlite3_stmt *s = NULL;
  sotto_status status = sotto_i_ledger_prepare(
      ledger, &s,
      "SELECT charges, mu_squared, pure_epsilon, budget_epsilon, budget_delta FROM account"
      " WHERE digest = ?1 AND adjacency = ?2",
      err);
  if (status != SOTTO_OK) return status;
  int code = bind_account(s, digest, adjacency);
  if (code == SQLITE_OK) code = sqlite3_step(s);
  if (code == SQLITE_ROW)
    *out = (account){.charges = (uint64_t)sqlite3_column_int64(s, 0),
                     .mu_squared = sqlite3_column_double(s, 1),
                     .pure_epsilon = sqlite3_column_double(s, 2),
                     .budget = {sqlite3_column_double(s, 3), sqlite3_column_double(s, 4)}};
  else if (code != SQLITE_DONE)
    status = sotto_i_ledger_fail(ledger, code, "read an account", err);
  (void)sqlite3_finalize(s);
  return status;
}

static sotto_status save_account(const sotto_ledger *ledger, const account *a, const uint8_t digest[32],
                                 const char *name, const char *adjacency, sotto_error *err) {
  sqlite3_stmt *s = NULL;
  sotto_status status = sotto_i_ledger_prepare(
      ledger, &s, "INSERT OR REPLACE INTO account VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", err);
  if (status != SOTTO_OK) return status;
  int code = bind_account(s, digest, adjacency);
  if (code == SQLITE_OK) code = sqlite3_bind_text(s, 3, name, -1, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_bind_int64(s, 4, (sqlite3_int64)a->charges);
  if (code == SQLITE_OK) code = sqlite3_bind_double(s, 5, a->mu_squared);
  if (code == SQLITE_OK) code = sqlite3_bind_double(s, 6, a->pure_epsilon);
  if (code == SQLITE_OK) code = sqlite3_bind_double(s, 7, a->budget.epsilon);
  if (code == SQLITE_OK) code = sqlite3_bind_double(s, 8, a->budget.delta);
  if (code == SQLITE_OK) code = sqlite3_step(s);
  if (code != SQLITE_DONE) status = sotto_i_ledger_fail(ledger, code, "write an account", err);
  (void)sqlite3_finalize(s);
  return status;
}

/* Whether the charge stands already (*stands); CORRUPT when its id stands for something else. */
static sotto_status find_charge(const sotto_ledger *ledger, bool *stands, const uint8_t digest[32],
                                const sotto_charge *c, sotto_error *err) {
  sqlite3_stmt *s = NULL;
  sotto_status status = sotto_i_ledger_prepare(
      ledger, &s,
      "SELECT digest = ?1 AND adjacency = ?2 AND mechanism = ?4 AND mu = ?5 AND epsilon = ?6 FROM charge"
      " WHERE id = ?3",
      err);
  if (status != SOTTO_OK) return status;
  int code = bind_account(s, digest, c->adjacency);
  if (code == SQLITE_OK) code = sqlite3_bind_text(s, 3, c->id, -1, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_bind_text(s, 4, c->mechanism, -1, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_bind_double(s, 5, c->mu);
  if (code == SQLITE_OK) code = sqlite3_bind_double(s, 6, c->epsilon);
  if (code == SQLITE_OK) code = sqlite3_step(s);
  *stands = code == SQLITE_ROW;
  if (code == SQLITE_ROW && sqlite3_column_int(s, 0) == 0) {
    char id[shown_name];
    shown(id, c->id);
    status = sotto_i_fail(err, SOTTO_CORRUPT,
                          "charge '%s' stands in the ledger for another dataset, mechanism or cost", id);
  } else if (code != SQLITE_ROW && code != SQLITE_DONE) {
    status = sotto_i_ledger_fail(ledger, code, "look a charge up", err);
  }
  (void)sqlite3_finalize(s);
  return status;
}

static sotto_status insert_charge(const sotto_ledger *ledger, const uint8_t digest[32], const char *name,
                                  const sotto_charge *c, sotto_error *err) {
  sqlite3_stmt *s = NULL;
  sotto_status status = sotto_i_ledger_prepare(
      ledger, &s,
      "INSERT INTO charge (digest, adjacency, id, name, run, mechanism, description, mu, epsilon, insecure, "
      "time)"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
      err);
  if (status != SOTTO_OK) return status;
  const char *texts[] = {c->id, name, c->run, c->mechanism, c->description};
  int code = bind_account(s, digest, c->adjacency);
  for (int i = 0; i < 5 && code == SQLITE_OK; i++)
    code = sqlite3_bind_text(s, 3 + i, texts[i], -1, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_bind_double(s, 8, c->mu);
  if (code == SQLITE_OK) code = sqlite3_bind_double(s, 9, c->epsilon);
  if (code == SQLITE_OK) code = sqlite3_bind_int(s, 10, c->insecure);
  if (code == SQLITE_OK) code = sqlite3_step(s);
  if (code != SQLITE_DONE) status = sotto_i_ledger_fail(ledger, code, "write a charge", err);
  (void)sqlite3_finalize(s);
  return status;
}

static sotto_status check_budget(const account *before, const account *after, const char *name,
                                 const char *adjacency, sotto_error *err) {
  double allowed = after->budget.epsilon, delta = after->budget.delta;
  if (allowed == 0) return SOTTO_OK;
  double total = epsilon_of(after, delta);
  if (total <= allowed * (1 + tolerance)) return SOTTO_OK;
  char word[shown_name];
  shown(word, name);
  return sotto_i_fail(err, SOTTO_REFUSED,
                      "dataset '%s', %s level, at delta %.3g: epsilon %.6g is spent, %.6g with the releases "
                      "asked for, and the budget is %.6g; nothing was released. Ask for more noise or fewer "
                      "releases, or change the budget with `sotto ledger budget`",
                      word, adjacency, delta, epsilon_of(before, delta), total, allowed);
}

sotto_status sotto_i_ledger_write(const sotto_ledger *ledger, const uint8_t digest[32], const char *name,
                                  const sotto_charge *charges, size_t count, sotto_error *err) {
  account before[adjacencies], after[adjacencies];
  sotto_status status;
  for (int i = 0; i < adjacencies; i++) {
    SOTTO_TRY(load_account(ledger, &before[i], digest, adjacency_names[i], err));
    after[i] = before[i];
  }
  for (size_t i = 0; i < count; i++) {
    int which = 0;
    bool stands = false;
    SOTTO_TRY(find_adjacency(&which, charges[i].adjacency, err));
    SOTTO_TRY(find_charge(ledger, &stands, digest, &charges[i], err));
    if (stands) continue;
    SOTTO_TRY(insert_charge(ledger, digest, name, &charges[i], err));
    after[which].charges++;
    after[which].mu_squared += charges[i].mu * charges[i].mu;
    after[which].pure_epsilon += charges[i].epsilon;
  }
  for (int i = 0; i < adjacencies; i++) {
    if (after[i].charges == before[i].charges) continue;
    SOTTO_TRY(check_budget(&before[i], &after[i], name, adjacency_names[i], err));
    SOTTO_TRY(save_account(ledger, &after[i], digest, name, adjacency_names[i], err));
  }
done:
  return status;
}

sotto_status sotto_i_ledger_check(const char *name, const sotto_charge *charges, size_t count,
                                  sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(check_text(name, "dataset name", err));
  for (size_t i = 0; i < count; i++) {
    int adjacency = 0;
    SOTTO_TRY(check_charge(&charges[i], &adjacency, err));
  }
done:
  return status;
}

static sotto_status transact(const sotto_ledger *ledger, const uint8_t digest[32], const char *name,
                             const sotto_charge *charges, size_t count, bool keep, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_ledger_check(name, charges, count, err));
  SOTTO_TRY(sotto_i_ledger_run(ledger, "BEGIN IMMEDIATE", "begin a charge", err));
  SOTTO_TRY(sotto_i_ledger_write(ledger, digest, name, charges, count, err));
  if (keep) SOTTO_TRY(sotto_i_ledger_run(ledger, "COMMIT", "sync a charge", err));
done:
  sotto_i_ledger_rollback(ledger);
  return status;
}

sotto_status sotto_ledger_charge(sotto_ledger *ledger, const uint8_t digest[32], const char *name,
                                 const sotto_charge *charges, size_t count, sotto_error *err) {
  return transact(ledger, digest, name, charges, count, true, err);
}

sotto_status sotto_ledger_would_accept(sotto_ledger *ledger, const uint8_t digest[32], const char *name,
                                       const sotto_charge *charges, size_t count, sotto_error *err) {
  return transact(ledger, digest, name, charges, count, false, err);
}

sotto_status sotto_ledger_set_budget(sotto_ledger *ledger, const uint8_t digest[32], const char *name,
                                     const char *adjacency, const sotto_budget *budget, sotto_error *err) {
  account a;
  int which = 0;
  sotto_status status;
  SOTTO_TRY(check_text(name, "dataset name", err));
  SOTTO_TRY(find_adjacency(&which, adjacency, err));
  if (!(budget->epsilon > 0 && budget->epsilon < INFINITY && budget->delta >= 0 && budget->delta < 1))
    return sotto_i_fail(
        err, SOTTO_RANGE,
        "a budget of epsilon %g, delta %g: epsilon must be finite and above 0, delta at least 0 "
        "and below 1",
        budget->epsilon, budget->delta);
  SOTTO_TRY(sotto_i_ledger_run(ledger, "BEGIN IMMEDIATE", "begin a budget", err));
  SOTTO_TRY(load_account(ledger, &a, digest, adjacency_names[which], err));
  a.budget = *budget;
  SOTTO_TRY(save_account(ledger, &a, digest, name, adjacency_names[which], err));
  SOTTO_TRY(sotto_i_ledger_run(ledger, "COMMIT", "sync a budget", err));
done:
  sotto_i_ledger_rollback(ledger);
  return status;
}

sotto_status sotto_ledger_spent(sotto_ledger *ledger, sotto_spent *out, const uint8_t digest[32],
                                const char *adjacency, sotto_error *err) {
  account a;
  int which = 0;
  *out = (sotto_spent){0};
  sotto_status status;
  SOTTO_TRY(find_adjacency(&which, adjacency, err));
  SOTTO_TRY(load_account(ledger, &a, digest, adjacency_names[which], err));
  double delta = a.budget.epsilon > 0 ? a.budget.delta : default_delta;
  *out = (sotto_spent){.charges = a.charges,
                       .mu = sqrt(a.mu_squared),
                       .pure_epsilon = a.pure_epsilon,
                       .epsilon = epsilon_of(&a, delta),
                       .delta = delta,
                       .budget = a.budget};
done:
  return status;
}
