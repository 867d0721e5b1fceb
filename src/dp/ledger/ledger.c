/* Charges, budgets and the spent epsilon of the ledger.
 *
 * A charge is accepted when every account that it counts for stays within its budget: the dataset's account,
 * and those of which it is a version. */
#include "ledger.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "inside/dp.h"
#include "sotto/guarantee.h"

enum { longest_text = 4096 };

/* Noise that is calibrated to a whole budget must fit it despite rounding in sigma and in the sum of mu^2.
 * The tolerance is this share of the budget, the same as in sotto_gdp_epsilon. */
static const double tolerance = 1e-9;
static const double default_delta = 1e-6;

void sotto_i_ledger_shown(char out[SOTTO_I_SHOWN], const char *name) {
  size_t length = strlen(name), end = length < SOTTO_I_SHOWN - 1 ? length : SOTTO_I_SHOWN - 4;
  while (end < length && end > 0 && ((unsigned char)name[end] & 0xC0U) == 0x80U) end--;
  for (size_t i = 0; i < end; i++)
    out[i] = (unsigned char)name[i] < 0x20 || (unsigned char)name[i] == 0x7f ? '?' : name[i];
  memcpy(out + end, end < length ? "..." : "", end < length ? 4 : 1);
}

static sotto_status check_level(int *out, const char *adjacency, sotto_error *err) {
  char word[SOTTO_I_SHOWN];
  *out = sotto_i_level_of(adjacency);
  if (*out >= 0) return SOTTO_OK;
  sotto_i_ledger_shown(word, adjacency == NULL ? "(none)" : adjacency);
  return sotto_i_fail(err, SOTTO_INVALID, "adjacency '%s': the ledger has 'transfer', 'edge' and 'node'",
                      word);
}

static sotto_status check_text(const char *text, const char *what, sotto_error *err) {
  if (text == NULL) return sotto_i_fail(err, SOTTO_INVALID, "a charge needs its %s", what);
  if (strnlen(text, longest_text + 1) > longest_text)
    return sotto_i_fail(err, SOTTO_INVALID, "a charge's %s is longer than %d bytes", what, longest_text);
  return SOTTO_OK;
}

static sotto_status check_charge(const sotto_charge *c, sotto_error *err) {
  int level;
  sotto_status status;
  SOTTO_TRY(check_level(&level, c->adjacency, err));
  SOTTO_TRY(check_text(c->id, "id", err));
  SOTTO_TRY(check_text(c->run, "run", err));
  SOTTO_TRY(check_text(c->mechanism, "mechanism", err));
  SOTTO_TRY(check_text(c->description, "description", err));
  if (c->id[0] == '\0') return sotto_i_fail(err, SOTTO_INVALID, "a charge needs its id");
  if (!(c->mu >= 0 && c->mu < INFINITY && c->epsilon >= 0 && c->epsilon < INFINITY))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "a charge of mu %g and epsilon %g: both must be finite and not negative", c->mu,
                        c->epsilon);
  if (c->release != NULL) SOTTO_TRY(sotto_mechanism_check(c->release, err));
done:
  return status;
}

sotto_status sotto_i_ledger_check(const char *name, const sotto_charge *charges, size_t count,
                                  sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(check_text(name, "dataset name", err));
  for (size_t i = 0; i < count; i++) SOTTO_TRY(check_charge(&charges[i], err));
done:
  return status;
}

/* Is the charge in the ledger already (*stands)? CORRUPT when its id is there for another charge. */
static sotto_status find_charge(const sotto_ledger *ledger, bool *stands, const sotto_i_entry *c,
                                sotto_error *err) {
  sotto_i_entry e;
  char id[SOTTO_I_SHOWN];
  sotto_status status = sotto_i_ledger_find(&e, stands, ledger, c->id, err);
  if (status != SOTTO_OK || !*stands) return status;
  bool same = e.kind == SOTTO_I_ENTRY_CHARGE &&
              sotto_i_state_contains(&ledger->state, c->account, e.account) && e.mu == c->mu &&
              e.epsilon == c->epsilon && e.level != NULL && strcmp(e.level, c->level) == 0 &&
              e.mechanism != NULL && strcmp(e.mechanism, c->mechanism) == 0;
  sotto_i_entry_free(&e);
  if (same) return SOTTO_OK;
  sotto_i_ledger_shown(id, c->id);
  return sotto_i_fail(err, SOTTO_CORRUPT,
                      "charge '%s' is in the ledger for another dataset, mechanism or cost", id);
}

/* The account's sums including the new charges. */
static sotto_status sums_with(sotto_i_sums *out, const sotto_i_account *a, int level,
                              const sotto_i_entry *fresh, size_t count, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_sums_join(out, &a->sums[level], err));
  for (size_t i = 0; i < count; i++)
    SOTTO_TRY(
        sotto_i_sums_add(out, &fresh[i], sotto_i_level_moves(sotto_i_level_of(fresh[i].level), level), err));
done:
  return status;
}

static sotto_status fail_over_budget(const sotto_i_account *a, int level, double spent, double total,
                                     sotto_error *err) {
  const sotto_budget budget = a->budgets[level];
  char word[SOTTO_I_SHOWN], delta[SOTTO_DELTA_WORDS];
  sotto_i_ledger_shown(word, a->name);
  sotto_delta_words(delta, budget.delta);
  const sotto_status status = sotto_i_fail(
      err, SOTTO_REFUSED,
      "%s '%s', %s level, at delta %s: epsilon %.6g is spent, %.6g with the releases "
      "asked for, and the budget is %.6g; nothing was released. Ask for more noise or fewer "
      "releases, or change the budget with `sotto ledger budget`",
      a->named ? "account" : "dataset", word, sotto_i_levels[level], delta, spent, total, budget.epsilon);
  if (err != NULL) {
    err->spent = spent;
    err->asked = total;
    err->limit = budget.epsilon;
  }
  return status;
}

/* Where composed->missing is set, no decision was made. */
static sotto_status check_budget(sotto_i_composed *composed, const sotto_i_account *a, int level,
                                 const sotto_i_entry *fresh, size_t count, sotto_error *err) {
  const sotto_budget budget = a->budgets[level];
  sotto_i_sums after = {.charges = 0};
  if (budget.epsilon == 0) return SOTTO_OK;
  double spent, total;
  sotto_status status;
  SOTTO_TRY(sums_with(&after, a, level, fresh, count, err));
  if (after.charges <= a->sums[level].charges || sotto_i_sums_pure(&after) <= budget.epsilon) goto done;
  if (!sotto_i_composed_find(composed, &total, &after, budget.delta, &status, err)) goto done;
  if (total <= budget.epsilon * (1 + tolerance)) goto done;
  if (!sotto_i_composed_find(composed, &spent, &a->sums[level], budget.delta, &status, err)) goto done;
  status = fail_over_budget(a, level, spent, total, err);
done:
  sotto_i_sums_free(&after);
  return status;
}

static sotto_status check_accounts(const sotto_ledger *ledger, sotto_i_composed *composed,
                                   const uint8_t key[32], const sotto_i_entry *fresh, size_t count,
                                   sotto_error *err) {
  sotto_status status = SOTTO_OK;
  char word[SOTTO_I_SHOWN];
  if (count == 0) return SOTTO_OK;
  int64_t at = sotto_i_state_find(&ledger->state, key);
  while (at != SOTTO_I_NO_ACCOUNT) {
    const sotto_i_account *a = &ledger->state.accounts[at];
    sotto_i_ledger_shown(word, a->name);
    if (a->closed)
      return sotto_i_fail(err, SOTTO_REFUSED,
                          "account '%s' is closed: it takes no more charges; nothing was released", word);
    for (int level = 0; level < SOTTO_I_LEDGER_LEVELS && !composed->missing; level++)
      SOTTO_TRY(check_budget(composed, a, level, fresh, count, err));
    at = a->whole;
  }
done:
  return status;
}

static sotto_i_entry entry_of(const sotto_i_charges *charges, const sotto_charge *c) {
  sotto_i_entry e = {.kind = SOTTO_I_ENTRY_CHARGE,
                     .name = charges->name,
                     .id = c->id,
                     .run = c->run,
                     .mechanism = c->mechanism,
                     .level = sotto_i_levels[sotto_i_level_of(c->adjacency)],
                     .reason = c->description,
                     .mu = c->mu,
                     .epsilon = c->epsilon,
                     .insecure = c->insecure,
                     .among = charges->among,
                     .part = charges->part,
                     .has_release = c->release != NULL};
  memcpy(e.account, charges->key, 32);
  if (c->release != NULL) e.release = *c->release;
  return e;
}

sotto_status sotto_i_ledger_write(sotto_ledger *ledger, sotto_i_composed *composed,
                                  const sotto_i_charges *charges, sotto_error *err) {
  sotto_i_entry *fresh = NULL;
  size_t new_ones = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&fresh, charges->count, sizeof *fresh, err));
  for (size_t i = 0; i < charges->count; i++) {
    bool stands = false;
    fresh[new_ones] = entry_of(charges, &charges->list[i]);
    SOTTO_TRY(find_charge(ledger, &stands, &fresh[new_ones], err));
    if (stands) continue;
    SOTTO_TRY(sotto_i_ledger_add(ledger, &fresh[new_ones], err));
    new_ones++;
  }
  SOTTO_TRY(check_accounts(ledger, composed, charges->key, fresh, new_ones, err));
done:
  sotto_i_free(fresh);
  return status;
}

static sotto_status transact_once(sotto_ledger *ledger, sotto_i_composed *composed, sotto_i_ledger_step step,
                                  const sotto_i_charges *charges, bool keep, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_ledger_begin(ledger, true, err));
  SOTTO_TRY(step(ledger, composed, charges, err));
  if (keep && !composed->missing) SOTTO_TRY(sotto_i_ledger_commit(ledger, err));
done:
  sotto_i_ledger_end(ledger);
  return status;
}

sotto_status sotto_i_ledger_transact(sotto_ledger *ledger, sotto_i_ledger_step step,
                                     const sotto_i_charges *charges, bool keep, sotto_error *err) {
  sotto_i_composed composed = {0};
  bool again;
  sotto_status status;
  SOTTO_TRY(sotto_i_ledger_check(charges->name, charges->list, charges->count, err));
  do {
    SOTTO_TRY(transact_once(ledger, &composed, step, charges, keep, err));
    again = composed.missing;
    SOTTO_TRY(sotto_i_composed_complete(&composed, err));
  } while (again);
done:
  sotto_i_composed_free(&composed);
  return status;
}

sotto_status sotto_ledger_charge(sotto_ledger *ledger, const uint8_t key[32], const char *name,
                                 const sotto_charge *charges, size_t count, sotto_error *err) {
  const sotto_i_charges asked = {.key = key, .name = name, .list = charges, .count = count};
  return sotto_i_ledger_transact(ledger, sotto_i_ledger_write, &asked, true, err);
}

sotto_status sotto_ledger_would_accept(sotto_ledger *ledger, const uint8_t key[32], const char *name,
                                       const sotto_charge *charges, size_t count, sotto_error *err) {
  const sotto_i_charges asked = {.key = key, .name = name, .list = charges, .count = count};
  return sotto_i_ledger_transact(ledger, sotto_i_ledger_write, &asked, false, err);
}

static sotto_status check_change(const sotto_ledger *ledger, const uint8_t key[32], int level,
                                 const sotto_budget *budget, sotto_error *err) {
  int64_t at = sotto_i_state_find(&ledger->state, key);
  if (at == SOTTO_I_NO_ACCOUNT) return SOTTO_OK;
  const sotto_i_account *a = &ledger->state.accounts[at];
  const sotto_budget *old = &a->budgets[level];
  if (!a->locked || old->epsilon == 0 || (budget->epsilon <= old->epsilon && budget->delta <= old->delta))
    return SOTTO_OK;
  char delta[SOTTO_DELTA_WORDS];
  sotto_delta_words(delta, old->delta);
  return sotto_i_fail(err, SOTTO_REFUSED,
                      "the account is locked: its budget of epsilon %.6g at delta %s can be lowered, and not "
                      "raised",
                      old->epsilon, delta);
}

sotto_status sotto_ledger_set_budget(sotto_ledger *ledger, const uint8_t key[32], const char *name,
                                     const char *adjacency, const sotto_budget *budget, const char *reason,
                                     sotto_error *err) {
  sotto_i_entry e = {.kind = SOTTO_I_ENTRY_BUDGET, .name = name, .level = adjacency, .reason = reason};
  int level = 0;
  sotto_status status;
  SOTTO_TRY(check_text(name, "dataset name", err));
  SOTTO_TRY(check_text(reason, "reason", err));
  SOTTO_TRY(check_level(&level, adjacency, err));
  if (!(budget->epsilon > 0 && budget->epsilon < INFINITY && budget->delta >= 0 && budget->delta < 1))
    return sotto_i_fail(
        err, SOTTO_RANGE,
        "a budget of epsilon %g, delta %g: epsilon must be finite and above 0, delta at least 0 "
        "and below 1",
        budget->epsilon, budget->delta);
  memcpy(e.account, key, 32);
  e.epsilon = budget->epsilon;
  e.delta = budget->delta;
  SOTTO_TRY(sotto_i_ledger_begin(ledger, true, err));
  SOTTO_TRY(check_change(ledger, key, level, budget, err));
  SOTTO_TRY(sotto_i_ledger_add(ledger, &e, err));
  SOTTO_TRY(sotto_i_ledger_commit(ledger, err));
done:
  sotto_i_ledger_end(ledger);
  return status;
}

/* Reads what an account has spent, as sums to be composed after the transaction. */
static sotto_status read_spent(sotto_ledger *ledger, sotto_spent *out, sotto_i_sums *sums,
                               const uint8_t key[32], int level, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_ledger_begin(ledger, false, err));
  int64_t at = sotto_i_state_find(&ledger->state, key);
  if (at == SOTTO_I_NO_ACCOUNT) goto done;
  const sotto_i_account *a = &ledger->state.accounts[at];
  out->budget = a->budgets[level];
  if (out->budget.epsilon > 0)
    out->delta = out->budget.delta;
  else if (isfinite(sotto_i_sums_pure(&a->sums[level])))
    out->delta = 0; /* as in the statements of these runs */
  SOTTO_TRY(sotto_i_sums_join(sums, &a->sums[level], err));
  out->charges = sums->charges;
  out->unprotected = sums->bare;
  out->mu = sqrt(sums->mu_squared);
  out->pure_epsilon = sums->pure_epsilon;
done:
  sotto_i_ledger_end(ledger);
  return status;
}

sotto_status sotto_ledger_spent(sotto_ledger *ledger, sotto_spent *out, const uint8_t key[32],
                                const char *adjacency, sotto_error *err) {
  sotto_i_sums sums = {.charges = 0};
  int level = 0;
  *out = (sotto_spent){.delta = default_delta};
  sotto_status status;
  SOTTO_TRY(check_level(&level, adjacency, err));
  SOTTO_TRY(read_spent(ledger, out, &sums, key, level, err));
  SOTTO_TRY(sotto_i_sums_epsilon(&out->epsilon, &sums, out->delta, err));
done:
  sotto_i_sums_free(&sums);
  return status;
}
