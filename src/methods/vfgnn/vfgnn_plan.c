/* What all parties of a vfgnn run agree on. Then the privacy cost of its publications: every epoch is a
 * release of all rows (docs/vfgnn.md). And what the paper claims of it. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "pmp/publish.h"
#include "release/plan.h"
#include "run/settings/options.h"
#include "run/train/run.h"
#include "vfgnn.h"

const char sotto_i_vfgnn_counts_protocol = 0;
const char sotto_i_vfgnn_secure_protocol = 0;

bool sotto_i_vfgnn_by_counts(const sotto_options *options) {
  return sotto_i_variant_of(options)->protocol == &sotto_i_vfgnn_counts_protocol;
}

bool sotto_i_vfgnn_is_secure(const sotto_options *options) {
  return sotto_i_variant_of(options)->protocol == &sotto_i_vfgnn_secure_protocol;
}

void sotto_i_vfgnn_settle(sotto_i_vfgnn *out, const sotto_i_job *job) {
  const sotto_options *o = job->options;
  const bool counts = sotto_i_vfgnn_by_counts(o), noisy = !counts && job->plan->grid.sigma > 0;
  *out = (sotto_i_vfgnn){
      .job = job,
      .holders = (size_t)o->holders,
      .label_holder = (size_t)o->label_holder - 1,
      .apart = sotto_i_has_labels_apart(o),
      .nodes = job->facts != NULL ? job->facts->words[SOTTO_I_FACT_NODES] : job->data->graph.nodes,
      .width = counts ? SOTTO_I_MOST_FOLDS * o->hidden : o->hidden,
      .classes = job->facts != NULL ? job->facts->words[SOTTO_I_FACT_CLASSES] : job->data->classes,
      .collaborative = sotto_i_holder_settings_of(o)->initial != SOTTO_I_INITIAL_INDIVIDUALLY,
      .secure = sotto_i_vfgnn_is_secure(o),
      .counts = counts,
      .noisy = noisy,
      .sound = noisy && o->accounting == SOTTO_ACCOUNTING_SOUND,
      .together = job->seat == NULL && o->holders > 1};
  sotto_i_job_key(&out->key, job);
  sotto_i_job_noise_key(&out->first_key, job);
}

/* Algorithm 3 with the noise of theorem 2.4, sigma = sqrt(2 ln(1.25/delta)) C / epsilon for C = 1, in each
 * epoch. Its weights learn through the private graph, so an edge may change every row of a later epoch. */
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

static void claims(char out[SOTTO_I_CLAIM_TEXT], const sotto_options *o, const sotto_cost *cost) {
  (void)cost;
  if (!sotto_i_job_wants_privacy(o) || o->accounting == SOTTO_ACCOUNTING_SOUND)
    out[0] = '\0';
  else
    (void)snprintf(out, SOTTO_I_CLAIM_TEXT, "epsilon %g at delta %g (algorithm 3 and theorem 2.4)",
                   o->epsilon, o->delta);
}

const sotto_i_paper sotto_i_vfgnn_paper = {
    .claims = claims,
    .why = "the claim is for one row of one epoch, and an edge moves the rows of all nodes near its ends in "
           "every epoch"};
