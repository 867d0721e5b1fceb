/* FedAvg: clients with their own nodes or graphs average their models at a server. */
#include <string.h>

#include "audit/canary.h"
#include "methods/federated/linked.h"
#include "methods/federated/noisy.h"
#include "methods/federated/options.h"
#include "methods/federated/protocol.h"
#include "protocols/options.h"
#include "run/method/method.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"

/* Chosen on validation nodes (docs/federated.md). */
enum {
  with_edges =
      SOTTO_I_NONE | SOTTO_I_EDGE | SOTTO_I_GRAPH | SOTTO_I_CLIENT, /* networks read edges or counts */
  with_steps = SOTTO_I_NONE | SOTTO_I_EDGE | SOTTO_I_CLIENT,        /* clients take optimiser steps */
  sampled = SOTTO_I_NODE | SOTTO_I_GRAPH
};
static const sotto_i_option_change changes[] = {
    SOTTO_I_FED_ENCODER_EPOCHS,
    {.key = "adjacency",
     .fallback = "none",
     .choices = "none edge node graph client",
     .help = "none: no noise is added; edge: clients read noisy counts of neighbours, and no edge; node: "
             "DP-SGD on features, with noise in the sums over clients; graph: the same by networks on many "
             "small graphs; client: noise hides all that a client has"},
    {.key = "epsilon", .adjacencies = SOTTO_I_EDGE | SOTTO_I_NODE | SOTTO_I_GRAPH | SOTTO_I_CLIENT},
    {.key = "aggregator", .fallback = "gcn", .choices = "gcn gin sage", .adjacencies = with_edges},
    {.key = "optimiser", .fallback = "server-adam", .adjacencies = with_steps},
    {.key = "dropout", .adjacencies = with_steps},
    {.key = "activation", .help = "of hidden layers at node level", .adjacencies = SOTTO_I_NODE},
    {.key = "weight-decay", .adjacencies = with_steps},
    {.key = "max-degree", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
    {.key = "degree-cut", .adjacencies = SOTTO_I_NONE},
    SOTTO_I_CLIENT_EPOCHS(with_steps),
    {.key = "prox-mu", .adjacencies = with_steps},
    {.key = "local-momentum", .adjacencies = with_steps},
    {.key = "update-bound", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
    {.key = "batch-rate",
     .adjacencies = sampled,
     .help = "probability with which a training node or graph joins a round's secret sample"},
    {.key = "clip",
     .adjacencies = sampled | SOTTO_I_CLIENT,
     .help = "norm that a gradient of a node or graph, or a client's update, is clipped to"},
    {.key = "learning-rate", .fallback = "0.03", .help = "of Adam, or of sgd"},
    {.key = "feature-scale", .fallback = "suited", .choices = "suited l2 none"},
    {.key = "batch-size", .adjacencies = with_steps, .help = "nodes or graphs a step; 0: all of a client's"},
};

/* Clients' own optimisers use the published networks. */
enum { plain = SOTTO_I_NONE | SOTTO_I_EDGE, noisy_levels = SOTTO_I_NODE | SOTTO_I_GRAPH | SOTTO_I_CLIENT };
#define OWN_OPTIMISERS .adjacencies = plain, .when = {SOTTO_I_UNLESS("optimiser", "server-adam")}
static const sotto_i_option_default defaults[] = {
    SOTTO_I_NUMBER_DEFAULTS,
    {"learning-rate", "0.1", .adjacencies = SOTTO_I_GRAPH},
    {"learning-rate", "0.01", OWN_OPTIMISERS},
    {"layers", "1", .adjacencies = SOTTO_I_GRAPH},
    {"hidden", "16", .adjacencies = SOTTO_I_GRAPH},
    {"weight-decay", "0", .adjacencies = noisy_levels},
    SOTTO_I_FED_GRAPH_DEFAULTS(plain, "optimiser", "adam sgd"),
    {"rounds", "100", .adjacencies = noisy_levels},
    {"dropout", "0", .adjacencies = noisy_levels},
    {"secure-aggregation", "true", .adjacencies = noisy_levels,
     .when = {SOTTO_I_WHEN("noise", "distributed")}},
};

static const sotto_i_fed_protocol protocol = {.counts = false}, counts = {.counts = true},
                                  noisy = {.noisy = true};
/* A client's mean and deviation of numbers go to the server, from which these options hide updates. */
#define WITHOUT_HIDING "secure-aggregation client-keys sum-neighbours update-bound"

static const sotto_i_variant variants[] = {
    {.adjacencies = SOTTO_I_NONE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .numbers = true,
     .chosen = sotto_i_learns_numbers,
     .key = "task",
     .word = "regression",
     .without = SOTTO_I_WITHOUT_CLASSES " " WITHOUT_HIDING,
     .protocol = &protocol,
     .run = sotto_i_fed_run,
     .price = sotto_i_price_nothing},
    {.adjacencies = SOTTO_I_NONE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .protocol = &protocol,
     .run = sotto_i_fed_run,
     .price = sotto_i_price_nothing},
    {.adjacencies = SOTTO_I_EDGE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .covered = true,
     .chosen = sotto_i_fed_linked_asked,
     .key = "partition",
     .word = "linked:alike",
     .protocol = &counts,
     .run = sotto_i_fed_run,
     .canaries = 1U << SOTTO_I_CANARY_PAIR | 1U << SOTTO_I_CANARY_CLUSTER,
     .canary = sotto_i_fed_linked_canary,
     .price = sotto_i_fed_counts_price},
    {.adjacencies = SOTTO_I_EDGE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .covered = true,
     .protocol = &counts,
     .run = sotto_i_fed_run,
     .canaries = 1U << SOTTO_I_CANARY_PAIR | 1U << SOTTO_I_CANARY_PILOT,
     .canary = sotto_i_fed_canary,
     .price = sotto_i_fed_counts_price},
    {.adjacencies = SOTTO_I_NODE,
     .accountings = SOTTO_I_SOUND,
     .covered = true,
     .own_rows = true,
     .protocol = &noisy,
     .run = sotto_i_fed_run,
     .canaries = SOTTO_I_CANARIES_OF_NODES,
     .canary = sotto_i_fed_noisy_canary,
     .price = sotto_i_fed_noise_price},
    {.adjacencies = SOTTO_I_GRAPH,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .covered = true,
     .protocol = &noisy,
     .run = sotto_i_fed_run,
     .canaries = 1U << SOTTO_I_CANARY_GRAPH,
     .canary = sotto_i_fed_noisy_canary,
     .price = sotto_i_fed_noise_price},
    {.adjacencies = SOTTO_I_CLIENT,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .covered = true,
     .protocol = &noisy,
     .run = sotto_i_fed_run,
     .canaries = SOTTO_I_CANARIES_OF_NODES,
     .canary = sotto_i_fed_noisy_canary,
     .price = sotto_i_fed_noise_price},
};

const sotto_i_method sotto_i_method_fedavg = {
    .name = "fedavg",
    .summary = "models are averaged; at edge level they read noisy counts, at other levels sums are noisy",
    .situation = "Many clients hold nodes or small graphs of their own",
    .source = "McMahan et al. 2017",
    .protects =
        "it protects edges, nodes, graphs or clients; secure-aggregation hides each client among the others",
    .topology = SOTTO_CLIENTS_AND_SERVER,
    .helper = sotto_i_fed_has_helper,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency epsilon delta max-degree degree-cut"},
                         {&sotto_i_network_rows, "aggregator layers hidden dropout activation"},
                         {&sotto_i_training_rows,
                          "encoder-epochs epochs learning-rate weight-decay batch-size"},
                         {&sotto_i_member_rows, "clients least-clients"},
                         {&sotto_i_partition_rows, NULL},
                         {&sotto_i_client_rows, NULL},
                         {&sotto_i_node_rows, "batch-rate clip"},
                         {&sotto_i_noise_rows, NULL},
                         {&sotto_i_party_rows, "idle-limit grace ids record-wire"}},
                SOTTO_I_CHANGES(changes),
                SOTTO_I_DEFAULTS(defaults)},
    .check = sotto_i_fed_check,
    .accounts = sotto_i_fed_linked_accounts,
    .state = sotto_i_fed_linked_state,
    .inputs = sotto_i_fed_inputs,
    .attack_server = sotto_i_fed_attack,
    .attack_client = sotto_i_fed_attack,
    .describe = sotto_i_describe_clients,
    .annotate = sotto_i_annotate_clients,
    .open = sotto_i_fed_open,
    .narrow = sotto_i_fed_counts_narrow,
    .items = sotto_i_fed_items,
    .nodes_too = true,
    .no_fresh = true,
    SOTTO_I_VARIANTS(variants),
};
