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

/* What a seed releases by the method's own list. */
static sotto_status plan_by_price(sotto_i_run *r, sotto_error *err) {
  sotto_i_seat seat = {.index = 0};
  sotto_i_job job = {.options = r->options, .data = r->data, .seed = r->options->seed};
  if (r->party != NULL) {
    seat.role = r->party->role;
    seat.number = r->party->number;
    job.seat = &seat;
  }
  sotto_status status = r->variant->price(&r->cost, &job, err);
  r->charges = r->cost.count > 0 && !sotto_i_has_clients(r->options);
  return status;
}

/* The one release of a method without such a list, made r->releases times in each seed. */
static void add_release(sotto_i_run *r) {
  sotto_mechanism mechanism = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
  const char *what = "noisy layers of message passing over the whole graph";
  mechanism.noise = r->plan.grid.sigma;
  mechanism.sensitivity = r->plan.sensitivity;
  mechanism.count = r->plan.options.layers;
  if (r->variant->contractive) {
    mechanism = sotto_contractive_mechanism(&r->contractive);
    what = "the last of several noisy contractive layers over the whole graph";
  }
  r->cost.adjacency = "edge";
  r->cost.by_mu = true;
  if (!(r->plan.grid.sigma > 0)) return;
  sotto_i_cost_add(&r->cost, what, &mechanism, r->plan.mu, 0)->times = r->releases;
  if (!sotto_i_label_edges_asked(r->options) || sotto_i_run_label_graph(r) == NULL) return;
  sotto_cost_item *item =
      sotto_i_cost_add(&r->cost, "noisy layers of message passing over the label party's own edges",
                       &mechanism, r->plan.mu, 0);
  item->times = r->releases;
  item->account = SOTTO_ACCOUNT_LABEL_EDGES;
}

/* The accounts that this process answers for. */
static sotto_status add_accounts(sotto_i_run *r, sotto_error *err) {
  const sotto_graph *label_graph = sotto_i_run_label_graph(r);
  sotto_status status = SOTTO_OK;
  if (r->cost.adjacency == NULL) r->cost.adjacency = "edge";
  if (sotto_i_run_owns_edges(r))
    sotto_i_cost_account(&r->cost, SOTTO_ACCOUNT_DATA, r->data->digest, r->data->name);
  if (label_graph != NULL) {
    sotto_i_label_account account;
    sotto_i_label_edges_account(&account, r->data, label_graph);
    sotto_i_cost_account(&r->cost, SOTTO_ACCOUNT_LABEL_EDGES, account.data.digest, account.name);
  }
  if (tells_labels(r)) SOTTO_TRY(sotto_i_labels_plan(&r->cost, r->options, r->data, err));
  sotto_i_cost_complete(&r->cost);
done:
  return status;
}

static sotto_status plan_release(sotto_i_run *r, sotto_error *err) {
  const sotto_options *o = r->options;
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
  add_release(r);
done:
  return status;
}

sotto_status sotto_i_run_plan(sotto_i_run *r, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (r->variant->price != NULL)
    SOTTO_TRY(plan_by_price(r, err));
  else if (r->variant->edges)
    SOTTO_TRY(plan_release(r, err));
  SOTTO_TRY(add_accounts(r, err));
done:
  return status;
}

static sotto_status open_ledger(sotto_i_run *r, sotto_error *err) {
  const char *path = r->options->ledger;
  return r->ledger != NULL ? SOTTO_OK : sotto_ledger_open(&r->ledger, path[0] == '\0' ? NULL : path, err);
}

sotto_status sotto_i_run_ask(sotto_i_run *r, sotto_error *err) {
  bool here = false;
  for (size_t i = 0; i < r->cost.count; i++) here = here || r->cost.accounts[r->cost.items[i].account].here;
  if (!here) return SOTTO_OK;
  sotto_status status = open_ledger(r, err);
  return status == SOTTO_OK ? sotto_i_cost_ask(r->ledger, &r->cost, r->options, r->id, err) : status;
}

static sotto_status state_labels(sotto_result *out, const sotto_i_run *r, sotto_error *err) {
  sotto_response response;
  uint8_t digest[32];
  if (!tells_labels(r)) { /* the other party answers for them; how many classes there are is not known here */
    out->label_epsilon = out->label_epsilon_planned = r->options->label_epsilon;
    return SOTTO_OK;
  }
  sotto_status status = sotto_i_labels_price(&response, r->options, r->data, err);
  if (status != SOTTO_OK) return status;
  sotto_i_labels_digest(digest, r->data);
  out->label_epsilon_planned = response.epsilon;
  out->label_epsilon = out->made.label_charges > 0 ? out->made.label_epsilon : response.epsilon;
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

/* Embeddings of graphs: the models that they are made by have no noise. */
static sotto_status state_graphs(sotto_result *out, const sotto_i_run *r, sotto_error *err) {
  out->insecure = r->options->insecure_seed != SOTTO_UNSET;
  if (r->ledger == NULL) return SOTTO_OK;
  (void)snprintf(out->ledger, sizeof out->ledger, "%s", sotto_ledger_path(r->ledger));
  return sotto_ledger_spent(r->ledger, &out->spent, r->data->digest, "node", err);
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
  sotto_status status = SOTTO_OK;
  out->central = r->variant->price != NULL;
  out->cost = r->cost;
  out->releases = r->releases;
  if (r->ledger != NULL)
    SOTTO_TRY(sotto_i_made_read(&out->made, r->ledger, &r->cost, o, r->id, out->seed_count, err));
  if (out->graph_epsilon.releases > 0) {
    out->epsilon_planned = out->graph_epsilon.most * (double)out->graph_epsilon.releases;
    out->total_planned = out->epsilon_planned * (double)out->seed_count;
    out->epsilon = out->made.known ? out->made.epsilon : out->epsilon_planned;
    out->total_epsilon = out->made.known ? out->made.total : out->total_planned;
    return state_graphs(out, r, err);
  }
  if (sotto_i_labels_asked(o)) SOTTO_TRY(state_labels(out, r, err));
  SOTTO_TRY(sotto_i_run_epsilon(&out->epsilon, &mu, r, 1, err));
  SOTTO_TRY(sotto_i_run_epsilon(&out->total_epsilon, &mu, r, o->seeds, err));
  out->epsilon_planned = out->epsilon;
  out->total_planned = out->total_epsilon;
  if (!r->charges) return SOTTO_OK;
  if (out->made.known) {
    out->epsilon = out->made.epsilon;
    out->total_epsilon = out->made.total;
    if (out->made.missing) out->epsilon = out->total_epsilon = INFINITY; /* of what, nobody knows */
  }
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

/* A sentence about what a party's run will charge. */
static sotto_status tell_price(char *out, size_t size, const sotto_i_run *r, sotto_error *err) {
  const sotto_options *o = r->options;
  size_t first = sotto_i_cost_item_of(&r->cost, SOTTO_ACCOUNT_DATA);
  double epsilon;
  sotto_spent spent;
  sotto_status status;
  if (r->ledger == NULL) {
    (void)snprintf(out, size, "nothing will be charged here");
    return SOTTO_OK;
  }
  if (first == SOTTO_I_NO_ITEM || !r->cost.accounts[SOTTO_ACCOUNT_DATA].here) {
    (void)snprintf(out, size, "the charges for labels, and edges, of this party fit");
    return SOTTO_OK;
  }
  const sotto_cost_item *item = &r->cost.items[first];
  SOTTO_TRY(sotto_i_cost_epsilon(&epsilon, &r->cost, o->seeds, o->delta, err));
  SOTTO_TRY(sotto_ledger_spent(r->ledger, &spent, r->data->digest, item->adjacency, err));
  (void)snprintf(
      out, size,
      "%llu releases, epsilon %.4g at %s level, will be charged; epsilon %.4g of %.4g is spent (0: "
      "no budget), and the run fits",
      (unsigned long long)(item->times * o->seeds), epsilon, item->adjacency, spent.epsilon,
      spent.budget.epsilon);
done:
  return status;
}

sotto_status sotto_i_party_budget(char *out, size_t size, const sotto_options *options,
                                  const sotto_dataset *data, const sotto_party *party, sotto_error *err) {
  sotto_i_run r = {.options = options,
                   .data = data,
                   .party = party,
                   .variant = sotto_i_variant_of(options),
                   .releases = sotto_i_job_releases(options),
                   .id = "check"};
  sotto_status status;
  SOTTO_TRY(sotto_i_run_check_domain(&r, err));
  if (party->role != SOTTO_ROLE_SERVER) SOTTO_TRY(sotto_i_run_plan(&r, err));
  SOTTO_TRY(sotto_i_run_ask(&r, err));
  SOTTO_TRY(tell_price(out, size, &r, err));
done:
  sotto_i_run_end(&r);
  return status;
}
