/* Predictions night after night for a growing graph: a plan that is charged once, RUN/nights, and the
 * current night. docs/nights.md describes the folder, and why the noise suffices. */
#ifndef SOTTO_SRC_RUN_TRAIN_NIGHTS_H
#define SOTTO_SRC_RUN_TRAIN_NIGHTS_H

#include "dp/noise/continual.h"
#include "night_plan.h"
#include "release/artifact.h"
#include "run/storage/night_log.h"
#include "run/storage/run_folder.h"
#include "sotto/model.h"

/* A method's inputs for tonight. All members are borrowed. */
typedef struct sotto_i_night {
  const sotto_i_job *own; /* of the run's own data, whose rows come first every night */
  const sotto_i_parted *parted;
  const sotto_i_continual *mechanism;
  double sigma;
  const sotto_i_night_log *log; /* including tonight's edges */
  const sotto_key *key;         /* of the noise of all nights; sub-keys are bound to the protected data */
  const char *path;             /* RUN/nights; in an audit, a separate folder */
  const sotto_i_job *plan;      /* the plan as a run with one item; its probe belongs to an audit */
  const sotto_observer *observer;
} sotto_i_night;

typedef struct sotto_i_nights {
  sotto_i_night night;
  sotto_options options; /* the run's, except epsilon and folder */
  sotto_dataset own;
  sotto_i_run trained, run; /* the run that the plan belongs to, and the plan as a run */
  sotto_i_job own_job, plan_job;
  sotto_i_parted parted;
  sotto_i_night_plan plan;
  sotto_i_continual mechanism;
  sotto_i_night_log log;
  sotto_i_drawn_key *key; /* secret memory */
  sotto_i_run_folder folder;
  char *path, *folder_of_night, *log_path, *own_path, *seed_folder;
  sotto_i_night_log before;     /* the latest earlier night, without its arrays; night 0: none */
  bool planned, begun, repeats; /* a plan existed; a night existed; tonight was already made */
} sotto_i_nights;

typedef struct sotto_i_nights_request {
  const sotto_options *options; /* of the run, resolved */
  const char *run, *file;       /* folder of the run; file of the model */
  const sotto_dataset *data;    /* data of tonight */
  uint64_t seed;
  const sotto_model_options *asked; /* epsilon, nights, night, edge_changes, observer */
} sotto_i_nights_request;

/* Opens a night. Makes the plan or reads the existing one, asks the ledger, reports the cost, and charges
 * all nights before the first. Then makes the next night from tonight's data, whatever it is, or repeats
 * the requested night. Counted edges are stored before anything of them is released. Errors: UNSUPPORTED
 * (the method, its options), INVALID (another plan; not a next night; a night that was not made), REFUSED
 * (the ledger; no night is left; an old copy of the folder). */
sotto_status sotto_i_nights_open(sotto_i_nights *out, const sotto_i_nights_request *request,
                                 sotto_error *err);
/* For audits: opens night `asked->night` of the run's plan with a fresh key. All releases up to it are made
 * again in `folder`, and shown to the probe. The ledger, log and releases of the plan stay as they are.
 * Errors: NOT_FOUND (there is no night yet), those of sotto_i_nights_open. */
SOTTO_MUST_USE sotto_status sotto_i_nights_open_anew(sotto_i_nights *out,
                                                     const sotto_i_nights_request *request,
                                                     const char *folder, const struct sotto_i_probe *probe,
                                                     sotto_error *err);
/* Writes statement.json, after the first night. */
sotto_status sotto_i_nights_state(sotto_i_nights *nights, sotto_error *err);
void sotto_i_nights_free(sotto_i_nights *nights);

#endif
