/* An opened trained model: its run, its data, and the release that it predicts from. */
#ifndef SOTTO_SRC_RUN_TRAIN_MODEL_H
#define SOTTO_SRC_RUN_TRAIN_MODEL_H

#include "matched.h"
#include "nights.h"
#include "other_data.h"
#include "predict.h"
#include "tonight.h"
#include "window.h"

struct sotto_model {
  sotto_options options;
  sotto_dataset own; /* opened here if the caller gave no data */
  sotto_dataset
      view; /* the data without what the task does not learn, where there is such; it owns nothing */
  sotto_i_run run;
  sotto_i_job job;
  sotto_i_parted parted;
  sotto_i_seat seat; /* of the client of a federation that the folder belongs to */
  sotto_i_facts facts;
  sotto_i_matched matched; /* the data in the order of the training */
  sotto_i_tonight tonight; /* of a night, in the order of its plan */
  sotto_i_window window;   /* over ranks: the rows of this rank; else without ranks */
  sotto_dataset apart;     /* over ranks: the data as a predictor sees it, without the ranks */
  sotto_dataset other;     /* data with the run's number of classes */
  sotto_dataset edgeless;  /* data for predictions from an earlier release */
  sotto_dataset items;     /* a node for each graph of a collection, if answers are about graphs */
  sotto_i_other_data release;
  sotto_i_nights nights;
  char *folder;
  sotto_i_predictor kind;
  sotto_matrix rows; /* of all nodes; over ranks, of the window */
  uint32_t *all;     /* 0, 1, 2, ..., which are the nodes of these rows; over ranks from window.first */
};

/* As sotto_model_open; needs the list of methods. */
SOTTO_MUST_USE sotto_status sotto_i_model_open(sotto_model **out, const char *run, const sotto_dataset *data,
                                               const sotto_model_options *options, sotto_error *err);

/* model_check.c. Refusals of what a model with these options and this request does not answer. Errors:
 * UNSUPPORTED, INVALID. */
SOTTO_MUST_USE sotto_status sotto_i_model_check_kind(const sotto_options *options, bool graphs,
                                                     sotto_error *err);
SOTTO_MUST_USE sotto_status sotto_i_model_check_ranks(const sotto_model *model,
                                                      const sotto_model_options *asked, sotto_error *err);
SOTTO_MUST_USE sotto_status sotto_i_model_check_served(const sotto_options *options, sotto_error *err);
SOTTO_MUST_USE sotto_status sotto_i_model_check_rows(const sotto_options *options,
                                                     const sotto_model_options *asked, sotto_error *err);
SOTTO_MUST_USE sotto_status sotto_i_model_check_named(const sotto_model_options *asked, sotto_error *err);

/* For audits: opens the model at a night of its plan (night and seed of `asked`); `data` has the nodes of
 * that night. Its releases are made again in `folder` (sotto_i_nights_open_anew), and the probe ends the
 * call. */
struct sotto_i_probe;
SOTTO_MUST_USE sotto_status sotto_i_model_look_at_nights(const char *run, const sotto_dataset *data,
                                                         const sotto_model_options *asked, const char *folder,
                                                         const struct sotto_i_probe *probe, sotto_error *err);

#endif
