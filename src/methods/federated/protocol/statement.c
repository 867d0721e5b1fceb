/* The statement of clients with their own data and a server. */
#include "run/statement/statement.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "methods/federated/federated.h"
#include "methods/federated/protocol.h"
#include "party/secure_sum/secure_sum.h"
#include "protocols/options.h"
#include "run/settings/suit.h"
#include "sotto/schema.h"

static void add_text(json_t *list, const char *text) {
  json_array_append_new(list, json_string(text));
}

static bool reads_counts(const sotto_options *o) {
  return sotto_i_fed_protocol_of(o)->counts;
}

static bool has_noise(const sotto_options *o) {
  return sotto_i_fed_protocol_of(o)->noisy;
}

/* Did the clients send encoded embeddings? */
static bool is_coded(const sotto_result *r) {
  return r->graph_epsilon.releases > 0;
}

/* Does each client train its own model, so that models leave it only for a measurement? */
static bool is_alone(const sotto_options *o) {
  return sotto_i_fed_protocol_of(o)->alone;
}

static sotto_i_noise_by noise_of(const sotto_options *o) {
  return sotto_i_noise_settings_of(o)->noise;
}

/* What neighbouring data have in common if sums are noisy. */
static const char *fixed_part(const sotto_options *o) {
  if (o->adjacency == SOTTO_ADJACENCY_CLIENT)
    return "which clients take part: neighbouring data differ in all that one of them has";
  return o->adjacency == SOTTO_ADJACENCY_GRAPH
             ? "how many graphs each client has, and which of them are for training: neighbouring data "
               "differ "
               "in one graph, its label and its size among it"
             : "which client has which node, and which nodes are for training: neighbouring data differ in "
               "one node's features, label and edges";
}

static const char *meaning_of_neighbours(const sotto_report *report) {
  const sotto_options *o = report->options;
  if (is_coded(report->result))
    return "one graph is another one of as many nodes, in what the embeddings show; the models that they are "
           "made by, and which are seen too, are not covered";
  if (has_noise(o) && o->adjacency == SOTTO_ADJACENCY_GRAPH)
    return "one graph, with its label, is another one of any size; charged to the ledger as node level, "
           "which "
           "it covers";
  if (has_noise(o) && o->adjacency == SOTTO_ADJACENCY_CLIENT)
    return "all data of one client are others; charged to the ledger as node level, which it covers";
  return NULL;
}

static void add_assumed(json_t *list, const sotto_options *o) {
  const sotto_i_client_settings *own = sotto_i_client_settings_of(o);
  sotto_partition partition;
  SOTTO_I_CHECK(sotto_partition_read(&partition, sotto_i_partition_of(o), NULL) == SOTTO_OK);
  if (!is_alone(o)) add_text(list, "how many clients there are, and who takes part in a round");
  if (is_alone(o) && !sotto_i_fed_protocol_of(o)->whole) add_text(list, "how many clients there are");
  add_text(list, "hyper-parameters, the number of classes and of feature columns");
  if (reads_counts(o)) {
    add_text(list, "node features and labels, and what follows from them (edge-level adjacency)");
    add_text(list, partition.kind == SOTTO_PARTITION_COMMUNITIES || partition.kind == SOTTO_PARTITION_CUT
                       ? "which client has which node: in this experiment by the edges of the whole graph, a "
                         "partition that its edges decide and that the option partition declares to be public"
                       : "which client has which node");
    if (partition.linked)
      add_text(list,
               "how many nodes each client has; clients in processes of their own have on average at most "
               "max-degree edges to others for each (16 where it is 0), to which their lists are padded");
  }
  if (has_noise(o)) add_text(list, fixed_part(o));
  if (!has_noise(o) && (own->secure_aggregation || sotto_i_fed_has_helper(o)))
    add_text(
        list,
        "the sums over the clients of a round: changes of the model, numbers of examples, right answers");
  if (reads_counts(o) && !partition.linked && own->secure_aggregation)
    add_text(list,
             "the sums over the clients by which one of two ways to count neighbours is chosen: of their "
             "features by centre, and of products of pilots' noisy counts and labels");
}

/* The number of clients that may collude with the server, so that it still learns only one sum. */
static uint32_t tolerated_colluders(const sotto_options *o, uint32_t taking) {
  sotto_sum_plan plan;
  if (sotto_i_fed_sum_plan(&plan, o, taking, 1, NULL) != SOTTO_OK) return 0;
  const int64_t most = sotto_i_sum_withstands(&plan);
  return most < 0 ? 0 : (uint32_t)most;
}

static void add_updates(json_t *list, const sotto_options *o) {
  const uint32_t taking = sotto_i_fed_taking(o, (uint32_t)o->clients);
  char text[400];
  (void)snprintf(text, sizeof text,
                 "a server that works together with more than %u of a round's %u clients; sums of different "
                 "rounds, whose difference shows a client that had a part in one of them; what clients put "
                 "into a sum; all other clients together, who know the last one's update from the sum",
                 (unsigned)tolerated_colluders(o, taking), (unsigned)taking);
  add_text(list, text);
}

static const char *about_updates(const sotto_options *o) {
  if (sotto_i_fed_has_helper(o))
    return "server and helper together: they are two parties that do not collude, or each client's update is "
           "known to them; sums of different rounds, whose difference shows a client that had a part in one "
           "of them; updates within update-bound that mislead the model; all other clients together, who "
           "know the last one's update from the sum";
  if (sotto_i_learns_numbers(o))
    return "each client's updates against the server, which gets them as they are";
  return "each client's updates against the server, which gets them as they are; set secure-aggregation, or "
         "update-bound where there is a second server";
}

static const char *noise_adversary(sotto_i_noise_by by) {
  if (by == SOTTO_I_NOISE_CENTRAL)
    return "the server, which sees each client's clipped sum, or their sum, before it adds the noise, and is "
           "trusted to add it";
  return "clients that do not add the noise that they say; only their own data are at risk";
}

/* The parameters for which the joint theorem was checked (noisy_joint.c). */
static void add_joint(json_t *list, const sotto_options *o) {
  sotto_i_fed_joint j;
  char text[400];
  if (sotto_i_fed_joint_new(&j, o, sotto_i_fed_taking(o, (uint32_t)o->clients), NULL) != SOTTO_OK) return;
  (void)snprintf(text, sizeof text,
                 "more than %u clients, of whom one round of %u may have all, that work together with the "
                 "server and reveal their "
                 "noise (the secure sum, with %u neighbours of each client and a threshold of %u, withstands "
                 "%u); more than %u clients that leave or add no noise",
                 (unsigned)j.colluding, (unsigned)j.plan.clients, (unsigned)j.plan.neighbours,
                 (unsigned)j.plan.threshold, (unsigned)j.withstands, (unsigned)j.leaving);
  add_text(list, text);
}

static void add_noisy_uncovered(json_t *list, const sotto_options *o) {
  if (noise_of(o) == SOTTO_I_NOISE_DISTRIBUTED)
    add_joint(list, o);
  else
    add_text(list, noise_adversary(noise_of(o)));
  add_text(
      list,
      "how well the model does on validation and test items: each client measures that for itself and sends "
      "nothing; in one process the means are in the run folder's owner-only/");
  add_text(list, "side channels such as the time that a client takes");
}

static void add_uncovered(json_t *list, const sotto_report *report) {
  const sotto_options *o = report->options;
  if (has_noise(o)) {
    add_noisy_uncovered(list, o);
    return;
  }
  if (is_alone(o)) {
    add_text(
        list,
        sotto_i_fed_protocol_of(o)->whole
            ? "the model: no noise is in it, and it depends on all data"
            : "each client's own model, which server and clients see once for a measure: no noise is in it");
    if (!sotto_i_fed_protocol_of(o)->whole)
      add_text(list, "answers on validation and test items, sent to measure an experiment");
    add_text(list, "side channels such as the time that training takes");
    return;
  }
  if (report->result->of_answers) { /* nothing is sent */
    add_text(list, "node features: answers depend on them without noise, and so does the model");
    return;
  }
  if (reads_counts(o))
    add_text(list, "node features and labels: models, updates and measures depend on them without noise");
  else
    add_text(list,
             "the averaged model, which clients and server see each round: no noise is in it, and it depends "
             "on all clients' data together");
  if (sotto_i_client_settings_of(o)->secure_aggregation)
    add_updates(list, o);
  else if (!reads_counts(o) || sotto_i_fed_has_helper(o))
    add_text(list, about_updates(o));
  if (sotto_i_fed_linked_asked(o))
    add_text(list, "edges between two clients against these two, who both know them; in processes of their "
                   "own, a client that lists edges that it does not have, and so learns whether the other "
                   "one has them");
  add_text(
      list,
      sotto_i_client_settings_of(o)->secure_aggregation
          ? "how well the model does on validation and test items: the server gets the sum over all clients "
            "of how many items of each class got which answer; each client has its own measures"
          : "how many validation items of each client are answered right, which the server gets to keep the "
            "better of two models; all other measures are the client's own, and the server has none of them");
  add_text(list, "side channels such as the time that a client takes");
}

static const char *adversary(const sotto_options *o) {
  static const char *const of_noisy[] = {
      [SOTTO_I_NOISE_DISTRIBUTED] = "the server, up to colluding-share of the clients, and anyone with the "
                                    "models: they see each round's noisy sum, by secure aggregation, and no "
                                    "client's own; clients add their noise as they should",
      [SOTTO_I_NOISE_CENTRAL] =
          "clients, and anyone with the models of all rounds; not the server, which adds the noise",
      [SOTTO_I_NOISE_LOCAL] = ("the server, all other clients, and anyone with the models: they see each "
                               "client's noisy sum of every round")};
  if (is_alone(o))
    return sotto_i_fed_protocol_of(o)->whole
               ? "anyone who sees the model"
               : "the server, and each client, semi-honest, who see the trained model of each client";
  if (has_noise(o)) return of_noisy[noise_of(o)];
  if (reads_counts(o))
    return "the server, other clients, and anyone with the model, semi-honest, who know all features, labels "
           "and other edges, and see models and updates of every round";
  return sotto_i_fed_has_helper(o)
             ? "the server or the helper, not both, and each client, who see the model of every round"
             : "the server, and each client, semi-honest, who see the model of every round";
}

void sotto_i_describe_clients(sotto_i_description *out, const sotto_report *report) {
  static const char *const none[] = {NULL};
  const bool whole = sotto_i_fed_protocol_of(report->options)->whole; /* one owner, who sends nothing */
  *out = (sotto_i_description){
      .adversary = adversary(report->options),
      .means = meaning_of_neighbours(report),
      .assumed = none,
      .uncovered = none,
      .first = whole ? NULL : "clients",
      .second = whole ? NULL : "server",
      .unprotected = reads_counts(report->options) || has_noise(report->options) ? NULL
                     : whole ? "a model was trained without noise"
                     : is_alone(report->options)
                         ? "the server and all clients receive each client's model without noise"
                         : "the server and all clients receive models without noise",
      .labels = "clusters, as other clients get them,",
      .labels_of = "clients",
      .protected_part = is_coded(report->result) ? "embeddings of graphs" : NULL};
  if (reads_counts(report->options))
    sotto_i_describe_bare(
        out,
        &(sotto_i_bare){"model, update, validation, clusters, statistics, all statistics, pilots, training "
                        "nodes, centres, moments by centre, moments of pilots, kind of cells",
                        "features and labels", NULL,
                        "the server and all clients receive models that depend on them", "clients"});
  else if (has_noise(report->options) && noise_of(report->options) == SOTTO_I_NOISE_CENTRAL)
    sotto_i_describe_bare(out, &(sotto_i_bare){"clipped sum", "clipped sums", "server",
                                               "them before it adds the noise", "clients"});
}

/* Who adds which part of the noise, in units of the data. */
static void add_noise(json_t *details, const sotto_options *o) {
  static const char *const words[] = {"distributed", "central", "local"};
  sotto_i_fed_noise noise;
  const uint32_t taking = sotto_i_fed_taking(o, (uint32_t)o->clients);
  if (sotto_i_fed_noise_new(&noise, o, taking, NULL) != SOTTO_OK) return;
  json_object_set_new(details, "noise_by", json_string(words[noise.by]));
  json_object_set_new(details, "noise_each", json_real(noise.grid.each.sigma * noise.grid.step));
  json_object_set_new(details, "grid_step", json_real(noise.grid.step));
  if (noise.by != SOTTO_I_NOISE_DISTRIBUTED) return;
  json_object_set_new(details, "noise_counted", json_integer((json_int_t)noise.grid.counted));
  json_object_set_new(details, "least_survivors", json_integer((json_int_t)noise.least));
  sotto_i_fed_joint joint;
  if (sotto_i_fed_joint_new(&joint, o, taking, NULL) != SOTTO_OK) return;
  json_object_set_new(details, "colluding_counted", json_integer((json_int_t)joint.colluding));
  json_object_set_new(details, "colluding_withstood", json_integer((json_int_t)joint.withstands));
  json_object_set_new(details, "sum_neighbours", json_integer((json_int_t)joint.plan.neighbours));
  json_object_set_new(details, "sum_threshold", json_integer((json_int_t)joint.plan.threshold));
}

/* What other clients get of a node's cluster where edges between clients are counted. */
static json_t *clusters_json(const sotto_report *report) {
  const sotto_result *r = report->result;
  return json_pack("{s:f,s:f,s:I,s:s,s:f,s:I,s:s,s:s,s:s,s:s,s:b}", "epsilon", r->label_epsilon,
                   "epsilon_planned", r->label_epsilon_planned, "charges_made",
                   (json_int_t)r->made.label_charges, "mechanism", "randomized-response", "flip_probability",
                   r->label_flip, "choices", (json_int_t)report->data->classes, "adjacency",
                   "features and label of one node, by the model of the first rounds", "adversary",
                   "all other clients together, semi-honest, who know their edges to that node", "what",
                   "the cluster of every node is reported once a training; clients count reported clusters "
                   "for one another",
                   "subject", "the cluster of a node against other clients, in all trainings together",
                   "insecure", report->options->insecure_seed != SOTTO_UNSET);
}

void sotto_i_annotate_clients(json_t *statement, const sotto_report *report) {
  const sotto_options *o = report->options;
  const sotto_graph_epsilon *graph = &report->result->graph_epsilon;
  json_t *details = json_object_get(statement, "details");
  add_assumed(json_object_get(statement, "assumed_public"), o);
  add_uncovered(json_object_get(statement, "not_covered"), report);
  if (sotto_i_shares_statistics(o) && !is_alone(o) && report->data->schema != NULL &&
      report->data->schema->moments != NULL)
    add_text(json_object_get(statement, "not_covered"),
             "mean and variance of each column: those of a client are known to the server, and those of all "
             "clients' rows to "
             "all, since all scale their columns alike (feature-scale)");
  if (sotto_i_learns_numbers(o))
    add_text(
        json_object_get(statement, "not_covered"),
        "mean and deviation of training numbers: those of a client are known to the server, and those of "
        "all clients together to all, since the model counts in them");
  json_object_set_new(details, "secure_aggregation",
                      json_boolean(sotto_i_client_settings_of(o)->secure_aggregation));
  if (has_noise(o)) add_noise(details, o);
  if (report->result->label_epsilon > 0) json_object_set_new(statement, "labels", clusters_json(report));
  if (sotto_i_fed_has_helper(o)) {
    json_object_set_new(details, "update_bound", json_real(sotto_i_client_settings_of(o)->update_bound));
    json_object_set_new(details, "trust",
                        json_string("server and helper do not collude; each alone sees shares and the sum"));
    json_object_set_new(details, "left_out", json_string(report->result->left_out));
  }
  if (!is_coded(report->result)) return;
  json_object_set_new(details, "epsilon_least", json_real(graph->least));
  json_object_set_new(details, "epsilon_most", json_real(graph->most));
}
