/* GraphSAGE on a perturbed graph, at edge level. */
#ifndef SOTTO_SRC_METHODS_PERTGRAPH_PERTGRAPH_H
#define SOTTO_SRC_METHODS_PERTGRAPH_PERTGRAPH_H

#include "inside/pmp.h"
#include "methods/gnn/graph_model.h"
#include "protocols/options.h"

sotto_status sotto_i_pertgraph_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
/* Errors: RANGE, also of a graph of fewer than 4 nodes. */
sotto_status sotto_i_pertgraph_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err);
/* The randomised response of a run on a graph with this approximate number of edges. Errors: UNSUPPORTED
 * (lapgraph), RANGE. */
sotto_status sotto_i_pertgraph_response(sotto_edge_response *out, const sotto_options *options,
                                        uint64_t nodes, uint64_t edges, sotto_error *err);
/* Perturbs the graph of a job into `graph` (fresh), for the release and its audit. `context` is a
 * sotto_i_job, of which options and data are read. Errors: RANGE, those of the mechanisms. */
sotto_status sotto_i_pertgraph_make(void *context, sotto_graph *graph, sotto_matrix *unused,
                                    const sotto_key *key, sotto_error *err);
/* Epsilon of the number of edges (0: it is not released) and of the graph; and whether LapGraph is used. */
void sotto_i_pertgraph_parts(double *count, double *graph, bool *lapgraph, const sotto_options *options);
struct sotto_i_canary;
sotto_status sotto_i_pertgraph_canary(struct sotto_i_canary *canary, const struct sotto_i_run *run,
                                      unsigned kind, sotto_error *err);

#endif
