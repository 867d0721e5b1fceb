/* Releases of a run: the plan of what is released, the accounts that are charged, and the charges made. */
#ifndef SOTTO_RELEASE_H
#define SOTTO_RELEASE_H

#include "sotto/dp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The account that is charged for a release. Each account belongs to one party's data. */
typedef enum sotto_account {
  SOTTO_ACCOUNT_DATA,        /* the dataset's edges or nodes */
  SOTTO_ACCOUNT_LABELS,      /* the label party's labels */
  SOTTO_ACCOUNT_LABEL_EDGES, /* the label party's edges */
  SOTTO_ACCOUNTS
} sotto_account;

/* A release of private data, as it is planned, charged to the ledger and listed in the statement. */
typedef struct sotto_cost_item {
  const char *what;          /* one line for people, static */
  sotto_mechanism mechanism; /* of one release, as the accountant composes it */
  sotto_mechanism charged;   /* of one release, as the ledger composes it; count 0: by mu and epsilon */
  double mu, epsilon;        /* of one release, as in sotto_charge */
  uint64_t times;            /* releases of one seed (of the run: `once`), at most; 0 means 1 */
  bool once;                 /* made once for all seeds */
  sotto_account account;
  const char *adjacency; /* static; NULL: that of the plan */
} sotto_cost_item;

/* The state of an account in the ledger, if this process holds that ledger. */
typedef struct sotto_cost_account {
  bool here;
  uint8_t digest[32];
  char name[128];
} sotto_cost_account;

enum { SOTTO_MOST_COSTS = 64 };

/* The privacy that Wu et al. 2023 (theorem 2.1) and Zheng et al. 2026 (theorem 4) claim for a training. */
typedef struct sotto_paper_claim {
  double epsilon;            /* at the options' delta; 0: no claim */
  double noise, sensitivity; /* of one layer */
  double gamma;              /* probability of meeting an edge that the claim assumes */
  uint64_t steps, roots, batch;
  uint64_t least_degree; /* of the graph; Zheng et al. 2026 */
} sotto_paper_claim;

/* The plan of a run's releases, which follows from options and public numbers alone. */
typedef struct sotto_cost {
  sotto_cost_item items[SOTTO_MOST_COSTS];
  size_t count;
  const char *adjacency; /* "edge" or "node", static; the adjacency of its charges */
  uint64_t neighbours;   /* k at k-neighbour level, which is charged at edge level; else 0 */
  uint64_t nights;       /* of a plan of nights (docs/nights.md), which is charged as one release; else 0 */
  bool by_mu;            /* mu of the dataset's items is exact, and composes by squares */
  sotto_paper_claim claim;
  sotto_cost_account accounts[SOTTO_ACCOUNTS];
} sotto_cost;

/* The charges that a run has made, restarts included, as its ledger records them. */
typedef struct sotto_made {
  bool known;   /* this process holds the ledger of the dataset's account, and the fields below are filled */
  bool missing; /* a seed is finished, and a charge for its releases is missing */
  uint64_t count[SOTTO_MOST_COSTS]; /* of each item of the plan */
  uint64_t charges;                 /* of the dataset's items together */
  double mu;                        /* of the seed with the most; where the plan is `by_mu` */
  double epsilon, total;            /* composed: of the seed with the most; of all together */
  uint64_t label_charges, label_edge_charges;
  double label_epsilon;                        /* of one label, for the whole run */
  double label_edge_epsilon, label_edge_total; /* of the label party's edges */
} sotto_made;

#ifdef __cplusplus
}
#endif

#endif
