/* The label party's accounts in a run of two parties: its labels, and its own edges. */
#include <stdio.h>

#include "base/error.h"
#include "label_edges.h"
#include "label_response.h"
#include "release/plan.h"
#include "run/train/run.h"
#include "vesper.h"

/* Does this process have the labels, and is it charged for them? */
static bool reports_labels(const sotto_i_run *r) {
  return sotto_i_labels_asked(r->options) && (r->party == NULL || r->party->role == SOTTO_ROLE_LABEL);
}

sotto_status sotto_i_two_parties_divide(sotto_i_run *r, sotto_error *err) {
  const sotto_options *o = r->options;
  if (!sotto_i_label_edges_asked(o)) return SOTTO_OK;
  if (r->party != NULL) {
    if (r->party->role == SOTTO_ROLE_LABEL) r->other = &r->data->graph;
    return SOTTO_OK;
  }
  r->part = *r->data;
  sotto_status status =
      sotto_i_label_edges_part(&r->part.graph, &r->label_graph, &r->data->graph, o->label_edges, err);
  if (status != SOTTO_OK) return status;
  r->data = &r->part;
  r->other = &r->label_graph;
  return SOTTO_OK;
}

/* Releases of the label party's own edges have the same cost as those of the data party. */
static void add_label_edges(sotto_i_run *r) {
  sotto_i_label_account account;
  if (r->other == NULL) return;
  if (r->charges) {
    const sotto_cost_item first = r->cost.items[0];
    sotto_cost_item *item =
        sotto_i_cost_add(&r->cost, "noisy layers of message passing over the label party's own edges",
                         &first.mechanism, first.mu, 0);
    item->times = r->releases;
    item->account = SOTTO_ACCOUNT_LABEL_EDGES;
  }
  sotto_i_label_edges_account(&account, r->data, r->other);
  sotto_i_cost_account(&r->cost, SOTTO_ACCOUNT_LABEL_EDGES, account.data.digest, account.name);
}

sotto_status sotto_i_two_parties_accounts(sotto_i_run *r, sotto_error *err) {
  add_label_edges(r);
  return reports_labels(r) ? sotto_i_labels_plan(&r->cost, r->options, r->data, err) : SOTTO_OK;
}

static sotto_status state_labels(sotto_result *out, const sotto_i_run *r, sotto_error *err) {
  sotto_response response;
  if (!sotto_i_labels_asked(r->options)) return SOTTO_OK;
  if (!reports_labels(r)) { /* the other party is charged for them; the number of classes is unknown here */
    out->label_epsilon = out->label_epsilon_planned = r->options->label_epsilon;
    return SOTTO_OK;
  }
  sotto_status status = sotto_i_labels_price(&response, r->options, r->data, err);
  if (status != SOTTO_OK) return status;
  out->label_epsilon_planned = response.epsilon;
  out->label_epsilon = out->made.label_charges > 0 ? out->made.label_epsilon : response.epsilon;
  out->label_flip = (double)response.flip * 0x1p-64;
  (void)snprintf(out->ledger, sizeof out->ledger, "%s", sotto_ledger_path(r->ledger));
  return sotto_ledger_spent(r->ledger, &out->label_spent, r->cost.accounts[SOTTO_ACCOUNT_LABELS].digest,
                            "node", err);
}

static sotto_status state_label_edges(sotto_result *out, const sotto_i_run *r, sotto_error *err) {
  out->label_edges = sotto_i_label_edges_asked(r->options);
  if (!r->charges || r->other == NULL || r->ledger == NULL) return SOTTO_OK;
  return sotto_ledger_spent(r->ledger, &out->label_edges_spent,
                            r->cost.accounts[SOTTO_ACCOUNT_LABEL_EDGES].digest, "edge", err);
}

sotto_status sotto_i_two_parties_state(sotto_result *out, const sotto_i_run *r, sotto_error *err) {
  sotto_status status = state_labels(out, r, err);
  return status == SOTTO_OK ? state_label_edges(out, r, err) : status;
}
