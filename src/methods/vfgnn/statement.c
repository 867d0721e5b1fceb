/* The statement of several holders and a server: who sees what, computation on shares, and the published
 * claim.
 * */
#include "run/statement/statement.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/readings.h"
#include "recipes/counts.h"
#include "run/method/method.h"
#include "vfgnn.h"

static const char *const assumed_public[] = {
    "node ids and their number",
    "how many columns each holder has",
    "node features and what follows from them (edge-level adjacency)",
    "which nodes are in the training, validation and test parts",
    "hyper-parameters, a declared max-degree among them",
    NULL};
static const char *const not_covered[] = {
    "labels: holders and server see gradients and validation decisions that depend on them",
    "node features against other parties: published rows and opened rows depend on them",
    "a server that colludes with a holder: together they know the masks and what was opened under them",
    "parties that do not follow the protocol",
    "the choice of hyper-parameters by trying several on the same data, beyond the charges in the ledger",
    "side channels such as the time that a party takes",
    NULL};
static const char *const faults[] = {
    "the noise is that of one row's sensitivity, but an edge moves the rows of all nodes near its ends",
    "weights learn through the private graph, so from the second epoch on an edge may move every row",
    "every epoch publishes all rows again: the claim is for one publication", NULL};

void sotto_i_describe_holders(sotto_i_description *out, const sotto_report *report) {
  *out = (sotto_i_description){
      .adversary = "the server and each other holder, semi-honest, no two of them in league; each may know "
                   "nodes, features and labels",
      .assumed = assumed_public,
      .uncovered = not_covered,
      .first = "holder",
      .second = "server",
      .first_raw = "labels",
      .second_raw = "" /* a server has no data */};
  (void)snprintf(out->raw_role, sizeof out->raw_role, "holder%llu",
                 (unsigned long long)report->options->label_holder);
}

static json_t *on_shares(const sotto_options *o) {
  const sotto_i_holder_settings *own = sotto_i_holder_settings_of(o);
  const bool all = sotto_i_vfgnn_is_secure(o);
  if (!all && own->initial != SOTTO_I_INITIAL_COLLABORATIVELY) return json_null();
  return json_pack(
      "{s:s,s:I,s:f,s:s}", "what",
      all ? "features, edges, labels and all weights, forward and backward; triples by the server"
          : "features and weights of the first layer, forward and backward; triples by the server",
      "fraction_bits", (json_int_t)own->fraction_bits, "feature_bound", own->feature_bound, "assumed",
      "parties follow the protocol, and the server colludes with none");
}

/* Noise of all holders is in what the label holder reads: the deviation of a sum of counts. */
static json_t *counts(const sotto_report *report) {
  const sotto_options *o = report->options;
  sotto_laplace_grid grid = {.scale = 0};
  double deviation = 0;
  if (report->result->private_edges && sotto_i_counts_grid(&grid, o, NULL) == SOTTO_OK)
    deviation = sotto_i_laplace_deviation(&grid) * sqrt((double)o->holders);
  return json_pack("{s:I,s:f,s:f,s:s}", "rounds", (json_int_t)o->layers, "read_share", o->read_share,
                   "deviation_of_a_sum", deviation, "clusters",
                   "each node's predicted class by the label holder's networks, and its confidence; all "
                   "holders receive both");
}

void sotto_i_annotate_holders(json_t *statement, const sotto_report *report) {
  const sotto_options *o = report->options;
  const bool shrinks = sotto_i_holder_settings_of(o)->estimator == SOTTO_I_ESTIMATOR_JAMES_STEIN;
  json_t *details = json_object_get(statement, "details");
  json_object_set_new(details, "on_shares", on_shares(o));
  if (sotto_i_vfgnn_by_counts(o))
    json_object_set_new(details, "counts", counts(report));
  else
    json_object_set_new(details, "estimator", json_string(shrinks ? "james-stein" : "gaussian"));
  if (!report->result->private_edges || o->accounting != SOTTO_ACCOUNTING_PAPER) return;
  json_object_set_new(statement, "claim",
                      json_pack("{s:f,s:f,s:s,s:o}", "epsilon", o->epsilon, "delta", o->delta, "source",
                                "Zhou et al. 2021, algorithm 3 and theorem 2.4", "why_it_does_not_hold",
                                sotto_i_json_strings(faults)));
}
