/* The account that a run is charged to, and its budgets' requirements, checked before the run begins. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/progress.h"
#include "dp/ledger/draws.h"
#include "dp/ledger/home.h"
#include "dp/ledger/ledger.h"
#include "inside/dp.h"
#include "release/artifact.h"
#include "release/plan.h"
#include "run.h"
#include "run/statement/statement.h"
#include "run/storage/accounts_file.h"
#include "run/storage/data_file.h"

static sotto_status open_ledger(sotto_i_run *r, sotto_error *err) {
  const char *path = r->options->ledger;
  sotto_status status = sotto_ledger_open(&r->ledger, path[0] == '\0' ? NULL : path, err);
  if (status == SOTTO_OK && sotto_ledger_made(r->ledger))
    sotto_i_log(r->observer, SOTTO_LOG_INFO, "a new ledger was made: %s", sotto_ledger_path(r->ledger));
  return status;
}

bool sotto_i_run_is_charged(const sotto_i_run *r) {
  for (size_t i = 0; i < r->cost.count; i++)
    if (r->cost.accounts[r->cost.items[i].account].here) return true;
  return false;
}

/* The largest part of the data that a run releases without noise, from none to all. */
typedef enum exposure { NOTHING_OF_A_NODE, NOTHING_OF_AN_EDGE, NOTHING_OF_A_TRANSFER, ALL } exposure;

static exposure exposure_at(const char *adjacency) {
  static const exposure of[SOTTO_I_LEDGER_LEVELS] = {NOTHING_OF_A_TRANSFER, NOTHING_OF_AN_EDGE,
                                                     NOTHING_OF_A_NODE};
  const int level = sotto_i_level_of(adjacency);
  return level < 0 ? ALL : of[level];
}

/* Noise on one part does not protect the others: models are averaged without noise, and embeddings with
 * noise. A fixed seed of the noise was chosen by the user, and marks its charges. */
static exposure exposure_of(const sotto_i_run *r) {
  exposure least = r->variant->edges ? ALL : NOTHING_OF_AN_EDGE;
  if (r->options->degree_cut)
    return ALL; /* epsilon holds for graphs with degree-cut edges, and cutting is not stable */
  if (r->variant->edges && !r->charges) return ALL;
  for (size_t i = 0; i < r->cost.count; i++) {
    const sotto_cost_item *item = &r->cost.items[i];
    if (item->account != SOTTO_ACCOUNT_DATA) continue;
    if (exposure_at(item->adjacency) < least) least = exposure_at(item->adjacency);
  }
  return least;
}

/* The budgets of the dataset's account, and of the account that it is a version of. */
static sotto_status budgets_of(sotto_budget out[SOTTO_I_LEDGER_LEVELS], const sotto_i_run *r,
                               sotto_error *err) {
  sotto_ledger_account whole;
  sotto_budget own[SOTTO_I_LEDGER_LEVELS];
  sotto_status status;
  SOTTO_TRY(sotto_ledger_account_of(r->ledger, &whole, r->data->account, r->data->name, err));
  SOTTO_TRY(sotto_i_ledger_budgets(out, r->ledger, whole.key, err));
  SOTTO_TRY(sotto_i_ledger_budgets(own, r->ledger, r->data->account, err));
  for (int level = 0; level < SOTTO_I_LEDGER_LEVELS; level++)
    if (out[level].epsilon == 0) out[level] = own[level];
done:
  return status;
}

static const char *missing_protection(const sotto_i_run *r, exposure of) {
  if (of == NOTHING_OF_A_TRANSFER) return "protects single transfers alone";
  if (of != ALL) return "protects edges alone";
  if (r->options->degree_cut) return "cuts edges (degree-cut), and which ones it drops is not stable";
  return r->cost.count == 0 ? "adds no noise" : "adds noise to a part of what it shows alone";
}

static sotto_status check_protection(sotto_i_run *r, sotto_error *err) {
  sotto_budget budgets[SOTTO_I_LEDGER_LEVELS];
  const exposure of = exposure_of(r);
  sotto_status status = budgets_of(budgets, r, err);
  if (status != SOTTO_OK) return status;
  int asked = SOTTO_I_NODE_LEVEL; /* the largest level with a budget that the run does not keep */
  while (asked >= 0 && !(budgets[asked].epsilon > 0 && of > exposure_at(sotto_i_levels[asked]))) asked--;
  r->unprotected = r->unprotected || asked >= 0;
  if (!r->unprotected || r->options->anyway == SOTTO_ANYWAY_NOT_PRIVATE) return SOTTO_OK;
  const char *level = sotto_i_levels[asked < 0 ? SOTTO_I_EDGE_LEVEL : asked];
  return sotto_i_fail(
      err, SOTTO_REFUSED,
      "dataset '%.80s' has a budget at %s level, and this run %s; nothing was released. Ask for %s "
      "level and a finite epsilon; or set anyway to not-private, and the ledger records that the run "
      "is not covered by the budget",
      r->data->name, level, missing_protection(r, of), level);
}

static void log_version(const sotto_i_run *r, const sotto_ledger_place_found *found, const char *name) {
  if (!found->joined || r->kin != NULL) return;
  sotto_i_log(
      r->observer, SOTTO_LOG_INFO,
      "%s is charged as a version of %s, by the same %s. If it is another thing, give it an account and a "
      "budget of its own (account)",
      name, found->of, found->by);
}

/* At node level feature rows are private, and a refusal may be observed; a run without privacy reveals them
 * anyway. */
static sotto_i_thing thing_of(const sotto_i_run *r, sotto_account account) {
  static const char *const kinds[SOTTO_ACCOUNTS] = {[SOTTO_ACCOUNT_DATA] = "data",
                                                    [SOTTO_ACCOUNT_LABELS] = "labels",
                                                    [SOTTO_ACCOUNT_LABEL_EDGES] = "label edges"};
  const sotto_cost_account *a = &r->cost.accounts[account];
  sotto_i_thing thing = {.what = kinds[account], .key = a->digest, .name = a->name};
  if (account != SOTTO_ACCOUNT_DATA) return thing;
  thing.kin = r->kin;
  thing.public_rows =
      sotto_i_features_are_public(r->options) || r->options->adjacency == SOTTO_ADJACENCY_NONE;
  return thing;
}

/* Reported labels, and the label party's edges, have accounts of their own, which also outlive a file.
 * Their names follow from the account's name and not from the data. */
static sotto_status name_account(char *name, size_t size, const sotto_i_run *r, const char *what,
                                 sotto_error *err) {
  sotto_ledger_account named;
  (void)snprintf(name, size, "%.80s%s", r->options->account, what);
  if (what[0] == '\0' || sotto_ledger_account_named(r->ledger, &named, name, NULL) != SOTTO_NOT_FOUND)
    return SOTTO_OK;
  return sotto_ledger_account_new(r->ledger, name, "of the account without the addition", err);
}

static sotto_status find_account(sotto_i_run *r, sotto_account account, const char *what, sotto_error *err) {
  const bool charged = sotto_i_run_is_charged(r),
             aloud = r->options->anyway == SOTTO_ANYWAY_NOT_PRIVATE && !charged;
  const sotto_i_thing thing = thing_of(r, account);
  const char *declared = NULL;
  sotto_ledger_place_found found;
  char name[160];
  sotto_status status;
  if (!r->cost.accounts[account].here) return SOTTO_OK;
  if (r->options->account[0] != '\0') {
    SOTTO_TRY(name_account(name, sizeof name, r, what, err));
    declared = name;
  }
  SOTTO_TRY(sotto_i_ledger_settle(r->ledger, &found, r->data, &thing, declared,
                                  charged ? SOTTO_PLACING_KNOW : SOTTO_PLACING_JOIN, !aloud, err));
  if (found.budgeted.name[0] != '\0') r->unprotected = true; /* warned of, and recorded */
  log_version(r, &found, thing.name);
done:
  return status;
}

static sotto_status find_accounts(sotto_i_run *r, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(find_account(r, SOTTO_ACCOUNT_DATA, "", err));
  SOTTO_TRY(find_account(r, SOTTO_ACCOUNT_LABELS, " (labels)", err));
  SOTTO_TRY(find_account(r, SOTTO_ACCOUNT_LABEL_EDGES, " (edges of the label party)", err));
done:
  return status;
}

sotto_status sotto_i_run_open_account(sotto_i_run *r, sotto_error *err) {
  const bool charged = sotto_i_run_is_charged(r), owner = sotto_i_run_owns_edges(r);
  const char *path = r->options->ledger[0] == '\0' ? NULL : r->options->ledger;
  sotto_status status = SOTTO_OK;
  if (!charged && (!owner || (sotto_ledger_is_missing(path) && !sotto_i_is_remembered(r->data->path))))
    return SOTTO_OK;
  SOTTO_TRY(open_ledger(r, err));
  SOTTO_TRY(sotto_i_ledger_check_memory(r->ledger, r->options->out, err));
  SOTTO_TRY(find_accounts(r, err));
  if (owner) SOTTO_TRY(check_protection(r, err));
done:
  return status;
}

/* The smallest level at which the run protects nothing. */
static const char *bare_level(const sotto_i_run *r) {
  int level = 0;
  while (level < SOTTO_I_NODE_LEVEL && exposure_of(r) <= exposure_at(sotto_i_levels[level])) level++;
  return sotto_i_levels[level];
}

/* Does the run charge a release, although it also releases the same data without noise: degree-cut edges, or
 * models? Such a charge bounds nothing. */
static bool is_charged_in_vain(const sotto_i_run *r) {
  return sotto_i_cost_item_of(&r->cost, SOTTO_ACCOUNT_DATA) != SOTTO_I_NO_ITEM &&
         r->cost.accounts[SOTTO_ACCOUNT_DATA].here && exposure_of(r) == ALL;
}

sotto_status sotto_i_run_record_unprotected(sotto_i_run *r, sotto_error *err) {
  char id[64], what[160];
  if (!r->unprotected && !is_charged_in_vain(r)) return SOTTO_OK;
  (void)snprintf(id, sizeof id, "%.32s-not-private", r->id);
  (void)snprintf(what, sizeof what, "%.32s, adjacency %.32s, epsilon %g%s", r->options->method,
                 sotto_adjacency_name(r->options->adjacency), r->options->epsilon,
                 r->options->degree_cut ? ", degree-cut" : "");
  const sotto_ledger_bare_run run = {id, r->options->out, bare_level(r), what};
  return sotto_ledger_not_private(r->ledger, r->data->account, r->data->name, &run, err);
}

void sotto_i_run_tell_spent(const sotto_i_run *r) {
  const size_t item = sotto_i_cost_item_of(&r->cost, SOTTO_ACCOUNT_DATA);
  if (item == SOTTO_I_NO_ITEM || !r->cost.accounts[SOTTO_ACCOUNT_DATA].here) return;
  sotto_i_tell_spent(r->observer, r->ledger, r->data->account, r->data->name, r->cost.items[item].adjacency);
}

sotto_status sotto_i_run_keep_data(const sotto_i_run *r, const sotto_dataset *data, sotto_error *err) {
  const char *folder = r->options->out;
  const sotto_status status = sotto_i_data_file_keep(folder, data, r->options, true, err);
  return status == SOTTO_OK ? sotto_i_accounts_keep(&r->cost, folder, err) : status;
}

sotto_status sotto_i_run_remember(const sotto_i_run *r, const char *folder, sotto_error *err) {
  char forgotten[SOTTO_I_FORGOTTEN];
  sotto_status status = SOTTO_OK;
  if (!sotto_i_run_is_charged(r)) return SOTTO_OK;
  SOTTO_TRY(sotto_i_ledger_remember(r->ledger, folder, err));
  SOTTO_TRY(sotto_i_ledger_remember_data(forgotten, r->ledger, r->data->path, err));
  if (forgotten[0] != '\0')
    sotto_i_log(r->observer, SOTTO_LOG_WARNING,
                "%s does not remember its ledger, and another one would not be refused: %s", r->data->name,
                forgotten);
done:
  return status;
}
