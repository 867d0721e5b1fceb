/* Work counts that methods share, for sotto_plan_count. */
#ifndef SOTTO_SRC_RUN_METHOD_WORK_H
#define SOTTO_SRC_RUN_METHOD_WORK_H

#include "sotto/plan.h"

/* Adds a phase; its other members are zero. */
sotto_plan_phase *sotto_i_work_phase(sotto_plan_work *work, const char *name, uint64_t times, double rows,
                                     double width);
/* Adds `times` products of (rows x in)(in x out), or others of that size. */
void sotto_i_work_product(sotto_plan_phase *phase, double rows, double in, double out, double times);
/* Adds a layer x W + bias in training: forward and backward over the training rows, forward over the
 * validation rows. `inner`: the gradient of x is needed. */
void sotto_i_work_linear(sotto_plan_phase *phase, double train, double validation, double in, double out,
                         bool inner);
/* Add an activation in training, or dropout at this rate (backward too if `inner`). */
void sotto_i_work_activation(sotto_plan_phase *phase, sotto_activation activation, double train,
                             double validation, double width);
void sotto_i_work_dropout(sotto_plan_phase *phase, double train, double width, double rate, bool inner);
/* Adds `times` sparse products of `width` columns, each with an exchange between ranks. */
void sotto_i_work_spread(sotto_plan_phase *phase, const sotto_plan_shape *shape, double width, double times);
/* Adds the loss over training rows, and loss and quality over validation rows. */
void sotto_i_work_scores(sotto_plan_phase *phase, double train, double validation, double classes);

#endif
