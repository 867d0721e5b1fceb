/* Releases of data that a run was not trained on, for predictions. Each has its own folder under
 * RUN/predictions, with its release, its charge and its statement.
 *
 * The caller decides whether a release is made or repeated, never the data: repeating one because the edges
 * are the same would reveal that they are. */
#ifndef SOTTO_SRC_RUN_TRAIN_OTHER_DATA_H
#define SOTTO_SRC_RUN_TRAIN_OTHER_DATA_H

#include "run.h"
#include "run/storage/run_folder.h"

typedef struct sotto_i_other_data {
  sotto_dataset data;    /* the request's data; for a repeated release, with the account that paid for it */
  sotto_options options; /* the run's, except epsilon, account and folder, as narrow as the model reads */
  sotto_i_run run;
  sotto_i_run_folder folder;
  char *path, *seed_folder;
  uint64_t number; /* number of its folder */
  sotto_i_job job; /* of the releases */
  bool has_job;    /* false: the model reads no release */
  uint8_t kin[32]; /* key of the account of the training data */
} sotto_i_other_data;

typedef struct sotto_i_other_request {
  const sotto_options *options; /* of the run, resolved */
  const char *run, *file;       /* folder of the run; file of the model */
  const sotto_dataset *data;
  uint64_t seed;
  double epsilon;           /* for a new release */
  uint64_t again;           /* number of a release to repeat; 0: make a new one */
  const char *account;      /* NULL: the run's account */
  uint64_t layers;          /* 0: as many as the model in `file` reads */
  bool ask;                 /* only ask the ledger, and begin nothing */
  bool reads;               /* with `again`: rank 0 holds the folder and asks the ledger; this rank reads */
  const sotto_party *party; /* NULL: all parties are in this process */
  const sotto_observer *observer;
} sotto_i_other_request;

/* Digest of the model in `file`, 64 digits and a zero byte, which releases for its predictions refer to. */
sotto_status sotto_i_model_digest(char *out, const char *file, sotto_error *err);

/* The data without its edges, for predictions from a repeated release: nothing can depend on missing edges.
 * Free with sotto_i_edgeless_free. Errors: NOMEM. */
sotto_status sotto_i_edgeless_new(sotto_dataset *out, const sotto_dataset *data, sotto_error *err);
void sotto_i_edgeless_free(sotto_dataset *data);

/* May predictions on other data be made for a run? Its true labels chose the number of rounds that a model
 * reads, and releases of other data would reveal that number. Errors: UNSUPPORTED, with label-epsilon. */
sotto_status sotto_i_other_data_check_labels(const sotto_options *options, sotto_error *err);

/* The epsilon of release N in RUN/predictions. Errors: INVALID (no such release, or unfinished). */
sotto_status sotto_i_other_data_epsilon(double *out, const char *run, uint64_t again, sotto_error *err);

/* Begins a release in its own folder under the next number: asks the ledger, logs the charges, then writes;
 * nothing is drawn yet. Or opens the requested release. Errors: UNSUPPORTED (the method), REFUSED, INVALID
 * (no such release, or of another model, or of data with other features). */
sotto_status sotto_i_other_data_open(sotto_i_other_data *out, const sotto_i_other_request *request,
                                     sotto_error *err);
/* Writes statement.json after the releases; `count` 0: nothing was sent. */
sotto_status sotto_i_other_data_state(sotto_i_other_data *other, sotto_link *const *links, size_t count,
                                      sotto_error *err);
void sotto_i_other_data_free(sotto_i_other_data *other);

#endif
