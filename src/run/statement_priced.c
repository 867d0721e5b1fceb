/* The privacy statement of methods that have a price: those of one owner, who publishes the trained model,
 * and two-party vesper at node level and as its paper has it (rule R7). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "method.h"
#include "statement.h"

/* The numbers that are not at their default, under their names in `sotto account`. */
static json_t *mechanism_json(const sotto_cost_item *item, size_t seeds) {
  const sotto_mechanism *m = &item->mechanism;
  const struct {
    const char *name;
    double value;
  } numbers[] = {{"noise", m->noise},
                 {"rate", m->rate},
                 {"population", m->kind == SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN ? (double)m->population : 0},
                 {"batch", (double)m->batch},
                 {"layers", m->kind == SOTTO_MECHANISM_CONTRACTIVE ? (double)m->layers : 0},
                 {"lipschitz", m->lipschitz},
                 {"epsilon", item->epsilon},
                 {"mu", item->mu}};
  json_t *object =
      json_pack("{s:s,s:s,s:f,s:I,s:I}", "mechanism", sotto_mechanism_name(m->kind), "what", item->what,
                "sensitivity", m->sensitivity, "steps", (json_int_t)m->count, "releases", (json_int_t)seeds);
  for (size_t i = 0; object != NULL && i < sizeof numbers / sizeof *numbers; i++)
    if (numbers[i].value > 0) json_object_set_new(object, numbers[i].name, json_real(numbers[i].value));
  return object;
}

static json_t *mechanisms(const sotto_result *r) {
  json_t *list = json_array();
  for (size_t i = 0; i < r->cost.count; i++)
    json_array_append_new(list, mechanism_json(&r->cost.items[i], r->seed_count));
  return list;
}

static bool all_pure(const sotto_cost *cost) {
  for (size_t i = 0; i < cost->count; i++)
    if (cost->items[i].mu > 0) return false;
  return true;
}

static const char *accountant(const sotto_cost *cost) {
  if (cost->count == 0) return "none";
  if (all_pure(cost)) return "sum of pure epsilons";
  for (size_t i = 0; i < cost->count; i++)
    if (cost->items[i].mechanism.kind != SOTTO_MECHANISM_GAUSSIAN) return "pld";
  return "gdp";
}

static const char *verdict(const sotto_report *report) {
  const sotto_result *r = report->result;
  if (r->cost.count == 0) return "NOT PRIVATE: the graph was used without noise";
  if (r->insecure) return "NOT PRIVATE: noise from a fixed seed";
  if (r->made.missing) return SOTTO_I_MISSING_CHARGE;
  if (r->cost.claim.epsilon > 0)
    return "NOT PRIVATE as claimed: the claim does not hold, and what holds, under epsilon, is vacuous";
  if (r->total_epsilon > 50 || (!all_pure(&r->cost) && report->options->delta > 1e-3))
    return "vacuous: epsilon above 50 or delta above 1e-3";
  return report->options->degree_cut ? "private at the stated epsilon and delta, for graphs as cut"
                                     : "private at the stated epsilon and delta";
}

static const char *const edge_public[] = {
    "node ids and their number", "node features and labels (edge-level adjacency)",
    "which nodes are in the training, validation and test parts", "hyper-parameters", NULL};
static const char *const edge_uncovered[] = {
    "node features and labels: the model is fitted to them without noise",
    "the choice of hyper-parameters by trying several on the same data, beyond the charges in the ledger",
    "side channels such as the time that training takes", NULL};
static const char *const node_public[] = {
    "node ids and their number, and how many are in the training part",
    "which nodes are in the training, validation and test parts",
    "hyper-parameters, batch rate, clipping norms and number of steps among them", NULL};
static const char *const node_uncovered[] = {
    "accuracies in the run folder: they tell of validation and test labels; the model does not",
    "the choice of hyper-parameters by trying several on the same data, beyond the charges in the ledger",
    "side channels such as the time that training takes", NULL};

static const char *const vesper_public[] = {
    "node ids and their number, and how many columns the features have",
    "hyper-parameters, clipping norms and the random matrix that maps features among them", NULL};
static const char *const vesper_uncovered[] = {
    "labels: they are the label party's own and never leave it, but its model and predictions tell of them",
    "what the label party knows of a node otherwise",
    "the choice of hyper-parameters by trying several on the same data, beyond the charges in the ledger",
    "side channels such as the time that the data party takes", NULL};

static const char *const paper_uncovered[] = {
    "the data party's weights: they follow from edges without noise, and must not be shown to anyone",
    "labels: in the authors' protocol the data party sees gradients that tell of them",
    "node features against the label party",
    "the choice of hyper-parameters by trying several on the same data, beyond the charges in the ledger",
    "side channels such as the time that the data party takes",
    NULL};

static const char *adversary(const sotto_options *o) {
  return sotto_i_vesper_at_node_level(o) || sotto_i_vesper_as_paper(o)
             ? "the label party, semi-honest, which knows the nodes and all labels; and whoever it shows "
               "what it received"
             : "whoever sees the published model and all that is released to train it";
}

/* What was assumed and is not covered where degrees are bounded. */
static json_t *assumed(const sotto_report *report, bool node) {
  bool apart = sotto_i_vesper_at_node_level(report->options);
  json_t *list = sotto_i_privacy_strings(apart ? vesper_public : node ? node_public : edge_public);
  if (report->options->max_degree > 0)
    json_array_append_new(list, json_sprintf("no node has more than %llu neighbours (max-degree, declared)",
                                             (unsigned long long)report->options->max_degree));
  return list;
}

static json_t *uncovered(const sotto_report *report, bool node) {
  bool apart = sotto_i_vesper_at_node_level(report->options);
  bool paper = sotto_i_vesper_as_paper(report->options);
  json_t *list = sotto_i_privacy_strings(paper   ? paper_uncovered
                                         : apart ? vesper_uncovered
                                         : node  ? node_uncovered
                                                 : edge_uncovered);
  if (node && report->options->degree_cut)
    json_array_append_new(
        list,
        json_string("which edges --degree-cut dropped to meet max-degree: that choice is not stable, so "
                    "the guarantee is between graphs as cut, not between the graphs they were cut from"));
  return list;
}

static json_t *meaning(const sotto_cost *cost, bool vesper) {
  if (cost->count == 0) return json_string("nothing is protected");
  if (cost->neighbours > 0)
    return json_sprintf(
        "at most %llu undirected edges of one node are there or not; charged to the ledger as "
        "edge level, where it costs no more",
        (unsigned long long)cost->neighbours);
  return json_string(
      vesper ? "one node's features and any of its edges are others; labels are the label party's"
      : strcmp(cost->adjacency, "node") == 0 ? "one node's features, label and any of its edges are others"
                                             : "one undirected edge is there or not");
}

json_t *sotto_i_privacy_central_json(const sotto_report *report) {
  const sotto_result *r = report->result;
  bool private = r->cost.count > 0, node = private && strcmp(r->cost.adjacency, "node") == 0;
  double delta = private && all_pure(&r->cost) ? 0 : report->options->delta;
  const char *adjacency = !private ? "none" : r->cost.neighbours > 0 ? "k-neighbour" : r->cost.adjacency;
  json_t *statement =
      json_pack("{s:o,s:o,s:f,s:I,s:f,s:s,s:o,s:b,s:s,s:s,s:s,s:o,s:o,s:o,s:o,s:o,s:b}", "epsilon",
                sotto_i_privacy_number(r->epsilon), "total_epsilon", sotto_i_privacy_number(r->total_epsilon),
                "delta", delta, "repeats", (json_int_t)report->options->seeds, "delta_times_nodes",
                delta * (double)report->data->graph.nodes, "adjacency", adjacency, "adjacency_means",
                meaning(&r->cost, sotto_i_vesper_at_node_level(report->options)), "sound",
                private && !r->insecure && !r->made.missing && !report->options->degree_cut &&
                    r->cost.claim.epsilon == 0,
                "accountant", accountant(&r->cost), "adversary", adversary(report->options), "verdict",
                verdict(report), "mechanisms", mechanisms(r), "assumed_public", assumed(report, node),
                "exposed", sotto_i_privacy_exposed(r), "not_covered", uncovered(report, node), "ledger",
                sotto_i_privacy_ledger(r), "insecure", r->insecure);
  sotto_i_privacy_add_made(statement, report);
  sotto_i_privacy_add_claim(statement, report);
  return statement;
}
