/* Sums of gradients over ranks: rank i modulo their number computes batch i. */
#ifndef SOTTO_SRC_NN_ROWS_GRADIENTS_H
#define SOTTO_SRC_NN_ROWS_GRADIENTS_H

#include "inside/nn.h"
#include "ranks/ranks.h"
#include "sotto/nn.h"

/* Gradients of batches, each computed from zero, added up in the order of the batches at rank 0. The sum does
 * not depend on the number of ranks. Call sotto_i_gradient_sum_free in any case. */
typedef struct sotto_i_gradient_sum {
  sotto_ranks *ranks; /* NULL: one process */
  sotto_params *params;
  size_t count;        /* floats of all gradients */
  float *sum, *packed; /* `packed` ends with a loss */
  double loss;
} sotto_i_gradient_sum;
sotto_status sotto_i_gradient_sum_new(sotto_i_gradient_sum *out, sotto_params *params, sotto_ranks *ranks,
                                      sotto_error *err);
/* Adds one batch of each of the first `some` ranks; the parameters' gradients have this rank's batch. */
sotto_status sotto_i_gradient_sum_add(sotto_i_gradient_sum *sum, uint32_t some, double loss,
                                      sotto_error *err);
/* At rank 0: copies the sum to the parameters' gradients. */
void sotto_i_gradient_sum_take(const sotto_i_gradient_sum *sum);
void sotto_i_gradient_sum_free(sotto_i_gradient_sum *sum);

/* Sends rank 0's parameter values to all ranks. */
sotto_status sotto_i_params_give(sotto_params *params, sotto_ranks *ranks, sotto_error *err);

static inline uint32_t sotto_i_rank_number(const sotto_ranks *ranks) {
  return ranks == NULL ? 0 : sotto_ranks_number(ranks);
}
static inline uint32_t sotto_i_rank_count(const sotto_ranks *ranks) {
  return ranks == NULL ? 1 : sotto_ranks_count(ranks);
}

#endif
