/* ProGAP: progressive stages, each with a noisy sum over neighbours. */
#include <string.h>

#include "attacks/canary.h"
#include "models/options.h"
#include "progap.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"

static sotto_status check(const sotto_options *o, sotto_error *err) {
  sotto_status status = sotto_i_check_node_combine(o, err);
  return status == SOTTO_OK ? sotto_i_check_floor(o, err) : status;
}

static const sotto_i_option_change changes[] = {
    {.key = "adjacency", .choices = "none edge node"},
    {.key = "aggregator", .choices = "gin gcn mean"},
    {.key = "combine", .choices = "cat sum max mean attention", .help = "how the head joins the stages"},
    {.key = "activation", .help = "of the embeddings"},
    {.key = "layers", .help = "stages with a release, K, after the one on features alone"},
    {.key = "encoder-epochs", .help = "epochs of the stage on features alone"},
    {.key = "epochs", .help = "epochs of each later stage"},
    {.key = "row-clip", .adjacencies = SOTTO_I_NODE},
    {.key = "dropout", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
    {.key = "patience", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
    {.key = "select-by", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
};

/* A second release costs the first one noise, which pays where there is plenty of budget. At node level a
 * floor of max-degree makes all weights alike, which has the least sensitivity. */
static const sotto_i_option_default defaults[] = {
    {"layers", "1", .adjacencies = SOTTO_I_NODE, .noise = SOTTO_I_WITH_NOISE},
    {"layers", "1", .noise = SOTTO_I_WITH_NOISE, .below = 12},
    {"degree-floor", .as = "max-degree", .adjacencies = SOTTO_I_NODE},
};

static const sotto_i_variant variants[] = {
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .canaries = SOTTO_I_CANARIES_OF_EDGES,
     .canary = sotto_i_progap_canary,
     .run = sotto_i_progap_run,
     .price = sotto_i_progap_price},
    {.adjacencies = SOTTO_I_NODE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .canaries = SOTTO_I_CANARIES_OF_NODES | SOTTO_I_CANARIES_OF_STEPS,
     .canary = sotto_i_progap_node_canary,
     .run = sotto_i_progap_node_run,
     .price = sotto_i_progap_node_price},
};

const sotto_i_method sotto_i_method_progap = {
    .name = "progap",
    .summary = "stages trained one after another, each with a noisy sum over neighbours",
    .situation = "I own one sensitive graph and publish the model",
    .source = "Sajadmanesh and Gatica-Perez 2024",
    .protects = "it protects edges or nodes",
    .topology = SOTTO_ONE_OWNER,
    .central = true,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency epsilon delta max-degree degree-cut"},
                         {&sotto_i_network_rows,
                          "aggregator layers degree-floor hidden activation combine dropout"},
                         {&sotto_i_training_rows,
                          "encoder-epochs epochs patience select-by learning-rate weight-decay"},
                         {&sotto_i_node_rows,
                          "row-clip row-sign encoder-share release-share batch-rate clip steps"}},
                .changes = changes,
                .change_count = sizeof changes / sizeof *changes,
                .defaults = defaults,
                .default_count = sizeof defaults / sizeof *defaults},
    .check = check,
    .open = sotto_i_progap_open,
    .narrow = sotto_i_progap_narrow,
    .variants = variants,
    .variant_count = sizeof variants / sizeof *variants,
};
