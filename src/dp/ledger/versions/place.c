/* The account that is charged for a dataset: its own, a declared one, or that of a known dataset near it.
 *
 * A peer may see the outcome, since a run may be refused. So nearness depends on what peers may know of the
 * data anyway: ids, path and name, and rows of features where these are public. It never depends on edges. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "dp/ledger/home.h"
#include "dp/ledger/ledger.h"
#include "graph/generate/generate.h"
#include "sketch.h"

/* The dataset whose account is searched for. */
typedef struct search {
  const uint8_t *key, *kin; /* kin NULL: none */
  const char *name, *path;  /* path NULL: none */
  bool given, rows_decide;  /* the name was chosen by somebody; rows of features are public */
  const char *ids, *rows;   /* sketches; empty or NULL: none */
  const char *account;      /* declared, or NULL */
} search;

static const char *const by[] = {NULL, "name", "path", "rows of features", "node ids", "run"};

/* Arrays without a name all have one name, and so have all graphs of a generator. */
static bool is_chosen_name(const char *name) {
  return name != NULL && name[0] != '\0' && strcmp(name, "arrays") != 0 && !sotto_i_is_made_name(name);
}

static bool has_budget(const sotto_i_account *a) {
  for (int level = 0; level < SOTTO_I_LEDGER_LEVELS; level++)
    if (a->budgets[level].epsilon > 0) return true;
  return false;
}

/* Nearness, 0 to 5: an index of `by`. */
static int nearness(const sotto_i_account *a, const search *of) {
  if (of->kin != NULL && memcmp(a->key, of->kin, sizeof a->key) == 0 && memcmp(of->key, of->kin, 32) != 0)
    return 5;
  if (a->named || (!a->known && !has_budget(a)) || memcmp(a->key, of->key, sizeof a->key) == 0) return 0;
  if (sotto_i_sketches_alike(a->nodes, of->ids)) return 4;
  if (of->rows_decide && sotto_i_sketches_alike(a->rows, of->rows)) return 3;
  if (a->path != NULL && of->path != NULL && strcmp(a->path, of->path) == 0) return 2;
  return of->given && strcmp(a->name, of->name) == 0 ? 1 : 0;
}

/* The nearest known account, or SOTTO_I_NO_ACCOUNT. */
static int64_t find_nearest(int *how_near, const sotto_i_state *s, const search *of) {
  int64_t best = SOTTO_I_NO_ACCOUNT;
  *how_near = 0;
  for (size_t i = 0; i < s->count; i++) {
    const int near = nearness(&s->accounts[i], of);
    if (near == 0 || near < *how_near) continue;
    const bool budget = has_budget(&s->accounts[sotto_i_state_whole(s, (int64_t)i)]);
    if (near == *how_near && !budget && has_budget(&s->accounts[sotto_i_state_whole(s, best)])) continue;
    best = (int64_t)i;
    *how_near = near;
  }
  return best;
}

static bool has_budget_of(const sotto_i_state *s, int64_t account, int level) {
  return account != SOTTO_I_NO_ACCOUNT && s->accounts[account].budgets[level].epsilon > 0;
}

/* Has `other` a budget of a level for which neither the dataset's own account nor its whole has one? A budget
 * of nodes covers edges, and one of edges covers transfers. */
static bool lacks_budget(const sotto_i_state *s, int64_t own, int64_t whole, int64_t other) {
  bool covered = false;
  for (int level = SOTTO_I_NODE_LEVEL; level >= 0; level--) {
    covered = covered || has_budget_of(s, own, level) || has_budget_of(s, whole, level);
    if (!covered && has_budget_of(s, other, level)) return true;
  }
  return false;
}

static void find_uncovered_budget(sotto_ledger_place_found *out, const sotto_i_state *s, const search *of,
                                  int64_t own, int64_t whole) {
  for (size_t i = 0; i < s->count; i++) {
    const int64_t other = sotto_i_state_whole(s, (int64_t)i);
    if (other == whole || nearness(&s->accounts[i], of) == 0 || !lacks_budget(s, own, whole, other)) continue;
    sotto_i_ledger_describe(&out->budgeted, &s->accounts[other]);
  }
}

/* Does the ledger already have an account for the dataset? */
static bool is_placed(const sotto_i_state *s, int64_t own) {
  const sotto_i_account *a = own == SOTTO_I_NO_ACCOUNT ? NULL : &s->accounts[own];
  return a != NULL && (a->whole != SOTTO_I_NO_ACCOUNT || a->named || a->known || has_budget(a));
}

static sotto_status record_data(sotto_ledger *ledger, const search *of, int64_t own, sotto_error *err) {
  const sotto_i_account *a = own == SOTTO_I_NO_ACCOUNT ? NULL : &ledger->state.accounts[own];
  const char *path = of->path != NULL || a == NULL ? of->path : a->path;
  const bool same_path = a != NULL && (path == a->path || (a->path != NULL && strcmp(a->path, path) == 0));
  sotto_i_entry e = {.kind = SOTTO_I_ENTRY_DATA, .name = of->name, .path = path};
  if (a != NULL && a->known && same_path) return SOTTO_OK;
  if (of->ids != NULL && of->ids[0] != '\0') e.nodes = of->ids;
  if (of->rows != NULL && of->rows[0] != '\0') e.rows = of->rows;
  memcpy(e.account, of->key, sizeof e.account);
  return sotto_i_ledger_add(ledger, &e, err);
}

static sotto_status fail_uncovered(const sotto_ledger_place_found *found, const char *name,
                                   sotto_error *err) {
  return sotto_i_fail(
      err, SOTTO_REFUSED,
      "%.80s: looks like a version of the data of account '%.60s', whose budget its own account "
      "'%.60s' does not have; nothing was released. Charge it to the first, or set a budget for the "
      "second with `sotto ledger budget`",
      name, found->budgeted.name, found->account.name);
}

/* Places the dataset; inside a transaction. `strict`: a refusal leaves no entry in the ledger. */
static sotto_status place_inside(sotto_ledger *ledger, sotto_ledger_place_found *out, search *of,
                                 sotto_placing how, bool strict, sotto_error *err) {
  const sotto_i_state *s = &ledger->state;
  const int64_t own = sotto_i_state_find(s, of->key);
  int64_t whole = sotto_i_state_whole(s, own);
  int near = 0;
  sotto_status status = SOTTO_OK;
  if (own != SOTTO_I_NO_ACCOUNT && s->accounts[own].known) {
    of->ids = s->accounts[own].nodes;
    of->rows = s->accounts[own].rows;
  }
  const int64_t known = find_nearest(&near, s, of);
  if (of->account != NULL) {
    SOTTO_TRY(sotto_i_ledger_attach(ledger, of->account, of->key, of->name, err));
    whole = sotto_i_state_named(s, of->account);
  } else if (known != SOTTO_I_NO_ACCOUNT && !is_placed(s, own)) {
    whole = sotto_i_state_whole(s, known);
    out->joined = how != SOTTO_PLACING_LOOK;
    if (out->joined)
      SOTTO_TRY(sotto_i_ledger_version(ledger, s->accounts[whole].key, of->key, of->name, by[near], err));
  }
  if (of->account == NULL && known != SOTTO_I_NO_ACCOUNT && sotto_i_state_whole(s, known) == whole &&
      own != whole) {
    out->by = by[near];
    sotto_i_ledger_shown(out->of, s->accounts[known].name);
  }
  find_uncovered_budget(out, s, of, own, whole);
  if (whole != SOTTO_I_NO_ACCOUNT) sotto_i_ledger_describe(&out->account, &s->accounts[whole]);
  if (strict && out->budgeted.name[0] != '\0') return fail_uncovered(out, of->name, err);
  if (how == SOTTO_PLACING_KNOW) SOTTO_TRY(record_data(ledger, of, own, err));
  if (how != SOTTO_PLACING_LOOK) SOTTO_TRY(sotto_i_ledger_commit(ledger, err));
done:
  return status;
}

/* Does the ledger have the dataset's sketches already? */
static sotto_status is_known(bool *out, sotto_ledger *ledger, const uint8_t key[32], sotto_error *err) {
  sotto_status status = sotto_i_ledger_begin(ledger, false, err);
  const int64_t own = status == SOTTO_OK ? sotto_i_state_find(&ledger->state, key) : SOTTO_I_NO_ACCOUNT;
  *out = own != SOTTO_I_NO_ACCOUNT && ledger->state.accounts[own].known;
  sotto_i_ledger_end(ledger);
  return status;
}

static bool is_data(const sotto_i_thing *t) {
  return strcmp(t->what, "data") == 0;
}

/* The path of the dataset's file, with the kind of content. Labels of a file are not a version of its
 * edges. */
static sotto_status path_of(char **out, const sotto_dataset *data, const sotto_i_thing *t, sotto_error *err) {
  char *whole = NULL;
  sotto_status status = SOTTO_OK;
  *out = NULL;
  if (data->path != NULL) SOTTO_TRY(sotto_i_whole_path(&whole, data->path, err));
  if (whole == NULL) goto done;
  const size_t room = strlen(t->what) + strlen(whole) + 3;
  SOTTO_TRY(sotto_i_new(out, room, 1, err));
  (void)snprintf(*out, room, "%s%s%s", is_data(t) ? "" : t->what, is_data(t) ? "" : ": ", whole);
done:
  sotto_i_free(whole);
  return status;
}

sotto_status sotto_i_ledger_settle(sotto_ledger *ledger, sotto_ledger_place_found *out,
                                   const sotto_dataset *data, const sotto_i_thing *t, const char *account,
                                   sotto_placing how, bool strict, sotto_error *err) {
  search of = {.key = t->key,
               .kin = t->kin,
               .name = t->name,
               .given = is_chosen_name(data->name) && t->name != NULL,
               .rows_decide = t->public_rows,
               .account = account};
  sotto_i_sketches sketches = {.ids = ""};
  char *path = NULL;
  bool known = false;
  sotto_status status;
  *out = (sotto_ledger_place_found){.by = NULL};
  SOTTO_TRY(sotto_i_ledger_check_memory(ledger, data->path, err));
  SOTTO_TRY(path_of(&path, data, t, err));
  of.path = path;
  SOTTO_TRY(is_known(&known, ledger, t->key, err));
  if (!known) SOTTO_TRY(sotto_i_sketches_new(&sketches, data, t->what, &ledger->owner, err));
  of.ids = sketches.ids;
  of.rows = sketches.rows;
  memcpy(out->account.key, t->key, sizeof out->account.key);
  (void)snprintf(out->account.name, sizeof out->account.name, "%s", t->name);
  status = sotto_i_ledger_begin(ledger, how != SOTTO_PLACING_LOOK, err);
  if (status == SOTTO_OK) status = place_inside(ledger, out, &of, how, strict, err);
  sotto_i_ledger_end(ledger);
done:
  sotto_i_free(path);
  return status;
}

sotto_i_thing sotto_i_thing_of(const sotto_dataset *data, bool public_rows) {
  return (sotto_i_thing){
      .what = "data", .key = data->account, .name = data->name, .public_rows = public_rows};
}

sotto_status sotto_ledger_place(sotto_ledger *ledger, sotto_ledger_place_found *out,
                                const sotto_dataset *data, const char *account, bool public_rows,
                                sotto_placing how, sotto_error *err) {
  const sotto_i_thing itself = sotto_i_thing_of(data, public_rows);
  sotto_status status = sotto_i_ledger_settle(ledger, out, data, &itself, account, how, false, err);
  if (status == SOTTO_OK && how == SOTTO_PLACING_KNOW)
    status = sotto_i_ledger_remember_data(out->forgotten, ledger, data->path, err);
  return status;
}
