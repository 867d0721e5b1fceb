/* Releases of a run: the plan of what is released, which account pays, and the charges that were made. */
#ifndef SOTTO_RELEASE_H
#define SOTTO_RELEASE_H

#include "sotto/dp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which account pays for a release: each is of one party's data. */
typedef enum sotto_account {
  SOTTO_ACCOUNT_DATA,        /* the dataset's edges or nodes */
  SOTTO_ACCOUNT_LABELS,      /* the label party's labels */
  SOTTO_ACCOUNT_LABEL_EDGES, /* the label party's edges */
  SOTTO_ACCOUNTS
} sotto_account;

/* A release of private data, as it is planned, charged to the ledger and listed in the statement. */
typedef struct sotto_cost_item {
  const char *what;          /* one line for people, static */
  sotto_mechanism mechanism; /* of one release, as the accountant knows it */
  sotto_mechanism charged;   /* of one release, as the ledger composes it; count 0: by mu and epsilon */
  double mu, epsilon;        /* of one release, as sotto_charge has them */
  uint64_t times;            /* releases of one seed (of the run: `once`), at most; 0 stands for 1 */
  bool once;                 /* made once for all seeds */
  sotto_account account;
  const char *adjacency; /* static; NULL: that of the plan */
} sotto_cost_item;

/* An account as the ledger knows it, where this process answers for it. */
typedef struct sotto_cost_account {
  bool here;
  uint8_t digest[32];
  char name[128];
} sotto_cost_account;

enum { SOTTO_MOST_COSTS = 64 };

/* What Wu et al. 2023 (theorem 2.1) and Zheng et al. 2026 (theorem 4) claim of a training.
 */
typedef struct sotto_paper_claim {
  double epsilon;            /* at the options' delta; 0: nothing is claimed */
  double noise, sensitivity; /* of one layer */
  double gamma;              /* the chance of meeting an edge that it counts with */
  uint64_t steps, roots, batch;
  uint64_t least_degree; /* of the graph; Zheng et al. 2026 */
} sotto_paper_claim;

/* The plan of a run's releases, which follows from options and public numbers alone. */
typedef struct sotto_cost {
  sotto_cost_item items[SOTTO_MOST_COSTS];
  size_t count;
  const char *adjacency; /* "edge" or "node", static; what a charge of it is under */
  uint64_t neighbours;   /* k at k-neighbour level, which is charged as edge level; else 0 */
  uint64_t nights;       /* of a plan of nights (docs/nights.md), which is charged as one release; else 0 */
  bool by_mu;            /* mu of the dataset's items is exact, and composes by squares */
  sotto_paper_claim claim;
  sotto_cost_account accounts[SOTTO_ACCOUNTS];
} sotto_cost;

/* What happened: the charges that a run made at any start, as its ledger has them. */
typedef struct sotto_made {
  bool known;   /* this process answers for the dataset's account, so that what follows is filled */
  bool missing; /* a seed is done, and a charge for what it released does not stand */
  uint64_t count[SOTTO_MOST_COSTS]; /* of each item of the plan */
  uint64_t charges;                 /* of the dataset's items together */
  double mu;                        /* of the seed that made most; where the plan is `by_mu` */
  double epsilon, total;            /* composed: of the seed that made most; of all together */
  uint64_t label_charges, label_edge_charges;
  double label_epsilon;                        /* of one label, for the whole run */
  double label_edge_epsilon, label_edge_total; /* of the label party's edges */
} sotto_made;

#ifdef __cplusplus
}
#endif

#endif
