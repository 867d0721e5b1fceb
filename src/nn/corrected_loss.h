/* Cross entropy on labels that went through randomised response (forward correction: Patrini et al. 2017). */
#ifndef SOTTO_SRC_NN_CORRECTED_LOSS_H
#define SOTTO_SRC_NN_CORRECTED_LOSS_H

#include "sotto/nn.h"

/* Labels as they were told: the truth with probability 1 - lie, else each other class alike. lie 0: the
 * truth. */
typedef struct sotto_i_told {
  const int32_t *labels; /* borrowed */
  size_t count;
  double lie;
} sotto_i_told;

/* Mean over i < count of -log q_i[labels[i]], q = (1 - lie) p + lie (1 - p)/(classes - 1), p the softmax of
 * row i: 1 x 1. Over many tellings its mean is least where p is the law of the true label. `told` is borrowed
 * until the next reset of the tape. A label that is no class fails the tape with RANGE. */
sotto_var sotto_i_told_cross_entropy(sotto_tape *tape, sotto_var logits, const sotto_i_told *told);

#endif
