/* A run and its privacy: domain, plan, budget and statement. */
#ifndef SOTTO_SRC_RUN_TRAIN_RUN_H
#define SOTTO_SRC_RUN_TRAIN_RUN_H

#include "graph/tables/naming.h"
#include "run/method/method.h"

typedef struct sotto_i_run {
  const sotto_options *options;
  const sotto_dataset *data;
  const sotto_graph *other; /* the part of the graph that another party holds; NULL: none */
  sotto_graph label_graph;  /* if one dataset is split here: `other` points to this */
  sotto_dataset part;       /* the rest of that dataset: `data` points here */
  bool is_cut;
  sotto_dataset cut; /* with fewer edges (degree-cut) or a declared number of classes: data points here */
  const sotto_dataset *unarranged; /* of a client: its data in its own order; NULL: not agreed on names yet */
  sotto_i_arranged arranged;       /* and in the order that all clients agreed on: data points here */
  sotto_schema *suited;            /* with statistics of the columns: the schema of the data */
  sotto_names class_names;         /* of `cut`, where more classes are declared than the data names */
  const sotto_i_variant *variant;
  sotto_matrix features; /* scaled; only a shape if rows are read one by one */
  sotto_i_feature_rows rows;
  sotto_i_release_plan plan;
  sotto_cost cost;
  bool has_plan, charges;
  bool unprotected;  /* a budget asks for more protection than the run gives */
  uint64_t releases; /* number in one seed; each is as the plan says */
  sotto_ledger *ledger;
  const uint8_t *kin; /* of predictions: key of the account of the training data, or NULL */
  const sotto_observer *observer;
  const sotto_party *party;          /* NULL: all parties are in this process */
  const uint8_t *nodes;              /* digest of the node ids, for a party */
  sotto_i_facts facts;               /* among several parties: the public numbers of the data */
  sotto_dataset told;                /* of a server: a dataset of only these numbers; `data` points here */
  const struct sotto_i_probe *probe; /* of an audit (artifact.h); NULL: none */
  sotto_decline declines;            /* before it connected, and the others hear it (sotto_party_decline) */
  char id[33];
} sotto_i_run;

/* Does this process make the releases? */
bool sotto_i_run_owns_edges(const sotto_i_run *run);
/* Checks the graph against the declared bound, and delta against the number of nodes. Splits the data among
 * parties in this process, if the method does so before its seeds. Errors: RANGE. */
sotto_status sotto_i_run_check_domain(sotto_i_run *run, sotto_error *err);
/* All checks of a run's data against its options: has the table what a training needs, is it within what is
 * declared, and has each option a meaning for it? `sotto run check` asks the same. Other parties do not learn
 * that private data exceed a bound; run->declines has the reasons that they do learn. Errors: INVALID, RANGE,
 * NOT_FOUND, UNSUPPORTED, NOMEM. */
sotto_status sotto_i_run_check_data(sotto_i_run *run, sotto_error *err);
/* Before a training at levels that protect rows: rejects means that fill cells, and category words found in
 * a table. Each word is a column, so that one word of one node would change the size of the model; a client
 * also sends the words and class names to the server. A schema or an import declares both, and the number of
 * classes. Errors: INVALID. */
sotto_status sotto_i_run_check_words(const sotto_i_run *run, sotto_error *err);
/* Says which classes no node or graph has, where labels are not protected from the observer: macro F1 leaves
 * them out. Errors: NOMEM. */
sotto_status sotto_i_run_tell_classes(const sotto_i_run *run, sotto_error *err);
/* The job of one seed, with all parties in this process. */
sotto_i_job sotto_i_run_job(const sotto_i_run *run, const char *folder, uint64_t seed);
/* Plans each release and its cost. */
sotto_status sotto_i_run_plan(sotto_i_run *run, sotto_error *err);
/* Would the ledger accept every release of this run, for the accounts that its folder began with? Asked
 * before any training or message. Errors: REFUSED, and others of the ledger. */
sotto_status sotto_i_run_ask(sotto_i_run *run, sotto_error *err);
/* Is this process responsible for an account that pays for a release? */
bool sotto_i_run_is_charged(const sotto_i_run *run);
/* account.c: opens the ledger, if there is one and this process is responsible for data. Assigns the
 * dataset, and other paying data, to the account in the options or to that of an earlier version. Refuses a
 * run that protects less than a budget requires, and another ledger than the one stored with the data and
 * the run folder. Errors: REFUSED, INVALID (the dataset has another account), NOT_FOUND. */
sotto_status sotto_i_run_open_account(sotto_i_run *run, sotto_error *err);
/* Before the first charge: stores the ledger's identity with the data and in the folder. A data folder that
 * is read-only gives a warning. Errors: REFUSED (another process was first, with another ledger), CORRUPT,
 * IO, NOMEM. */
sotto_status sotto_i_run_remember(const sotto_i_run *run, const char *folder, sotto_error *err);
/* Records a run that protects less than a budget requires, which the options allow. */
sotto_status sotto_i_run_record_unprotected(sotto_i_run *run, sotto_error *err);
/* Writes the identity of the data and the paying accounts to the run's folder, or checks `data` against
 * them. Errors: INVALID (other data). */
sotto_status sotto_i_run_keep_data(const sotto_i_run *run, const sotto_dataset *data, sotto_error *err);
/* A sentence about the planned charges by account, once the ledger was asked. */
sotto_status sotto_i_run_tell_price(char *out, size_t size, const sotto_i_run *run, sotto_error *err);
/* Reports to the observer what the dataset's account has spent, if this process is responsible for it. */
void sotto_i_run_tell_spent(const sotto_i_run *run);
/* Reports the plan's spending to the observer, if the plan covers all releases; a run without a plan and
 * without edges spends 0. */
void sotto_i_run_tell_planned(const sotto_i_run *run);
/* Of a run as published, or with a paper's accounting: what the paper claims, what is charged, why, and which
 * options are not the paper's. */
void sotto_i_run_tell_published(const sotto_i_run *run);
/* Epsilon of `seeds` seeds together at the options' delta; INFINITY without noise, 0 if no edge is used. mu
 * of the same if all releases are Gaussian, else 0. */
sotto_status sotto_i_run_epsilon(double *epsilon, double *mu, const sotto_i_run *run, uint64_t seeds,
                                 sotto_error *err);
/* Fills the inputs of the privacy statement. */
sotto_status sotto_i_run_state(sotto_result *out, const sotto_i_run *run, sotto_error *err);
/* Frees all that these calls allocated. */
void sotto_i_run_end(sotto_i_run *run);

/* Trains a run with resolved options, data, and a party or none: the whole run on rank 0; other ranks help.
 * The probe of an audit sees each release of this process. Errors: those of sotto_train. */
SOTTO_MUST_USE sotto_status sotto_i_run_train(sotto_result *out, sotto_i_run *run,
                                              const sotto_observer *observer, const sotto_recorder *recorder,
                                              sotto_error *err);

/* Would the ledger accept all charges of this party? Writes a sentence about it. Errors: REFUSED, and
 * others of the ledger. */
sotto_status sotto_i_party_budget(char *out, size_t size, const sotto_options *options,
                                  const sotto_dataset *data, const sotto_party *party, sotto_error *err);

#endif
