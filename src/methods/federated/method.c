/* FedAvg: clients with nodes or graphs of their own average their models at a server. */
#include <string.h>

#include "models/options.h"
#include "options.h"
#include "recipe.h"
#include "run/method/method.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"

/* Jin and Chen 2022, section 4 */
void sotto_i_fed_resolve_graphs(sotto_options *o, const sotto_options *asked) {
  if (strcmp(o->aggregator, "gcn") == 0) {
    sotto_i_fall_back(o, asked, "hidden", "16");
    sotto_i_fall_back(o, asked, "weight-decay", "5e-4");
  }
  if (strcmp(o->aggregator, "gin") == 0) sotto_i_fall_back(o, asked, "layers", "5");
}

static const sotto_i_option_change changes[] = {
    {.key = "adjacency", .fallback = "none", .choices = "none", .help = "none: no noise is added"},
    {.key = "aggregator", .fallback = "gcn", .choices = "gcn gin"},
    {.key = "feature-scale", .choices = "l2 none"},
    {.key = "batch-size", .help = "nodes or graphs a step; 0: all of a client's"},
};

static const sotto_i_fed_recipe recipe = {.leave = true};
static const sotto_i_variant variants[] = {
    {.adjacencies = SOTTO_I_NONE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .recipe = &recipe,
     .run = sotto_i_federated_run,
     .price = sotto_i_price_nothing},
};

const sotto_i_method sotto_i_method_fedavg = {
    .name = "fedavg",
    .summary = "models are averaged, or with secure-aggregation only their sum is seen; no noise",
    .situation = "Many clients hold nodes or small graphs of their own",
    .source = "McMahan et al. 2017",
    .protects = "it adds no noise; secure-aggregation hides each client among the others",
    .topology = SOTTO_CLIENTS_AND_SERVER,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency max-degree degree-cut"},
                         {&sotto_i_network_rows, "aggregator layers hidden dropout"},
                         {&sotto_i_training_rows, "learning-rate weight-decay batch-size"},
                         {&sotto_i_client_rows, NULL},
                         {&sotto_i_party_rows, "connect-limit idle-limit grace ids record-wire"}},
                .changes = changes,
                .change_count = sizeof changes / sizeof *changes},
    .resolve = sotto_i_fed_resolve_graphs,
    .check = sotto_i_fed_check,
    .inputs = sotto_i_fed_inputs,
    .attack_server = sotto_i_fed_attack,
    .attack_client = sotto_i_fed_attack,
    .describe = sotto_i_describe_clients,
    .annotate = sotto_i_annotate_clients,
    .variants = variants,
    .variant_count = sizeof variants / sizeof *variants,
};
