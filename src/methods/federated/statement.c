/* What the statement says of clients with data of their own and a server. */
#include "run/statement/statement.h"

#include <math.h>

#include "federated.h"
#include "recipe.h"

static void add(json_t *list, const char *text) {
  json_array_append_new(list, json_string(text));
}

static bool of_counts(const sotto_options *o) {
  return sotto_i_fed_recipe_of(o)->counts;
}

static void add_assumed(json_t *list, const sotto_options *o) {
  const sotto_i_client_settings *own = sotto_i_client_settings_of(o);
  add(list, "how many clients there are, and who takes part in a round");
  add(list, "hyper-parameters, the number of classes and of feature columns");
  if (of_counts(o)) {
    add(list, "node features and labels, and what follows from them (edge-level adjacency)");
    add(list, own->deal == SOTTO_I_DEAL_COMMUNITIES && own->client_list[0] == '\0' && !(own->dirichlet > 0)
                  ? "which client has which node: in this experiment by communities of the whole graph, a "
                    "partition that its edges decide and that the option deal declares to be public"
                  : "which client has which node");
  }
  if (own->secure_aggregation || sotto_i_fed_has_helper(o))
    add(list,
        "the sums over the clients of a round: changes of the model, numbers of examples, right answers");
}

static const char *about_updates(const sotto_options *o) {
  if (sotto_i_client_settings_of(o)->secure_aggregation)
    return "a server that works together with more than a third of the clients; sums of different rounds, "
           "whose difference shows a client that had a part in one of them; what clients put into a sum; all "
           "other clients together, who know the last one's update from the sum";
  if (sotto_i_fed_has_helper(o))
    return "server and helper together: they are two parties that do not collude, or each client's update is "
           "known to them; sums of different rounds, whose difference shows a client that had a part in one "
           "of them; updates within update-bound that mislead the model; all other clients together, who "
           "know the last one's update from the sum";
  return "each client's updates against the server, which gets them as they are; set secure-aggregation, or "
         "update-bound where there is a second server";
}

static void add_uncovered(json_t *list, const sotto_options *o) {
  if (of_counts(o))
    add(list, "node features and labels: models, updates and answers depend on them without noise");
  else
    add(list,
        "the averaged model, which clients and server see each round: no noise is in it, and it depends "
        "on all clients' data together");
  if (!of_counts(o) || sotto_i_client_settings_of(o)->secure_aggregation || sotto_i_fed_has_helper(o))
    add(list, about_updates(o));
  add(list, "answers on validation and test items, sent to measure an experiment");
  add(list, "side channels such as the time that a client takes");
}

/* Did the clients send embeddings through an encoder? */
static bool coded(const sotto_result *r) {
  return r->graph_epsilon.releases > 0;
}

void sotto_i_describe_clients(sotto_i_description *out, const sotto_report *report) {
  static const char *const none[] = {NULL};
  *out = (sotto_i_description){
      .adversary =
          of_counts(report->options)
              ? "the server, other clients and whoever gets the model, semi-honest, who know all "
                "features, labels and other edges, and see models and updates of every round"
          : sotto_i_fed_has_helper(report->options)
              ? "the server or the helper, not both, and each client, who see the model of every round"
              : "the server, and each client, semi-honest, who see the model of every round",
      .means =
          coded(report->result)
              ? "one graph is another one of as many nodes, in what the embeddings show; the models that "
                "they are made by, and which are seen too, are not covered"
              : NULL,
      .assumed = none,
      .uncovered = none,
      .first = "clients",
      .second = "server",
      .unprotected = of_counts(report->options) ? NULL : "models were averaged without noise",
      .protected_part =
          coded(report->result) ? "embeddings are private at the stated epsilon, graph by graph" : NULL};
}

void sotto_i_annotate_clients(json_t *statement, const sotto_report *report) {
  const sotto_options *o = report->options;
  const sotto_graph_epsilon *graph = &report->result->graph_epsilon;
  json_t *details = json_object_get(statement, "details");
  add_assumed(json_object_get(statement, "assumed_public"), o);
  add_uncovered(json_object_get(statement, "not_covered"), o);
  json_object_set_new(details, "secure_aggregation",
                      json_boolean(sotto_i_client_settings_of(o)->secure_aggregation));
  if (sotto_i_fed_has_helper(o)) {
    json_object_set_new(details, "update_bound", json_real(sotto_i_client_settings_of(o)->update_bound));
    json_object_set_new(details, "trust",
                        json_string("server and helper do not collude; each alone sees shares and the sum"));
    json_object_set_new(details, "left_out", json_string(report->result->left_out));
  }
  if (!coded(report->result)) return;
  json_object_set_new(details, "epsilon_least", json_real(graph->least));
  json_object_set_new(details, "epsilon_most", json_real(graph->most));
}
