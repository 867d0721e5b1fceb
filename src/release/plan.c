/* The plan of a run's releases: ids of charges, and composition of planned and of recorded releases.
 *
 * Recorded charges of every start count, so a release that was lost and drawn again counts twice. */
#include "plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dp/account/account.h"
#include "dp/account/bounds.h"
#include "dp/ledger/draws.h"
#include "inside/dp.h"

sotto_cost_item *sotto_i_cost_add(sotto_cost *cost, const char *what, const sotto_mechanism *mechanism,
                                  double mu, double epsilon) {
  SOTTO_I_CHECK(cost->count < SOTTO_MOST_COSTS);
  sotto_cost_item *item = &cost->items[cost->count++];
  *item = (sotto_cost_item){.what = what, .mechanism = *mechanism, .mu = mu, .epsilon = epsilon};
  return item;
}

void sotto_i_cost_add_pure(sotto_cost *cost, const char *what, const sotto_mechanism *mechanism,
                           double epsilon) {
  (void)sotto_i_cost_add(cost, what, mechanism, 0, epsilon);
}

void sotto_i_cost_account(sotto_cost *cost, sotto_account account, const uint8_t digest[32],
                          const char *name) {
  sotto_cost_account *a = &cost->accounts[account];
  a->here = true;
  memcpy(a->digest, digest, sizeof a->digest);
  (void)snprintf(a->name, sizeof a->name, "%s", name);
}

static uint64_t times_of(const sotto_cost_item *item) {
  return item->times == 0 ? 1 : item->times;
}

/* The mechanism that the ledger composes: a Gaussian one by exactly the planned mu, and some mechanisms by
 * their pure epsilon alone, whose worst case is randomised response. */
static sotto_mechanism charged_mechanism(const sotto_cost_item *item) {
  sotto_mechanism m = item->mechanism;
  const bool gaussian = sotto_i_mechanism_is_gaussian(&m);
  double mu = 0;
  if (sotto_i_descriptor_of(m.kind)->by_pure) {
    m = sotto_mechanism_default(SOTTO_MECHANISM_RANDOMIZED_RESPONSE);
    m.epsilon = item->epsilon;
  }
  if (sotto_mechanism_check(&m, NULL) != SOTTO_OK) return (sotto_mechanism){.count = 0};
  if (gaussian && (!sotto_i_account_mu(&mu, &m, 1) || !(fabs(mu - item->mu) <= 1e-12 * item->mu)))
    return (sotto_mechanism){.count = 0};
  return m;
}

void sotto_i_cost_complete(sotto_cost *cost) {
  for (size_t i = 0; i < cost->count; i++) {
    sotto_cost_item *item = &cost->items[i];
    item->times = times_of(item);
    if (item->adjacency == NULL) item->adjacency = cost->adjacency;
    if (item->charged.count == 0) /* unless the method says what it composes as */
      item->charged = charged_mechanism(item);
  }
}

size_t sotto_i_cost_item_of(const sotto_cost *cost, sotto_account account) {
  for (size_t i = 0; cost != NULL && i < cost->count; i++)
    if (cost->items[i].account == account) return i;
  return SOTTO_I_NO_ITEM;
}

void sotto_i_charge_item(char out[SOTTO_I_CHARGE_ID], const sotto_cost *cost, const char *run_id,
                         uint64_t seed, size_t item) {
  if (cost->items[item].once)
    (void)snprintf(out, SOTTO_I_CHARGE_ID, "%.32s-run-%zu.", run_id, item);
  else
    (void)snprintf(out, SOTTO_I_CHARGE_ID, "%.32s-%llu-%zu.", run_id, (unsigned long long)seed, item);
}

void sotto_i_charge_number(char out[SOTTO_I_CHARGE_ID], const sotto_cost *cost, const char *run_id,
                           uint64_t seed, size_t item, uint64_t number) {
  sotto_i_charge_item(out, cost, run_id, seed, item);
  size_t used = strlen(out);
  (void)snprintf(out + used, SOTTO_I_CHARGE_ID - used, "%llu-", (unsigned long long)number);
}

sotto_charge sotto_i_charge_of(const char *id, const sotto_cost_item *item, const sotto_options *options) {
  return (sotto_charge){.id = id,
                        .run = options->out,
                        .mechanism = sotto_mechanism_name(item->mechanism.kind),
                        .adjacency = item->adjacency,
                        .description = item->what,
                        .mu = item->mu,
                        .epsilon = item->epsilon,
                        .insecure = options->insecure_seed != SOTTO_UNSET,
                        .release = item->charged.count > 0 ? &item->charged : NULL};
}

bool sotto_i_cost_is_pure(const sotto_cost *cost) {
  bool any = false;
  for (size_t i = 0; i < cost->count; i++) {
    if (cost->items[i].account != SOTTO_ACCOUNT_DATA) continue;
    if (cost->items[i].mu > 0) return false;
    any = true;
  }
  return any;
}

/* Gaussian releases compose exactly, by the squares of their mu. With one item the result is exactly the
 * plan's number. */
static double compose_mu(const sotto_cost *cost, const uint64_t *counts) {
  double mu = 0;
  for (size_t i = 0; i < cost->count; i++)
    if (cost->items[i].account == SOTTO_ACCOUNT_DATA && counts[i] > 0) {
      double more = cost->items[i].mu * sqrt((double)counts[i]);
      mu = mu > 0 ? hypot(mu, more) : more;
    }
  return mu;
}

/* The mechanism to compose: the item's charge, or its own mechanism where the ledger composes by mu and
 * epsilon. */
static sotto_mechanism composed_mechanism(const sotto_cost_item *item, uint64_t count) {
  sotto_mechanism m = item->charged.count > 0 ? item->charged : item->mechanism;
  m.count *= count;
  return m;
}

sotto_status sotto_i_cost_pure(double *epsilon, const sotto_cost *cost, sotto_account account,
                               const uint64_t *counts, sotto_error *err) {
  const sotto_i_bounds_query query = {.delta = 1e-12}; /* pure epsilons hold at every delta */
  sotto_mechanism list[SOTTO_MOST_COSTS] = {0};
  size_t count = 0;
  double pure = 0;
  for (size_t i = 0; i < cost->count; i++) {
    if (cost->items[i].account != account || cost->items[i].mu != 0 || counts[i] == 0) continue;
    list[count++] = composed_mechanism(&cost->items[i], counts[i]);
    pure += cost->items[i].epsilon * (double)counts[i];
  }
  const double lower = sotto_i_bounds_lower(list, count, &query);
  if (!(pure >= lower * (1 - 1e-6) && isfinite(pure)))
    return sotto_i_fail(
        err, SOTTO_NUMERIC,
        "releases of stated epsilon %g together can be distinguished at epsilon %g: this is a fault of the "
        "method's plan; report its options",
        pure, lower);
  *epsilon = pure;
  return SOTTO_OK;
}

/* Epsilon of the dataset's items, given the count of charges of each. *mu is filled where the plan is by_mu,
 * else 0. */
static sotto_status compose(double *epsilon, double *mu, const sotto_cost *cost, const uint64_t *counts,
                            double delta, sotto_error *err) {
  sotto_mechanism list[SOTTO_MOST_COSTS];
  size_t count = 0;
  bool gaussian = true, all_pure = true;
  *mu = 0;
  *epsilon = 0;
  for (size_t i = 0; i < cost->count; i++) {
    if (cost->items[i].account != SOTTO_ACCOUNT_DATA || counts[i] == 0) continue;
    list[count] = composed_mechanism(&cost->items[i], counts[i]);
    all_pure = all_pure && cost->items[i].mu == 0;
    gaussian = gaussian && sotto_i_mechanism_is_gaussian(&list[count]);
    count++;
  }
  if (all_pure) return sotto_i_cost_pure(epsilon, cost, SOTTO_ACCOUNT_DATA, counts, err);
  if (cost->by_mu) {
    *mu = compose_mu(cost, counts);
    return sotto_gdp_epsilon(epsilon, *mu, delta, err);
  }
  return sotto_account_epsilon(epsilon, list, count, delta,
                               gaussian ? SOTTO_ACCOUNTANT_GDP : SOTTO_ACCOUNTANT_PLD, err);
}

sotto_status sotto_i_cost_epsilon(double *epsilon, const sotto_cost *cost, uint64_t seeds, double delta,
                                  sotto_error *err) {
  uint64_t counts[SOTTO_MOST_COSTS];
  double mu;
  for (size_t i = 0; i < cost->count; i++)
    counts[i] = times_of(&cost->items[i]) * (cost->items[i].once ? 1 : seeds);
  return compose(epsilon, &mu, cost, counts, delta, err);
}

void sotto_i_release_noise_key(sotto_key *key, const sotto_i_release_owner *owner) {
  const sotto_options *o = owner->options;
  if (o->insecure_seed == SOTTO_UNSET)
    sotto_key_system(key);
  else
    sotto_key_insecure(key, o->insecure_seed + (owner->seed - o->seed));
}

/* Number of charges in the ledger for one item in one seed. */
static sotto_status count_item(uint64_t *out, sotto_ledger *ledger, const sotto_cost *cost, size_t item,
                               const char *run_id, uint64_t seed, sotto_error *err) {
  const sotto_cost_item *i = &cost->items[item];
  char beginning[SOTTO_I_CHARGE_ID];
  sotto_i_charge_item(beginning, cost, run_id, seed, item);
  return sotto_i_ledger_count(ledger, out, cost->accounts[i->account].digest, i->adjacency, beginning, err);
}

/* Composes the charges of the label party's accounts. */
static sotto_status compose_label_accounts(sotto_made *out, const sotto_cost *cost, double delta,
                                           uint64_t most, sotto_error *err) {
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

/* Adds the counts of one seed to the total. *out gets the largest epsilon of a seed. */
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
  SOTTO_TRY(compose(&epsilon, &mu, cost, counts, delta, err));
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
  SOTTO_TRY(compose(&out->total, &mu, cost, out->count, options->delta, err));
  SOTTO_TRY(compose_label_accounts(out, cost, options->delta, most_label, err));
  for (size_t i = 0; i < cost->count; i++)
    if (cost->items[i].account == SOTTO_ACCOUNT_DATA) out->charges += out->count[i];
done:
  return status;
}
