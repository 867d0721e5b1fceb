/* The plan of a run's releases: privacy cost, number and account of each; the budget query, and the
 * composition of what was planned and of what was made. */
#ifndef SOTTO_SRC_RELEASE_PLAN_H
#define SOTTO_SRC_RELEASE_PLAN_H

#include "ranks/ranks.h"
#include "sotto/options.h"
#include "sotto/release.h"

/* Adds an item, zeroed but for `what`, the mechanism and its price; the caller fills the rest. */
sotto_cost_item *sotto_i_cost_add(sotto_cost *cost, const char *what, const sotto_mechanism *mechanism,
                                  double mu, double epsilon);
/* Adds a pure release of `epsilon`, which `mechanism` describes. `what` is static. */
void sotto_i_cost_add_pure(sotto_cost *cost, const char *what, const sotto_mechanism *mechanism,
                           double epsilon);
/* Says that this process answers for an account. */
void sotto_i_cost_account(sotto_cost *cost, sotto_account account, const uint8_t digest[32],
                          const char *name);
/* Puts numbers in the place of those that stand for another: times 0, adjacency NULL. */
void sotto_i_cost_complete(sotto_cost *cost);

/* The first item that an account pays for; SOTTO_I_NO_ITEM: none, so nothing of it has noise. */
#define SOTTO_I_NO_ITEM SIZE_MAX
size_t sotto_i_cost_item_of(const sotto_cost *cost, sotto_account account);

/* Ids of charges begin with the run, the seed ("run" for an item that is made once), and the item; then, with
 * a number, with that. */
enum { SOTTO_I_CHARGE_ID = 192 };
void sotto_i_charge_item(char out[SOTTO_I_CHARGE_ID], const sotto_cost *cost, const char *run_id,
                         uint64_t seed, size_t item);
void sotto_i_charge_number(char out[SOTTO_I_CHARGE_ID], const sotto_cost *cost, const char *run_id,
                           uint64_t seed, size_t item, uint64_t number);
/* A charge of one release of the item, under the item's own adjacency. */
sotto_charge sotto_i_charge_of(const char *id, const sotto_cost_item *item, const sotto_options *options);

/* Are all releases of the dataset's account pure, so that delta has no part? False where there are none. */
bool sotto_i_cost_is_pure(const sotto_cost *cost);
/* The sum of the epsilons of an account's pure items, so many charges of each. Errors: NUMERIC, where it is
 * not a finite number or is below what a distinguisher achieves with these mechanisms. */
sotto_status sotto_i_cost_pure(double *epsilon, const sotto_cost *cost, sotto_account account,
                               const uint64_t *counts, sotto_error *err);
/* Epsilon of the dataset's items, so many charges of each: the sum when all are pure, else by gdp where it is
 * exact, else by pld. *mu is filled where the plan is by_mu, else 0. */
sotto_status sotto_i_cost_compose(double *epsilon, double *mu, const sotto_cost *cost, const uint64_t *counts,
                                  double delta, sotto_error *err);
/* The same of `seeds` seeds that keep to the plan. */
sotto_status sotto_i_cost_epsilon(double *epsilon, const sotto_cost *cost, uint64_t seeds, double delta,
                                  sotto_error *err);

/* What happened, by the ledger; seeds [0, seeds) are done. */
sotto_status sotto_i_made_read(sotto_made *out, sotto_ledger *ledger, const sotto_cost *cost,
                               const sotto_options *options, const char *run_id, uint64_t seeds,
                               sotto_error *err);

/* Whose releases are made: one seed of a run, what pays for them, and where they are kept. All members are
 * borrowed. */
struct sotto_i_probe;
typedef struct sotto_i_release_owner {
  const sotto_options *options;
  const sotto_dataset *data;
  const sotto_cost *cost;
  sotto_ledger *ledger; /* NULL when nothing will be charged here */
  const char *run_id;   /* 32 hexadecimal digits */
  const char *folder;   /* of the seed; that of the run is options->out */
  uint64_t seed;
  bool kept;          /* releases are those of the folder: nothing is drawn, whatever is asked for */
  sotto_ranks *ranks; /* NULL: this process has it alone */
  const sotto_observer *observer;
  const struct sotto_i_probe *probe;               /* of an audit (artifact.h); NULL: none */
  void (*drawn)(void *context, const char *token); /* hears of each draw that is used; NULL: nobody does */
  void *context;
} sotto_i_release_owner;

/* Would the ledger take what the run is still to make, on all accounts that this process answers for?
 * `done` says whether the seed in this folder is: it makes nothing more, and one whose folder is gone makes
 * all again. Errors: REFUSED and the ledger's others. */
sotto_status sotto_i_cost_ask(sotto_ledger *ledger, const sotto_cost *cost, const sotto_options *options,
                              const char *run_id, bool (*done)(const char *folder), sotto_error *err);
/* The same of one item of a seed on another account, a part of the data, where `times` are planned. */
sotto_status sotto_i_cost_ask_part(const sotto_i_release_owner *owner, size_t item, uint64_t times,
                                   const sotto_dataset *part, sotto_error *err);

/* The key of a seed's noise: the system's, or of the options' insecure seed. Wipe it. */
void sotto_i_release_noise_key(sotto_key *key, const sotto_i_release_owner *owner);

#endif
