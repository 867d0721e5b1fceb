/* Predictions of methods that correct predictions from features by counts of neighbours (rounds.h). */
#ifndef SOTTO_SRC_PROTOCOLS_ANSWERS_PREDICT_COUNTS_H
#define SOTTO_SRC_PROTOCOLS_ANSWERS_PREDICT_COUNTS_H

#include "inside/nn.h"
#include "protocols/folds.h"
#include "run/train/predict.h"

enum { SOTTO_I_MOST_FIRST_SETS = 8 };
/* Networks on features alone, of a type that belongs to the method. */
typedef struct sotto_i_first_stage {
  size_t size; /* of self, which begins as zeros */
  /* Makes the networks, and adds their parameter sets to `sets`, to be loaded. */
  sotto_status (*open)(void *self, sotto_params **sets, size_t *count, const sotto_i_opening *from,
                       sotto_error *err);
  /* out (fresh): log-probabilities of nodes[0..x->rows), whose features are the rows of x; nodes NULL: of
   * all nodes. */
  sotto_status (*scores)(const void *self, sotto_matrix *out, const sotto_matrix *x, const uint32_t *nodes,
                         sotto_error *err);
  /* out (fresh): own features of these rows for the correction; NULL: the features themselves. */
  sotto_status (*own)(const void *self, sotto_matrix *out, const sotto_matrix *x, sotto_error *err);
  void (*free)(void *self); /* frees the content of self, in any state */
} sotto_i_first_stage;

/* The folds of networks "PREFIX0.", "PREFIX1.", ...: those of the training, or, for other data than the
 * run's own, folds in which no node was trained on. */
sotto_status sotto_i_folds_of_answers(sotto_i_folds *out, const sotto_i_opening *from, const char *prefix,
                                      sotto_error *err);

/* The `narrow` of methods with rounds of counts (method.h): layers becomes the number of rounds that the
 * model in `file` reads. */
sotto_status sotto_i_narrow_counts(sotto_options *options, const char *file, sotto_error *err);

/* `first` must outlive the predictor. */
sotto_status sotto_i_predict_counts(sotto_i_predictor *out, const sotto_i_opening *from,
                                    const sotto_i_first_stage *first, sotto_error *err);

#endif
