/* A run and its privacy: domain, plan, budget and statement. */
#ifndef SOTTO_SRC_RUN_TRAIN_RUN_H
#define SOTTO_SRC_RUN_TRAIN_RUN_H

#include "graph/tables/naming.h"
#include "run/method/method.h"

typedef struct sotto_i_run {
  const sotto_options *options;
  const sotto_dataset *data;
  const sotto_graph *other; /* what another party holds of the graph, where it is in this process or this one;
                               NULL: nothing */
  sotto_graph label_graph;  /* where one dataset is divided here: what `other` points to */
  sotto_dataset part;       /* and the dataset with the rest: data points here */
  bool is_cut;
  sotto_dataset cut; /* with fewer edges (degree-cut) or a declared number of classes: data points here */
  const sotto_dataset *unarranged; /* of a client: its data in its own order; NULL: not agreed on names yet */
  sotto_i_arranged arranged;       /* and in the order that all clients agreed on: data points here */
  sotto_names class_names;         /* of `cut`, where more classes are declared than the data names */
  const sotto_i_variant *variant;
  sotto_matrix features; /* scaled; without data where rows are read one after another */
  sotto_i_feature_rows rows;
  sotto_i_release_plan plan;
  sotto_cost cost;
  bool has_plan, charges;
  bool unprotected;  /* a budget asks for more protection than the run has */
  uint64_t releases; /* of one seed; each is as the plan says */
  sotto_ledger *ledger;
  const uint8_t
      *kin; /* of a prediction: key of the account of the data that the model was trained on, or NULL */
  const sotto_observer *observer;
  const sotto_party *party;          /* NULL: all parties are in this process */
  const uint8_t *nodes;              /* digest of the node ids, for a party */
  sotto_i_facts facts;               /* among several parties: what is known of the data */
  sotto_dataset told;                /* of a server: nothing but these facts; data points here */
  const struct sotto_i_probe *probe; /* of an audit (artifact.h); NULL: none */
  char id[33];
} sotto_i_run;

/* Is it this process that makes the releases? */
bool sotto_i_run_owns_edges(const sotto_i_run *run);
/* Holds the graph to the declared bound, and delta to the number of nodes; divides the data among parties of
 * this process, where the method does so before its seeds. Errors: RANGE. */
sotto_status sotto_i_run_check_domain(sotto_i_run *run, sotto_error *err);
/* Before a training: words of categories that the reader of a table found, at levels that protect rows. Each
 * is a column, so one word of one node would change the size of the model. A client also tells the server
 * their names, and those of classes. A schema or an import declares both, as it does the number of classes.
 * Errors: INVALID. */
sotto_status sotto_i_run_check_words(const sotto_i_run *run, sotto_error *err);
/* One of its seeds, all parties in this process. */
sotto_i_job sotto_i_run_job(const sotto_i_run *run, const char *folder, uint64_t seed);
/* What each release will be, or what a seed costs. */
sotto_status sotto_i_run_plan(sotto_i_run *run, sotto_error *err);
/* Would every release of this run be accepted, by the accounts that its folder began with? Asked before
 * anything is trained or sent. Errors: REFUSED, and others of the ledger. */
sotto_status sotto_i_run_ask(sotto_i_run *run, sotto_error *err);
/* Does this process answer for an account that pays for a release? */
bool sotto_i_run_is_charged(const sotto_i_run *run);
/* account.c: opens the ledger, where there is one and this process answers for data; takes the dataset, and
 * what else pays, to the account that the options name, or to that of what it is a version of; refuses a run
 * that protects less than a budget asks for, and another ledger than data and run folder remember. Errors:
 * REFUSED, INVALID (the dataset is of another account), NOT_FOUND. */
sotto_status sotto_i_run_open_account(sotto_i_run *run, sotto_error *err);
/* Before the first charge: data and folder remember the ledger. A folder of data that cannot be written is
 * warned of. Errors: REFUSED (another process was first, with another ledger), CORRUPT, IO, NOMEM. */
sotto_status sotto_i_run_remember(const sotto_i_run *run, const char *folder, sotto_error *err);
/* Records a run that protects less than a budget asks for, which the options allow. */
sotto_status sotto_i_run_record_unprotected(sotto_i_run *run, sotto_error *err);
/* Writes to the run's folder which data it is of, and which accounts pay; or holds `data` to what is there.
 * Errors: INVALID (other data). */
sotto_status sotto_i_run_keep_data(const sotto_i_run *run, const sotto_dataset *data, sotto_error *err);
/* A sentence about what the run will charge, account by account, once the ledger was asked. */
sotto_status sotto_i_run_tell_price(char *out, size_t size, const sotto_i_run *run, sotto_error *err);
/* Tells the observer what the dataset's account has spent, where this process answers for it. */
void sotto_i_run_tell_spent(const sotto_i_run *run);
/* Tells the observer what the plan spends, where it covers all that is released; a run without a plan and
 * without edges spends 0. */
void sotto_i_run_tell_planned(const sotto_i_run *run);
/* Epsilon at the options' delta of `seeds` seeds together, INFINITY without noise, 0 where no edge is used;
 * mu of the same where all releases are Gaussian, else 0. */
sotto_status sotto_i_run_epsilon(double *epsilon, double *mu, const sotto_i_run *run, uint64_t seeds,
                                 sotto_error *err);
/* Fills what the privacy statement is made of. */
sotto_status sotto_i_run_state(sotto_result *out, const sotto_i_run *run, sotto_error *err);
/* Frees all that these calls set aside. */
void sotto_i_run_end(sotto_i_run *run);

/* Trains a run with options that are resolved, data, and a party or none: rank 0; the others help. Its probe,
 * of an audit, looks at each release of this process. Errors: those of sotto_train. */
SOTTO_MUST_USE sotto_status sotto_i_run_train(sotto_result *out, sotto_i_run *run,
                                              const sotto_observer *observer, const sotto_recorder *recorder,
                                              sotto_error *err);

/* Would the ledger take all charges of this party? Writes a sentence about it. Errors: REFUSED, and others of
 * the ledger. */
sotto_status sotto_i_party_budget(char *out, size_t size, const sotto_options *options,
                                  const sotto_dataset *data, const sotto_party *party, sotto_error *err);

#endif
