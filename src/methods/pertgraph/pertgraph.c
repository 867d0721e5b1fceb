/* PertGraph: the graph is perturbed once, at edge level, and released; GraphSAGE on the result is
 * post-processing. Asymmetric randomised response and LapGraph need the number of edges, which is a
 * separate release with a share of epsilon; pure epsilons add up. */
#include "pertgraph.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "inside/pmp.h"
#include "pmp/pairs.h"
#include "release/artifact.h"

enum { stream_count = 0, stream_graph = 1 };

/* The share of epsilon for the number of edges. */
static const double density_share = 0.1;

typedef struct parts {
  double count, graph; /* epsilon of the number of edges (0: not needed), and of the graph */
} parts;

static parts epsilon_parts(const sotto_options *o) {
  if (sotto_i_publication_of(o) == SOTTO_I_PUBLICATION_EDGERAND) return (parts){0, o->epsilon};
  return (parts){o->epsilon * density_share, o->epsilon * (1 - density_share)};
}

void sotto_i_pertgraph_parts(double *count, double *graph, bool *lapgraph, const sotto_options *options) {
  const parts p = epsilon_parts(options);
  *count = p.count;
  *graph = p.graph;
  *lapgraph = sotto_i_publication_of(options) == SOTTO_I_PUBLICATION_LAPGRAPH;
}

sotto_status sotto_i_pertgraph_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  const parts p = epsilon_parts(o);
  sotto_status status = SOTTO_OK;
  *out = (sotto_cost){.adjacency = "edge"};
  if (!sotto_i_price_asked(o)) return SOTTO_OK;
  if (job->data->graph.nodes < 4)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: a graph of fewer than 4 nodes cannot be perturbed",
                        job->data->name);
  SOTTO_TRY(sotto_i_check_adjacency_epsilon(p.graph, err));
  if (p.count > 0) {
    SOTTO_TRY(sotto_i_check_adjacency_epsilon(p.count, err));
    sotto_mechanism laplace = sotto_mechanism_default(SOTTO_MECHANISM_LAPLACE);
    laplace.noise = 1 / p.count;
    sotto_i_cost_add_pure(out, "the number of edges, with discrete Laplace noise", &laplace, p.count);
  }
  if (sotto_i_publication_of(o) == SOTTO_I_PUBLICATION_LAPGRAPH) {
    const sotto_mechanism lapgraph = sotto_lapgraph_mechanism(p.graph);
    sotto_i_cost_add_pure(out, "the graph: the largest of all pairs with Laplace noise (LapGraph)", &lapgraph,
                          p.graph);
  } else {
    sotto_mechanism response = sotto_mechanism_default(SOTTO_MECHANISM_RANDOMIZED_RESPONSE);
    response.epsilon = p.graph;
    sotto_i_cost_add_pure(out,
                          p.count > 0 ? "the graph: asymmetric randomised response on every pair of nodes"
                                      : "the graph: randomised response on every pair of nodes (EdgeRand)",
                          &response, p.graph);
  }
done:
  return status;
}

sotto_status sotto_i_pertgraph_response(sotto_edge_response *out, const sotto_options *options,
                                        uint64_t nodes, uint64_t edges, sotto_error *err) {
  const parts p = epsilon_parts(options);
  if (sotto_i_publication_of(options) == SOTTO_I_PUBLICATION_LAPGRAPH)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "publication: lapgraph answers about no pair by itself");
  return p.count > 0 ? sotto_edge_response_asymmetric(out, nodes, edges, p.graph, err)
                     : sotto_edge_response_symmetric(out, p.graph, err);
}

sotto_status sotto_i_pertgraph_make(void *context, sotto_graph *graph, sotto_matrix *unused,
                                    const sotto_key *key, sotto_error *err) {
  const sotto_i_job *job = context;
  const sotto_graph *private_graph = &job->data->graph;
  const parts p = epsilon_parts(job->options);
  sotto_edge_response response;
  sotto_status status = SOTTO_OK;
  uint64_t edges = 0;
  (void)unused;
  if (p.count > 0) SOTTO_TRY(sotto_edge_count(&edges, private_graph, p.count, key, stream_count, err));
  if (sotto_i_publication_of(job->options) == SOTTO_I_PUBLICATION_LAPGRAPH) {
    /* Clamping a released number is post-processing. */
    uint64_t most = (uint64_t)(sotto_i_pair_count(private_graph->nodes) / 4);
    SOTTO_TRY(
        sotto_lapgraph(graph, private_graph, edges < most ? edges : most, p.graph, key, stream_graph, err));
    goto done;
  }
  SOTTO_TRY(sotto_i_pertgraph_response(&response, job->options, private_graph->nodes, edges, err));
  SOTTO_TRY(sotto_edge_response_apply(graph, private_graph, &response, key, stream_graph, err));
done:
  return status;
}

sotto_status sotto_i_pertgraph_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  sotto_dataset released = {0};
  static const char *const words[] = {"asymmetric", "edgerand", "lapgraph"};
  char name[160];
  if (job->cost->count == 0) return sotto_i_sage_run(out, job, err);
  const parts p = epsilon_parts(job->options);
  (void)snprintf(name, sizeof name, "pertgraph %s %.17g %.17g",
                 words[sotto_i_publication_of(job->options) - SOTTO_I_PUBLICATION_ASYMMETRIC], p.count,
                 p.graph);
  sotto_i_job context = *job;
  const sotto_i_table_artifact table = {.artifact = {.owner = sotto_i_job_owner(job),
                                                     .items = job->cost->count,
                                                     .file = SOTTO_I_PERTURBED_FILE,
                                                     .made_with = name},
                                        .rows = job->data->graph.nodes,
                                        .context = &context,
                                        .make = sotto_i_pertgraph_make};
  SOTTO_TRY(sotto_i_table_use(&released, NULL, &table, err));
  SOTTO_TRY(sotto_i_sage_on(out, job, &released.graph, err));
done:
  sotto_dataset_free(&released);
  return status;
}
