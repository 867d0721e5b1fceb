/* GW-LDP: federated training, then embeddings of each graph's nodes under local privacy, for comparison. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "methods/federated/federated.h"
#include "methods/federated/options.h"
#include "methods/federated/recipe.h"
#include "models/options.h"
#include "options.h"
#include "run/method/method.h"
#include "run/settings/rows.h"

static sotto_status check(const sotto_options *o, sotto_error *err) {
  if (strcmp(o->adjacency, "none") == 0 && isfinite(o->epsilon))
    return sotto_i_fail(err, SOTTO_INVALID, "adjacency: none goes with epsilon inf, which adds no noise");
  return sotto_i_fed_check(o, err);
}

static const sotto_i_option_change changes[] = {
    {.key = "adjacency", .fallback = "graph", .choices = "none graph"},
    {.key = "epsilon",
     .fallback = "0",
     .help = "of a release of each graph; 0: 1 / number of nodes; inf: none"},
    {.key = "aggregator", .fallback = "gcn", .choices = "gcn gin"},
    {.key = "feature-scale", .choices = "l2 none"},
    {.key = "batch-size", .help = "nodes or graphs a step; 0: all of a client's"},
};

static const sotto_i_fed_recipe recipe = {.embeds = true};
static const sotto_i_variant variants[] = {
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_GRAPH,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .recipe = &recipe,
     .run = sotto_i_federated_run,
     .price = sotto_i_gwldp_price},
};

const sotto_i_method sotto_i_method_gwldp = {
    .name = "gwldp",
    .summary = "models are averaged; then each node's class probabilities under local privacy",
    .situation = "Many clients hold nodes or small graphs of their own",
    .source = "Jin and Chen 2022",
    .protects = "it protects the embeddings of whole graphs: take adjacency graph",
    .topology = SOTTO_CLIENTS_AND_SERVER,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency epsilon delta max-degree"},
                         {&sotto_i_network_rows, "aggregator layers hidden dropout"},
                         {&sotto_i_training_rows, "learning-rate weight-decay batch-size"},
                         {&sotto_i_client_rows, NULL},
                         {&sotto_i_gwldp_rows, NULL},
                         {&sotto_i_party_rows, "connect-limit idle-limit grace ids record-wire"}},
                .changes = changes,
                .change_count = sizeof changes / sizeof *changes},
    .resolve = sotto_i_fed_resolve_graphs,
    .check = check,
    .inputs = sotto_i_fed_inputs,
    .attack_server = sotto_i_fed_attack,
    .attack_client = sotto_i_fed_attack,
    .describe = sotto_i_describe_clients,
    .annotate = sotto_i_annotate_clients,
    .variants = variants,
    .variant_count = sizeof variants / sizeof *variants,
};
