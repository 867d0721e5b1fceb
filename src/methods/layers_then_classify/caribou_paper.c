/* CARIBOU with --accounting paper: noise by the authors' theorem 4 from the graph's own least degree
 * without a floor, and the guarantee that this noise really gives. For comparison only: the least degree is
 * a number of the private graph, and a neighbouring graph has another (docs/privacy/papers.md). On
 * every graph the same layers have the sensitivity of a floor of 0, and the ledger is charged for that. */
#include "caribou_paper.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "inside/dp.h"
#include "pmp/contractive.h"
#include "sotto/claims.h"

bool sotto_i_caribou_as_paper(const sotto_options *options) {
  return options->accounting == SOTTO_ACCOUNTING_PAPER && sotto_i_variant_of(options)->contractive;
}

sotto_status sotto_i_caribou_paper_check(const sotto_options *o, sotto_error *err) {
  const sotto_i_caribou_settings *own = sotto_i_caribou_settings_of(o);
  if (o->degree_floor > 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "degree-floor: has no meaning with accounting paper, which reads the least degree "
                        "off the graph");
  if (!(own->contraction * own->alpha > 0))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "contraction, alpha: with accounting paper both are above 0, or no edge is used");
  return SOTTO_OK;
}

static uint64_t least_degree(const sotto_graph *graph) {
  uint64_t least = graph->nodes > 0 ? UINT64_MAX : 0;
  for (uint64_t v = 0; v < graph->nodes; v++) {
    uint64_t degree = graph->offsets[v + 1] - graph->offsets[v];
    if (degree < least) least = degree;
  }
  return least;
}

sotto_status sotto_i_caribou_paper_plan(sotto_contractive_plan *out, sotto_paper_claim *claim,
                                        const sotto_options *o, const sotto_graph *graph, sotto_error *err) {
  const sotto_i_caribou_settings *own = sotto_i_caribou_settings_of(o);
  const sotto_contractive_options options = sotto_i_contractive_options(o);
  double mu = INFINITY;
  sotto_status status;
  *claim = (sotto_paper_claim){.least_degree = least_degree(graph)};
  SOTTO_TRY(sotto_i_contractive_plan_for(out, &options, graph->nodes, o->hidden, mu, err));
  if (!sotto_i_job_wants_privacy(o)) goto done;
  SOTTO_TRY(sotto_paper_caribou(&claim->sensitivity, own->contraction, own->alpha, claim->least_degree, err));
  SOTTO_TRY(sotto_gdp_mu(&mu, o->epsilon, o->delta, err));
  mu *= out->sensitivity / claim->sensitivity; /* the same noise, with the sensitivity on every graph */
  SOTTO_TRY(sotto_i_contractive_plan_for(out, &options, graph->nodes, o->hidden, mu, err));
  claim->noise = out->grid.sigma;
  claim->epsilon = o->epsilon;
done:
  return status;
}
