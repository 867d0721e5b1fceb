/* Budget query before any work: would the ledger accept all releases that the run has still to make? */
#include <stdio.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "dp/ledger/draws.h"
#include "inside/dp.h"
#include "plan.h"

/* Charges of one budget query, under ids of their own. */
typedef struct budget_query {
  sotto_charge *charges;
  char (*ids)[SOTTO_I_CHARGE_ID];
  size_t count, room;
  const sotto_options *options;
  bool (*done)(const char *folder);
} budget_query;

static void free_query(budget_query *q) {
  sotto_i_free(q->charges);
  sotto_i_free(q->ids);
}

static sotto_status new_query(budget_query *q, uint64_t room, const sotto_options *options,
                              bool (*done)(const char *folder), sotto_error *err) {
  sotto_status status;
  *q = (budget_query){.room = room, .options = options, .done = done};
  SOTTO_TRY(sotto_i_new(&q->charges, room, sizeof *q->charges, err));
  SOTTO_TRY(sotto_i_new(&q->ids, room, sizeof *q->ids, err));
done:
  return status;
}

static void add_charge(budget_query *q, const sotto_charge *charge, const char *beginning) {
  SOTTO_I_CHECK(q->count < q->room);
  char *id = q->ids[q->count];
  (void)snprintf(id, SOTTO_I_CHARGE_ID, "%.150s%zu-asked", beginning, q->count);
  q->charges[q->count] = *charge;
  q->charges[q->count++].id = id;
}

static void add_releases(budget_query *q, const sotto_cost_item *item, const char *beginning,
                         uint64_t count) {
  sotto_charge charge = sotto_i_charge_of("", item, q->options);
  for (uint64_t i = 0; i < count; i++) {
    charge.adjacency = item->adjacency;
    add_charge(q, &charge, beginning);
  }
}

/* Is a seed finished (*done), and is its folder missing (*gone)? */
static sotto_status inspect_seed(bool *done, bool *gone, const budget_query *q, uint64_t seed,
                                 sotto_error *err) {
  char name[40], *folder = NULL;
  (void)snprintf(name, sizeof name, "seed-%llu", (unsigned long long)seed);
  sotto_status status = sotto_i_join(&folder, q->options->out, name, err);
  if (status != SOTTO_OK) return status;
  *done = q->done(folder);
  *gone = !sotto_i_is_folder(folder);
  sotto_i_free(folder);
  return SOTTO_OK;
}

/* Number of releases of an item that a seed has still to make. */
static sotto_status count_outstanding(uint64_t *out, const budget_query *q, sotto_ledger *ledger,
                                      const sotto_cost *cost, size_t item, const char *run_id, uint64_t seed,
                                      sotto_error *err) {
  const sotto_cost_item *i = &cost->items[item];
  const sotto_cost_account *a = &cost->accounts[i->account];
  char beginning[SOTTO_I_CHARGE_ID];
  bool done = false, gone = false;
  uint64_t made = 0;
  sotto_status status = SOTTO_OK;
  *out = 0;
  if (!i->once) SOTTO_TRY(inspect_seed(&done, &gone, q, seed, err));
  if (done) return SOTTO_OK;
  sotto_i_charge_item(beginning, cost, run_id, seed, item);
  if (!gone) SOTTO_TRY(sotto_i_ledger_count(ledger, &made, a->digest, i->adjacency, beginning, err));
  *out = made < i->times ? i->times - made : 0;
done:
  return status;
}

/* Adds all outstanding charges of one account. */
static sotto_status add_outstanding(budget_query *q, sotto_ledger *ledger, const sotto_cost *cost,
                                    sotto_account account, const char *run_id, sotto_error *err) {
  const sotto_options *options = q->options;
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < cost->count; i++) {
    const sotto_cost_item *item = &cost->items[i];
    uint64_t seeds = item->once ? 1 : options->seeds, count;
    char beginning[SOTTO_I_CHARGE_ID];
    if (item->account != account) continue;
    for (uint64_t s = 0; s < seeds; s++) {
      SOTTO_TRY(count_outstanding(&count, q, ledger, cost, i, run_id, options->seed + s, err));
      sotto_i_charge_item(beginning, cost, run_id, options->seed + s, i);
      add_releases(q, item, beginning, count);
    }
  }
done:
  return status;
}

static uint64_t most_charges(const sotto_cost *cost, sotto_account account, const sotto_options *options) {
  uint64_t most = 0;
  for (size_t i = 0; i < cost->count; i++)
    if (cost->items[i].account == account)
      most += cost->items[i].times * (cost->items[i].once ? 1 : options->seeds);
  return most;
}

sotto_status sotto_i_cost_ask(sotto_ledger *ledger, const sotto_cost *cost, const sotto_options *options,
                              const char *run_id, bool (*done)(const char *folder), sotto_error *err) {
  sotto_status status = SOTTO_OK;
  budget_query q = {.count = 0};
  for (sotto_account account = 0; account < SOTTO_ACCOUNTS; account++) {
    const sotto_cost_account *a = &cost->accounts[account];
    if (!a->here) continue;
    SOTTO_TRY(new_query(&q, most_charges(cost, account, options), options, done, err));
    SOTTO_TRY(add_outstanding(&q, ledger, cost, account, run_id, err));
    SOTTO_TRY(sotto_ledger_would_accept(ledger, a->digest, a->name, q.charges, q.count, err));
    free_query(&q);
    q = (budget_query){.count = 0};
  }
done:
  free_query(&q);
  return status;
}

sotto_status sotto_i_cost_ask_part(const sotto_i_release_owner *owner, size_t item, uint64_t times,
                                   const sotto_dataset *part, sotto_error *err) {
  const sotto_cost_item *i = &owner->cost->items[item];
  char beginning[SOTTO_I_CHARGE_ID];
  budget_query q = {.count = 0};
  uint64_t made;
  sotto_status status;
  sotto_i_charge_item(beginning, owner->cost, owner->run_id, owner->seed, item);
  SOTTO_TRY(sotto_i_ledger_count(owner->ledger, &made, part->account, i->adjacency, beginning, err));
  SOTTO_TRY(new_query(&q, times, owner->options, NULL, err));
  add_releases(&q, i, beginning, made < times ? times - made : 0);
  SOTTO_TRY(sotto_ledger_would_accept(owner->ledger, part->account, part->name, q.charges, q.count, err));
done:
  free_query(&q);
  return status;
}
