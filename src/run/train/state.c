/* Inputs of a run's statement: epsilon by plan and by charges, accounts, and the privacy cost shown to a
 * party before its run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/progress.h"
#include "inside/dp.h"
#include "release/artifact.h"
#include "release/plan.h"
#include "run.h"
#include "run/parties/party_roles.h"
#include "run/statement/as_published.h"
#include "run/statement/statement.h"

/* Spending of the paying account after the run. */
static sotto_status state_account(sotto_result *out, const sotto_i_run *r, const char *level,
                                  sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_ledger_account_of(r->ledger, &out->account, r->data->account, r->data->name, err));
  SOTTO_TRY(sotto_ledger_spent(r->ledger, &out->spent, out->account.key, level, err));
  sotto_i_tell_spent(r->observer, r->ledger, r->data->account, r->data->name, level);
done:
  return status;
}

/* The ledger's account for runs whose noise covers only a part of their exposures: clients' embeddings of
 * graphs, prototypes of embeddings. */
static sotto_status state_part(sotto_result *out, const sotto_i_run *r, sotto_error *err) {
  out->insecure = r->options->insecure_seed != SOTTO_UNSET;
  if (r->ledger == NULL) return SOTTO_OK;
  (void)snprintf(out->ledger, sizeof out->ledger, "%s", sotto_ledger_path(r->ledger));
  return state_account(out, r, "node", err);
}

sotto_status sotto_i_run_epsilon(double *epsilon, double *mu, const sotto_i_run *r, uint64_t seeds,
                                 sotto_error *err) {
  const sotto_options *o = r->options;
  *mu = 0;
  *epsilon = r->variant->edges ? INFINITY : 0;
  if (!r->charges) return SOTTO_OK;
  if (r->variant->price != NULL) return sotto_i_cost_epsilon(epsilon, &r->cost, seeds, o->delta, err);
  *mu = r->plan.layers.mu * sqrt((double)(seeds * r->releases));
  return sotto_gdp_epsilon(epsilon, *mu, o->delta, err);
}

static sotto_status fill_state(sotto_result *out, const sotto_i_run *r, sotto_error *err) {
  const sotto_options *o = r->options;
  out->private_edges = r->charges;
  out->insecure = r->charges && o->insecure_seed != SOTTO_UNSET;
  out->epsilon = out->total_epsilon = r->variant->edges ? INFINITY : 0;
  double mu;
  sotto_status status = SOTTO_OK;
  out->central = r->variant->price != NULL;
  out->cost = r->cost;
  out->releases = r->releases;
  if (sotto_i_run_is_charged(r))
    SOTTO_TRY(sotto_i_made_read(&out->made, r->ledger, &r->cost, o, r->id, out->seed_count, err));
  if (out->graph_epsilon.releases > 0) {
    out->epsilon_planned = out->graph_epsilon.most * (double)out->graph_epsilon.releases;
    out->total_planned = out->epsilon_planned * (double)out->seed_count;
    out->epsilon = out->made.known ? out->made.epsilon : out->epsilon_planned;
    out->total_epsilon = out->made.known ? out->made.total : out->total_planned;
    return state_part(out, r, err);
  }
  SOTTO_TRY(sotto_i_run_epsilon(&out->epsilon, &mu, r, 1, err));
  SOTTO_TRY(sotto_i_run_epsilon(&out->total_epsilon, &mu, r, o->seeds, err));
  out->epsilon_planned = out->epsilon;
  out->total_planned = out->total_epsilon;
  if (!r->charges)
    return sotto_i_cost_item_of(&r->cost, SOTTO_ACCOUNT_DATA) == SOTTO_I_NO_ITEM ? SOTTO_OK
                                                                                 : state_part(out, r, err);
  if (out->made.known) {
    out->epsilon = out->made.epsilon;
    out->total_epsilon = out->made.total;
    if (out->made.missing)
      out->epsilon = out->total_epsilon = INFINITY; /* the missing releases are unknown */
  }
  if (sotto_i_run_owns_edges(r))
    (void)snprintf(out->ledger, sizeof out->ledger, "%s", sotto_ledger_path(r->ledger));
  if (out->central) {
    if (r->ledger == NULL) return SOTTO_OK; /* the other party's ledger */
    return state_account(out, r, r->cost.adjacency, err);
  }
  out->plan = r->plan.layers;
  out->contractive = r->variant->contractive;
  out->contractive_plan = r->plan.contractive;
  if (sotto_i_run_owns_edges(r)) SOTTO_TRY(state_account(out, r, "edge", err));
done:
  return status;
}

/* This party's name, by its certificate if it has one. */
static void state_self(sotto_result *out, const sotto_party *party, const sotto_options *options) {
  sotto_identity_info info;
  sotto_party_role_name(out->self, party);
  if (party->insecure_loopback || sotto_identity_check(&info, party->folder, NULL) != SOTTO_OK) return;
  (void)snprintf(out->own_name, sizeof out->own_name, "%s", info.name);
  if (!sotto_i_party_of_several(party, options) && party->peer_count == 1)
    (void)snprintf(out->peer_name, sizeof out->peer_name, "%s", party->peers[0].name);
}

/* The verdicts that the statement will have if the run follows its plan. */
static sotto_status planned_verdicts(sotto_i_verdicts *out, const sotto_i_run *r, double epsilon,
                                     sotto_error *err) {
  const sotto_i_method *method = sotto_i_method_of(r->options);
  sotto_result result = {.private_edges = r->charges,
                         .insecure = r->charges && r->options->insecure_seed != SOTTO_UNSET,
                         .central = r->variant->price != NULL,
                         .cost = r->cost,
                         .releases = r->releases,
                         .seed_count = r->options->seeds,
                         .total_epsilon = epsilon,
                         .total_planned = epsilon};
  sotto_i_description d = {.adversary = ""};
  const sotto_report report = {r->options, r->data, &result};
  sotto_status status = sotto_i_run_epsilon(&result.epsilon, &(double){0}, r, 1, err);
  if (status != SOTTO_OK) return status;
  result.epsilon_planned = result.epsilon;
  if (r->party != NULL) state_self(&result, r->party, r->options);
  result.peer_name[0] = '\0'; /* a viewer of the run must not learn names of peers */
  if (method->state != NULL) SOTTO_TRY(method->state(&result, r, err));
  (method->describe != NULL ? method->describe : sotto_i_describe_owner)(&d, &report);
  sotto_i_statement_verdicts(out, &report, &d);
done:
  return status;
}

/* Is a part of the data of the dataset's account unprotected? */
static bool is_bare(const sotto_i_verdicts *verdicts) {
  for (size_t i = 0; i < verdicts->count; i++)
    if (strcmp(verdicts->list[i].account, "data") == 0 && verdicts->list[i].class == SOTTO_GUARANTEE_NONE)
      return true;
  return false;
}

/* Not reported for noise that covers only a part of the exposures: its epsilon is only in the statement. */
void sotto_i_run_tell_published(const sotto_i_run *r) {
  char text[SOTTO_I_AS_PUBLISHED_TEXT];
  double epsilon = 0;
  if (!r->options->as_published && !(r->cost.claim.epsilon > 0)) return;
  if (r->cost.count > 0 && sotto_i_cost_epsilon(&epsilon, &r->cost, 1, r->options->delta, NULL) != SOTTO_OK)
    epsilon = INFINITY;
  sotto_i_as_published_text(text, r->options, &r->cost, epsilon);
  sotto_i_log(r->observer, SOTTO_LOG_INFO, "%s", text);
}

void sotto_i_run_tell_planned(const sotto_i_run *r) {
  double epsilon, mu;
  sotto_i_verdicts verdicts;
  char text[SOTTO_I_VERDICT_TEXT];
  if (!r->charges && r->cost.count > 0) return;
  if (sotto_i_run_epsilon(&epsilon, &mu, r, r->options->seeds, NULL) != SOTTO_OK ||
      planned_verdicts(&verdicts, r, epsilon, NULL) != SOTTO_OK)
    return;
  sotto_i_statement_verdict_text(text, &verdicts);
  const double delta = sotto_i_cost_is_pure(&r->cost) ? 0 : r->options->delta;
  sotto_i_event(r->observer, &(sotto_event){.kind = SOTTO_EVENT_PLANNED,
                                            .epsilon = is_bare(&verdicts) ? INFINITY : epsilon,
                                            .delta = delta,
                                            .text = text});
}

sotto_status sotto_i_run_state(sotto_result *out, const sotto_i_run *r, sotto_error *err) {
  const sotto_i_method *method = sotto_i_method_of(r->options);
  sotto_status status = fill_state(out, r, err);
  if (r->party != NULL) state_self(out, r->party, r->options);
  if (status == SOTTO_OK && r->ledger != NULL && sotto_i_run_is_charged(r)) {
    status = sotto_ledger_mark_now(r->ledger, &out->mark, err);
    out->marked = status == SOTTO_OK;
  }
  return status == SOTTO_OK && method->state != NULL ? method->state(out, r, err) : status;
}

/* Epsilon and number of all releases of one account. */
static sotto_status price_of(double *epsilon, uint64_t *releases, const sotto_i_run *r, sotto_account account,
                             sotto_error *err) {
  const sotto_options *o = r->options;
  uint64_t counts[SOTTO_MOST_COSTS] = {0};
  double pure = 0, mu_squared = 0, gaussian = 0;
  sotto_status status = SOTTO_OK;
  *releases = 0;
  for (size_t i = 0; i < r->cost.count; i++) {
    const sotto_cost_item *item = &r->cost.items[i];
    const uint64_t times = item->times * (item->once ? 1 : o->seeds);
    if (item->account != account) continue;
    *releases += times;
    counts[i] = times;
    mu_squared += item->mu * item->mu * (double)times;
  }
  if (account == SOTTO_ACCOUNT_DATA) return sotto_i_cost_epsilon(epsilon, &r->cost, o->seeds, o->delta, err);
  SOTTO_TRY(sotto_i_cost_pure(&pure, &r->cost, account, counts, err));
  if (mu_squared != 0) SOTTO_TRY(sotto_gdp_epsilon(&gaussian, sqrt(mu_squared), o->delta, err));
  *epsilon = pure + gaussian;
done:
  return status;
}

sotto_status sotto_i_run_tell_price(char *out, size_t size, const sotto_i_run *r, sotto_error *err) {
  static const char *const of[SOTTO_ACCOUNTS] = {"", " of labels", " of this party's edges"};
  size_t used = 0;
  sotto_status status = SOTTO_OK;
  (void)snprintf(out, size, "nothing will be charged here");
  for (sotto_account a = 0; a < SOTTO_ACCOUNTS; a++) {
    const size_t first = sotto_i_cost_item_of(&r->cost, a);
    double epsilon;
    uint64_t releases;
    sotto_spent spent;
    sotto_ledger_account account;
    if (first == SOTTO_I_NO_ITEM || !r->cost.accounts[a].here) continue;
    const char *level = r->cost.items[first].adjacency;
    SOTTO_TRY(price_of(&epsilon, &releases, r, a, err));
    SOTTO_TRY(sotto_ledger_account_of(r->ledger, &account, r->cost.accounts[a].digest,
                                      r->cost.accounts[a].name, err));
    SOTTO_TRY(sotto_ledger_spent(r->ledger, &spent, account.key, level, err));
    (void)snprintf(out + used, size - used,
                   "%s%llu release%s%s, epsilon %.4g at %s level, will be charged to account '%.60s'; ",
                   used > 0 ? "; " : "", (unsigned long long)releases, releases == 1 ? "" : "s", of[a],
                   epsilon, level, account.name);
    used = strlen(out);
    if (spent.budget.epsilon > 0)
      (void)snprintf(out + used, size - used, "epsilon %.4g of %.4g is spent there, and the run fits",
                     spent.epsilon, spent.budget.epsilon);
    else
      (void)snprintf(out + used, size - used, "epsilon %.4g is spent there, and no budget is set",
                     spent.epsilon);
    used = strlen(out);
  }
done:
  return status;
}

sotto_status sotto_i_party_budget(char *out, size_t size, const sotto_options *options,
                                  const sotto_dataset *data, const sotto_party *party, sotto_error *err) {
  sotto_i_run r = {.options = options,
                   .data = data,
                   .party = party,
                   .variant = sotto_i_variant_of(options),
                   .releases = sotto_i_job_releases(options),
                   .id = "check"};
  sotto_status status;
  SOTTO_TRY(sotto_i_run_check_data(&r, err));
  if (sotto_i_party_has_data(party)) SOTTO_TRY(sotto_i_run_plan(&r, err));
  SOTTO_TRY(sotto_i_run_ask(&r, err));
  SOTTO_TRY(sotto_i_run_tell_price(out, size, &r, err));
done:
  sotto_i_run_end(&r);
  return status;
}
