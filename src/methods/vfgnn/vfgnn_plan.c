/* Privacy cost of vfgnn's publications: every epoch is a release of all rows (docs/vfgnn.md). */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "pmp/publish.h"
#include "run/settings/options.h"
#include "vfgnn.h"

/* Algorithm 3 with the noise of theorem 2.4, sigma = sqrt(2 ln(1.25/delta)) C / epsilon for C = 1, in each
 * epoch. Its weights learn through the private graph, so an edge may move every row of a later epoch. */
static sotto_status paper_plan(sotto_pmp_plan *out, const sotto_pmp_options *pmp, const sotto_options *o,
                               double nodes, sotto_error *err) {
  double sigma = sqrt(2 * log(1.25 / o->delta)) / o->epsilon;
  return sotto_i_publish_plan_for(out, pmp, nodes, o->hidden, 2 * sqrt(nodes) / sigma, err);
}

sotto_status sotto_i_vfgnn_plan(sotto_i_release_plan *plan, const sotto_options *o, const sotto_graph *graph,
                                sotto_error *err) {
  sotto_pmp_plan *out = &plan->layers;
  const uint64_t nodes = graph->nodes;
  const sotto_pmp_options pmp = sotto_i_job_pmp(o);
  double mu;
  sotto_status status;
  if (!sotto_i_job_wants_privacy(o) || !sotto_i_variant_of(o)->noisy)
    return sotto_i_publish_plan_for(out, &pmp, (double)nodes, o->hidden, INFINITY, err);
  if (o->accounting == SOTTO_ACCOUNTING_PAPER) return paper_plan(out, &pmp, o, (double)nodes, err);
  double rows = sotto_i_publish_rows_moved(pmp.aggregator, pmp.layers, o->max_degree, nodes);
  SOTTO_TRY(sotto_gdp_mu(&mu, o->epsilon, o->delta, err));
  SOTTO_TRY(sotto_i_publish_plan_for(out, &pmp, rows, o->hidden,
                                     mu / sqrt((double)sotto_i_job_releases(o)) * (1 - 1e-9), err));
done:
  return status;
}
