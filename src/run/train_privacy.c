/* What a run may do and what it costs: the domain it holds its data to, the plan of its releases, whether the
 * ledger would take them, and the statement of it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cost.h"
#include "methods/layers_then_classify/caribou_paper.h"
#include "methods/vesper/label_edges.h"
#include "methods/vesper/label_response.h"
#include "methods/vfgnn/vfgnn.h"
#include "party_run.h"
#include "pmp/contractive.h"
#include "pmp/publish.h"
#include "train.h"

bool sotto_i_run_owns_edges(const sotto_i_run *r) {
  return r->party == NULL || (r->party->role != SOTTO_ROLE_LABEL && r->party->role != SOTTO_ROLE_SERVER);
}

/* Is it this process that has the labels, and answers for them? */
static bool tells_labels(const sotto_i_run *r) {
  return sotto_i_labels_asked(r->options) && (r->party == NULL || r->party->role == SOTTO_ROLE_LABEL);
}

const sotto_graph *sotto_i_run_label_graph(const sotto_i_run *r) {
  if (!sotto_i_label_edges_asked(r->options)) return NULL;
  if (r->party == NULL) return &r->label_graph;
  return r->party->role == SOTTO_ROLE_LABEL ? &r->data->graph : NULL;
}

static sotto_status check_degrees(sotto_i_run *r, sotto_error *err) {
  const sotto_options *o = r->options;
  sotto_status status = SOTTO_OK;
  sotto_key key;
  if (o->max_degree == 0 || r->data->graph.offsets == NULL) return SOTTO_OK;
  if (sotto_i_has_holders(o)) return SOTTO_OK; /* each holder checks its own graph */
  if (o->degree_cut) {
    r->cut = *r->data;
    sotto_key_public(&key, o->seed);
    status = sotto_graph_cut_degrees(&r->cut.graph, &r->data->graph, o->max_degree, &key, err);
    if (status != SOTTO_OK) return status;
    r->is_cut = true;
    r->data = &r->cut;
    return SOTTO_OK;
  }
  sotto_error found = {0};
  status = sotto_graph_check_degrees(&r->data->graph, o->max_degree, &found);
  if (status == SOTTO_OK) return status;
  return sotto_i_fail(err, status, "max-degree: %.300s: declare a larger one%s", found.text,
                      strcmp(o->adjacency, "edge") == 0 ? "" : ", or cut edges with --degree-cut");
}

sotto_status sotto_i_run_check_domain(sotto_i_run *r, sotto_error *err) {
  const sotto_options *o = r->options;
  if (strcmp(o->adjacency, "node") == 0 && o->delta * (double)r->data->graph.nodes >= 1)
    return sotto_i_fail(err, SOTTO_RANGE, "delta: %g is not below one in %llu, the number of nodes", o->delta,
                        (unsigned long long)r->data->graph.nodes);
  sotto_status status = check_degrees(r, err);
  if (status != SOTTO_OK || r->party != NULL || !sotto_i_label_edges_asked(o)) return status;
  r->part = *r->data;
  status = sotto_i_label_edges_part(&r->part.graph, &r->label_graph, &r->data->graph, o->label_edges, err);
  if (status == SOTTO_OK) r->data = &r->part;
  return status;
}

/* Gaussian releases compose by the squares of their mu: each of R gets mu / sqrt R. */
static sotto_status share_of_release(double *epsilon, uint64_t releases, double delta, sotto_error *err) {
  double mu;
  if (releases == 1 || isinf(*epsilon)) return SOTTO_OK;
  sotto_status status = sotto_gdp_mu(&mu, *epsilon, delta, err);
  if (status != SOTTO_OK) return status;
  return sotto_gdp_epsilon(epsilon, mu / sqrt((double)releases) * (1 - 1e-9), delta, err);
}

sotto_status sotto_i_run_plan(sotto_i_run *r, sotto_error *err) {
  const sotto_options *o = r->options;
  if (r->variant->price != NULL) {
    const sotto_i_job job = {.options = o, .data = r->data, .seed = o->seed};
    sotto_status priced = r->variant->price(&r->cost, &job, err);
    r->charges = r->cost.count > 0;
    return priced;
  }
  if (!r->variant->edges) return SOTTO_OK;
  const sotto_pmp_options pmp = sotto_i_job_pmp(o);
  double epsilon = r->variant->noisy && sotto_i_job_wants_privacy(o) ? o->epsilon : INFINITY;
  uint64_t nodes = r->data->graph.nodes;
  sotto_status status;
  if (r->variant->contractive) {
    const sotto_contractive_options contractive = sotto_i_job_contractive(o);
    if (sotto_i_caribou_as_paper(o))
      SOTTO_TRY(sotto_i_caribou_paper_plan(&r->contractive, &r->cost.claim, o, &r->data->graph, err));
    else
      SOTTO_TRY(sotto_contractive_plan_new(&r->contractive, &contractive, nodes, o->hidden, epsilon, o->delta,
                                           err));
    r->plan = sotto_i_contractive_shown(&r->contractive);
  } else {
    SOTTO_TRY(share_of_release(&epsilon, r->releases, o->delta, err));
    if (sotto_i_has_holders(o))
      SOTTO_TRY(sotto_i_vfgnn_plan(&r->plan, o, nodes, err));
    else if (sotto_i_publishes(o, "vfgnn"))
      SOTTO_TRY(sotto_i_publish_plan(&r->plan, &pmp, o->max_degree, nodes, sotto_i_released_width(o), epsilon,
                                     o->delta, err));
    else
      SOTTO_TRY(sotto_pmp_plan_new(&r->plan, &pmp, nodes, sotto_i_released_width(o), epsilon, o->delta, err));
  }
  r->has_plan = true;
  r->charges = r->plan.grid.sigma > 0;
done:
  return status;
}

static sotto_status open_ledger(sotto_i_run *r, sotto_error *err) {
  const char *path = r->options->ledger;
  return r->ledger != NULL ? SOTTO_OK : sotto_ledger_open(&r->ledger, path[0] == '\0' ? NULL : path, err);
}

/* All releases of one party, by the account that it charges them to. */
static sotto_status ask_releases(sotto_i_run *r, const sotto_dataset *account, bool of_label,
                                 sotto_error *err) {
  const sotto_options *o = r->options;
  sotto_status status = SOTTO_OK;
  sotto_charge *charges = NULL;
  char(*ids)[SOTTO_I_ID_SIZE] = NULL;
  size_t count = o->seeds * r->releases;
  SOTTO_TRY(open_ledger(r, err));
  SOTTO_TRY(sotto_i_new(&charges, count, sizeof *charges, err));
  SOTTO_TRY(sotto_i_new(&ids, count, sizeof *ids, err));
  for (uint64_t i = 0; i < count; i++) {
    sotto_i_release_id(ids[i], o, r->id, o->seed + i / r->releases, i % r->releases, of_label);
    charges[i] = (sotto_charge){.id = ids[i],
                                .run = o->out,
                                .mechanism = "gaussian",
                                .adjacency = "edge",
                                .description = "",
                                .mu = r->plan.mu,
                                .insecure = o->insecure_seed != SOTTO_UNSET};
  }
  SOTTO_TRY(sotto_ledger_would_accept(r->ledger, account->digest, account->name, charges, count, err));
done:
  sotto_i_free(charges);
  sotto_i_free(ids);
  return status;
}

sotto_status sotto_i_run_ask(sotto_i_run *r, sotto_error *err) {
  const sotto_options *o = r->options;
  const sotto_graph *label_graph = sotto_i_run_label_graph(r);
  sotto_status status = SOTTO_OK;
  if (tells_labels(r)) {
    SOTTO_TRY(open_ledger(r, err));
    SOTTO_TRY(sotto_i_labels_ask(r->ledger, o, r->data, r->id, err));
  }
  if (!r->charges) return SOTTO_OK;
  if (r->variant->price != NULL) return sotto_i_cost_ask(&r->ledger, &r->cost, o, r->data, r->id, err);
  if (sotto_i_run_owns_edges(r)) SOTTO_TRY(ask_releases(r, r->data, false, err));
  if (label_graph != NULL) {
    sotto_i_label_account account;
    sotto_i_label_edges_account(&account, r->data, label_graph);
    account.data.name = account.name;
    SOTTO_TRY(ask_releases(r, &account.data, true, err));
  }
done:
  return status;
}

static sotto_status state_labels(sotto_result *out, const sotto_i_run *r, sotto_error *err) {
  sotto_response response;
  uint8_t digest[32];
  if (!tells_labels(r)) { /* the other party answers for them; how many classes there are is not known here */
    out->label_epsilon = r->options->label_epsilon;
    return SOTTO_OK;
  }
  sotto_status status = sotto_i_labels_price(&response, r->options, r->data, err);
  if (status != SOTTO_OK) return status;
  sotto_i_labels_digest(digest, r->data);
  out->label_epsilon = response.epsilon;
  out->label_lie = (double)response.lie * 0x1p-64;
  (void)snprintf(out->ledger, sizeof out->ledger, "%s", sotto_ledger_path(r->ledger));
  return sotto_ledger_spent(r->ledger, &out->label_spent, digest, "node", err);
}

static sotto_status state_label_edges(sotto_result *out, const sotto_i_run *r, sotto_error *err) {
  sotto_i_label_account account;
  const sotto_graph *graph = sotto_i_run_label_graph(r);
  out->label_edges = sotto_i_label_edges_asked(r->options);
  if (graph == NULL || r->ledger == NULL) return SOTTO_OK;
  sotto_i_label_edges_account(&account, r->data, graph);
  return sotto_ledger_spent(r->ledger, &out->label_edges_spent, account.data.digest, "edge", err);
}

/* Embeddings of graphs were charged by the recipe, client by client and as a whole. */
static sotto_status state_graphs(sotto_result *out, const sotto_i_run *r, sotto_error *err) {
  const sotto_options *o = r->options;
  sotto_ledger *ledger = NULL;
  out->insecure = o->insecure_seed != SOTTO_UNSET;
  sotto_status status = sotto_ledger_open(&ledger, o->ledger[0] == '\0' ? NULL : o->ledger, err);
  if (status != SOTTO_OK) return status;
  (void)snprintf(out->ledger, sizeof out->ledger, "%s", sotto_ledger_path(ledger));
  status = sotto_ledger_spent(ledger, &out->spent, r->data->digest, "node", err);
  sotto_ledger_close(ledger);
  return status;
}

sotto_status sotto_i_run_epsilon(double *epsilon, double *mu, const sotto_i_run *r, uint64_t seeds,
                                 sotto_error *err) {
  const sotto_options *o = r->options;
  *mu = 0;
  *epsilon = r->variant->edges ? INFINITY : 0;
  if (!r->charges) return SOTTO_OK;
  if (r->variant->price != NULL) return sotto_i_cost_epsilon(epsilon, &r->cost, seeds, o->delta, err);
  *mu = r->plan.mu * sqrt((double)(seeds * r->releases));
  return sotto_gdp_epsilon(epsilon, *mu, o->delta, err);
}

sotto_status sotto_i_run_state(sotto_result *out, const sotto_i_run *r, sotto_error *err) {
  const sotto_options *o = r->options;
  out->private_edges = r->charges;
  out->insecure = r->charges && o->insecure_seed != SOTTO_UNSET;
  out->epsilon = out->total_epsilon = r->variant->edges ? INFINITY : 0;
  double mu;
  out->central = r->variant->price != NULL;
  out->cost = r->cost;
  out->releases = r->releases;
  if (out->graph_epsilon.releases > 0) return state_graphs(out, r, err);
  sotto_status status = sotto_i_labels_asked(o) ? state_labels(out, r, err) : SOTTO_OK;
  if (status == SOTTO_OK) status = sotto_i_run_epsilon(&out->epsilon, &mu, r, 1, err);
  if (status == SOTTO_OK) status = sotto_i_run_epsilon(&out->total_epsilon, &mu, r, o->seeds, err);
  if (status != SOTTO_OK || !r->charges) return status;
  if (sotto_i_run_owns_edges(r))
    (void)snprintf(out->ledger, sizeof out->ledger, "%s", sotto_ledger_path(r->ledger));
  if (out->central) {
    if (r->ledger == NULL) return SOTTO_OK; /* the other party's */
    return sotto_ledger_spent(r->ledger, &out->spent, r->data->digest, r->cost.adjacency, err);
  }
  SOTTO_TRY(state_label_edges(out, r, err));
  out->plan = r->plan;
  out->contractive = r->variant->contractive;
  out->contractive_plan = r->contractive;
  if (sotto_i_run_owns_edges(r))
    SOTTO_TRY(sotto_ledger_spent(r->ledger, &out->spent, r->data->digest, "edge", err));
done:
  return status;
}

void sotto_i_run_end(sotto_i_run *r) {
  if (r->is_cut) sotto_graph_free(&r->cut.graph);
  if (r->data == &r->part) {
    sotto_graph_free(&r->part.graph);
    sotto_graph_free(&r->label_graph);
  }
  sotto_matrix_free(&r->features);
  sotto_ledger_close(r->ledger);
}

sotto_status sotto_i_party_budget(char *out, size_t size, const sotto_options *options,
                                  const sotto_dataset *data, const sotto_party *party, sotto_error *err) {
  sotto_i_run r = {.options = options,
                   .data = data,
                   .party = party,
                   .variant = sotto_i_variant_of(options),
                   .releases = sotto_i_job_releases(options),
                   .id = "check"};
  sotto_spent spent;
  sotto_status status;
  SOTTO_TRY(sotto_i_run_check_domain(&r, err));
  SOTTO_TRY(sotto_i_run_plan(&r, err));
  SOTTO_TRY(sotto_i_run_ask(&r, err));
  if (r.ledger == NULL || !r.charges || !sotto_i_run_owns_edges(&r)) {
    (void)snprintf(out, size, "%s",
                   r.ledger == NULL ? "nothing will be charged here"
                                    : "the charges for labels, and edges, of this party fit");
    goto done;
  }
  SOTTO_TRY(sotto_ledger_spent(r.ledger, &spent, data->digest,
                               r.variant->price != NULL ? r.cost.adjacency : "edge", err));
  (void)snprintf(out, size, "epsilon %.4g of %.4g is spent (0: no budget), and the run fits", spent.epsilon,
                 spent.budget.epsilon);
done:
  sotto_i_run_end(&r);
  return status;
}
