/* Activation functions for a row outside the tape. */
#include "activation.h"

#include <math.h>

void sotto_i_activate_row(float *row, size_t count, sotto_activation activation) {
  const float selu_scale = 1.0507009873554805F, selu_alpha = 1.6732632423543772F;
  switch (activation) {
  case SOTTO_ACTIVATION_NONE:
    break;
  case SOTTO_ACTIVATION_RELU:
    for (size_t j = 0; j < count; j++) row[j] = row[j] > 0 ? row[j] : 0;
    break;
  case SOTTO_ACTIVATION_SELU:
    for (size_t j = 0; j < count; j++)
      row[j] = selu_scale * (row[j] > 0 ? row[j] : selu_alpha * expm1f(row[j]));
    break;
  case SOTTO_ACTIVATION_TANH:
    for (size_t j = 0; j < count; j++) row[j] = tanhf(row[j]);
    break;
  case SOTTO_ACTIVATION_SIGMOID:
    for (size_t j = 0; j < count; j++) row[j] = 1 / (1 + expf(-row[j]));
    break;
  }
}
