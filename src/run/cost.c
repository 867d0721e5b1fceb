/* Prices of methods of one owner. */
#include "cost.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

sotto_status sotto_i_price_nothing(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  (void)job;
  (void)err;
  *out = (sotto_cost){.adjacency = "edge"};
  return SOTTO_OK;
}

bool sotto_i_price_asked(const sotto_options *options) {
  return strcmp(options->adjacency, "none") != 0 && isfinite(options->epsilon);
}

void sotto_i_cost_add_pure(sotto_cost *cost, const char *what, const sotto_mechanism *mechanism,
                           double epsilon) {
  SOTTO_I_CHECK(cost->count < SOTTO_MOST_COSTS);
  cost->items[cost->count++] = (sotto_cost_item){.what = what, .mechanism = *mechanism, .epsilon = epsilon};
}

enum { id_size = 80 };

static sotto_charge charge_of(char id[id_size], const sotto_cost *cost, size_t item,
                              const sotto_options *options, const char *run_id, uint64_t seed) {
  const sotto_cost_item *i = &cost->items[item];
  (void)snprintf(id, id_size, "%.32s-%llu-%zu", run_id, (unsigned long long)seed, item);
  return (sotto_charge){.id = id,
                        .run = options->out,
                        .mechanism = sotto_mechanism_name(i->mechanism.kind),
                        .adjacency = cost->adjacency,
                        .description = i->what,
                        .mu = i->mu,
                        .epsilon = i->epsilon,
                        .insecure = options->insecure_seed != SOTTO_UNSET};
}

sotto_status sotto_i_cost_ask(sotto_ledger **ledger, const sotto_cost *cost, const sotto_options *options,
                              const sotto_dataset *data, const char *run_id, sotto_error *err) {
  sotto_status status;
  sotto_charge *charges = NULL;
  char(*ids)[id_size] = NULL;
  size_t count = options->seeds * cost->count;
  SOTTO_TRY(sotto_ledger_open(ledger, options->ledger[0] == '\0' ? NULL : options->ledger, err));
  SOTTO_TRY(sotto_i_new(&charges, count, sizeof *charges, err));
  SOTTO_TRY(sotto_i_new(&ids, count, sizeof *ids, err));
  for (size_t i = 0; i < count; i++)
    charges[i] = charge_of(ids[i], cost, i % cost->count, options, run_id, options->seed + i / cost->count);
  SOTTO_TRY(sotto_ledger_would_accept(*ledger, data->digest, data->name, charges, count, err));
done:
  sotto_i_free(charges);
  sotto_i_free(ids);
  return status;
}

sotto_status sotto_i_cost_charge(const sotto_i_job *job, size_t first, size_t count, sotto_error *err) {
  sotto_charge charges[SOTTO_MOST_COSTS];
  char ids[SOTTO_MOST_COSTS][id_size];
  SOTTO_I_CHECK(first + count <= job->cost->count);
  for (size_t i = 0; i < count; i++)
    charges[i] = charge_of(ids[i], job->cost, first + i, job->options, job->run_id, job->seed);
  return sotto_ledger_charge(job->ledger, job->data->digest, job->data->name, charges, count, err);
}

sotto_status sotto_i_cost_epsilon(double *epsilon, const sotto_cost *cost, uint64_t seeds, double delta,
                                  sotto_error *err) {
  sotto_mechanism list[SOTTO_MOST_COSTS];
  double pure = 0;
  bool gaussian = true, all_pure = true;
  for (size_t i = 0; i < cost->count; i++) {
    list[i] = cost->items[i].mechanism;
    list[i].count *= seeds;
    pure += cost->items[i].epsilon * (double)seeds;
    all_pure = all_pure && cost->items[i].mu == 0;
    gaussian = gaussian && list[i].kind == SOTTO_MECHANISM_GAUSSIAN;
  }
  if (all_pure) {
    *epsilon = pure;
    return SOTTO_OK;
  }
  return sotto_account_epsilon(epsilon, list, cost->count, delta,
                               gaussian ? SOTTO_ACCOUNTANT_GDP : SOTTO_ACCOUNTANT_PLD, err);
}

void sotto_i_job_noise_key(sotto_key *key, const sotto_i_job *job) {
  if (job->options->insecure_seed == SOTTO_UNSET)
    sotto_key_system(key);
  else
    sotto_key_insecure(key, job->options->insecure_seed + (job->seed - job->options->seed));
}
