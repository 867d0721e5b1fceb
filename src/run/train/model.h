/* A trained model that was opened: its run, its data, the release that it answers from. */
#ifndef SOTTO_SRC_RUN_TRAIN_MODEL_H
#define SOTTO_SRC_RUN_TRAIN_MODEL_H

#include "matched.h"
#include "nights.h"
#include "other_data.h"
#include "predict.h"

struct sotto_model {
  sotto_options options;
  sotto_dataset own; /* opened here, when no data was given */
  sotto_i_run run;
  sotto_i_job job;
  sotto_i_parted parted;
  sotto_i_seat seat; /* of one client of a federation, whose folder it is */
  sotto_i_facts facts;
  sotto_i_matched matched; /* the data in the order of the training */
  sotto_dataset other;     /* data with the run's number of classes */
  sotto_dataset edgeless;  /* data for answers from a release that was made before */
  sotto_i_other_data release;
  sotto_i_nights nights;
  char *folder;
  sotto_i_predictor kind;
  sotto_matrix rows; /* of all nodes */
  uint32_t *all;     /* 0, 1, 2, ... */
};

/* As sotto_model_open, where the list of methods is in place. */
SOTTO_MUST_USE sotto_status sotto_i_model_open(sotto_model **out, const char *run, const sotto_dataset *data,
                                               const sotto_model_options *options, sotto_error *err);

/* For audits: opens the model as of a night of its plan (night, seed of `asked`), of which `data` has the
 * nodes, with releases that are made anew in `folder` (sotto_i_nights_open_anew). The probe ends it. */
struct sotto_i_probe;
SOTTO_MUST_USE sotto_status sotto_i_model_look_at_nights(const char *run, const sotto_dataset *data,
                                                         const sotto_model_options *asked, const char *folder,
                                                         const struct sotto_i_probe *probe, sotto_error *err);

#endif
