/* What the statement says of clients with data of their own and a server. */
#include "run/statement/statement.h"

#include <math.h>

#include "federated.h"
#include "recipe.h"

static void add_assumed(json_t *list, const sotto_options *o) {
  json_array_append_new(list, json_string("how many clients there are, and who takes part in a round"));
  json_array_append_new(list, json_string("hyper-parameters, the number of classes and of feature columns"));
  if (o->secure_aggregation)
    json_array_append_new(
        list, json_string("the sums over the clients of a round: changes of the model, numbers of "
                          "examples, right answers"));
}

static void add_uncovered(json_t *list, const sotto_options *o) {
  json_array_append_new(
      list,
      json_string("the averaged model, which clients and server see each round: no noise is in it, and it "
                  "depends on all clients' data together"));
  json_array_append_new(
      list,
      json_string(o->secure_aggregation
                      ? "a server that breaks the protocol, or works together with as many of a client's "
                        "neighbours as the threshold; all other clients together, who know the last one's "
                        "update from the sum"
                      : "each client's updates against the server, which gets them as they are; set "
                        "secure-aggregation"));
  json_array_append_new(list,
                        json_string("answers on validation and test items, sent to measure an experiment"));
  json_array_append_new(list, json_string("side channels such as the time that a client takes"));
}

/* Did the clients send embeddings through an encoder? */
static bool coded(const sotto_result *r) {
  return r->graph_epsilon.releases > 0;
}

void sotto_i_describe_clients(sotto_i_description *out, const sotto_report *report) {
  static const char *const none[] = {NULL};
  *out = (sotto_i_description){
      .adversary = "the server, and each client, semi-honest, who see the model of every round",
      .means =
          coded(report->result)
              ? "one graph is another one of as many nodes, in what the embeddings show; the models that "
                "they are made by, and which are seen too, are not covered"
              : NULL,
      .assumed = none,
      .uncovered = none,
      .first = "clients",
      .second = "server",
      .unprotected = "models were averaged without noise",
      .protected_part =
          coded(report->result) ? "embeddings are private at the stated epsilon, graph by graph" : NULL};
}

void sotto_i_annotate_clients(json_t *statement, const sotto_report *report) {
  const sotto_options *o = report->options;
  const sotto_graph_epsilon *graph = &report->result->graph_epsilon;
  json_t *details = json_object_get(statement, "details");
  add_assumed(json_object_get(statement, "assumed_public"), o);
  add_uncovered(json_object_get(statement, "not_covered"), o);
  json_object_set_new(details, "secure_aggregation", json_boolean(o->secure_aggregation));
  if (!coded(report->result)) return;
  json_object_set_new(details, "epsilon_least", json_real(graph->least));
  json_object_set_new(details, "epsilon_most", json_real(graph->most));
}
