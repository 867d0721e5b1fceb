/* The plan of a period of nights: one mechanism over all of them, and the noise that it gets. */
#ifndef SOTTO_SRC_RUN_TRAIN_NIGHT_PLAN_H
#define SOTTO_SRC_RUN_TRAIN_NIGHT_PLAN_H

#include "run.h"

enum { SOTTO_I_MODEL_DIGITS = 64 };
typedef struct sotto_i_night_plan {
  uint64_t nights, changes, seed;
  double epsilon, delta;                /* of training and all nights together */
  double training;                      /* epsilon that the training has spent, by its charges */
  double sigma;                         /* of the noise in each number of each night */
  char model[SOTTO_I_MODEL_DIGITS + 1]; /* digest of the model that it is for */
} sotto_i_night_plan;

/* An edge adds 1 to a count of each of its ends. */
double sotto_i_night_sensitivity(const sotto_i_night_plan *plan);
/* Of all nights together, as the accountant knows it. */
sotto_mechanism sotto_i_night_mechanism(const sotto_i_night_plan *plan);

/* Fills `training` and `sigma`: the least noise at which the charges of the run in `folder` and all nights
 * compose to at most the plan's epsilon. `run` is that run, planned, with its ledger open. Errors: REFUSED
 * (the training alone has spent as much; its charges are not in the ledger), RANGE. */
sotto_status sotto_i_night_plan_noise(sotto_i_night_plan *plan, const sotto_i_run *run, const char *folder,
                                      sotto_error *err);

/* FOLDER/plan.json. Errors: those of files; CORRUPT. */
sotto_status sotto_i_night_plan_save(const sotto_i_night_plan *plan, const char *folder, sotto_error *err);
sotto_status sotto_i_night_plan_load(sotto_i_night_plan *out, const char *folder, sotto_error *err);

#endif
