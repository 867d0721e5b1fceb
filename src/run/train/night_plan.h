/* The plan of a period of nights: one mechanism over all of them, and its noise. */
#ifndef SOTTO_SRC_RUN_TRAIN_NIGHT_PLAN_H
#define SOTTO_SRC_RUN_TRAIN_NIGHT_PLAN_H

#include "run.h"

enum { SOTTO_I_MODEL_DIGITS = 64 };
typedef struct sotto_i_night_plan {
  uint64_t nights, changes, seed;
  double epsilon, delta;                /* of the training and all nights together */
  double training;                      /* epsilon that the training spent, by its charges */
  double sigma;                         /* standard deviation of the noise in each number of each night */
  char model[SOTTO_I_MODEL_DIGITS + 1]; /* digest of the model that it is for */
} sotto_i_night_plan;

/* An edge adds 1 to one count at each of its two ends. */
double sotto_i_night_sensitivity(const sotto_i_night_plan *plan);
/* The mechanism of all nights together, in the accountant's form. */
sotto_mechanism sotto_i_night_mechanism(const sotto_i_night_plan *plan);

/* Fills `training` and `sigma`: the smallest noise with which the charges of the run in `folder` and all
 * nights compose to at most the plan's epsilon. `run` is that run, planned, with its ledger open. Errors:
 * REFUSED (the training alone has spent that much; its charges are not in the ledger), RANGE. */
sotto_status sotto_i_night_plan_noise(sotto_i_night_plan *plan, const sotto_i_run *run, const char *folder,
                                      sotto_error *err);

/* FOLDER/plan.json. Errors: those of files; CORRUPT. */
sotto_status sotto_i_night_plan_save(const sotto_i_night_plan *plan, const char *folder, sotto_error *err);
sotto_status sotto_i_night_plan_load(sotto_i_night_plan *out, const char *folder, sotto_error *err);

#endif
