/* Work of the perceptron: the first stage of two parties, both in one process. */
#include "mlp.h"

#include "recipes/networks/work.h"

bool sotto_i_mlp_work(sotto_plan_work *out, const sotto_options *options, const sotto_plan_shape *shape) {
  sotto_i_work_encoder(out, options, shape);
  return true;
}
