/* PertGraph: GraphSAGE on a graph that was perturbed under local privacy of edges. */
#include <string.h>

#include "audit/canary.h"
#include "pertgraph.h"
#include "protocols/node_budget.h"
#include "protocols/options.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"

enum { plain = SOTTO_I_NONE | SOTTO_I_EDGE };
/* At node level it is a perceptron with one hop, trained by DP-SGD on sampled subgraphs. */
static const sotto_i_option_change changes[] = {
    {.key = "layers", .adjacencies = plain},
    {.key = "activation", .adjacencies = SOTTO_I_NODE},
    {.key = "dropout", .adjacencies = plain},
    {.key = "patience", .adjacencies = plain},
    {.key = "adjacency", .choices = "none edge node"},
    {.key = "epochs", .fallback = "200"},
    {.key = "weight-decay", .fallback = "5e-4"},
    {.key = "select-by", .adjacencies = plain},
    {.key = "publication",
     .fallback = "asymmetric",
     .choices = "asymmetric edgerand lapgraph",
     .help = "how the graph is perturbed"},
    SOTTO_I_PRIVATE_MLP_FAN_OUT,
};

static const sotto_i_option_default defaults[] = {SOTTO_I_PRIVATE_MLP_DEFAULTS};
static bool is_asymmetric(const sotto_options *o) {
  return sotto_i_publication_of(o) == SOTTO_I_PUBLICATION_ASYMMETRIC;
}
static bool is_edgerand(const sotto_options *o) {
  return sotto_i_publication_of(o) == SOTTO_I_PUBLICATION_EDGERAND;
}
static bool is_lapgraph(const sotto_options *o) {
  return sotto_i_publication_of(o) == SOTTO_I_PUBLICATION_LAPGRAPH;
}

#define PERTURBED(name, of)                                                                                  \
  .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE, .accountings = SOTTO_I_SOUND, .edges = true, .chosen = (name), \
  .key = "publication", .word = (of), .canary = sotto_i_pertgraph_canary, .run = sotto_i_pertgraph_run,      \
  .price = sotto_i_pertgraph_price
enum { pair = 1U << SOTTO_I_CANARY_PAIR, number = 1U << SOTTO_I_CANARY_COUNT };

static const sotto_i_variant variants[] = {
    {PERTURBED(is_asymmetric, "asymmetric"), .canaries = pair | number},
    {PERTURBED(is_edgerand, "edgerand"), .canaries = pair},
    {PERTURBED(is_lapgraph, "lapgraph"), .canaries = pair | number},
    {.adjacencies = SOTTO_I_NODE,
     .accountings = SOTTO_I_SOUND,
     .answers_moved = sotto_i_moves_one_hop,
     .edges = true,
     .own_rows = true,
     .protocol = &sotto_i_sage_of_one_hop,
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
                         {&sotto_i_privacy_rows,
                          "adjacency epsilon delta max-degree degree-cut publish-accuracy"},
                         {&sotto_i_network_rows, "layers hidden activation dropout fan-out"},
                         {&sotto_i_training_rows, "epochs patience select-by learning-rate weight-decay"},
                         {&sotto_i_node_rows, "batch-rate clip steps"},
                         {&sotto_i_publication_rows, NULL}},
                SOTTO_I_CHANGES(changes),
                SOTTO_I_DEFAULTS(defaults)},
    .open = sotto_i_predict_perturbed,
    SOTTO_I_VARIANTS(variants),
};
