/* LPGNet: noisy degree vectors by cluster, round after round. */
#include <string.h>

#include "attacks/canary.h"
#include "lpgnet.h"
#include "models/options.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"

static const sotto_i_option_change changes[] = {
    {.key = "adjacency", .choices = "none edge node"},
    {.key = "dropout", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
    {.key = "patience", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
    {.key = "select-by", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
    {.key = "layers", .help = "rounds of degree vectors, which share epsilon alike"},
};

static const sotto_i_variant variants[] = {
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .canaries = 1U << SOTTO_I_CANARY_PAIR,
     .canary = sotto_i_canary_of_counts,
     .run = sotto_i_lpgnet_run,
     .price = sotto_i_counts_price},
    {.adjacencies = SOTTO_I_NODE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .canaries = SOTTO_I_CANARIES_OF_NODES | SOTTO_I_CANARIES_OF_STEPS,
     .canary = sotto_i_lpgnet_node_canary,
     .run = sotto_i_lpgnet_node_run,
     .price = sotto_i_lpgnet_node_price},
};

const sotto_i_method sotto_i_method_lpgnet = {
    .name = "lpgnet",
    .summary = "noisy degree vectors by cluster",
    .situation = "I own one sensitive graph and publish the model",
    .source = "Kolluri et al. 2022",
    .protects = "it protects edges or nodes",
    .topology = SOTTO_ONE_OWNER,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency epsilon delta max-degree degree-cut"},
                         {&sotto_i_network_rows, "layers hidden activation dropout"},
                         {&sotto_i_training_rows,
                          "encoder-epochs epochs patience select-by learning-rate weight-decay"},
                         {&sotto_i_node_rows, "encoder-share release-share batch-rate clip steps"}},
                .changes = changes,
                .change_count = sizeof changes / sizeof *changes},
    .open = sotto_i_lpgnet_open,
    .narrow = sotto_i_lpgnet_narrow,
    .variants = variants,
    .variant_count = sizeof variants / sizeof *variants,
};
