/* The training loop: epochs, validation, the best epoch's parameters kept. */
#ifndef SOTTO_SRC_NN_FIT_H
#define SOTTO_SRC_NN_FIT_H

#include "corrected_loss.h"
#include "inside/nn.h"
#include "ranks/ranks.h"
#include "rows/batch.h"
#include "sotto/graph.h"
#include "sotto/nn.h"

/* Which epoch was best so far: the highest validation value, and among equals the lowest validation loss.
 * Zero-initialise `epoch` and `best_epoch`. */
typedef struct sotto_i_watch {
  uint64_t epoch, best_epoch;
  double best, best_loss;
} sotto_i_watch;

/* A training between two epochs; state.h has its file. */
typedef struct sotto_i_training_state {
  sotto_params *params, *best;
  sotto_i_watch *watch;
  sotto_quality *quality; /* of the best epoch; NULL: not kept */
} sotto_i_training_state;

/* Where a training keeps itself, and goes on from: after every `every` epochs (0: never) `save` is called
 * with the epoch, unless it is the last; before the first, `load`, which leaves all as it is when nothing was
 * kept.
 */
typedef struct sotto_i_keeper {
  void *context;
  uint64_t every;
  sotto_status (*save)(void *context, uint64_t epoch, const sotto_i_training_state *state, sotto_error *err);
  sotto_status (*load)(void *context, const sotto_i_training_state *state, sotto_error *err);
} sotto_i_keeper;
/* Both do nothing for a keeper that is NULL. */
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
/* Takes the validation value and loss of the next epoch. A value that is NAN is never better than a number.
 */
sotto_i_decision sotto_i_watch_next(sotto_i_watch *watch, double value, double loss,
                                    const sotto_i_training *training);

/* Mean of -log softmax(scores[i])[labels[i]] over the rows of scores. */
double sotto_i_mean_loss(const sotto_matrix *scores, const int32_t *labels);

double sotto_i_quality_value(const sotto_quality *quality, sotto_measure measure);
/* The same member by itself, of all rows of scores: training loops look at one in each epoch, and an area
 * under a curve takes a sort for each class (quality.c). Errors: those of sotto_quality_measure. */
sotto_status sotto_i_quality_one(double *out, sotto_measure measure, const sotto_matrix *scores,
                                 const int32_t *labels, size_t count, sotto_error *err);

/* A model to be fitted. forward gives the logits of a batch. */
typedef struct sotto_i_task {
  void *model;
  sotto_params *params;
  sotto_var (*forward)(void *model, const sotto_pass *pass, const sotto_i_batch *batch);
  bool batched;             /* forward takes any batch; else it is asked for whole parts alone */
  const int32_t *labels[4]; /* one a row of each part */
  size_t count[4];
  double flip;          /* flip probability of the training labels (corrected_loss.h); 0: they are true */
  bool labels_hidden;   /* from a peer that chose some of the inputs: what is not finite counts as zero, since
                           a failure would show labels */
  const sotto_key *key; /* for dropout */
  sotto_ranks *ranks;   /* that share the batches, all with the same task; NULL: this process has them all */
} sotto_i_task;

/* Called after each epoch; may be NULL. */
typedef struct sotto_i_epoch_hook {
  void *context;
  void (*call)(void *context, uint64_t epoch, double loss, double validation);
} sotto_i_epoch_hook;

/* Training by Adam, a step of all training rows an epoch; ends with the parameters of the best validation
 * epoch. Errors: those of the tape and of Adam (NUMERIC when the loss diverges, but with
 * labels_hidden), INTERRUPTED. */
sotto_status sotto_i_fit(const sotto_i_task *task, const sotto_i_training *training,
                         const sotto_i_epoch_hook *hook, sotto_error *err);

/* Quality on one part, without dropout. */
sotto_status sotto_i_evaluate(sotto_quality *out, const sotto_i_task *task, sotto_tape *tape, sotto_part part,
                              sotto_error *err);

#endif
