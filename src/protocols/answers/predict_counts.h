/* Predictions of methods that correct predictions from features by counts (rounds.h). */
#ifndef SOTTO_SRC_PROTOCOLS_ANSWERS_PREDICT_COUNTS_H
#define SOTTO_SRC_PROTOCOLS_ANSWERS_PREDICT_COUNTS_H

#include "inside/nn.h"
#include "protocols/folds.h"
#include "run/train/predict.h"

enum { SOTTO_I_MOST_FIRST_SETS = 8 };
/* Networks on features alone, of a method's own type. */
typedef struct sotto_i_first_stage {
  size_t size; /* of self, zero at first */
  /* Makes the networks, and adds their parameters to `sets`, to be loaded. */
  sotto_status (*open)(void *self, sotto_params **sets, size_t *count, const sotto_i_opening *from,
                       sotto_error *err);
  /* out (fresh): log-probabilities of nodes[0..x->rows), whose features are the rows of x; NULL: of all. */
  sotto_status (*scores)(const void *self, sotto_matrix *out, const sotto_matrix *x, const uint32_t *nodes,
                         sotto_error *err);
  void (*free)(void *self); /* what self holds, in any state */
  bool told;                /* as in rounds.h: clusters of two classes get even odds */
} sotto_i_first_stage;

/* The folds of networks "PREFIX0.", "PREFIX1.", ...: as they were dealt, or, of other data than the run's
 * own, of nodes that none was trained on. */
sotto_status sotto_i_folds_of_answers(sotto_i_folds *out, const sotto_i_opening *from, const char *prefix,
                                      sotto_error *err);

/* Of methods with rounds of counts: as many as the model in `file` reads (method.h, narrow). */
sotto_status sotto_i_narrow_counts(sotto_options *options, const char *file, sotto_error *err);

/* `first` lives as long as the predictor. */
sotto_status sotto_i_predict_counts(sotto_i_predictor *out, const sotto_i_opening *from,
                                    const sotto_i_first_stage *first, sotto_error *err);

#endif
