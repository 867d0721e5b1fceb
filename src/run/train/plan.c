/* The plan of a run: each release with its cost, the accounts that pay, and the ledger's decision. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "inside/pmp.h"
#include "pmp/contractive.h"
#include "published.h"
#include "release/plan.h"
#include "run.h"
#include "run/storage/accounts_file.h"
#include "run/storage/seed_file.h"

/* Gaussian releases compose by the squares of their mu: each of R gets mu / sqrt R. */
static sotto_status share_of_release(double *epsilon, uint64_t releases, double delta, sotto_error *err) {
  double mu;
  if (releases == 1 || isinf(*epsilon)) return SOTTO_OK;
  sotto_status status = sotto_gdp_mu(&mu, *epsilon, delta, err);
  if (status != SOTTO_OK) return status;
  return sotto_gdp_epsilon(epsilon, mu / sqrt((double)releases) * (1 - 1e-9), delta, err);
}

sotto_status sotto_i_plan_layers(sotto_i_release_plan *out, const sotto_options *o, const sotto_graph *graph,
                                 sotto_error *err) {
  const sotto_pmp_options pmp = sotto_i_job_pmp(o);
  double epsilon = sotto_i_variant_of(o)->noisy && sotto_i_job_wants_privacy(o) ? o->epsilon : INFINITY;
  sotto_status status;
  SOTTO_TRY(share_of_release(&epsilon, sotto_i_job_releases(o), o->delta, err));
  SOTTO_TRY(sotto_pmp_plan_new(&out->layers, &pmp, graph->nodes, sotto_i_released_width(o), epsilon, o->delta,
                               err));
done:
  return status;
}

/* Plans the releases of a seed by the method's own list. */
static sotto_status plan_by_price(sotto_i_run *r, sotto_error *err) {
  sotto_i_seat seat = {.index = 0};
  sotto_i_job job = {.options = r->options, .data = r->data, .seed = r->options->seed};
  if (r->party != NULL) {
    seat.role = r->party->role;
    seat.number = r->party->number;
    job.seat = &seat;
  }
  sotto_status status = r->variant->price(&r->cost, &job, err);
  if (status == SOTTO_OK) status = sotto_i_published_price(&r->cost, &job, err);
  r->charges = r->cost.count > 0 && (!sotto_i_has_clients(r->options) || r->variant->covered);
  return status;
}

/* Plans the single release of a method without such a list, made r->releases times in each seed. */
static sotto_status plan_by_release(sotto_i_run *r, sotto_error *err) {
  const sotto_i_variant *v = r->variant;
  sotto_mechanism mechanism = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
  const char *what = "noisy layers of message passing over the whole graph";
  sotto_status status =
      (v->plan != NULL ? v->plan : sotto_i_plan_layers)(&r->plan, r->options, &r->data->graph, err);
  if (status != SOTTO_OK) return status;
  const sotto_pmp_plan *layers = &r->plan.layers;
  mechanism.noise = layers->grid.sigma;
  mechanism.sensitivity = layers->sensitivity;
  mechanism.count = layers->options.layers;
  if (v->contractive) {
    mechanism = sotto_contractive_mechanism(&r->plan.contractive);
    what = "the last of several noisy contractive layers over the whole graph";
  }
  r->cost.claim = r->plan.claim;
  r->cost.adjacency = "edge";
  r->cost.by_mu = true;
  r->has_plan = true;
  r->charges = layers->grid.sigma > 0;
  if (r->charges)
    sotto_i_cost_add(&r->cost, r->plan.what == NULL ? what : r->plan.what, &mechanism, layers->mu, 0)->times =
        r->releases;
  return SOTTO_OK;
}

/* Gaussian noise has no epsilon at delta 0. */
static sotto_status check_delta(const sotto_i_run *r, sotto_status status, sotto_error *err) {
  if (r->options->delta > 0 || (status != SOTTO_OK && status != SOTTO_RANGE)) return status;
  bool is_pure = status == SOTTO_OK;
  for (size_t i = 0; i < r->cost.count; i++) is_pure = is_pure && !(r->cost.items[i].mu > 0);
  if (is_pure) return SOTTO_OK;
  if (err != NULL) err->status = SOTTO_OK; /* so that this reason replaces the accountant's */
  return sotto_i_fail(
      err, SOTTO_RANGE,
      "delta: 0 asks for pure privacy, and %s adds Gaussian noise, which has no epsilon at delta 0; "
      "give a delta above 0, or a method with Laplace noise or randomised response, such as best",
      r->options->method);
}

static sotto_status plan_releases(sotto_i_run *r, sotto_error *err) {
  const sotto_i_method *method = sotto_i_method_of(r->options);
  sotto_status status = SOTTO_OK;
  r->cost = (sotto_cost){.count = 0}; /* a server plans again after each restart of a party */
  if (r->variant->price != NULL)
    SOTTO_TRY(plan_by_price(r, err));
  else if (r->variant->edges)
    SOTTO_TRY(plan_by_release(r, err));
  if (r->cost.adjacency == NULL) r->cost.adjacency = "edge";
  if (sotto_i_run_owns_edges(r))
    sotto_i_cost_account(&r->cost, SOTTO_ACCOUNT_DATA, r->data->account, r->data->name);
  if (method->accounts != NULL) SOTTO_TRY(method->accounts(r, err));
  sotto_i_cost_complete(&r->cost);
done:
  return status;
}

sotto_status sotto_i_run_plan(sotto_i_run *r, sotto_error *err) {
  return check_delta(r, plan_releases(r, err), err);
}

sotto_status sotto_i_run_ask(sotto_i_run *r, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (r->options->out[0] != '\0') SOTTO_TRY(sotto_i_accounts_take(&r->cost, r->options->out, err));
  SOTTO_TRY(sotto_i_run_open_account(r, err));
  if (r->ledger != NULL)
    SOTTO_TRY(sotto_i_cost_ask(r->ledger, &r->cost, r->options, r->id, sotto_i_seed_file_exists, err));
done:
  return status;
}

sotto_i_job sotto_i_run_job(const sotto_i_run *r, const char *folder, uint64_t seed) {
  return (sotto_i_job){.options = r->options,
                       .data = r->data,
                       .features = &r->features,
                       .rows = r->rows.from == NULL ? NULL : &r->rows.source,
                       .plan = r->has_plan ? &r->plan.layers : NULL,
                       .contractive = r->variant->contractive ? &r->plan.contractive : NULL,
                       .last_alone = r->plan.one_shot,
                       .label_graph = r->other,
                       .ledger = r->ledger,
                       .cost = &r->cost,
                       .run_id = r->id,
                       .folder = folder,
                       .seed = seed,
                       .probe = r->probe};
}
