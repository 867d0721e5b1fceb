/* The privacy statement, in one form for all methods. A method adds its own parts by its hooks describe and
 * annotate. */
#include "statement.h"

#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "as_published.h"
#include "base/error.h"
#include "base/text.h"
#include "dp/mechanisms/mechanism.h"
#include "inside/base.h"
#include "inside/run.h"
#include "run/method/method.h"

json_t *sotto_i_json_number(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

json_t *sotto_i_json_strings(const char *const *texts) {
  json_t *list = json_array();
  for (size_t i = 0; texts != NULL && texts[i] != NULL; i++)
    json_array_append_new(list, json_string(texts[i]));
  return list;
}

/* A single owner exposes nothing: messages between its roles stay in this process. */
static json_t *exposed_json(const sotto_result *r, const sotto_i_description *d) {
  json_t *list = json_array();
  for (size_t i = 0; d->first != NULL && i < r->exposure_count; i++) {
    const char *side = i < r->data_exposures ? d->first : d->second;
    json_array_append_new(list, json_pack("{s:s,s:s,s:s}", "party", side == NULL ? "owner" : side, "payload",
                                          r->exposures[i].name, "why", r->exposures[i].reason));
  }
  return list;
}

json_t *sotto_i_published_json(const sotto_options *o, const sotto_seed_result *seed) {
  const sotto_published *p = &seed->published;
  const double nodes = (double)p->nodes;
  return json_pack("{s:I,s:f,s:I,s:f,s:f,s:f,s:f}", "seed", (json_int_t)seed->seed, "right", p->right,
                   "test_nodes", (json_int_t)p->nodes, "accuracy", fmin(fmax(p->right / nodes, 0), 1),
                   "half_width_95", p->half_width / nodes, "epsilon", o->publish_accuracy, "sensitivity",
                   (double)sotto_i_variant_of(o)->answers_moved(o));
}

static json_t *published_json(const sotto_report *report) {
  const sotto_result *r = report->result;
  json_t *list = json_array();
  for (size_t i = 0; r->seeds != NULL && i < r->seed_count; i++)
    if (r->seeds[i].published.nodes > 0)
      json_array_append_new(list, sotto_i_published_json(report->options, &r->seeds[i]));
  return list;
}

json_t *sotto_i_json_bytes(const uint64_t *bytes) {
  json_t *object = json_object();
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++)
    json_object_set_new(object, sotto_wire_kind_name((sotto_wire_kind)kind),
                        json_integer((json_int_t)bytes[kind]));
  return object;
}

static json_t *party_json(const char *role, const sotto_traffic *traffic) {
  return json_pack("{s:s,s:o,s:o}", "role", role, "sent_bytes", sotto_i_json_bytes(traffic->sent),
                   "received_bytes", sotto_i_json_bytes(traffic->received));
}

/* Both sides if they ran in this process, else this party only. */
static json_t *parties_json(const sotto_result *r, const sotto_i_description *d) {
  json_t *list = json_array();
  if (r->role[0] != '\0') {
    const bool second = strcmp(r->role, "server") == 0 || strcmp(r->role, "label") == 0;
    json_array_append_new(list, party_json(r->role, second ? &r->label_party : &r->data_party));
  } else if (d->first != NULL) {
    json_array_append_new(list, party_json(d->first, &r->data_party));
    json_array_append_new(list, party_json(d->second, &r->label_party));
  }
  return list;
}

/* Identifies the ledger by marks: its path, and the spending of other runs, are private. */
static json_t *ledger_json(const sotto_report *report) {
  const sotto_result *r = report->result;
  char id[65], chain[65];
  if (!r->marked) return json_null();
  sotto_i_hex(id, r->mark.ledger, 32);
  sotto_i_hex(chain, r->mark.chain, 32);
  return json_pack("{s:s,s:s}", "id", id, "chain", chain);
}

/* A statement has no digest of edges: a reader who knows all edges but one could test both graphs against
 * it. */
bool sotto_i_features_are_public(const sotto_options *o) {
  const bool edges = o->adjacency >= SOTTO_ADJACENCY_TRANSFER && o->adjacency <= SOTTO_ADJACENCY_NEIGHBOURS;
  return edges && !sotto_i_has_holders(o) && o->label_features == 0;
}

/* The name of the data's account. An account that its owner named is given by that name. Otherwise the name
 * comes from the account's first dataset, and would reveal whether this graph has exactly the same edges;
 * so this dataset's name is used. */
static json_t *dataset_json(const sotto_report *report) {
  const sotto_dataset *data = report->data;
  const sotto_cost_account *account = &report->result->cost.accounts[SOTTO_ACCOUNT_DATA];
  const sotto_ledger_account *paying = &report->result->account;
  char digest[65];
  sotto_i_hex(digest, data->features_digest, 32);
  return json_pack(
      "{s:s,s:o,s:o,s:o}", "name", data->name, "digest",
      sotto_i_features_are_public(report->options) ? json_string(digest) : json_null(), "nodes",
      sotto_i_statement_nodes(report) > 0 ? json_integer((json_int_t)data->graph.nodes) : json_null(),
      "account",
      account->here ? json_pack("{s:s}", "name", paying->named ? paying->name : account->name) : json_null());
}

static const char *const aggregators[] = {"gin", "mean", "gcn"};

/* Adds how a release of layers was made. */
static void add_layers(json_t *object, const sotto_result *r) {
  const sotto_pmp_plan *plan = &r->plan;
  if (r->contractive) {
    const sotto_contractive_options *c = &r->contractive_plan.options;
    json_object_set_new(object, "contraction", json_real(c->contraction));
    json_object_set_new(object, "graph_weight", json_real(c->graph_weight));
    json_object_set_new(object, "residual", json_real(c->residual));
    json_object_set_new(object, "degree_floor", json_integer((json_int_t)c->degree_floor));
  } else {
    json_object_set_new(object, "layers", json_integer((json_int_t)plan->options.layers));
    json_object_set_new(object, "degree_floor", json_integer((json_int_t)plan->options.degree_floor));
  }
  json_object_set_new(object, "aggregator",
                      json_string(r->contractive ? "gcn" : aggregators[plan->options.aggregator]));
  json_object_set_new(object, "grid_step",
                      json_real(r->contractive ? r->contractive_plan.grid.step : plan->grid.step));
}

static json_t *mechanisms_json(const sotto_report *report) {
  const sotto_result *r = report->result;
  json_t *list = json_array();
  for (size_t i = 0; i < r->cost.count; i++) {
    const sotto_cost_item *item = &r->cost.items[i];
    const uint64_t planned = (item->times == 0 ? 1 : item->times) * (item->once ? 1 : r->seed_count);
    const bool here = r->cost.accounts[item->account].here;
    json_t *object = sotto_i_item_stated(&r->cost, i, planned, here ? &r->made.count[i] : NULL);
    if (object != NULL && !r->central && item->account != SOTTO_ACCOUNT_LABELS) add_layers(object, r);
    json_array_append_new(list, object);
  }
  return list;
}

static const char *accountant_name(const sotto_report *report) {
  const sotto_cost *cost = &report->result->cost;
  if (!sotto_i_statement_releases(report)) return "none";
  if (sotto_i_statement_has_no_delta(report)) return "sum of pure epsilons";
  if (cost->by_mu) return "gdp";
  for (size_t i = 0; i < cost->count; i++)
    if (cost->items[i].account == SOTTO_ACCOUNT_DATA &&
        !sotto_i_mechanism_is_gaussian(&cost->items[i].mechanism))
      return "pld";
  return "gdp";
}

static json_t *meaning_json(const sotto_report *report, const sotto_i_description *d) {
  const sotto_cost *cost = &report->result->cost;
  if (!sotto_i_statement_releases(report)) return json_string("nothing is protected by noise");
  if (d->means != NULL) return json_string(d->means);
  if (cost->nights > 0)
    return json_sprintf("one undirected edge is there in some of %llu nights, or in none of them",
                        (unsigned long long)cost->nights);
  if (cost->neighbours > 0)
    return json_sprintf(
        "at most %llu undirected edges of one node are there or not; charged to the ledger as "
        "edge level, where it costs no more",
        (unsigned long long)cost->neighbours);
  if (strcmp(cost->adjacency, "transfer") == 0)
    return json_string(
        "one transfer between two nodes is there or not, whatever others there are between them");
  if (strcmp(cost->adjacency, "node") == 0)
    return json_string("one node's features, label and any of its edges are others");
  return json_string(report->data->transfers.sources != NULL
                         ? "one undirected edge is there or not: all transfers between two nodes"
                         : "one undirected edge is there or not");
}

static const char *adjacency_name(const sotto_report *report) {
  const sotto_cost *cost = &report->result->cost;
  if (!sotto_i_statement_releases(report)) return "none";
  if (cost->neighbours > 0) return "k-neighbour";
  /* both are charged at node level, which covers them */
  const bool larger = report->options->adjacency >= SOTTO_ADJACENCY_GRAPH;
  return larger ? sotto_adjacency_name(report->options->adjacency) : cost->adjacency;
}

/* Extends the lists by what the options declare. */
static void add_declared(json_t *assumed, json_t *uncovered, const sotto_report *report) {
  const sotto_options *o = report->options;
  const bool node = o->adjacency == SOTTO_ADJACENCY_NODE;
  const bool declared = node || o->adjacency == SOTTO_ADJACENCY_CLIENT;
  if (declared && report->data->labels != NULL)
    json_array_append_new(
        assumed, json_sprintf("there are %llu classes (declared%s): a label is one of these%s",
                              (unsigned long long)(o->classes > 0 ? o->classes : report->data->classes),
                              o->classes > 0 ? " by classes" : " in the data",
                              node ? ", and which nodes have one is the same in neighbouring data" : ""));
  if (o->adjacency >= SOTTO_ADJACENCY_NODE && report->data->features.cols > 0)
    json_array_append_new(assumed,
                          json_sprintf("there are %zu columns of features, the same in neighbouring data; a "
                                       "category that occurs in a table is a column",
                                       report->data->features.cols));
  const char *least = strchr(o->target, ':'); /* "year:1000" */
  if (node && least != NULL && strspn(least + 1, "0123456789") == strlen(least + 1))
    json_array_append_new(assumed, json_sprintf("which nodes are of classes with fewer than %s nodes "
                                                "(target), and are left out",
                                                least + 1));
  if (o->max_degree > 0)
    json_array_append_new(assumed,
                          json_sprintf("no node has more than %llu neighbours (max-degree, declared)",
                                       (unsigned long long)o->max_degree));
  if (o->adjacency == SOTTO_ADJACENCY_TRANSFER)
    json_array_append_new(
        uncovered,
        json_string("whether two nodes have any transfers: m transfers between them have together up "
                    "to m times this epsilon; edge level protects all of them at once"));
  if (o->degree_cut)
    json_array_append_new(
        uncovered,
        json_string("which edges degree-cut dropped to meet max-degree: that choice is not stable, so the "
                    "guarantee is between graphs as cut, not between the graphs they were cut from"));
}

static void add_figures(json_t *s, const sotto_report *report) {
  const sotto_result *r = report->result;
  const bool releases = sotto_i_statement_releases(report);
  const double delta = sotto_i_statement_has_no_delta(report) ? 0 : report->options->delta;
  const double mu = r->made.known ? r->made.mu : r->plan.mu * sqrt((double)r->releases);
  const bool gaussian = releases && r->cost.by_mu;
  const double nodes = sotto_i_statement_nodes(report);
  json_object_set_new(s, "epsilon", sotto_i_json_number(r->epsilon));
  json_object_set_new(s, "epsilon_planned", sotto_i_json_number(r->epsilon_planned));
  json_object_set_new(s, "total_epsilon", sotto_i_json_number(r->total_epsilon));
  json_object_set_new(s, "total_epsilon_planned", sotto_i_json_number(r->total_planned));
  json_object_set_new(s, "delta", json_real(delta));
  json_object_set_new(s, "delta_times_nodes", nodes > 0 ? json_real(delta * nodes) : json_null());
  json_object_set_new(s, "mu", gaussian ? sotto_i_json_number(mu) : json_null());
  json_object_set_new(s, "repeats", json_integer((json_int_t)report->options->seeds));
  json_object_set_new(s, "accountant", json_string(accountant_name(report)));
  json_object_set_new(s, "accounting", json_string(sotto_accounting_name(report->options->accounting)));
  json_object_set_new(s, "charges_made",
                      r->made.known ? json_integer((json_int_t)r->made.charges) : json_null());
}

static void add_head(json_t *s, const sotto_report *report) {
  const sotto_i_method *method = sotto_i_method_of(report->options);
  char date[32];
  time_t now = time(NULL);
  struct tm utc;
  (void)gmtime_r(&now, &utc);
  (void)strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
  json_object_set_new(s, "form", json_integer(SOTTO_I_STATEMENT_FORM));
  json_object_set_new(s, "program", json_pack("{s:s,s:s}", "name", "sotto", "version", SOTTO_VERSION));
  json_object_set_new(s, "date", json_string(date));
  json_object_set_new(
      s, "method",
      json_pack("{s:s,s:s,s:s}", "name", method->name, "summary", method->summary, "source", method->source));
  json_object_set_new(s, "dataset", dataset_json(report));
}

/* For releases that were made only for predictions. */
static const char also_trained[] =
    "the training of the model, which has a statement of its own: an edge that its data has too is in the "
    "releases of both, and the ledger adds them up where both datasets are of one account";

/* For a plan of nights. */
static const char which_nights[] = "when a night was made, and how many nodes came on it";

json_t *sotto_i_statement(const sotto_report *report) {
  const sotto_i_method *method = sotto_i_method_of(report->options);
  sotto_i_description d = {.adversary = ""};
  json_t *s = json_object();
  if (s == NULL) return NULL;
  (method->describe != NULL ? method->describe : sotto_i_describe_owner)(&d, report);
  json_t *assumed = sotto_i_json_strings(d.assumed), *uncovered = sotto_i_json_strings(d.uncovered);
  add_declared(assumed, uncovered, report);
  if (report->result->of_answers) json_array_append_new(uncovered, json_string(also_trained));
  if (report->result->cost.nights > 0) json_array_append_new(uncovered, json_string(which_nights));
  add_head(s, report);
  sotto_i_statement_add_verdicts(s, report, &d);
  json_object_set_new(s, "adjacency", json_string(adjacency_name(report)));
  json_object_set_new(s, "adjacency_means", meaning_json(report, &d));
  json_object_set_new(s, "adversary", json_string(d.adversary));
  add_figures(s, report);
  json_object_set_new(s, "mechanisms", mechanisms_json(report));
  json_object_set_new(s, "published", published_json(report));
  json_object_set_new(s, "parties", parties_json(report->result, &d));
  json_object_set_new(s, "exposed", exposed_json(report->result, &d));
  json_object_set_new(s, "assumed_public", assumed);
  json_object_set_new(s, "not_covered", uncovered);
  json_object_set_new(s, "claim", json_null());
  json_object_set_new(s, "labels", json_null());
  json_object_set_new(s, "label_edges", json_null());
  json_object_set_new(s, "details", json_object());
  json_object_set_new(s, "ledger", ledger_json(report));
  json_object_set_new(
      s, "insecure",
      json_boolean(report->options->insecure_seed != SOTTO_UNSET && sotto_i_statement_releases(report)));
  if (method->annotate != NULL) method->annotate(s, report);
  if (report->options->as_published)
    json_object_set_new(json_object_get(s, "details"), "as_published",
                        sotto_i_as_published_json(report->options, &report->result->cost));
  return s;
}

sotto_status sotto_statement_json(char **out, const sotto_options *options, const sotto_dataset *data,
                                  const sotto_result *result, sotto_error *err) {
  sotto_options resolved = *options;
  sotto_options_resolve(&resolved);
  const sotto_report report = {&resolved, data, result};
  json_t *statement = sotto_i_statement(&report);
  *out = statement == NULL ? NULL : json_dumps(statement, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
  json_decref(statement);
  return *out != NULL ? SOTTO_OK : sotto_i_fail(err, SOTTO_NOMEM, "no memory for the privacy statement");
}

void sotto_statement_free(char *text) {
  free(text);
}
