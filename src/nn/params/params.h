/* Internal structure of a parameter set. */
#ifndef SOTTO_SRC_NN_PARAMS_PARAMS_H
#define SOTTO_SRC_NN_PARAMS_PARAMS_H

#include "inside/nn.h"
#include "sotto/nn.h"

typedef struct sotto_i_param {
  char *name;
  sotto_matrix value, gradient;
  sotto_matrix first, second; /* moments of Adam; `first` is the momentum of SGD */
  float pace;                 /* factor of the learning rate */
  bool trained;
} sotto_i_param;

struct sotto_params {
  sotto_i_param **items; /* each in memory of its own, so pointers into it stay valid */
  size_t count, capacity;
  uint64_t steps; /* of Adam */
};

/* Multiplies the learning rate of one parameter, in every step from now on; 1 at first. */
void sotto_i_params_pace(sotto_params *params, size_t number, float pace);

/* Makes `to` equal to `from`, of which it is a clone or which is a clone of it: values, and the optimiser's
 * moments and steps, so that a fit goes on from `to` as from `from`. Errors: those of sotto_params_copy. */
sotto_status sotto_i_params_become(sotto_params *to, const sotto_params *from, sotto_error *err);

#endif
