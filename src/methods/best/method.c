/* best: noisy counts of neighbours by likely class, and a correction learnt from them. */
#include <math.h>

#include "attacks/canary.h"
#include "best.h"
#include "best_node.h"
#include "models/options.h"
#include "recipes/answers/predict_counts.h"
#include "recipes/counts.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"
#include "run/statement/statement.h"

/* A second round of counts takes half of the budget of the first, which pays where there is plenty; and where
 * there is little, those that features alone are sure of need to hear nothing, and the other ends of edges
 * hear more. */
static void resolve(sotto_options *o, const sotto_options *asked) {
  const bool privacy = sotto_i_job_wants_privacy(o);
  if (o->adjacency == SOTTO_ADJACENCY_NODE) {
    sotto_i_resolve_node(o, asked);
    sotto_i_fall_back(o, asked, "encoder-share", "0.8");
    sotto_i_fall_back(o, asked, "epochs", "100");
    return;
  }
  sotto_i_fall_back(o, asked, "weight-decay", "0.001");
  sotto_i_fall_back(o, asked, "layers", privacy && o->epsilon < 12 ? "1" : "2");
  if (privacy) sotto_i_fall_back(o, asked, "read-share", o->epsilon / (double)o->layers <= 2 ? "0.7" : "0.9");
}

enum { plain = SOTTO_I_NONE | SOTTO_I_EDGE };
static const sotto_i_option_change changes[] = {
    {.key = "adjacency", .choices = "none edge node"},
    {.key = "layers",
     .adjacencies = plain,
     .help = "rounds of counts, which share epsilon alike; 1 by default with noise below epsilon 12"},
    {.key = "epochs", .fallback = "150", .help = "epochs of the correction; of the network at node level"},
    {.key = "encoder-share", .help = "share of the budget for the network; the rest is the table's"},
    {.key = "encoder-epochs", .adjacencies = plain},
    {.key = "decoder-activation", .adjacencies = plain},
    {.key = "dropout", .adjacencies = plain},
    {.key = "patience", .adjacencies = plain},
    {.key = "select-by", .adjacencies = plain},
    {.key = "weight-decay", .help = "L2 penalty; 0.001 by default but at node level"},
    {.key = "read-share", .adjacencies = plain},
};

static const sotto_i_variant variants[] = {
    {.adjacencies = plain,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .canaries = SOTTO_I_CANARIES_OF_COUNTS,
     .canary = sotto_i_canary_of_counts,
     .ranks = true,
     .by_rows = true,
     .run = sotto_i_best_run,
     .price = sotto_i_counts_price},
    {.adjacencies = SOTTO_I_NODE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .canaries = SOTTO_I_CANARIES_OF_NODES | SOTTO_I_CANARIES_OF_STEPS,
     .canary = sotto_i_best_node_canary,
     .run = sotto_i_best_node_run,
     .price = sotto_i_best_node_price},
};

/* Who sees the model is covered, who sees an answer is not. */
static void annotate(json_t *statement, const sotto_report *report) {
  if (report->options->adjacency == SOTTO_ADJACENCY_NODE)
    json_array_append_new(json_object_get(statement, "not_covered"),
                          json_string("answers: the model is private, but an answer about a node reads that "
                                      "node's features and edges and its neighbours' features, without "
                                      "noise; give it to those who may know these"));
}

static sotto_status open_run(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  return from->job->options->adjacency == SOTTO_ADJACENCY_NODE ? sotto_i_best_node_open(out, from, err)
                                                               : sotto_i_best_open(out, from, err);
}

const sotto_i_method sotto_i_method_best = {
    .name = "best",
    .summary =
        "noisy counts of neighbours by known or likely class; the most accurate at edge and node level",
    .situation = "I own one sensitive graph and publish the model",
    .source = "this project (docs/methods.md)",
    .protects = "it protects edges or nodes",
    .topology = SOTTO_ONE_OWNER,
    .nights = true,
    .no_fresh = true,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency epsilon delta max-degree degree-cut"},
                         {&sotto_i_network_rows, "layers hidden activation decoder-activation dropout"},
                         {&sotto_i_training_rows,
                          "encoder-epochs epochs patience select-by learning-rate weight-decay"},
                         {&sotto_i_counts_rows, NULL},
                         {&sotto_i_node_rows, "encoder-share batch-rate clip steps"}},
                .changes = changes,
                .change_count = sizeof changes / sizeof *changes},
    .resolve = resolve,
    .annotate = annotate,
    .open = open_run,
    .narrow = sotto_i_narrow_counts,
    .variants = variants,
    .variant_count = sizeof variants / sizeof *variants,
};
