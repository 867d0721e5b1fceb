/* GW-LDP: federated training, then embeddings of each graph's nodes under local privacy, for comparison. */
#include <math.h>
#include <string.h>

#include "attacks/attack.h"
#include "attacks/canary.h"
#include "base/error.h"
#include "code.h"
#include "gwldp.h"
#include "methods/federated/options.h"
#include "methods/federated/recipe.h"
#include "models/options.h"
#include "options.h"
#include "run/method/method.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"

static bool is_coded(const sotto_options *o) {
  return sotto_i_gwldp_settings_of(o)->encoder == SOTTO_I_ENCODER_CODE;
}

static bool is_multibit(const sotto_options *o) {
  return !is_coded(o);
}

static sotto_status check(const sotto_options *o, sotto_error *err) {
  if (o->adjacency == SOTTO_ADJACENCY_NONE && isfinite(o->epsilon))
    return sotto_i_fail(err, SOTTO_INVALID, "adjacency: none goes with epsilon inf, which adds no noise");
  if (is_coded(o) && !(o->epsilon > 0))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "epsilon: must be above 0 with encoder code; 0 is a choice of encoder multibit");
  return sotto_i_fed_check(o, err);
}

static void describe(sotto_i_description *out, const sotto_report *report) {
  if (is_coded(report->options))
    sotto_i_code_describe(out, report);
  else
    sotto_i_describe_clients(out, report);
}

static void annotate(json_t *statement, const sotto_report *report) {
  if (is_coded(report->options))
    sotto_i_code_annotate(statement, report);
  else
    sotto_i_annotate_clients(statement, report);
}

/* What passes between parties of codes is released or public: a recorded wire shows nothing to attack. */
static sotto_status attack(sotto_i_attacked *attacked, const char *folder, sotto_error *err) {
  if (is_coded(attacked->options))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "encoder: with code no model passes between parties; the canary tests the release");
  return sotto_i_fed_attack(attacked, folder, err);
}

static const sotto_i_option_change changes[] = {
    {.key = "adjacency", .fallback = "graph", .choices = "none graph"},
    {.key = "epsilon",
     .fallback = "0",
     .help = "of a graph's release; encoder multibit: 0 is 1 / number of nodes"},
    {.key = "aggregator", .fallback = "gcn", .choices = "gcn gin"},
    {.key = "feature-scale", .choices = "l2 none"},
    {.key = "batch-size", .help = "nodes or graphs a step; 0: all of a client's"},
};

static const sotto_i_option_default defaults[] = {
    {"epsilon", "inf", .adjacencies = SOTTO_I_NONE, .when = {SOTTO_I_WHEN("encoder", "code")}},
    {"epsilon", "4", .when = {SOTTO_I_WHEN("encoder", "code")}},
    SOTTO_I_FED_GRAPH_DEFAULTS(SOTTO_I_NONE | SOTTO_I_GRAPH, "encoder", "multibit"),
};

static const sotto_i_fed_recipe recipe = {.embedding = &sotto_i_gwldp_embedding}, coded = {.alone = true};
static const sotto_i_variant variants[] = {
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_GRAPH,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .covered = true,
     .chosen = is_coded,
     .key = "encoder",
     .word = "code",
     .without = "aggregator layers hidden dropout learning-rate weight-decay batch-size least-clients rounds "
                "fraction round-limit local-epochs optimiser prox-mu server-momentum local-momentum "
                "secure-aggregation client-keys sum-neighbours sum-threshold embed-every unbiased "
                "feature-scale max-degree dirichlet",
     .recipe = &coded,
     .run = sotto_i_code_run,
     .price = sotto_i_code_price,
     .canaries = 1U << SOTTO_I_CANARY_GRAPH,
     .canary = sotto_i_code_canary},
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_GRAPH,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .chosen = is_multibit,
     .key = "encoder",
     .word = "multibit",
     .without = "anchors",
     .recipe = &recipe,
     .canaries = 1U << SOTTO_I_CANARY_GRAPH,
     .canary = sotto_i_multibit_canary,
     .run = sotto_i_fed_run,
     .price = sotto_i_gwldp_price},
};

const sotto_i_method sotto_i_method_gwldp = {
    .name = "gwldp",
    .summary = "one code of each graph under local privacy; or models, then class probabilities of nodes",
    .situation = "Many clients hold nodes or small graphs of their own",
    .source = "Jin and Chen 2022",
    .protects = "it protects whole graphs: take adjacency graph",
    .topology = SOTTO_CLIENTS_AND_SERVER,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency epsilon delta max-degree"},
                         {&sotto_i_network_rows, "aggregator layers hidden dropout"},
                         {&sotto_i_training_rows, "learning-rate weight-decay batch-size"},
                         {&sotto_i_member_rows, "clients least-clients"},
                         {&sotto_i_client_rows, NULL},
                         {&sotto_i_gwldp_rows, NULL},
                         {&sotto_i_party_rows, "connect-limit idle-limit grace ids record-wire"}},
                .changes = changes,
                .change_count = sizeof changes / sizeof *changes,
                .defaults = defaults,
                .default_count = sizeof defaults / sizeof *defaults},
    .check = check,
    .inputs = sotto_i_fed_inputs,
    .attack_server = attack,
    .attack_client = attack,
    .describe = describe,
    .annotate = annotate,
    .variants = variants,
    .variant_count = sizeof variants / sizeof *variants,
};
