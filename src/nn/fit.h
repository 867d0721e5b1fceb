/* The training loop: epochs, validation, and the best epoch's parameters. */
#ifndef SOTTO_SRC_NN_FIT_H
#define SOTTO_SRC_NN_FIT_H

#include "inside/nn.h"
#include "quality.h"
#include "ranks/ranks.h"
#include "rows/batch.h"
#include "sotto/graph.h"
#include "sotto/nn.h"
#include "targets.h"

/* The best epoch so far: the one with the highest validation value, and among equals the lowest validation
 * loss. Zero-initialise `epoch` and `best_epoch`. */
typedef struct sotto_i_watch {
  uint64_t epoch, best_epoch;
  double best, best_loss;
} sotto_i_watch;

/* The state of a training between two epochs; state.h has its file. */
typedef struct sotto_i_training_state {
  sotto_params *params, *best;
  sotto_i_watch *watch;
  sotto_quality *quality; /* of the best epoch; NULL: not kept */
} sotto_i_training_state;

/* Saves and restores a training. `save` is called after every `every` epochs (0: never), except the last.
 * `load` is called before the first; it changes nothing when no state was saved. */
typedef struct sotto_i_keeper {
  void *context;
  uint64_t every;
  sotto_status (*save)(void *context, uint64_t epoch, const sotto_i_training_state *state, sotto_error *err);
  sotto_status (*load)(void *context, const sotto_i_training_state *state, sotto_error *err);
} sotto_i_keeper;
/* Both do nothing when the keeper is NULL. */
sotto_status sotto_i_keep(const sotto_i_keeper *keeper, const sotto_i_training_state *state, bool last,
                          sotto_error *err);
sotto_status sotto_i_keep_load(const sotto_i_keeper *keeper, const sotto_i_training_state *state,
                               sotto_error *err);

typedef struct sotto_i_training {
  uint64_t epochs;
  uint64_t patience; /* epochs without a better validation before stopping; 0 never */
  sotto_adam adam;
  sotto_measure select_by;
  const sotto_i_keeper *keeper; /* may be NULL */
} sotto_i_training;

typedef struct sotto_i_decision {
  bool better, stop;
} sotto_i_decision;
/* Processes the validation value and loss of the next epoch. NAN is never better than a number. */
sotto_i_decision sotto_i_watch_next(sotto_i_watch *watch, double value, double loss,
                                    const sotto_i_training *training);

/* A model and its data for sotto_i_fit. forward gives the logits of a batch. */
typedef struct sotto_i_task {
  void *model;
  sotto_params *params;
  sotto_var (*forward)(void *model, const sotto_pass *pass, const sotto_i_batch *batch);
  bool batched;               /* forward takes any batch; else whole parts alone */
  sotto_i_targets targets[4]; /* of each part, one a row */
  bool labels_hidden;   /* of a peer that chose some of the inputs: values that are not finite count as zero,
                           since a failure would reveal labels */
  const sotto_key *key; /* for dropout */
  sotto_ranks *ranks;   /* they share the batches, all with the same task; NULL: one process */
} sotto_i_task;

/* Called after each epoch; may be NULL. */
typedef struct sotto_i_epoch_hook {
  void *context;
  void (*call)(void *context, uint64_t epoch, double loss, double validation);
} sotto_i_epoch_hook;

/* Training by Adam with one step of all training rows an epoch. The parameters at the end are those of the
 * best validation epoch. Errors: those of the tape and of Adam (NUMERIC when the loss diverges, except with
 * labels_hidden), INTERRUPTED. */
sotto_status sotto_i_fit(const sotto_i_task *task, const sotto_i_training *training,
                         const sotto_i_epoch_hook *hook, sotto_error *err);

/* Quality on one part, without dropout. */
sotto_status sotto_i_evaluate(sotto_quality *out, const sotto_i_task *task, sotto_tape *tape, sotto_part part,
                              sotto_error *err);
/* Average precision of one of two classes on one part, without dropout; NAN where the part has none of it.
 * Errors: those of sotto_i_evaluate. */
sotto_status sotto_i_evaluate_class(double *out, const sotto_i_task *task, sotto_tape *tape, sotto_part part,
                                    int32_t class_number, sotto_error *err);

#endif
