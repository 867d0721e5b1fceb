/* VFGNN: several holders of columns and edges, a neutral server, the first layer under secret shares; and the
 * same network with all of it under shares. */
#include <string.h>

#include "attacks/canary.h"
#include "base/error.h"
#include "models/options.h"
#include "options.h"
#include "recipes/counts.h"
#include "run/method/method.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"
#include "vfgnn.h"

static sotto_status check_holders(const sotto_options *o, sotto_error *err) {
  const sotto_i_holder_settings *own = sotto_i_holder_settings_of(o);
  double share[SOTTO_MOST_HOLDERS];
  if (o->layers > SOTTO_I_VFGNN_HOPS)
    return sotto_i_fail(err, SOTTO_RANGE, "layers: %s has 1 to %d", o->method, SOTTO_I_VFGNN_HOPS);
  if (o->label_holder > o->holders)
    return sotto_i_fail(err, SOTTO_RANGE, "label-holder: there are %llu holders",
                        (unsigned long long)o->holders);
  if (o->holders == 1 && own->initial == SOTTO_I_INITIAL_COLLABORATIVELY)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "initial: one holder has nobody to share with; take 'individually'");
  if (own->proportion[0] == '\0') return SOTTO_OK;
  return sotto_vertical_proportion(share, (size_t)o->holders, own->proportion, err);
}

static sotto_status check_vfgnn(const sotto_options *o, sotto_error *err) {
  if (sotto_i_holder_settings_of(o)->estimator == SOTTO_I_ESTIMATOR_JAMES_STEIN && o->hidden < 3)
    return sotto_i_fail(err, SOTTO_RANGE, "estimator: james-stein needs rows of 3 columns at least");
  if (o->record_wire && o->batch_size > 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "record-wire: not with mini-batches (batch-size)");
  return check_holders(o, err);
}

static sotto_status check_securegnn(const sotto_options *o, sotto_error *err) {
  if (o->holders == 1) return sotto_i_fail(err, SOTTO_RANGE, "holders: one has nobody to share with");
  return check_holders(o, err);
}

/* Zhou et al. 2021, but patience and hop-rate: chosen on validation nodes of cora and citeseer. */
static const sotto_i_option_change vfgnn_changes[] = {
    {.key = "adjacency", .choices = "none edge"},
    {.key = "aggregator", .fallback = "mean", .choices = "mean gin gcn gat"},
    {.key = "activation", .fallback = "tanh", .help = "of the holders' layers"},
    {.key = "decoder-activation", .fallback = "sigmoid", .help = "of the server's network"},
    {.key = "epochs", .fallback = "200", .help = "epochs, and so releases of each holder, at most"},
    {.key = "weight-decay", .fallback = "5e-3"},
    {.key = "learning-rate", .fallback = "0.003"},
    {.key = "layers", .fallback = "4", .help = "hops at each holder"},
    {.key = "patience", .fallback = "50"},
    {.key = "combine", .choices = "cat mean regression", .help = "how the server joins the holders' rows"},
    {.key = "publication",
     .fallback = "rows",
     .choices = "rows counts",
     .help = "rows of all nodes in every epoch; or once, after training without edges, counts of neighbours "
             "by cluster"},
    {.key = "encoder-epochs",
     .help = "epochs of networks under shares, without edges, at most",
     .accountings = SOTTO_I_SOUND},
    {.key = "read-share", .accountings = SOTTO_I_SOUND},
    {.key = "max-degree", .help = "declared bound on the neighbours of a node; 0: none declared"},
};
/* Rows of every epoch have too much noise to be of use; each hop multiplies how many of them an edge moves.
 * Of counts: chosen on validation nodes of cora (docs/vfgnn.md). */
#define COUNTS .accountings = SOTTO_I_SOUND, .when = {SOTTO_I_WHEN("publication", "counts")}
static const sotto_i_option_default vfgnn_defaults[] = {
    {"publication", "counts", .accountings = SOTTO_I_SOUND, .noise = SOTTO_I_WITH_NOISE},
    {"layers", "1", COUNTS, .noise = SOTTO_I_WITH_NOISE, .below = 8},
    {"layers", "2", COUNTS},
    {"layers", "1", .noise = SOTTO_I_WITH_NOISE},
    {"read-share", "0.7", COUNTS, .noise = SOTTO_I_WITH_NOISE, .round_most = 4},
    {"read-share", "0.9", COUNTS, .noise = SOTTO_I_WITH_NOISE},
    {"epochs", "150", COUNTS},
    {"learning-rate", "0.01", COUNTS},
};
/* On validation nodes of both. */
static const sotto_i_option_change securegnn_changes[] = {
    {.key = "adjacency", .fallback = "none", .choices = "none edge", .help = "none: no noise is added"},
    {.key = "aggregator", .fallback = "mean", .choices = "mean"},
    {.key = "weight-decay", .fallback = "5e-3"},
    {.key = "first-rate", .fallback = "1"},
    {.key = "hop-rate", .fallback = "0.1"},
};

/* Each holder's rows, in every epoch. */
static uint64_t releases(const sotto_options *o) {
  return o->epochs;
}

/* What the server sends in a prediction. */
static const char hidden_rows[] =
    "its last hidden layer of the nodes that are asked for, to the label holder";

static const sotto_i_variant vfgnn_variants[] = {
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE,
     .accountings = SOTTO_I_SOUND,
     .chosen = sotto_i_holders_count,
     .recipe = &sotto_i_vfgnn_counts_recipe,
     .key = "publication",
     .word = "counts",
     .without = "aggregator activation batch-size hop-rate estimator",
     .edges = true,
     .canaries = SOTTO_I_CANARIES_OF_COUNTS,
     .canary = sotto_i_canary_of_counts,
     .price = sotto_i_counts_price,
     .run = sotto_i_vfgnn_run,
     .answer = sotto_i_vfgnn_answer,
     .answer_sends = "numbers of nodes"},
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE,
     .accountings = SOTTO_I_SOUND,
     .key = "publication",
     .word = "rows",
     .without = "encoder-epochs read-share",
     .edges = true,
     .noisy = true,
     .canaries = 1U << SOTTO_I_CANARY_ROWS,
     .canary = sotto_i_vfgnn_canary,
     .releases = releases,
     .plan = sotto_i_vfgnn_plan,
     .run = sotto_i_vfgnn_run,
     .answer = sotto_i_vfgnn_answer,
     .answer_sends = hidden_rows},
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE,
     .accountings = SOTTO_I_PAPER,
     .edges = true,
     .noisy = true,
     .releases = releases,
     .plan = sotto_i_vfgnn_plan,
     .run = sotto_i_vfgnn_run,
     .answer = sotto_i_vfgnn_answer,
     .answer_sends = hidden_rows},
};
static const sotto_i_variant securegnn_variants[] = {
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .recipe = &sotto_i_vfgnn_secure_recipe,
     .plan = sotto_i_vfgnn_plan,
     .run = sotto_i_vfgnn_run,
     .answer = sotto_i_vfgnn_answer,
     .answer_sends = "numbers of nodes"},
};

const sotto_i_method sotto_i_method_vfgnn = {
    .name = "vfgnn",
    .summary = "noisy counts of neighbours once, or noisy rows in every epoch; features stay under shares",
    .situation = "Several firms hold columns and edges of the same nodes, with a neutral server",
    .source = "Zhou et al. 2021",
    .protects = "it protects edges",
    .topology = SOTTO_HOLDERS_AND_SERVER,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency accounting epsilon delta max-degree"},
                         {&sotto_i_network_rows,
                          "aggregator layers hidden activation decoder-activation combine dropout"},
                         {&sotto_i_training_rows,
                          "encoder-epochs epochs patience select-by learning-rate weight-decay batch-size"},
                         {&sotto_i_publication_rows, NULL},
                         {&sotto_i_counts_rows, NULL},
                         {&sotto_i_member_rows, "holders label-holder"},
                         {&sotto_i_holder_rows, NULL},
                         {&sotto_i_party_rows, "connect-limit idle-limit grace ids record-wire"}},
                .changes = vfgnn_changes,
                .change_count = sizeof vfgnn_changes / sizeof *vfgnn_changes,
                .defaults = vfgnn_defaults,
                .default_count = sizeof vfgnn_defaults / sizeof *vfgnn_defaults},
    .check = check_vfgnn,
    .attack_server = sotto_i_vfgnn_attack,
    .bounds = sotto_i_vfgnn_check_own,
    .open = sotto_i_vfgnn_open,
    .describe = sotto_i_describe_holders,
    .annotate = sotto_i_annotate_holders,
    .variants = vfgnn_variants,
    .variant_count = sizeof vfgnn_variants / sizeof *vfgnn_variants,
};

const sotto_i_method sotto_i_method_securegnn = {
    .name = "securegnn",
    .summary = "the whole network under secret shares, without noise",
    .situation = "Several firms hold columns and edges of the same nodes, with a neutral server",
    .source = "Zhou et al. 2021",
    .protects = "it adds no noise",
    .topology = SOTTO_HOLDERS_AND_SERVER,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency max-degree"},
                         {&sotto_i_network_rows, "aggregator layers hidden activation"},
                         {&sotto_i_training_rows, "epochs patience select-by weight-decay"},
                         {&sotto_i_member_rows, "holders label-holder"},
                         {&sotto_i_holder_rows, "proportion first-rate first-momentum hop-rate feature-bound "
                                                "fraction-bits"},
                         {&sotto_i_party_rows, "connect-limit idle-limit grace ids"}},
                .changes = securegnn_changes,
                .change_count = sizeof securegnn_changes / sizeof *securegnn_changes},
    .check = check_securegnn,
    .bounds = sotto_i_vfgnn_check_own,
    .open = sotto_i_vfgnn_open,
    .describe = sotto_i_describe_holders,
    .annotate = sotto_i_annotate_holders,
    .variants = securegnn_variants,
    .variant_count = sizeof securegnn_variants / sizeof *securegnn_variants,
};
