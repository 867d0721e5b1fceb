/* State of the ledger: accounts, computed from the entries. */
#include "state.h"

#include <string.h>

#include "base/memory.h"

const char *const sotto_i_levels[SOTTO_I_LEDGER_LEVELS] = {"transfer", "edge", "node"};

int sotto_i_level_of(const char *name) {
  for (int i = 0; name != NULL && i < SOTTO_I_LEDGER_LEVELS; i++)
    if (strcmp(name, sotto_i_levels[i]) == 0) return i;
  return -1;
}

unsigned sotto_i_level_moves(int charge, int level) {
  if (charge < level) return 0;
  return level == SOTTO_I_TRANSFER_LEVEL && charge == SOTTO_I_EDGE_LEVEL ? 2 : 1;
}

void sotto_i_state_free(sotto_i_state *state) {
  for (size_t i = 0; i < state->count; i++) {
    sotto_i_free(state->accounts[i].name);
    sotto_i_free(state->accounts[i].path);
    sotto_i_free(state->accounts[i].nodes);
    sotto_i_free(state->accounts[i].rows);
    for (int l = 0; l < SOTTO_I_LEDGER_LEVELS; l++) sotto_i_sums_free(&state->accounts[i].sums[l]);
  }
  sotto_i_free(state->accounts);
  *state = (sotto_i_state){0};
}

/* Searches from the end: consecutive charges are often to the same account. */
int64_t sotto_i_state_find(const sotto_i_state *state, const uint8_t key[32]) {
  for (size_t i = state->count; i > 0; i--)
    if (memcmp(state->accounts[i - 1].key, key, 32) == 0) return (int64_t)i - 1;
  return SOTTO_I_NO_ACCOUNT;
}

int64_t sotto_i_state_named(const sotto_i_state *state, const char *name) {
  for (size_t i = 0; i < state->count; i++)
    if (state->accounts[i].named && strcmp(state->accounts[i].name, name) == 0) return (int64_t)i;
  return SOTTO_I_NO_ACCOUNT;
}

int64_t sotto_i_state_whole(const sotto_i_state *state, int64_t account) {
  while (account != SOTTO_I_NO_ACCOUNT && state->accounts[account].whole != SOTTO_I_NO_ACCOUNT)
    account = state->accounts[account].whole;
  return account;
}

bool sotto_i_state_contains(const sotto_i_state *state, const uint8_t whole[32], const uint8_t part[32]) {
  int64_t at = sotto_i_state_find(state, part);
  if (memcmp(whole, part, 32) == 0) return true;
  for (; at != SOTTO_I_NO_ACCOUNT; at = state->accounts[at].whole)
    if (memcmp(state->accounts[at].key, whole, 32) == 0) return true;
  return false;
}

static sotto_status grow_accounts(sotto_i_state *state, sotto_error *err) {
  if (state->count < state->room) return SOTTO_OK;
  size_t room = state->room == 0 ? 8 : 2 * state->room;
  sotto_i_account *accounts;
  sotto_status status = sotto_i_new(&accounts, room, sizeof *accounts, err);
  if (status != SOTTO_OK) return status;
  if (state->count > 0) memcpy(accounts, state->accounts, state->count * sizeof *accounts);
  sotto_i_free(state->accounts);
  state->accounts = accounts;
  state->room = room;
  return SOTTO_OK;
}

/* Finds the account of a key, or adds it. */
static sotto_status account_of(sotto_i_account **out, sotto_i_state *state, const uint8_t key[32],
                               const char *name, sotto_error *err) {
  int64_t at = sotto_i_state_find(state, key);
  sotto_status status = SOTTO_OK;
  if (at == SOTTO_I_NO_ACCOUNT) {
    SOTTO_TRY(grow_accounts(state, err));
    sotto_i_account *made = &state->accounts[state->count];
    *made = (sotto_i_account){.whole = SOTTO_I_NO_ACCOUNT};
    memcpy(made->key, key, 32);
    SOTTO_TRY(sotto_i_strdup(&made->name, name == NULL ? "" : name, err));
    at = (int64_t)state->count++;
  }
  *out = &state->accounts[at];
done:
  return status;
}

static sotto_status fail_corrupt(const char *what, sotto_error *err) {
  return sotto_i_fail(err, SOTTO_CORRUPT, "an entry %s", what);
}

static sotto_status apply_charge(sotto_i_state *state, const sotto_i_entry *e, sotto_error *err) {
  sotto_i_account *a;
  int level = sotto_i_level_of(e->level);
  sotto_status status;
  if (level < 0) return fail_corrupt("charges at no level", err);
  SOTTO_TRY(account_of(&a, state, e->account, e->name, err));
  for (;;) {
    for (int l = 0; l < SOTTO_I_LEDGER_LEVELS; l++)
      SOTTO_TRY(sotto_i_sums_add(&a->sums[l], e, sotto_i_level_moves(level, l), err));
    if (a->whole == SOTTO_I_NO_ACCOUNT) break;
    a = &state->accounts[a->whole];
  }
done:
  return status;
}

/* A run that its owner declared not private: bare at its level and above; without a level at all. */
static sotto_status apply_not_private(sotto_i_state *state, const sotto_i_entry *e, sotto_error *err) {
  sotto_i_account *a;
  const int level = sotto_i_level_of(e->level);
  const sotto_status status = account_of(&a, state, e->account, e->name, err);
  if (status != SOTTO_OK) return status;
  for (;;) {
    for (int l = level < 0 ? 0 : level; l < SOTTO_I_LEDGER_LEVELS; l++) a->sums[l].bare++;
    if (a->whole == SOTTO_I_NO_ACCOUNT) return SOTTO_OK;
    a = &state->accounts[a->whole];
  }
}

bool sotto_i_account_is_empty(const sotto_i_account *a) {
  return a->sums[SOTTO_I_TRANSFER_LEVEL].charges == 0; /* charges of all levels count there */
}

/* Makes an account a version of another. Its earlier charges count for the whole too. A guessed version may
 * be declared another account's until its first charge. */
static sotto_status apply_version(sotto_i_state *state, const sotto_i_entry *e, sotto_error *err) {
  sotto_i_account *part, *whole;
  sotto_status status;
  SOTTO_TRY(account_of(&part, state, e->account, e->name, err));
  SOTTO_TRY(account_of(&part, state, e->data, e->name, err));
  const int64_t at = sotto_i_state_find(state, e->account);
  const bool stays = part->whole != SOTTO_I_NO_ACCOUNT && !(part->guessed && sotto_i_account_is_empty(part));
  if (stays || sotto_i_state_contains(state, e->data, e->account))
    return fail_corrupt("makes data a part of two accounts", err);
  part->whole = at;
  part->guessed = e->reason != NULL;
  for (int64_t i = at; i != SOTTO_I_NO_ACCOUNT; i = whole->whole) {
    whole = &state->accounts[i];
    for (int l = 0; l < SOTTO_I_LEDGER_LEVELS; l++)
      SOTTO_TRY(sotto_i_sums_join(&whole->sums[l], &part->sums[l], err));
  }
done:
  return status;
}

static sotto_status replace_text(char **text, const char *by, sotto_error *err) {
  sotto_i_free(*text);
  *text = NULL;
  return by == NULL ? SOTTO_OK : sotto_i_strdup(text, by, err);
}

static sotto_status apply_data(sotto_i_state *state, const sotto_i_entry *e, sotto_error *err) {
  sotto_i_account *a;
  sotto_status status;
  SOTTO_TRY(account_of(&a, state, e->account, e->name, err));
  SOTTO_TRY(replace_text(&a->path, e->path, err));
  SOTTO_TRY(replace_text(&a->nodes, e->nodes, err));
  SOTTO_TRY(replace_text(&a->rows, e->rows, err));
  a->known = true;
done:
  return status;
}

static sotto_status apply_change(sotto_i_state *state, const sotto_i_entry *e, sotto_error *err) {
  sotto_i_account *a;
  int level = sotto_i_level_of(e->level);
  sotto_status status = account_of(&a, state, e->account, e->name, err);
  if (status != SOTTO_OK) return status;
  switch (e->kind) {
  case SOTTO_I_ENTRY_ACCOUNT:
    a->named = true;
    return SOTTO_OK;
  case SOTTO_I_ENTRY_LOCK:
    a->locked = true;
    return SOTTO_OK;
  case SOTTO_I_ENTRY_CLOSE:
    a->closed = true;
    return SOTTO_OK;
  default:
    if (level < 0) return fail_corrupt("sets a budget at no level", err);
    a->budgets[level] = (sotto_budget){e->epsilon, e->delta};
    return SOTTO_OK;
  }
}

sotto_status sotto_i_state_add(sotto_i_state *state, const sotto_i_entry *e, sotto_error *err) {
  switch (e->kind) {
  case SOTTO_I_ENTRY_LEDGER:
    memcpy(state->owner, e->owner, 32);
    state->scratch = e->scratch;
    return SOTTO_OK;
  case SOTTO_I_ENTRY_CHARGE:
    return apply_charge(state, e, err);
  case SOTTO_I_ENTRY_VERSION:
    return apply_version(state, e, err);
  case SOTTO_I_ENTRY_NOT_PRIVATE:
    return apply_not_private(state, e, err);
  case SOTTO_I_ENTRY_DRAW:
  case SOTTO_I_ENTRY_MOVE:
    return SOTTO_OK;
  case SOTTO_I_ENTRY_DATA:
    return apply_data(state, e, err);
  default:
    return apply_change(state, e, err);
  }
}
