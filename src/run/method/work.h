/* Counts of work that methods share, for sotto_plan_count. */
#ifndef SOTTO_SRC_RUN_METHOD_WORK_H
#define SOTTO_SRC_RUN_METHOD_WORK_H

#include "sotto/plan.h"

/* A new phase, zeroed but for these. */
sotto_plan_phase *sotto_i_work_phase(sotto_plan_work *work, const char *name, uint64_t times, double rows,
                                     double width);
/* Products of (rows x in)(in x out) or of that size, `times` of them. */
void sotto_i_work_product(sotto_plan_phase *phase, double rows, double in, double out, double times);
/* A layer x W + bias in training: forward and backward over the rows that train, forward over those that are
 * validated. `inner`: a gradient by x is wanted. */
void sotto_i_work_linear(sotto_plan_phase *phase, double train, double validation, double in, double out,
                         bool inner);
/* An activation in training, and dropout before it at that rate (backward too where `inner`). */
void sotto_i_work_activation(sotto_plan_phase *phase, sotto_activation activation, double train,
                             double validation, double width);
void sotto_i_work_dropout(sotto_plan_phase *phase, double train, double width, double rate, bool inner);
/* Sparse products with so many columns, each with an exchange between ranks. */
void sotto_i_work_spread(sotto_plan_phase *phase, const sotto_plan_shape *shape, double width, double times);
/* The loss over rows that train, loss and quality over those that are validated. */
void sotto_i_work_scores(sotto_plan_phase *phase, double train, double validation, double classes);

#endif
