/* DPDGC: one noisy sum over neighbours, of class probabilities by an encoder. */
#include <string.h>

#include "attacks/canary.h"
#include "dpdgc.h"
#include "methods/layers_then_classify/central.h"
#include "models/options.h"
#include "options.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"

static const sotto_i_option_change changes[] = {
    {.key = "adjacency", .choices = "none edge k-neighbour node"},
    {.key = "row-clip", .adjacencies = SOTTO_I_NEIGHBOURS | SOTTO_I_NODE},
    {.key = "dropout", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE | SOTTO_I_NEIGHBOURS},
    {.key = "patience", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE | SOTTO_I_NEIGHBOURS},
    {.key = "select-by", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE | SOTTO_I_NEIGHBOURS},
};

static const sotto_i_variant variants[] = {
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE | SOTTO_I_NEIGHBOURS,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .canaries = 1U << SOTTO_I_CANARY_PAIR,
     .canary = sotto_i_dpdgc_canary,
     .run = sotto_i_dpdgc_run,
     .price = sotto_i_dpdgc_price},
    {.adjacencies = SOTTO_I_NODE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .recipe = &sotto_i_central_decoupled,
     .canaries = SOTTO_I_CANARIES_OF_NODES | SOTTO_I_CANARIES_OF_STEPS,
     .canary = sotto_i_central_node_canary,
     .run = sotto_i_central_node_run,
     .price = sotto_i_central_node_price},
};

const sotto_i_method sotto_i_method_dpdgc = {
    .name = "dpdgc",
    .summary = "one noisy sum over neighbours, apart from features",
    .situation = "I own one sensitive graph and publish the model",
    .source = "Chien et al. 2023",
    .protects = "it protects edges or nodes",
    .topology = SOTTO_ONE_OWNER,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency epsilon delta max-degree degree-cut"},
                         {&sotto_i_network_rows, "hidden activation dropout"},
                         {&sotto_i_training_rows,
                          "encoder-epochs epochs patience select-by learning-rate weight-decay"},
                         {&sotto_i_node_rows, "row-clip encoder-share release-share batch-rate clip steps"},
                         {&sotto_i_dpdgc_rows, NULL}},
                .changes = changes,
                .change_count = sizeof changes / sizeof *changes},
    .open = sotto_i_dpdgc_open,
    .variants = variants,
    .variant_count = sizeof variants / sizeof *variants,
};
