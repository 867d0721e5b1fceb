/* Work and memory of methods that count neighbours by cluster, for plans (sotto/plan.h). */
#ifndef SOTTO_SRC_PROTOCOLS_COUNTS_WORK_H
#define SOTTO_SRC_PROTOCOLS_COUNTS_WORK_H

#include "run/method/work.h"

/* Networks of all folds, whose steps go by at most `most` training rows (INFINITY: all); scores of all nodes
 * by them; releases of counts; and corrections. Memory is that of one process with all parties. */
void sotto_i_work_counts(sotto_plan_work *out, const sotto_options *options, const sotto_plan_shape *shape,
                         double most);
/* The scores, releases and corrections alone, into *out. */
void sotto_i_work_rounds(sotto_plan_work *out, const sotto_options *options, const sotto_plan_shape *shape);

#endif
