/* GraphSAGE on a perturbed graph, at edge level. */
#ifndef SOTTO_SRC_METHODS_PERTGRAPH_PERTGRAPH_H
#define SOTTO_SRC_METHODS_PERTGRAPH_PERTGRAPH_H

#include "methods/gnn/graph_model.h"
#include "options.h"

sotto_status sotto_i_pertgraph_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
/* Errors: RANGE, also of a graph of fewer than 4 nodes. */
sotto_status sotto_i_pertgraph_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err);

#endif
