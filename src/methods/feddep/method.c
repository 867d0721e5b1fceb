/* Clients that each hold a part of one graph: FedDEP, FedSage and FedSage+, and what they are measured
 * against: one owner of all, and each client alone. */
#include <string.h>

#include "base/error.h"
#include "feddep.h"
#include "fedsage_plus.h"
#include "methods/federated/options.h"
#include "methods/federated/recipe.h"
#include "models/options.h"
#include "noisy_prototypes.h"
#include "options.h"
#include "run/method/method.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"

/* No label is in embeddings that were never trained. */
static void resolve_feddep(sotto_options *o, const sotto_options *asked) {
  if (o->embed_epochs == 0) sotto_i_fall_back(o, asked, "cross-fit", "1");
}

static sotto_status check_feddep(const sotto_options *o, sotto_error *err) {
  if (o->prototype_noise > 0 && o->prototypes == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "prototype-noise: there are no prototypes (prototypes 0)");
  if (o->prototype_noise > 0 && (o->max_degree == 0 || strcmp(o->mend, "embeddings") != 0))
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "prototype-noise: needs max-degree, the declared bound on the neighbours of a node, and mend "
        "embeddings");
  if (o->prototype_noise > 0 && !(o->delta > 0 && o->delta < 1))
    return sotto_i_fail(err, SOTTO_RANGE, "delta: must be between 0 and 1");
  return sotto_i_fed_check(o, err);
}

/* Zhang et al. 2021, section 5, where it says so; the rest chosen on validation nodes (docs/feddep.md). */
#define SHARED_CHANGES                                                                                       \
  {.key = "adjacency",                                                                                       \
   .fallback = "none",                                                                                       \
   .choices = "none",                                                                                        \
   .help = "none: models are averaged without noise"},                                                       \
      {.key = "aggregator", .fallback = "mean", .choices = "mean"},                                          \
      {.key = "feature-scale", .choices = "l2 none"}, {.key = "deal", .fallback = "communities"},            \
      {.key = "fan-out", .fallback = "5"},                                                                   \
      {.key = "batch-size", .fallback = "64", .help = "nodes a step; 0: all of a client's"},                 \
      {.key = "rounds", .fallback = "50"}, {                                                                 \
    .key = "learning-rate", .fallback = "0.03"                                                               \
  }
static const sotto_i_option_change changes[] = {SHARED_CHANGES};
static const sotto_i_option_change feddep_changes[] = {SHARED_CHANGES,
                                                       {.key = "missing-weight", .fallback = "10"}};
static const sotto_i_option_change plus_changes[] = {SHARED_CHANGES,
                                                     {.key = "generator-epochs", .fallback = "20"}};

#define VARIANT(kind, priced)                                                                                \
  {                                                                                                          \
    .adjacencies = SOTTO_I_NONE, .accountings = SOTTO_I_SOUND, .edges = true, .recipe = (kind),              \
    .run = sotto_i_federated_run, .price = (priced)                                                          \
  }
static const sotto_i_fed_recipe feddep = {.parts = true,
                                          .prepare = sotto_i_feddep_prepare,
                                          .serve = sotto_i_feddep_exchange,
                                          .width = sotto_i_feddep_width,
                                          .deep = true};
static const sotto_i_fed_recipe plus = {
    .parts = true, .prepare = sotto_i_fedsage_plus_prepare, .serve = sotto_i_fedsage_plus_serve};
static const sotto_i_fed_recipe sage = {.parts = true, .leave = true};
static const sotto_i_fed_recipe local = {.parts = true, .alone = true};
static const sotto_i_fed_recipe whole = {.parts = true, .alone = true, .whole = true};
static const sotto_i_variant feddep_variants[] = {VARIANT(&feddep, sotto_i_prototypes_price)};
static const sotto_i_variant plus_variants[] = {VARIANT(&plus, sotto_i_price_nothing)};
static const sotto_i_variant sage_variants[] = {VARIANT(&sage, sotto_i_price_nothing)};
static const sotto_i_variant local_variants[] = {VARIANT(&local, sotto_i_price_nothing)};
static const sotto_i_variant whole_variants[] = {VARIANT(&whole, sotto_i_price_nothing)};

static const char situation[] = "Branches each hold a part of one graph";
static const char network[] = "aggregator layers hidden dropout";
static const char training[] = "learning-rate weight-decay batch-size";
static const char parties[] = "connect-limit idle-limit grace ids";
static const char generator[] =
    "fan-out hide-share most-missing generator-epochs count-weight missing-weight "
    "prototype-weight";
/* Of clients that train by themselves. */
static const char dealing[] =
    "clients dirichlet deal client-list rounds local-epochs optimiser local-momentum";

const sotto_i_method sotto_i_method_feddep = {
    .name = "feddep",
    .summary = "models are averaged; missing neighbours are generated from shared prototypes",
    .situation = situation,
    .source = "Zhang et al. 2024",
    .protects = "models are averaged without noise; prototype-noise is that of prototypes",
    .topology = SOTTO_CLIENTS_AND_SERVER,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency delta max-degree degree-cut"},
                         {&sotto_i_network_rows, network},
                         {&sotto_i_training_rows, training},
                         {&sotto_i_client_rows, NULL},
                         {&sotto_i_part_rows, NULL},
                         {&sotto_i_party_rows, "connect-limit idle-limit grace ids record-wire"}},
                .changes = feddep_changes,
                .change_count = sizeof feddep_changes / sizeof *feddep_changes},
    .resolve = resolve_feddep,
    .check = check_feddep,
    .attack_server = sotto_i_fed_attack,
    .attack_client = sotto_i_fed_attack,
    .inputs = sotto_i_fed_inputs,
    .describe = sotto_i_describe_clients,
    .annotate = sotto_i_annotate_prototypes,
    .variants = feddep_variants,
    .variant_count = 1,
};

const sotto_i_method sotto_i_method_fedsage_plus = {
    .name = "fedsage+",
    .summary = "models are averaged; missing neighbours are generated from other clients' rows",
    .situation = situation,
    .source = "Zhang et al. 2021",
    .protects = "it adds no noise; secure-aggregation hides each client's updates",
    .topology = SOTTO_CLIENTS_AND_SERVER,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency max-degree degree-cut"},
                         {&sotto_i_network_rows, network},
                         {&sotto_i_training_rows, training},
                         {&sotto_i_client_rows, NULL},
                         {&sotto_i_part_rows, generator},
                         {&sotto_i_party_rows, parties}},
                .changes = plus_changes,
                .change_count = sizeof plus_changes / sizeof *plus_changes},
    .check = sotto_i_fed_check,
    .inputs = sotto_i_fed_inputs,
    .describe = sotto_i_describe_clients,
    .annotate = sotto_i_annotate_clients,
    .variants = plus_variants,
    .variant_count = 1,
};

const sotto_i_method sotto_i_method_fedsage = {
    .name = "fedsage",
    .summary = "models are averaged; edges between clients are lost",
    .situation = situation,
    .source = "Zhang et al. 2021",
    .protects = "it adds no noise; secure-aggregation hides each client among the others",
    .topology = SOTTO_CLIENTS_AND_SERVER,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency max-degree degree-cut"},
                         {&sotto_i_network_rows, network},
                         {&sotto_i_training_rows, training},
                         {&sotto_i_client_rows, NULL},
                         {&sotto_i_part_rows, "fan-out"},
                         {&sotto_i_party_rows, "connect-limit idle-limit grace ids record-wire"}},
                .changes = changes,
                .change_count = sizeof changes / sizeof *changes},
    .check = sotto_i_fed_check,
    .attack_server = sotto_i_fed_attack,
    .attack_client = sotto_i_fed_attack,
    .inputs = sotto_i_fed_inputs,
    .describe = sotto_i_describe_clients,
    .annotate = sotto_i_annotate_clients,
    .variants = sage_variants,
    .variant_count = 1,
};

const sotto_i_method sotto_i_method_locsage = {
    .name = "locsage",
    .summary = "each client trains by itself: what a federation is measured against",
    .situation = situation,
    .source = "Zhang et al. 2021",
    .protects = "each client trains by itself without noise",
    .topology = SOTTO_CLIENTS_AND_SERVER,
    .apart = true,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency max-degree degree-cut"},
                         {&sotto_i_network_rows, network},
                         {&sotto_i_training_rows, training},
                         {&sotto_i_client_rows, dealing},
                         {&sotto_i_part_rows, "fan-out"}},
                .changes = changes,
                .change_count = sizeof changes / sizeof *changes},
    .check = sotto_i_fed_check,
    .inputs = sotto_i_fed_inputs,
    .describe = sotto_i_describe_clients,
    .annotate = sotto_i_annotate_clients,
    .variants = local_variants,
    .variant_count = 1,
};

const sotto_i_method sotto_i_method_globsage = {
    .name = "globsage",
    .summary = "one owner trains on the whole graph: what a federation is measured against",
    .situation = situation,
    .source = "Zhang et al. 2021",
    .protects = "one owner trains it without noise",
    .topology = SOTTO_CLIENTS_AND_SERVER,
    .apart = true,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency max-degree degree-cut"},
                         {&sotto_i_network_rows, network},
                         {&sotto_i_training_rows, training},
                         {&sotto_i_client_rows, dealing},
                         {&sotto_i_part_rows, "fan-out"}},
                .changes = changes,
                .change_count = sizeof changes / sizeof *changes},
    .check = sotto_i_fed_check,
    .inputs = sotto_i_fed_inputs,
    .describe = sotto_i_describe_clients,
    .annotate = sotto_i_annotate_clients,
    .variants = whole_variants,
    .variant_count = 1,
};
