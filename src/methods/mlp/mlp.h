/* Parts of the perceptron's method. */
#ifndef SOTTO_SRC_METHODS_MLP_MLP_H
#define SOTTO_SRC_METHODS_MLP_MLP_H

#include "run/method/method.h"

bool sotto_i_mlp_work(sotto_plan_work *out, const sotto_options *options, const sotto_plan_shape *shape);

#endif
