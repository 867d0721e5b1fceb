/* Adam (Kingma and Ba 2015) and SGD with momentum, in the forms PyTorch has them. */
#include <math.h>

#include "base/error.h"
#include "params.h"

sotto_adam sotto_adam_defaults(void) {
  return (sotto_adam){
      .learning_rate = 1e-3F, .beta1 = 0.9F, .beta2 = 0.999F, .epsilon = 1e-8F, .weight_decay = 0};
}

static size_t size_of(const sotto_matrix *matrix) {
  return matrix->rows * matrix->cols;
}

/* Nothing is changed unless every gradient is finite. */
static sotto_status check_gradients(const sotto_params *params, sotto_error *err) {
  for (size_t i = 0; i < params->count; i++) {
    const sotto_i_param *param = params->items[i];
    float poison = 0;
    for (size_t j = 0; j < size_of(&param->gradient); j++) poison += param->gradient.data[j] * 0.0F;
    if (poison != 0.0F)
      return sotto_i_fail(err, SOTTO_NUMERIC,
                          "training diverged: the gradient of '%s' is not finite; lower the learning rate",
                          param->name);
  }
  return SOTTO_OK;
}

static void adam_param(sotto_i_param *param, const sotto_adam *o, float step_size, float second_scale) {
  float *restrict value = param->value.data, *restrict first = param->first.data;
  float *restrict second = param->second.data;
  const float *restrict gradient = param->gradient.data;
  for (size_t i = 0; i < size_of(&param->value); i++) {
    float g = gradient[i] + o->weight_decay * value[i];
    first[i] += (1 - o->beta1) * (g - first[i]);
    second[i] = o->beta2 * second[i] + (1 - o->beta2) * g * g;
    value[i] -= step_size * first[i] / (sqrtf(second[i]) * second_scale + o->epsilon);
  }
}

sotto_status sotto_adam_step(sotto_params *params, const sotto_adam *options, sotto_error *err) {
  sotto_status status = check_gradients(params, err);
  if (status != SOTTO_OK) return status;
  double step = (double)++params->steps;
  float step_size = (float)(options->learning_rate / (1 - pow(options->beta1, step)));
  float second_scale = (float)(1 / sqrt(1 - pow(options->beta2, step)));
  for (size_t i = 0; i < params->count; i++)
    if (params->items[i]->trained) adam_param(params->items[i], options, step_size, second_scale);
  return SOTTO_OK;
}

sotto_status sotto_sgd_step(sotto_params *params, const sotto_sgd *options, sotto_error *err) {
  sotto_status status = check_gradients(params, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < params->count; i++) {
    sotto_i_param *param = params->items[i];
    for (size_t j = 0; param->trained && j < size_of(&param->value); j++) {
      float g = param->gradient.data[j] + options->weight_decay * param->value.data[j];
      param->first.data[j] = options->momentum * param->first.data[j] + g;
      param->value.data[j] -= options->learning_rate * param->first.data[j];
    }
  }
  return SOTTO_OK;
}
