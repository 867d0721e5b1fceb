/* best: noisy counts of neighbours by likely class, and a correction learnt from them. */
#include "attacks/canary.h"
#include "best.h"
#include "best_node.h"
#include "models/options.h"
#include "recipes/answers/predict_counts.h"
#include "recipes/counts.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"
#include "run/statement/statement.h"

enum { plain = SOTTO_I_NONE | SOTTO_I_EDGE };
static const sotto_i_option_change changes[] = {
    {.key = "adjacency", .choices = "none edge node"},
    {.key = "layers", .adjacencies = plain, .help = "rounds of counts, which share epsilon alike"},
    {.key = "epochs", .fallback = "150", .help = "epochs of the correction; of the network at node level"},
    {.key = "encoder-share", .help = "share of the budget for the network; the rest is the table's"},
    {.key = "encoder-epochs", .adjacencies = plain},
    {.key = "decoder-activation", .adjacencies = plain},
    {.key = "dropout", .adjacencies = plain},
    {.key = "patience", .adjacencies = plain},
    {.key = "select-by", .adjacencies = plain},
    {.key = "read-share", .adjacencies = plain},
};

/* A second round of counts takes half of the budget of the first, which pays where there is plenty. Where
 * there is little, nodes that features alone are sure of need no counts, and the others have less noise. */
static const sotto_i_option_default defaults[] = {
    {"weight-decay", "0.001", .adjacencies = plain},
    {"epochs", "100", .adjacencies = SOTTO_I_NODE},
    {"encoder-share", "0.8", .adjacencies = SOTTO_I_NODE},
    {"layers", "1", .adjacencies = plain, .noise = SOTTO_I_WITH_NOISE, .below = 12},
    {"read-share", "0.7", .adjacencies = plain, .noise = SOTTO_I_WITH_NOISE, .round_most = 2},
    {"read-share", "0.9", .adjacencies = plain, .noise = SOTTO_I_WITH_NOISE},
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
                .change_count = sizeof changes / sizeof *changes,
                .defaults = defaults,
                .default_count = sizeof defaults / sizeof *defaults},
    .annotate = annotate,
    .open = open_run,
    .narrow = sotto_i_narrow_counts,
    .variants = variants,
    .variant_count = sizeof variants / sizeof *variants,
};
