/* Activation functions outside the tape. */
#ifndef SOTTO_SRC_NN_ACTIVATION_H
#define SOTTO_SRC_NN_ACTIVATION_H

#include "sotto/nn.h"

/* Applies the activation to each of `count` values in place. */
void sotto_i_activate_row(float *row, size_t count, sotto_activation activation);

#endif
