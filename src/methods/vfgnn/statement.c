/* The privacy statement of vfgnn: several holders, a server, computation on shares (rule R7). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/method.h"
#include "run/statement.h"

static const char *const assumed_public[] = {
    "node ids and their number",
    "how many columns each holder has",
    "node features and what follows from them (edge-level adjacency)",
    "which nodes are in the training, validation and test parts",
    "hyper-parameters, a declared max-degree among them",
    NULL};
static const char *const not_covered[] = {
    "labels: holders and server see gradients and verdicts that tell of them",
    "node features against other parties: published rows and opened rows tell of them",
    "a server that colludes with a holder: together they know the masks and what was opened under them",
    "parties that do not follow the protocol",
    "the choice of hyper-parameters by trying several on the same data, beyond the charges in the ledger",
    "side channels such as the time that a party takes",
    NULL};
static const char *const paper_faults[] = {
    "the noise is that of one row's sensitivity, but an edge moves the rows of all nodes near its ends",
    "weights learn through the private graph, so from the second epoch on an edge may move every row",
    "every epoch publishes all rows again: the claim is for one publication", NULL};

static json_t *mechanism(const sotto_report *report) {
  const sotto_result *r = report->result;
  const sotto_pmp_plan *plan = &r->plan;
  bool paper = strcmp(report->options->accounting, "paper") == 0;
  const char *what = paper ? "rows of all nodes, from every holder in every epoch; an edge may move them all"
                           : "rows of all nodes, from every holder in every epoch; gradients go back through "
                             "features and public things alone";
  return json_pack("{s:s,s:s,s:I,s:f,s:f,s:f,s:f,s:I,s:s,s:s}", "mechanism", "gaussian", "what", what, "hops",
                   (json_int_t)report->options->layers, "sensitivity", plan->sensitivity, "noise",
                   plan->grid.sigma, "grid_step", plan->grid.step, "mu", plan->mu, "releases",
                   (json_int_t)r->seed_count * (json_int_t)r->releases, "aggregator",
                   report->options->aggregator, "estimator", report->options->estimator);
}

/* What the paper says of the same noise, and why that does not hold. */
static json_t *claim(const sotto_report *report) {
  if (!report->result->private_edges || strcmp(report->options->accounting, "paper") != 0) return json_null();
  return json_pack("{s:f,s:f,s:s,s:o}", "epsilon", report->options->epsilon, "delta", report->options->delta,
                   "source", "Zhou et al. 2021, algorithm 3 and theorem 2.4", "why_it_does_not_hold",
                   sotto_i_privacy_strings(paper_faults));
}

static json_t *exposed(const sotto_result *r) {
  json_t *list = json_array();
  for (size_t i = 0; i < r->exposure_count; i++) {
    const char *party = i < r->data_exposures ? "holder" : "server";
    json_array_append_new(list, json_pack("{s:s,s:s,s:s}", "party", party, "payload", r->exposures[i].name,
                                          "why", r->exposures[i].reason));
  }
  return list;
}

static json_t *on_shares(const sotto_report *report) {
  const sotto_options *o = report->options;
  bool all = sotto_i_variant_of(o)->recipe != NULL;
  if (!all && strcmp(o->initial, "collaboratively") != 0) return json_null();
  return json_pack(
      "{s:s,s:I,s:f,s:s}", "what",
      all ? "features, edges, labels and all weights, forward and backward; triples by the server"
          : "features and weights of the first layer, forward and backward; triples by the server",
      "fraction_bits", (json_int_t)o->fraction_bits, "feature_bound", o->feature_bound, "assumed",
      "parties follow the protocol, and the server colludes with none");
}

json_t *sotto_i_privacy_vfgnn_json(const sotto_report *report) {
  const sotto_result *r = report->result;
  bool sound = r->private_edges && !r->insecure && !r->made.missing;
  json_t *mechanisms = json_array();
  if (r->private_edges) json_array_append_new(mechanisms, mechanism(report));
  json_t *statement = json_pack(
      "{s:o,s:o,s:f,s:I,s:o,s:f,s:s,s:b,s:s,s:s,s:o,s:s,s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:b}", "epsilon",
      sotto_i_privacy_number(r->epsilon), "total_epsilon", sotto_i_privacy_number(r->total_epsilon), "delta",
      report->options->delta, "repeats", (json_int_t)report->options->seeds, "mu",
      sotto_i_privacy_number(!r->private_edges ? INFINITY
                             : r->made.known   ? r->made.mu
                                               : r->plan.mu * sqrt((double)r->releases)),
      "delta_times_nodes", report->options->delta * (double)report->data->graph.nodes, "adjacency", "edge",
      "sound", sound, "accountant", "gdp", "accounting", report->options->accounting, "claim", claim(report),
      "adversary",
      "the server and each other holder, semi-honest, no two of them in league; each may know nodes, "
      "features "
      "and labels",
      "verdict", sotto_i_privacy_verdict(report), "mechanisms", mechanisms, "assumed_public",
      sotto_i_privacy_strings(assumed_public), "exposed", exposed(r), "on_shares", on_shares(report),
      "not_covered", sotto_i_privacy_strings(not_covered), "ledger", sotto_i_privacy_ledger(r), "party",
      sotto_i_privacy_party(r), "insecure", r->insecure);
  sotto_i_privacy_add_made(statement, report);
  return statement;
}
