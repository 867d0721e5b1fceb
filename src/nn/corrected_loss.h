/* Cross entropy on labels that went through randomised response (forward correction: Patrini et al. 2017). */
#ifndef SOTTO_SRC_NN_CORRECTED_LOSS_H
#define SOTTO_SRC_NN_CORRECTED_LOSS_H

#include "sotto/nn.h"

/* Labels as reported by randomised response: the true one with probability 1 - flip, else each other class
 * with equal probability. flip 0: true labels. */
typedef struct sotto_i_reported {
  const int32_t *labels; /* borrowed */
  size_t count;
  double flip;
} sotto_i_reported;

/* Mean over i < count of -log q_i[labels[i]], with q = (1 - flip) p + flip (1 - p)/(classes - 1) and p the
 * softmax of row i: 1 x 1. Over many reports its mean is least where p is the distribution of the true label.
 * `reported` is borrowed until the next reset of the tape. A label that is not a class fails the tape with
 * RANGE. */
sotto_var sotto_i_reported_cross_entropy(sotto_tape *tape, sotto_var logits,
                                         const sotto_i_reported *reported);

#endif
