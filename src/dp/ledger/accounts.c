/* Named accounts: making, versions, locking, closing. */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "inside/dp.h"
#include "ledger.h"

enum { longest_name = 100 };

static sotto_status check_name(const char *name, sotto_error *err) {
  size_t length = name == NULL ? 0 : strnlen(name, longest_name + 1);
  bool good = length >= 1 && length <= longest_name;
  for (size_t i = 0; good && i < length; i++) good = (unsigned char)name[i] >= 0x20 && name[i] != 0x7f;
  return good ? SOTTO_OK
              : sotto_i_fail(err, SOTTO_INVALID,
                             "the name of an account has 1 to %d bytes, and no control characters",
                             longest_name);
}

/* An account's key: the same in every ledger of this owner. */
static void key_of(uint8_t out[32], const uint8_t owner[32], const char *name) {
  static const char domain[] = "sotto account";
  crypto_generichash_state state;
  crypto_generichash_init(&state, NULL, 0, 32);
  crypto_generichash_update(&state, (const uint8_t *)domain, sizeof domain);
  crypto_generichash_update(&state, owner, 32);
  crypto_generichash_update(&state, (const uint8_t *)name, strlen(name));
  crypto_generichash_final(&state, out, 32);
}

sotto_status sotto_ledger_account_new(sotto_ledger *ledger, const char *name, const char *reason,
                                      sotto_error *err) {
  sotto_i_entry e = {.kind = SOTTO_I_ENTRY_ACCOUNT, .name = name, .reason = reason};
  sotto_status status;
  SOTTO_TRY(check_name(name, err));
  SOTTO_TRY(sotto_i_ledger_begin(ledger, true, err));
  if (sotto_i_state_named(&ledger->state, name) != SOTTO_I_NO_ACCOUNT) {
    status = sotto_i_fail(err, SOTTO_INVALID, "account '%s' is in the ledger already", name);
    goto done;
  }
  memcpy(e.owner, ledger->owner.public_key, 32);
  key_of(e.account, e.owner, name);
  SOTTO_TRY(sotto_i_ledger_add(ledger, &e, err));
  SOTTO_TRY(sotto_i_ledger_commit(ledger, err));
done:
  sotto_i_ledger_end(ledger);
  return status;
}

void sotto_i_ledger_describe(sotto_ledger_account *out, const sotto_i_account *a) {
  *out = (sotto_ledger_account){.named = a->named, .locked = a->locked, .closed = a->closed};
  memcpy(out->key, a->key, 32);
  (void)snprintf(out->name, sizeof out->name, "%s", a->name);
  out->transfer = a->budgets[SOTTO_I_TRANSFER_LEVEL];
  out->edge = a->budgets[SOTTO_I_EDGE_LEVEL];
  out->node = a->budgets[SOTTO_I_NODE_LEVEL];
}

sotto_status sotto_ledger_account_named(sotto_ledger *ledger, sotto_ledger_account *out, const char *name,
                                        sotto_error *err) {
  char word[SOTTO_I_SHOWN];
  sotto_status status;
  SOTTO_TRY(sotto_i_ledger_begin(ledger, false, err));
  int64_t at = sotto_i_state_named(&ledger->state, name);
  sotto_i_ledger_shown(word, name);
  if (at == SOTTO_I_NO_ACCOUNT)
    status =
        sotto_i_fail(err, SOTTO_NOT_FOUND,
                     "account '%s' is not in the ledger %s; make it with `sotto ledger account new '%s'`",
                     word, ledger->store.path, word);
  else
    sotto_i_ledger_describe(out, &ledger->state.accounts[at]);
done:
  sotto_i_ledger_end(ledger);
  return status;
}

sotto_status sotto_ledger_account_of(sotto_ledger *ledger, sotto_ledger_account *out, const uint8_t key[32],
                                     const char *name, sotto_error *err) {
  sotto_status status;
  *out = (sotto_ledger_account){.named = false};
  memcpy(out->key, key, 32);
  (void)snprintf(out->name, sizeof out->name, "%s", name);
  SOTTO_TRY(sotto_i_ledger_begin(ledger, false, err));
  int64_t at = sotto_i_state_find(&ledger->state, key);
  int64_t whole = sotto_i_state_whole(&ledger->state, at);
  if (whole != SOTTO_I_NO_ACCOUNT) sotto_i_ledger_describe(out, &ledger->state.accounts[whole]);
done:
  sotto_i_ledger_end(ledger);
  return status;
}

sotto_status sotto_i_ledger_version(sotto_ledger *ledger, const uint8_t account[32], const uint8_t data[32],
                                    const char *name, const char *reason, sotto_error *err) {
  sotto_i_entry e = {.kind = SOTTO_I_ENTRY_VERSION, .name = name, .reason = reason};
  memcpy(e.account, account, 32);
  memcpy(e.data, data, 32);
  return sotto_i_ledger_add(ledger, &e, err);
}

/* A guessed version without charges may join another account. */
static bool may_move(const sotto_i_state *s, int64_t at) {
  const sotto_i_account *a = &s->accounts[at];
  return a->guessed && sotto_i_account_is_empty(a);
}

/* What becomes a version of the named account: the dataset; or, where it was charged as a version of an
 * account without a name, that whole account. */
static const uint8_t *outermost_of(const sotto_i_state *s, int64_t at, const uint8_t data[32]) {
  const int64_t whole = sotto_i_state_whole(s, at);
  return whole == SOTTO_I_NO_ACCOUNT || whole == at || may_move(s, at) ? data : s->accounts[whole].key;
}

sotto_status sotto_i_ledger_attach(sotto_ledger *ledger, const char *account, const uint8_t data[32],
                                   const char *name, sotto_error *err) {
  char word[SOTTO_I_SHOWN], other[SOTTO_I_SHOWN];
  const sotto_i_state *s = &ledger->state;
  const int64_t to = sotto_i_state_named(s, account), at = sotto_i_state_find(s, data);
  const int64_t whole = sotto_i_state_whole(s, at);
  sotto_i_ledger_shown(word, account);
  if (to == SOTTO_I_NO_ACCOUNT)
    return sotto_i_fail(err, SOTTO_NOT_FOUND,
                        "account '%s' is not in the ledger %s; make it with `sotto ledger account new '%s'`",
                        word, ledger->store.path, word);
  if (whole == to) return SOTTO_OK;
  if (whole != SOTTO_I_NO_ACCOUNT && s->accounts[whole].named && !may_move(s, at)) {
    sotto_i_ledger_shown(other, s->accounts[whole].name);
    return sotto_i_fail(err, SOTTO_INVALID,
                        "dataset '%s' is a version of account '%s' and can be of no other, not of '%s'", name,
                        other, word);
  }
  return sotto_i_ledger_version(ledger, s->accounts[to].key, outermost_of(s, at, data), name, NULL, err);
}

static sotto_status add_entry(sotto_ledger *ledger, const sotto_i_entry *entry, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_ledger_begin(ledger, true, err));
  SOTTO_TRY(sotto_i_ledger_add(ledger, entry, err));
  SOTTO_TRY(sotto_i_ledger_commit(ledger, err));
done:
  sotto_i_ledger_end(ledger);
  return status;
}

sotto_status sotto_ledger_lock_account(sotto_ledger *ledger, const uint8_t key[32], const char *name,
                                       const char *reason, sotto_error *err) {
  sotto_i_entry e = {.kind = SOTTO_I_ENTRY_LOCK, .name = name, .reason = reason};
  memcpy(e.account, key, 32);
  return add_entry(ledger, &e, err);
}

sotto_status sotto_ledger_close_account(sotto_ledger *ledger, const uint8_t key[32], const char *name,
                                        const char *reason, sotto_error *err) {
  sotto_i_entry e = {.kind = SOTTO_I_ENTRY_CLOSE, .name = name, .reason = reason};
  memcpy(e.account, key, 32);
  return add_entry(ledger, &e, err);
}

sotto_status sotto_ledger_not_private(sotto_ledger *ledger, const uint8_t key[32], const char *name,
                                      const sotto_ledger_bare_run *run, sotto_error *err) {
  const char *id = run->id;
  sotto_i_entry e = {.kind = SOTTO_I_ENTRY_NOT_PRIVATE,
                     .name = name,
                     .id = id,
                     .run = run->folder,
                     .level = run->level,
                     .reason = run->what},
                stands;
  bool found = false;
  sotto_status status;
  memcpy(e.account, key, 32);
  SOTTO_TRY(sotto_i_ledger_begin(ledger, true, err));
  SOTTO_TRY(sotto_i_ledger_find(&stands, &found, ledger, id, err));
  if (found) {
    sotto_i_entry_free(&stands);
    goto done;
  }
  SOTTO_TRY(sotto_i_ledger_add(ledger, &e, err));
  SOTTO_TRY(sotto_i_ledger_commit(ledger, err));
done:
  sotto_i_ledger_end(ledger);
  return status;
}

sotto_status sotto_ledger_visit_accounts(sotto_ledger *ledger,
                                         int (*visit)(void *context, const sotto_ledger_account *account),
                                         void *context, sotto_error *err) {
  sotto_ledger_account account;
  sotto_status status = sotto_i_ledger_begin(ledger, false, err);
  sotto_i_ledger_end(ledger);
  for (size_t i = 0; status == SOTTO_OK && i < ledger->state.count; i++) {
    if (ledger->state.accounts[i].whole != SOTTO_I_NO_ACCOUNT) continue;
    sotto_i_ledger_describe(&account, &ledger->state.accounts[i]);
    if (visit(context, &account) != 0) break;
  }
  return status;
}
