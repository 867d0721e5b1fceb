/* The privacy statement: what rule R7 of the design demands. */
#include "statement.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "method.h"

json_t *sotto_i_privacy_number(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

const char *sotto_i_privacy_verdict(const sotto_report *report) {
  const sotto_result *r = report->result;
  if (r->epsilon == 0) return "no edge was used";
  if (!r->private_edges) return "NOT PRIVATE: edges were used without noise";
  if (r->insecure) return "NOT PRIVATE: noise from a fixed seed";
  if (r->made.missing) return SOTTO_I_MISSING_CHARGE;
  if (r->cost.claim.epsilon > 0)
    return "NOT PRIVATE as claimed: the claim does not hold; epsilon is what the noise gives, and does not "
           "cover how much of it there is";
  if (report->options->delta > 1e-3 || r->total_epsilon > 50)
    return "vacuous: epsilon above 50 or delta above 1e-3";
  return "private at the stated epsilon and delta";
}

static bool is_central(const sotto_report *report) {
  return sotto_i_method_of(report->options)->central;
}

static const char *aggregator_name(sotto_aggregator aggregator) {
  static const char *const names[] = {"gin", "mean", "gcn"};
  return names[aggregator];
}

static json_t *layered_mechanism(const sotto_report *report) {
  const sotto_result *r = report->result;
  const sotto_pmp_plan *plan = &r->plan;
  const char *what =
      sotto_i_publishes(report->options, "vfgnn")
          ? "the last of several layers of message passing, noisy in that alone; its sensitivity "
            "rests on max-degree, which was declared"
          : "noisy layers of message passing over the whole graph";
  return json_pack("{s:s,s:s,s:I,s:f,s:f,s:f,s:f,s:I,s:s}", "mechanism", "gaussian", "what", what, "layers",
                   (json_int_t)plan->options.layers, "sensitivity", plan->sensitivity, "noise",
                   plan->grid.sigma, "grid_step", plan->grid.step, "mu", plan->mu, "releases",
                   (json_int_t)r->seed_count * (json_int_t)r->releases, "aggregator",
                   aggregator_name(plan->options.aggregator));
}

/* The label party's own account. */
static json_t *labels(const sotto_report *report) {
  const sotto_result *r = report->result;
  if (!(r->label_epsilon > 0)) return json_null();
  if (!(r->label_lie > 0))
    return json_pack("{s:f,s:s,s:s,s:s}", "epsilon", r->label_epsilon, "mechanism", "randomized-response",
                     "adversary", "this party", "what",
                     "the label party answers for its labels, and charges them to its own ledger");
  return json_pack(
      "{s:f,s:f,s:I,s:s,s:f,s:I,s:s,s:s,s:s,s:s,s:I,s:o,s:b}", "epsilon", r->label_epsilon, "epsilon_planned",
      r->label_epsilon_planned, "charges_made", (json_int_t)r->made.label_charges, "mechanism",
      "randomized-response", "lie", r->label_lie, "choices", (json_int_t)report->data->classes, "adjacency",
      "the label of one node", "adversary", "the data party, semi-honest, which knows graph and features",
      "what",
      "every label is told once for the whole run; gradients and verdicts follow from told labels alone",
      "true_labels",
      r->releases > 1
          ? "used by the decoder of the last release, and for measures, after which nothing is sent"
          : "used by the decoder, which stays with the label party, and for its measures",
      "charges", (json_int_t)r->label_spent.charges, "epsilon_spent",
      sotto_i_privacy_number(r->label_spent.epsilon), "insecure",
      report->options->insecure_seed != SOTTO_UNSET);
}

/* The label party's account of its own edges. The plan of each of its releases is the data party's. */
static json_t *label_edges(const sotto_report *report) {
  const sotto_result *r = report->result;
  if (!r->label_edges || !r->private_edges) return json_null();
  const sotto_made *m = &r->made;
  bool here = m->label_edge_charges > 0;
  return json_pack(
      "{s:o,s:o,s:o,s:o,s:s,s:s,s:s,s:f,s:f,s:f,s:I,s:o,s:o}", "epsilon",
      sotto_i_privacy_number(here ? m->label_edge_epsilon : r->epsilon_planned), "total_epsilon",
      sotto_i_privacy_number(here ? m->label_edge_total : r->total_planned), "epsilon_planned",
      sotto_i_privacy_number(r->epsilon_planned), "charges_made",
      here ? json_integer((json_int_t)m->label_edge_charges) : json_null(), "mechanism", "gaussian",
      "adversary", "the data party, semi-honest, which knows its own graph, all features and all labels",
      "what",
      "noisy layers of message passing over the label party's own edges; its decoder, and all that "
      "it sends after it read them, follows from these",
      "sensitivity", r->plan.sensitivity, "noise", r->plan.grid.sigma, "mu", r->plan.mu, "releases",
      (json_int_t)r->seed_count * (json_int_t)r->releases, "charges",
      r->label_edges_spent.charges > 0 ? json_integer((json_int_t)r->label_edges_spent.charges) : json_null(),
      "epsilon_spent",
      r->label_edges_spent.charges > 0 ? sotto_i_privacy_number(r->label_edges_spent.epsilon) : json_null());
}

static json_t *contractive_mechanism(const sotto_result *r) {
  const sotto_contractive_plan *plan = &r->contractive_plan;
  return json_pack("{s:s,s:s,s:I,s:f,s:f,s:f,s:I,s:f,s:f,s:f,s:f,s:I,s:s}", "mechanism", "contractive",
                   "what", "the last of several noisy contractive layers over the whole graph", "layers",
                   (json_int_t)plan->options.layers, "contraction", plan->options.contraction, "graph_weight",
                   plan->options.graph_weight, "residual", plan->options.residual, "degree_floor",
                   (json_int_t)plan->options.degree_floor, "sensitivity", plan->sensitivity, "noise",
                   plan->grid.sigma, "grid_step", plan->grid.step, "mu", plan->mu, "releases",
                   (json_int_t)r->seed_count, "aggregator", "gcn");
}

static json_t *mechanisms(const sotto_report *report) {
  const sotto_result *r = report->result;
  json_t *list = json_array();
  if (r->private_edges)
    json_array_append_new(list, r->contractive ? contractive_mechanism(r) : layered_mechanism(report));
  return list;
}

json_t *sotto_i_privacy_strings(const char *const *texts) {
  json_t *list = json_array();
  for (size_t i = 0; texts[i] != NULL; i++) json_array_append_new(list, json_string(texts[i]));
  return list;
}

json_t *sotto_i_privacy_exposed(const sotto_result *r) {
  json_t *list = json_array();
  for (size_t i = 0; i < r->exposure_count; i++)
    json_array_append_new(list, json_pack("{s:s,s:s,s:s}", "party", i < r->data_exposures ? "data" : "label",
                                          "payload", r->exposures[i].name, "why", r->exposures[i].reason));
  return list;
}

void sotto_i_privacy_add_made(json_t *statement, const sotto_report *report) {
  const sotto_result *r = report->result;
  if (statement == NULL) return;
  json_object_set_new(statement, "epsilon_planned", sotto_i_privacy_number(r->epsilon_planned));
  json_object_set_new(statement, "total_epsilon_planned", sotto_i_privacy_number(r->total_planned));
  json_object_set_new(statement, "charges_made",
                      r->made.known ? json_integer((json_int_t)r->made.charges) : json_null());
}

static json_t *by_kind(const uint64_t *bytes) {
  json_t *object = json_object();
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++)
    json_object_set_new(object, sotto_wire_kind_name((sotto_wire_kind)kind),
                        json_integer((json_int_t)bytes[kind]));
  return object;
}

json_t *sotto_i_privacy_party(const sotto_result *r) {
  if (r->role[0] == '\0') return json_null();
  const sotto_traffic *own = strcmp(r->role, "server") == 0 ? &r->label_party : &r->data_party;
  return json_pack("{s:s,s:o,s:o}", "role", r->role, "sent_bytes", by_kind(own->sent), "received_bytes",
                   by_kind(own->received));
}

json_t *sotto_i_privacy_ledger(const sotto_result *r) {
  if (!r->private_edges || r->ledger[0] == '\0') return json_null();
  return json_pack("{s:s,s:I,s:o,s:o,s:o}", "path", r->ledger, "charges", (json_int_t)r->spent.charges,
                   "epsilon_spent", sotto_i_privacy_number(r->spent.epsilon), "at_delta",
                   sotto_i_privacy_number(r->spent.delta), "budget_epsilon",
                   r->spent.budget.epsilon > 0 ? json_real(r->spent.budget.epsilon) : json_null());
}

json_t *sotto_i_privacy_json(const sotto_report *report) {
  static const char *const assumed_public[] = {
      "node ids and their number",
      "node features and what follows from them (edge-level adjacency)",
      "which nodes are in the training, validation and test parts",
      "hyper-parameters, the degree floor and a declared max-degree among them",
      NULL,
  };
  static const char *const not_covered[3][5] = {
      {"labels: the data party sees gradients that tell of them", "node features against the label party",
       "the choice of hyper-parameters by trying several on the same data, beyond the charges in the ledger",
       "side channels such as the time that the data party takes"},
      {"labels beyond the epsilon under `labels`; how often each class is among them is not hidden",
       "node features against the label party",
       "the choice of hyper-parameters by trying several on the same data, beyond the charges in the ledger",
       "side channels such as the time that a party takes"},
      {"labels: the model and its predictions tell of them",
       "node features: the model and its predictions tell of them",
       "the choice of hyper-parameters by trying several on the same data, beyond the charges in the ledger",
       "side channels such as the time that training takes"},
  };
  static const char *const adversaries[2] = {
      "the label party, semi-honest, which knows the nodes, their features and all labels",
      "whoever sees the model, the released layers and predictions made from them, and who may know the "
      "nodes, their features and all labels",
  };
  const sotto_result *r = report->result;
  if (sotto_i_has_clients(report->options)) return sotto_i_privacy_federated_json(report);
  if (r->central) return sotto_i_privacy_central_json(report);
  if (sotto_i_has_holders(report->options)) return sotto_i_privacy_vfgnn_json(report);
  bool edges = r->epsilon != 0, central = is_central(report), told = r->label_epsilon > 0;
  double mu = r->made.known ? r->made.mu : r->plan.mu * sqrt((double)r->releases);
  bool sound =
      !r->made.missing && (!edges || (r->private_edges && !r->insecure && r->cost.claim.epsilon == 0));
  json_t *statement = json_pack(
      "{s:o,s:o,s:f,s:I,s:o,s:f,s:s,s:b,s:s,s:s,s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:b}", "epsilon",
      sotto_i_privacy_number(r->epsilon), "total_epsilon", sotto_i_privacy_number(r->total_epsilon), "delta",
      report->options->delta, "repeats", (json_int_t)report->options->seeds, "mu",
      sotto_i_privacy_number(r->private_edges ? mu : r->epsilon), "delta_times_nodes",
      report->options->delta * (double)report->data->graph.nodes, "adjacency", edges ? "edge" : "none",
      "sound", sound, "accountant", "gdp", "adversary", adversaries[central], "verdict",
      sotto_i_privacy_verdict(report), "mechanisms", mechanisms(report), "assumed_public",
      sotto_i_privacy_strings(assumed_public), "exposed", sotto_i_privacy_exposed(r), "not_covered",
      sotto_i_privacy_strings(not_covered[central ? 2 : told]), "labels", labels(report), "label_edges",
      label_edges(report), "ledger", sotto_i_privacy_ledger(r), "insecure", r->insecure);
  sotto_i_privacy_add_made(statement, report);
  sotto_i_privacy_add_claim(statement, report);
  return statement;
}
