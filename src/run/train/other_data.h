/* Releases of data that a run was not trained on, for answers about it: each is a folder of its own under
 * RUN/predictions, with its release, its charge and its statement.
 *
 * Whether one is made or repeated is the caller's word, and never follows from the data: a release that was
 * repeated because the edges are the same would show that they are. */
#ifndef SOTTO_SRC_RUN_TRAIN_OTHER_DATA_H
#define SOTTO_SRC_RUN_TRAIN_OTHER_DATA_H

#include "run.h"
#include "run/storage/run_folder.h"

typedef struct sotto_i_other_data {
  sotto_dataset data;    /* the request's; of a release that is repeated with the account that paid for it */
  sotto_options options; /* the run's, but for epsilon, account and folder, as narrow as the model reads */
  sotto_i_run run;
  sotto_i_run_folder folder;
  char *path, *seed_folder;
  uint64_t number; /* of its folder */
  sotto_i_job job; /* of the releases */
  bool has_job;    /* else the model reads none */
  uint8_t kin[32]; /* key of the account of the data that the model was trained on */
} sotto_i_other_data;

typedef struct sotto_i_other_request {
  const sotto_options *options; /* of the run, resolved */
  const char *run, *file;       /* its folder, and the model */
  const sotto_dataset *data;
  uint64_t seed;
  double epsilon;           /* of a release that is made */
  uint64_t again;           /* the number of one that is repeated; 0: one is made */
  const char *account;      /* NULL: the run's */
  uint64_t layers;          /* 0: as many as the model in `file` reads; else this many */
  bool ask;                 /* no more than that: the ledger is asked, and nothing is begun */
  const sotto_party *party; /* NULL: all parties are in this process */
  const sotto_observer *observer;
} sotto_i_other_request;

/* The digest of the model in `file`, 64 digits and a zero, by which releases for its answers are asked for.
 */
sotto_status sotto_i_model_digest(char *out, const char *file, sotto_error *err);

/* The data without its edges, for answers from a release that is repeated: nothing can follow from edges that
 * are not there. To be ended with sotto_i_edgeless_free. Errors: NOMEM. */
sotto_status sotto_i_edgeless_new(sotto_dataset *out, const sotto_dataset *data, sotto_error *err);
void sotto_i_edgeless_free(sotto_dataset *data);

/* Whether answers about other data may be made for a run: its true labels chose how many rounds a model
 * reads, which releases of other data would show. Errors: UNSUPPORTED, with label-epsilon. */
sotto_status sotto_i_other_data_check_labels(const sotto_options *options, sotto_error *err);

/* The epsilon of release N in RUN/predictions. Errors: INVALID (there is none, or it was not finished). */
sotto_status sotto_i_other_data_epsilon(double *out, const char *run, uint64_t again, sotto_error *err);

/* Begins a release in a folder of its own, under the next number: asks the ledger, logs what will be charged,
 * then writes; nothing is drawn yet. Or opens the one that the request names. Errors: UNSUPPORTED (the
 * method), REFUSED, INVALID (no such release, or of another model, or of data with other features). */
sotto_status sotto_i_other_data_open(sotto_i_other_data *out, const sotto_i_other_request *request,
                                     sotto_error *err);
/* Writes statement.json, once the releases are made; `link` NULL: nothing was sent. */
sotto_status sotto_i_other_data_state(sotto_i_other_data *other, const sotto_link *link, sotto_error *err);
void sotto_i_other_data_free(sotto_i_other_data *other);

#endif
