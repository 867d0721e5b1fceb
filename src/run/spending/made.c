/* Charges of a run: how many the ledger has of each item of the plan, and their composition. Those of every
 * start count, so that a release that was lost and drawn again counts twice. */
#include <math.h>

#include "base/error.h"
#include "cost.h"
#include "dp/ledger/receipt.h"

/* Of one item in one seed. */
static sotto_status count_item(uint64_t *out, sotto_ledger *ledger, const sotto_cost *cost, size_t item,
                               const char *run_id, uint64_t seed, sotto_error *err) {
  const sotto_cost_item *i = &cost->items[item];
  char beginning[SOTTO_I_CHARGE_ID];
  sotto_i_charge_item(beginning, cost, run_id, seed, item);
  return sotto_i_ledger_count(ledger, out, cost->accounts[i->account].digest, i->adjacency, beginning, err);
}

/* The label party's accounts. */
static sotto_status other_accounts(sotto_made *out, const sotto_cost *cost, double delta, uint64_t most,
                                   sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (cost->accounts[SOTTO_ACCOUNT_LABELS].here)
    SOTTO_TRY(sotto_i_cost_pure(&out->label_epsilon, cost, SOTTO_ACCOUNT_LABELS, out->count, err));
  for (size_t i = 0; i < cost->count; i++) {
    const sotto_cost_item *item = &cost->items[i];
    if (!cost->accounts[item->account].here) continue;
    if (item->account == SOTTO_ACCOUNT_LABELS) out->label_charges += out->count[i];
    if (item->account != SOTTO_ACCOUNT_LABEL_EDGES || out->count[i] == 0) continue;
    out->label_edge_charges = out->count[i];
    SOTTO_TRY(sotto_gdp_epsilon(&out->label_edge_epsilon, item->mu * sqrt((double)most), delta, err));
    SOTTO_TRY(sotto_gdp_epsilon(&out->label_edge_total, item->mu * sqrt((double)out->count[i]), delta, err));
  }
done:
  return status;
}

/* Counts of one seed, added to those of all; the seed's epsilon, where it is the largest. */
static sotto_status read_seed(sotto_made *out, uint64_t *most_label, sotto_ledger *ledger,
                              const sotto_cost *cost, const char *run_id, uint64_t seed, bool first,
                              double delta, sotto_error *err) {
  uint64_t counts[SOTTO_MOST_COSTS] = {0};
  double epsilon, mu;
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < cost->count; i++) {
    const sotto_cost_item *item = &cost->items[i];
    if (!cost->accounts[item->account].here) continue;
    SOTTO_TRY(count_item(&counts[i], ledger, cost, i, run_id, seed, err));
    out->missing = out->missing || counts[i] == 0;
    if (!item->once || first) out->count[i] += counts[i];
    if (item->account == SOTTO_ACCOUNT_LABEL_EDGES && counts[i] > *most_label) *most_label = counts[i];
  }
  SOTTO_TRY(sotto_i_cost_compose(&epsilon, &mu, cost, counts, delta, err));
  out->epsilon = fmax(out->epsilon, epsilon);
  out->mu = fmax(out->mu, mu);
done:
  return status;
}

sotto_status sotto_i_made_read(sotto_made *out, sotto_ledger *ledger, const sotto_cost *cost,
                               const sotto_options *options, const char *run_id, uint64_t seeds,
                               sotto_error *err) {
  double mu;
  uint64_t most_label = 0;
  sotto_status status = SOTTO_OK;
  *out = (sotto_made){.known = cost->accounts[SOTTO_ACCOUNT_DATA].here};
  for (uint64_t s = 0; s < seeds; s++)
    SOTTO_TRY(
        read_seed(out, &most_label, ledger, cost, run_id, options->seed + s, s == 0, options->delta, err));
  SOTTO_TRY(sotto_i_cost_compose(&out->total, &mu, cost, out->count, options->delta, err));
  SOTTO_TRY(other_accounts(out, cost, options->delta, most_label, err));
  for (size_t i = 0; i < cost->count; i++)
    if (cost->items[i].account == SOTTO_ACCOUNT_DATA) out->charges += out->count[i];
done:
  return status;
}
