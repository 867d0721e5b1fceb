/* Answers night after night about a graph that grows: a plan that is charged once, RUN/nights, and whose turn
 * it is. docs/nights.md has what the folder keeps, and why the noise is enough. */
#ifndef SOTTO_SRC_RUN_TRAIN_NIGHTS_H
#define SOTTO_SRC_RUN_TRAIN_NIGHTS_H

#include "dp/noise/continual.h"
#include "night_plan.h"
#include "release/forms.h"
#include "run/storage/night_log.h"
#include "run/storage/run_folder.h"
#include "sotto/model.h"

/* What a method reads of tonight. All members are borrowed. */
typedef struct sotto_i_night {
  const sotto_i_job *own; /* of the run's own data, with which every night's rows begin */
  const sotto_i_parted *parted;
  const sotto_i_continual *mechanism;
  double sigma;
  const sotto_i_night_log *log; /* with tonight's edges */
  const sotto_key *key;         /* of the noise of all nights; sub-keys are bound to what they hide */
  const char *path;             /* RUN/nights; of an audit, a folder of its own */
  const sotto_i_job *plan;      /* the plan as a run of one item; its probe is an audit's */
  const sotto_observer *observer;
} sotto_i_night;

typedef struct sotto_i_nights {
  sotto_i_night night;
  sotto_options options; /* the run's, but for epsilon and folder */
  sotto_dataset own;
  sotto_i_run trained, run; /* the run that it belongs to, and the plan as a run */
  sotto_i_job own_job, plan_job;
  sotto_i_parted parted;
  sotto_i_night_plan plan;
  sotto_i_continual mechanism;
  sotto_i_night_log log;
  sotto_i_drawn_key *key; /* secret memory */
  sotto_i_run_folder folder;
  char *path, *folder_of_night, *log_path, *own_path, *seed_folder;
  sotto_i_night_log before;     /* the latest night before this one, without its arrays; night 0: none */
  bool planned, begun, repeats; /* there was a plan; a night; this one was made before */
} sotto_i_nights;

typedef struct sotto_i_nights_request {
  const sotto_options *options; /* of the run, resolved */
  const char *run, *file;       /* its folder, and the model */
  const sotto_dataset *data;    /* tonight's */
  uint64_t seed;
  const sotto_model_options *asked; /* epsilon, nights, night, edge_changes, observer */
} sotto_i_nights_request;

/* Makes the plan, or takes the one that is there; asks the ledger, tells the price, charges all nights before
 * the first; then takes tonight's data for the next night, whatever it is, or repeats the night that was
 * asked for. What it has counted is kept before anything of it is released. Errors: UNSUPPORTED (the method,
 * its options), INVALID (another plan; not a next night; a night that was not made), REFUSED (the ledger; no
 * night is left; an old copy of the folder). */
sotto_status sotto_i_nights_open(sotto_i_nights *out, const sotto_i_nights_request *request,
                                 sotto_error *err);
/* For audits: night `asked->night` of the plan in the run, with a fresh key. All releases up to it are made
 * anew in `folder`, and shown to the probe. Ledger, log and releases of the plan stay as they are. Errors:
 * NOT_FOUND (there is no night yet), those of sotto_i_nights_open. */
SOTTO_MUST_USE sotto_status sotto_i_nights_open_anew(sotto_i_nights *out,
                                                     const sotto_i_nights_request *request,
                                                     const char *folder, const struct sotto_i_probe *probe,
                                                     sotto_error *err);
/* Writes statement.json, after the first night. */
sotto_status sotto_i_nights_state(sotto_i_nights *nights, sotto_error *err);
void sotto_i_nights_free(sotto_i_nights *nights);

#endif
