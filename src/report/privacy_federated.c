/* The privacy statement of clients with data of their own and a server (rule R7). */
#include "privacy.h"

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

json_t *sotto_i_privacy_federated_json(const sotto_report *report) {
  const sotto_options *o = report->options;
  const sotto_result *r = report->result;
  return json_pack("{s:n,s:n,s:f,s:I,s:s,s:s,s:b,s:s,s:s,s:s,s:[],s:o,s:o,s:o,s:b,s:n,s:b}", "epsilon",
                   "total_epsilon", "delta", o->delta, "repeats", (json_int_t)o->seeds, "adjacency", "none",
                   "adjacency_means", "nothing is protected by noise", "sound", 0, "accountant", "none",
                   "adversary", "the server, and each client, semi-honest, who see the model of every round",
                   "verdict", "NOT PRIVATE: models were averaged without noise", "mechanisms",
                   "assumed_public", assumed(o), "exposed", exposed(r), "not_covered", uncovered(o),
                   "secure_aggregation", o->secure_aggregation, "ledger", "insecure", 0);
}
