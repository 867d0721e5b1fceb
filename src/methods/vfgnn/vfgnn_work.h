/* Bytes and work of a run of vfgnn with counts, and of securegnn, by public numbers alone. */
#ifndef SOTTO_SRC_METHODS_VFGNN_VFGNN_WORK_H
#define SOTTO_SRC_METHODS_VFGNN_VFGNN_WORK_H

#include "run/method/work.h"

/* Bytes of all payloads between all parties of a seed, if no patience ends its training early and its split
 * is by the options' shares. */
double sotto_i_vfgnn_counts_bytes(const sotto_options *options, const sotto_plan_shape *shape);
/* The hooks `work` of the variants (run/method/method.h). All epochs of securegnn run, and its bytes grow
 * with the nodes and the edges that are declared for them. */
bool sotto_i_vfgnn_counts_work(sotto_plan_work *out, const sotto_options *options,
                               const sotto_plan_shape *shape);
bool sotto_i_securegnn_work(sotto_plan_work *out, const sotto_options *options,
                            const sotto_plan_shape *shape);

#endif
