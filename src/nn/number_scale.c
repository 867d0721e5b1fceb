/* Mean and deviation of numbers, as parameters of the model that predicts them. */
#include "number_scale.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "inside/tensor.h"

static sotto_status add_number(size_t *number, sotto_params *params, const char *name, const char *what,
                               sotto_init init, const sotto_key *key, sotto_error *err) {
  char full[80];
  (void)snprintf(full, sizeof full, "%s.%s", name, what);
  return sotto_params_add(params, number, full, 1, 1, init, false, key, err);
}

sotto_status sotto_i_number_scale_new(sotto_i_number_scale *out, sotto_params *params, const char *name,
                                      const sotto_key *key, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(add_number(&out->mean, params, name, "mean", SOTTO_INIT_ZERO, key, err));
  SOTTO_TRY(add_number(&out->deviation, params, name, "deviation", SOTTO_INIT_ONE, key, err));
done:
  return status;
}

static double mean_of(const sotto_i_targets *targets) {
  double sum = 0;
  for (size_t i = 0; i < targets->count; i++) sum += (double)targets->numbers[i];
  return sum / (double)targets->count;
}

static double deviation_of(const sotto_i_targets *targets, double mean) {
  double sum = 0;
  for (size_t i = 0; i < targets->count; i++)
    sum += ((double)targets->numbers[i] - mean) * ((double)targets->numbers[i] - mean);
  return sqrt(sum / (double)targets->count);
}

sotto_status sotto_i_number_scale_set(const sotto_i_number_scale *scale, sotto_params *params, double mean,
                                      double found, sotto_error *err) {
  if (found > 0 && !(found >= FLT_MIN && found <= FLT_MAX))
    return sotto_i_fail(
        err, SOTTO_RANGE,
        "the numbers have a standard deviation of %g, outside %g to %g; write them in another "
        "unit",
        found, (double)FLT_MIN, (double)FLT_MAX);
  const float deviation = found > 0 ? (float)found : 1;
  sotto_params_value(params, scale->mean)->data[0] = (float)mean;
  sotto_params_value(params, scale->deviation)->data[0] = deviation;
  return SOTTO_OK;
}

sotto_status sotto_i_number_scale_learn(const sotto_i_number_scale *scale, sotto_params *params,
                                        sotto_i_targets targets[4], sotto_error *err) {
  const sotto_i_targets *train = &targets[SOTTO_PART_TRAIN];
  if (train->numbers == NULL || train->count == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "the training part has no numbers to learn");
  for (size_t i = 0; i < train->count; i++)
    if (!isfinite(train->numbers[i]))
      return sotto_i_fail(err, SOTTO_RANGE, "the number of row %zu is not finite", i);
  const double mean = mean_of(train), found = deviation_of(train, mean);
  const sotto_status status = sotto_i_number_scale_set(scale, params, mean, found, err);
  if (status != SOTTO_OK) return status;
  const double deviation = (double)sotto_params_value(params, scale->deviation)->data[0];
  for (int part = 0; part < 4; part++) targets[part].deviation = deviation;
  return SOTTO_OK;
}

sotto_var sotto_i_number_scale_apply(const sotto_i_number_scale *scale, sotto_params *params,
                                     sotto_tape *tape, sotto_var x) {
  const float deviation = sotto_params_value(params, scale->deviation)->data[0];
  return sotto_tape_add_row(tape, sotto_tape_scale(tape, x, deviation),
                            sotto_params_var(params, scale->mean, tape));
}
