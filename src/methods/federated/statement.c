/* The privacy statement of clients with data of their own and a server (rule R7). */
#include "run/statement.h"

#include <math.h>

static json_t *exposed(const sotto_result *r) {
  json_t *list = json_array();
  for (size_t i = 0; i < r->exposure_count; i++)
    json_array_append_new(list,
                          json_pack("{s:s,s:s,s:s}", "party", i < r->data_exposures ? "clients" : "server",
                                    "payload", r->exposures[i].name, "why", r->exposures[i].reason));
  return list;
}

static json_t *assumed(const sotto_options *o) {
  json_t *list = json_array();
  json_array_append_new(list, json_string("how many clients there are, and who takes part in a round"));
  json_array_append_new(list, json_string("hyper-parameters, the number of classes and of feature columns"));
  if (o->secure_aggregation)
    json_array_append_new(
        list, json_string("the sums over the clients of a round: changes of the model, numbers of "
                          "examples, right answers"));
  return list;
}

static json_t *uncovered(const sotto_options *o) {
  json_t *list = json_array();
  json_array_append_new(
      list,
      json_string("the averaged model, which clients and server see each round: no noise is in it, and it "
                  "tells of all clients' data together"));
  json_array_append_new(
      list,
      json_string(o->secure_aggregation
                      ? "a server that breaks the protocol, or works together with as many of a client's "
                        "neighbours as the threshold; all other clients together, who know the last one's "
                        "update from the sum"
                      : "each client's updates against the server, which gets them as they are; give "
                        "--secure-aggregation"));
  json_array_append_new(list,
                        json_string("answers on validation and test items, sent to measure an experiment"));
  json_array_append_new(list, json_string("side channels such as the time that a client takes"));
  return list;
}

static json_t *number(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

/* gwldp with an encoder. */
static bool coded(const sotto_result *r) {
  return r->graph_epsilon.releases > 0;
}

static double planned(const sotto_result *r, uint64_t repeats) {
  return coded(r) ? r->graph_epsilon.most * (double)(r->graph_epsilon.releases * repeats) : INFINITY;
}

/* Of the charges that were made, where the clients' ledger is here. */
static double epsilon_of(const sotto_result *r, bool all) {
  if (!coded(r) || !r->made.known) return planned(r, all ? r->seed_count : 1);
  return all ? r->made.total : r->made.epsilon;
}

static json_t *mechanisms(const sotto_options *o, const sotto_result *r) {
  if (!coded(r)) return sotto_i_prototype_mechanisms(o);
  const uint64_t releases = r->graph_epsilon.releases * r->seed_count;
  return json_pack("[{s:s,s:s,s:f,s:f,s:I}]", "mechanism", "multibit", "what",
                   "embeddings of each graph's nodes, softmax values in [0, 1], by the model as it stands",
                   "epsilon_least", r->graph_epsilon.least, "epsilon_most", r->graph_epsilon.most, "releases",
                   (json_int_t)releases);
}

static const char *verdict(const sotto_report *report) {
  const sotto_result *r = report->result;
  if (!coded(r)) return "NOT PRIVATE: models were averaged without noise";
  if (report->options->insecure_seed != SOTTO_UNSET) return "NOT PRIVATE: noise from a fixed seed";
  if (epsilon_of(r, true) > 50) return "vacuous: epsilon above 50; and models were averaged without noise";
  return "embeddings are private at the stated epsilon, graph by graph; NOT PRIVATE: models were averaged "
         "without noise";
}

static const char *const graph_means = "one graph is another one of as many nodes, in what the embeddings "
                                       "show; the models that they are made by, "
                                       "and which are seen too, are not covered";

json_t *sotto_i_privacy_federated_json(const sotto_report *report) {
  const sotto_options *o = report->options;
  const sotto_result *r = report->result;
  bool private = coded(r);
  json_t *ledger = private
                       ? json_pack("{s:s,s:I,s:o}", "path", r->ledger, "charges",
                                   (json_int_t)r->spent.charges, "epsilon_spent", number(r->spent.epsilon))
                       : json_null();
  json_t *statement = json_pack(
      "{s:o,s:o,s:f,s:I,s:s,s:s,s:b,s:s,s:s,s:s,s:o,s:o,s:o,s:o,s:b,s:o,s:o,s:b}", "epsilon",
      number(epsilon_of(r, false)), "total_epsilon", number(epsilon_of(r, true)), "delta",
      private ? 0 : o->delta, "repeats", (json_int_t)o->seeds, "adjacency", private ? "graph" : "none",
      "adjacency_means", private ? graph_means : "nothing is protected by noise", "sound", 0, "accountant",
      private ? "sum of pure epsilons" : "none", "adversary",
      "the server, and each client, semi-honest, who see the model of every round", "verdict",
      verdict(report), "mechanisms", mechanisms(o, r), "assumed_public", assumed(o), "exposed", exposed(r),
      "not_covered", uncovered(o), "secure_aggregation", o->secure_aggregation, "ledger", ledger, "party",
      sotto_i_privacy_party(r), "insecure", private && o->insecure_seed != SOTTO_UNSET);
  sotto_i_privacy_add_made(statement, report);
  json_object_set_new(statement, "epsilon_planned", number(planned(r, 1)));
  json_object_set_new(statement, "total_epsilon_planned", number(planned(r, r->seed_count)));
  if (sotto_i_states_prototypes(o))
    json_object_set_new(statement, "noise_free_claim", sotto_i_prototype_claim(o));
  return statement;
}
