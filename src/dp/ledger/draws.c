/* Charges for draws of disjoint parts of a dataset, and what the ledger has of given ids. */
#include "draws.h"

#include <string.h>

#include "base/error.h"
#include "inside/dp.h"
#include "ledger.h"

/* Charges, and draws of a part, among the entries whose ids have a given prefix. The index of ids holds them
 * next to each other: '~' sorts after all letters. */
typedef struct tally {
  uint64_t charges, draws;
} tally;

static bool is_for_account(const sotto_ledger *ledger, const sotto_i_entry *e, const uint8_t key[32],
                           const char *level) {
  return sotto_i_state_contains(&ledger->state, key, e->account) && e->level != NULL &&
         strcmp(e->level, level) == 0;
}

static sotto_status count_entries(const sotto_ledger *ledger, tally *out, const uint8_t key[32],
                                  const char *level, const char *beginning, uint64_t part, sotto_error *err) {
  sqlite3_stmt *s = NULL;
  sotto_i_entry e;
  *out = (tally){0};
  sotto_status status = sotto_i_store_prepare(
      &ledger->store, &s, "SELECT text FROM entry WHERE id >= ?1 AND id < ?1 || '~'", err);
  if (status != SOTTO_OK) return status;
  int code = sqlite3_bind_text(s, 1, beginning, -1, SQLITE_STATIC);
  if (code == SQLITE_OK)
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
      const char *text = (const char *)sqlite3_column_text(s, 0);
      SOTTO_TRY(sotto_i_entry_read(&e, text == NULL ? "" : text, err));
      if (is_for_account(ledger, &e, key, level)) {
        out->charges += e.kind == SOTTO_I_ENTRY_CHARGE;
        out->draws += e.among != NULL && strcmp(e.among, beginning) == 0 && e.part == part;
      }
      sotto_i_entry_free(&e);
    }
  if (code != SQLITE_DONE) status = sotto_i_store_fail(&ledger->store, code, "count charges", err);
done:
  (void)sqlite3_finalize(s);
  return status;
}

static sotto_status record_draw(sotto_ledger *ledger, const sotto_i_charges *charges, sotto_error *err) {
  sotto_i_entry e = {.kind = SOTTO_I_ENTRY_DRAW,
                     .name = charges->name,
                     .id = charges->list->id,
                     .level = charges->list->adjacency,
                     .run = charges->list->run,
                     .among = charges->among,
                     .part = charges->part};
  memcpy(e.account, charges->key, 32);
  return sotto_i_ledger_add(ledger, &e, err);
}

/* Step of one draw: a charge, unless the charges of its release cover it. */
static sotto_status charge_draw(sotto_ledger *ledger, sotto_i_composed *composed,
                                const sotto_i_charges *charges, sotto_error *err) {
  const sotto_charge *charge = charges->list;
  sotto_i_entry stands;
  bool known = false;
  tally t;
  sotto_status status;
  SOTTO_TRY(sotto_i_ledger_find(&stands, &known, ledger, charge->id, err));
  if (known) {
    bool same = is_for_account(ledger, &stands, charges->key, charge->adjacency) && stands.among != NULL &&
                strcmp(stands.among, charges->among) == 0 && stands.part == charges->part;
    sotto_i_entry_free(&stands);
    return same ? SOTTO_OK
                : sotto_i_fail(err, SOTTO_CORRUPT, "charge '%.60s' is in the ledger for another draw",
                               charge->id);
  }
  SOTTO_TRY(count_entries(ledger, &t, charges->key, charge->adjacency, charges->among, charges->part, err));
  SOTTO_TRY(t.draws >= t.charges ? sotto_i_ledger_write(ledger, composed, charges, err)
                                 : record_draw(ledger, charges, err));
done:
  return status;
}

sotto_status sotto_i_ledger_draw(sotto_ledger *ledger, const uint8_t digest[32], const char *name,
                                 const sotto_charge *charge, const char *among, uint32_t part,
                                 sotto_error *err) {
  const sotto_i_charges asked = {
      .key = digest, .name = name, .list = charge, .count = 1, .among = among, .part = part};
  return sotto_i_ledger_transact(ledger, charge_draw, &asked, true, err);
}

sotto_status sotto_i_ledger_has(sotto_ledger *ledger, bool *out, const char *id, sotto_error *err) {
  sotto_i_entry e;
  sotto_status status;
  *out = false;
  SOTTO_TRY(sotto_i_ledger_begin(ledger, false, err));
  SOTTO_TRY(sotto_i_ledger_find(&e, out, ledger, id, err));
  if (*out) sotto_i_entry_free(&e);
done:
  sotto_i_ledger_end(ledger);
  return status;
}

sotto_status sotto_i_ledger_count(sotto_ledger *ledger, uint64_t *out, const uint8_t digest[32],
                                  const char *adjacency, const char *beginning, sotto_error *err) {
  tally t = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_ledger_begin(ledger, false, err));
  SOTTO_TRY(count_entries(ledger, &t, digest, adjacency, beginning, 0, err));
done:
  sotto_i_ledger_end(ledger);
  *out = t.charges;
  return status;
}

sotto_status sotto_i_ledger_budgets(sotto_budget out[SOTTO_I_LEDGER_LEVELS], sotto_ledger *ledger,
                                    const uint8_t key[32], sotto_error *err) {
  sotto_status status;
  memset(out, 0, SOTTO_I_LEDGER_LEVELS * sizeof *out);
  SOTTO_TRY(sotto_i_ledger_begin(ledger, false, err));
  const int64_t at = sotto_i_state_find(&ledger->state, key);
  if (at != SOTTO_I_NO_ACCOUNT)
    memcpy(out, ledger->state.accounts[at].budgets, SOTTO_I_LEDGER_LEVELS * sizeof *out);
done:
  sotto_i_ledger_end(ledger);
  return status;
}
