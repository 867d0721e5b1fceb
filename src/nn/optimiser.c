/* Adam (Kingma and Ba 2015) and SGD with momentum, as in PyTorch. */
#include <math.h>

#include "base/error.h"
#include "base/threads.h"
#include "inside/nn.h"
#include "params/params.h"
#include "tensor/kernels.h"

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
    if (!sotto_i_kernels()->finite(param->gradient.data, size_of(&param->gradient)))
      return sotto_i_fail(err, SOTTO_NUMERIC,
                          "training diverged: the gradient of '%s' is not finite; lower the learning rate",
                          param->name);
  }
  return SOTTO_OK;
}

/* One parameter at a time, over ranges of its elements. */
typedef struct job {
  const sotto_i_param *param;
  sotto_i_adam_numbers adam;
  sotto_sgd sgd;
} job;

static void step_all(const sotto_params *params, sotto_i_range_fn work, job *j) {
  for (size_t i = 0; i < params->count; i++) {
    j->param = params->items[i];
    if (j->param->trained) sotto_i_parallel(size_of(&j->param->value), SOTTO_I_GRAIN, work, j);
  }
}

static void adam_range(void *context, size_t begin, size_t end) {
  const job *j = context;
  const sotto_i_param *p = j->param;
  sotto_i_adam_numbers adam = j->adam;
  adam.step_size *= p->pace;
  sotto_i_kernels()->adam(p->value.data + begin, p->first.data + begin, p->second.data + begin,
                          p->gradient.data + begin, &adam, end - begin);
}

/* The decimal number that a float was written as. 0.999F is not 0.999, so 1 - 0.999F in double precision is
 * off by 1e-5 relative. Seven digits recover the intended number, with which PyTorch works. */
static double nearest_decimal(float x) {
  return round((double)x * 1e7) / 1e7;
}

sotto_status sotto_adam_step(sotto_params *params, const sotto_adam *options, sotto_error *err) {
  sotto_status status = check_gradients(params, err);
  if (status != SOTTO_OK) return status;
  double step = (double)++params->steps;
  double beta1 = nearest_decimal(options->beta1), beta2 = nearest_decimal(options->beta2);
  job j = {.adam = {.one_minus_beta1 = (float)(1 - beta1),
                    .beta2 = options->beta2,
                    .one_minus_beta2 = (float)(1 - beta2),
                    .step_size = (float)(options->learning_rate / (1 - pow(beta1, step))),
                    .root_correction = (float)sqrt(1 - pow(beta2, step)),
                    .epsilon = options->epsilon,
                    .weight_decay = options->weight_decay}};
  step_all(params, adam_range, &j);
  return SOTTO_OK;
}

static void sgd_range(void *context, size_t begin, size_t end) {
  const job *j = context;
  const sotto_sgd o = j->sgd;
  float *restrict value = j->param->value.data, *restrict velocity = j->param->first.data;
  const float *restrict gradient = j->param->gradient.data;
  for (size_t i = begin; i < end; i++) {
    float g = gradient[i] + o.weight_decay * value[i];
    velocity[i] = o.momentum * velocity[i] + g;
    value[i] -= o.learning_rate * j->param->pace * velocity[i];
  }
}

sotto_status sotto_sgd_step(sotto_params *params, const sotto_sgd *options, sotto_error *err) {
  sotto_status status = check_gradients(params, err);
  if (status != SOTTO_OK) return status;
  job j = {.sgd = *options};
  step_all(params, sgd_range, &j);
  return SOTTO_OK;
}
