/* PertGraph: GraphSAGE on a graph that was perturbed under local privacy of edges. */
#include <string.h>

#include "attacks/canary.h"
#include "models/options.h"
#include "options.h"
#include "pertgraph.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"

enum { plain = SOTTO_I_NONE | SOTTO_I_EDGE };
/* At node level it is a perceptron of one hop, trained by DP-SGD on sampled subgraphs. */
static const sotto_i_option_change changes[] = {
    {.key = "layers", .adjacencies = plain},           {.key = "activation", .adjacencies = SOTTO_I_NODE},
    {.key = "dropout", .adjacencies = plain},          {.key = "patience", .adjacencies = plain},
    {.key = "adjacency", .choices = "none edge node"}, {.key = "epochs", .fallback = "200"},
    {.key = "weight-decay", .fallback = "5e-4"},       {.key = "select-by", .adjacencies = plain},
};

static const sotto_i_option_default defaults[] = {SOTTO_I_PRIVATE_MLP_DEFAULTS};

static const sotto_i_variant variants[] = {
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .canaries = 1U << SOTTO_I_CANARY_PAIR,
     .canary = sotto_i_pertgraph_canary,
     .run = sotto_i_pertgraph_run,
     .price = sotto_i_pertgraph_price},
    {.adjacencies = SOTTO_I_NODE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .recipe = &sotto_i_sage_of_one_hop,
     .canaries = SOTTO_I_CANARIES_OF_STEPS,
     .run = sotto_i_private_mlp_run,
     .price = sotto_i_private_mlp_price},
};

const sotto_i_method sotto_i_method_pertgraph = {
    .name = "pertgraph",
    .summary = "a perturbed graph, and GraphSAGE on it",
    .situation = "I own one sensitive graph and publish the model",
    .source = "Wu et al. 2022; Imola, Murakami and Chaudhuri 2022",
    .protects = "it protects edges or nodes",
    .topology = SOTTO_ONE_OWNER,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency epsilon delta max-degree degree-cut"},
                         {&sotto_i_network_rows, "layers hidden activation dropout"},
                         {&sotto_i_training_rows, "epochs patience select-by learning-rate weight-decay"},
                         {&sotto_i_node_rows, "batch-rate neighbour-sample clip steps"},
                         {&sotto_i_pertgraph_rows, NULL}},
                .changes = changes,
                .change_count = sizeof changes / sizeof *changes,
                .defaults = defaults,
                .default_count = sizeof defaults / sizeof *defaults},
    .open = sotto_i_predict_perturbed,
    .variants = variants,
    .variant_count = sizeof variants / sizeof *variants,
};
