/* The plan of a run's releases: privacy cost, number and account of each. Budget query, and composition of
 * planned and of recorded releases. */
#ifndef SOTTO_SRC_RELEASE_PLAN_H
#define SOTTO_SRC_RELEASE_PLAN_H

#include "ranks/ranks.h"
#include "sotto/options.h"
#include "sotto/release.h"

/* Adds an item with `what`, the mechanism and its privacy cost; the caller fills the other fields. */
sotto_cost_item *sotto_i_cost_add(sotto_cost *cost, const char *what, const sotto_mechanism *mechanism,
                                  double mu, double epsilon);
/* Adds a pure release of `epsilon`, which `mechanism` describes. `what` is static. */
void sotto_i_cost_add_pure(sotto_cost *cost, const char *what, const sotto_mechanism *mechanism,
                           double epsilon);
/* Declares that this process holds an account. */
void sotto_i_cost_account(sotto_cost *cost, sotto_account account, const uint8_t digest[32],
                          const char *name);
/* Replaces default values by their meaning: times 0, adjacency NULL. */
void sotto_i_cost_complete(sotto_cost *cost);

/* The first item that is charged to an account. SOTTO_I_NO_ITEM: none, so nothing of that account has
 * noise. */
#define SOTTO_I_NO_ITEM SIZE_MAX
size_t sotto_i_cost_item_of(const sotto_cost *cost, sotto_account account);

/* Ids of charges are the run, the seed ("run" for an item that is made once), the item, and in the second
 * form a number. */
enum { SOTTO_I_CHARGE_ID = 192 };
void sotto_i_charge_item(char out[SOTTO_I_CHARGE_ID], const sotto_cost *cost, const char *run_id,
                         uint64_t seed, size_t item);
void sotto_i_charge_number(char out[SOTTO_I_CHARGE_ID], const sotto_cost *cost, const char *run_id,
                           uint64_t seed, size_t item, uint64_t number);
/* A charge of one release of the item, under the item's own adjacency. */
sotto_charge sotto_i_charge_of(const char *id, const sotto_cost_item *item, const sotto_options *options);

/* Are all releases of the dataset's account pure, so that delta has no part? False where there are none. */
bool sotto_i_cost_is_pure(const sotto_cost *cost);
/* The sum of the epsilons of an account's pure items, given the count of charges of each. Errors: NUMERIC,
 * where it is not a finite number or is below what a distinguisher achieves with these mechanisms. */
sotto_status sotto_i_cost_pure(double *epsilon, const sotto_cost *cost, sotto_account account,
                               const uint64_t *counts, sotto_error *err);
/* Epsilon of the dataset's items for `seeds` seeds that each make the planned releases: the sum when all are
 * pure, else by gdp where it is exact, else by pld. */
sotto_status sotto_i_cost_epsilon(double *epsilon, const sotto_cost *cost, uint64_t seeds, double delta,
                                  sotto_error *err);

/* Reads the recorded charges from the ledger; seeds [0, seeds) are finished. */
sotto_status sotto_i_made_read(sotto_made *out, sotto_ledger *ledger, const sotto_cost *cost,
                               const sotto_options *options, const char *run_id, uint64_t seeds,
                               sotto_error *err);

/* The context of releases: one seed of a run, its accounts, and its folder. All members are borrowed. */
struct sotto_i_probe;
typedef struct sotto_i_release_owner {
  const sotto_options *options;
  const sotto_dataset *data;
  const sotto_cost *cost;
  sotto_ledger *ledger; /* NULL when nothing will be charged here */
  const char *run_id;   /* 32 hexadecimal digits */
  const char *folder;   /* of the seed; that of the run is options->out */
  uint64_t seed;
  bool kept;          /* use cached releases of the folder alone: nothing is drawn */
  sotto_ranks *ranks; /* NULL: one process */
  const sotto_observer *observer;
  const struct sotto_i_probe *probe;               /* of an audit (artifact.h); NULL: none */
  void (*drawn)(void *context, const char *token); /* called with each draw that is used; may be NULL */
  void *context;
} sotto_i_release_owner;

/* Would the ledger accept all releases that the run has still to make, on all accounts of this process?
 * `done` is true for the folder of a finished seed, which makes no more releases. A seed whose folder is
 * missing makes all of them again. Errors: REFUSED and the ledger's others. */
sotto_status sotto_i_cost_ask(sotto_ledger *ledger, const sotto_cost *cost, const sotto_options *options,
                              const char *run_id, bool (*done)(const char *folder), sotto_error *err);
/* The same for one item of a seed on another account, that of a part of the data, where `times` are
 * planned. */
sotto_status sotto_i_cost_ask_part(const sotto_i_release_owner *owner, size_t item, uint64_t times,
                                   const sotto_dataset *part, sotto_error *err);

/* The key of a seed's noise: a system key, or derived from the options' insecure seed. Wipe it. */
void sotto_i_release_noise_key(sotto_key *key, const sotto_i_release_owner *owner);

#endif
