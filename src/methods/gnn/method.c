/* Graph networks without privacy: GIN, GCN and mean; and GraphSAGE, which has DP-SGD at node level. */
#include <string.h>

#include "audit/canary.h"
#include "base/error.h"
#include "graph_model.h"
#include "methods/vesper/options.h"
#include "protocols/answers/predict_stages.h"
#include "protocols/node_budget.h"
#include "protocols/options.h"
#include "run/method/method.h"
#include "run/method/work.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"

/* The layers of network_forward: all nodes in every pass, one pass in training and one in validation. */
static bool count_work(sotto_plan_work *out, const sotto_options *o, const sotto_plan_shape *shape,
                       bool sage) {
  const double rows = (double)shape->nodes, factors = sage ? 2 : 1;
  sotto_plan_phase *p = sotto_i_work_phase(out, "network", o->epochs, rows, (double)o->hidden);
  const double features = (double)shape->features;
  out->node_values = 2 * features; /* unscaled, and scaled */
  for (uint64_t k = 0; k < o->layers; k++) {
    const bool inner = k > 0, last = k + 1 == o->layers;
    const double in = inner ? (double)o->hidden : features, to = last ? shape->classes : (double)o->hidden;
    sotto_i_work_dropout(p, rows, in, o->dropout, inner);
    sotto_i_work_product(p, rows, in, to, factors * (inner ? 4 : 3));
    sotto_i_work_spread(p, shape, to, 3);
    p->passes += 3 * rows * to; /* the bias, and its gradient */
    if (sage) p->passes += 3 * rows * to;
    if (!last) sotto_i_work_activation(p, SOTTO_ACTIVATION_RELU, rows, rows, to);
    p->reduced += factors * in * to + to;
    /* Values and gradients: of the product, the sparse product, the rows with bias, the activated rows. */
    out->node_values += (sage ? 10 : 6) * to + (last ? 0 : 2 * to);
    if (o->dropout > 0) out->node_values += inner ? 2 * in : in;
  }
  const double train = o->train_share * rows, validation = o->validation_share * rows;
  sotto_i_work_scores(p, train, validation, shape->classes);
  return true;
}

static bool gnn_work(sotto_plan_work *out, const sotto_options *options, const sotto_plan_shape *shape) {
  return options->aggregator != SOTTO_LAYER_GIN && count_work(out, options, shape, false);
}

/* for gcn and mean; for sage without privacy */
static bool sage_work(sotto_plan_work *out, const sotto_options *options, const sotto_plan_shape *shape) {
  return count_work(out, options, shape, true);
}

static sotto_status open_gnn(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  const bool gin = from->job->options->aggregator == SOTTO_LAYER_GIN;
  return gin ? sotto_i_predict_stages(out, from, err) : sotto_i_predict_graph(out, from, err);
}

const sotto_i_private_mlp sotto_i_sage_of_one_hop = {.name = "sage", .neighbours = true};

static const sotto_i_option_change gnn_changes[] = {
    {.key = "adjacency", .fallback = "none", .choices = "none edge", .help = "none: no noise is added"},
    {.key = "aggregator", .choices = "gin gcn mean"},
    {.key = "combine", .choices = "cat gru"},
};
/* At node level it is a perceptron with one hop, trained by DP-SGD on sampled subgraphs. */
static const sotto_i_option_change sage_changes[] = {
    {.key = "layers", .adjacencies = SOTTO_I_NONE},
    {.key = "activation", .adjacencies = SOTTO_I_NODE},
    {.key = "dropout", .adjacencies = SOTTO_I_NONE},
    {.key = "patience", .adjacencies = SOTTO_I_NONE},
    {.key = "select-by", .adjacencies = SOTTO_I_NONE},
    {.key = "adjacency", .fallback = "none", .choices = "none node"},
    {.key = "epochs", .fallback = "200"},
    {.key = "weight-decay", .fallback = "5e-4"},
    SOTTO_I_PRIVATE_MLP_FAN_OUT,
};

/* Kipf and Welling 2017 */
static const sotto_i_option_default gnn_defaults[] = {
    SOTTO_I_NUMBER_DEFAULTS,
    {"epochs", "200", .when = {SOTTO_I_UNLESS("aggregator", "gin")}},
    {"weight-decay", "5e-4", .when = {SOTTO_I_UNLESS("aggregator", "gin")}},
};
static const sotto_i_option_default sage_defaults[] = {SOTTO_I_NUMBER_DEFAULTS, SOTTO_I_PRIVATE_MLP_DEFAULTS};

static const sotto_i_variant gnn_variants[] = {
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .by_rows = true,
     .numbers = true,
     .chosen = sotto_i_learns_numbers,
     .key = "task",
     .word = "regression",
     .without = SOTTO_I_WITHOUT_CLASSES,
     .run = sotto_i_gnn_run},
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .by_rows = true,
     .run = sotto_i_gnn_run,
     .work = gnn_work},
};
static const sotto_i_variant sage_variants[] = {
    {.adjacencies = SOTTO_I_NONE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .by_rows = true,
     .numbers = true,
     .chosen = sotto_i_learns_numbers,
     .key = "task",
     .word = "regression",
     .without = SOTTO_I_WITHOUT_CLASSES,
     .run = sotto_i_sage_run,
     .price = sotto_i_price_nothing},
    {.adjacencies = SOTTO_I_NONE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .by_rows = true,
     .run = sotto_i_sage_run,
     .work = sage_work,
     .price = sotto_i_price_nothing},
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

const sotto_i_method sotto_i_method_gnn = {
    .name = "gnn",
    .summary = "GIN, GCN or mean without privacy: what the private methods are measured against",
    .situation = "I want a comparison without privacy",
    .source = "Xu et al. 2019; Kipf and Welling 2017",
    .protects = "it is never private",
    .topology = SOTTO_ONE_OWNER,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency max-degree degree-cut"},
                         {&sotto_i_network_rows, "aggregator layers degree-floor hidden activation "
                                                 "release-activation combine dropout"},
                         {&sotto_i_training_rows,
                          "encoder-epochs epochs patience select-by learning-rate weight-decay"},
                         {&sotto_i_vesper_rows, "release-width constant release-scale layer-weights"}},
                SOTTO_I_CHANGES(gnn_changes),
                SOTTO_I_DEFAULTS(gnn_defaults)},
    .open = open_gnn,
    SOTTO_I_VARIANTS(gnn_variants),
};

const sotto_i_method sotto_i_method_sage = {
    .name = "sage",
    .summary = "GraphSAGE without privacy, or of one hop by DP-SGD at node level",
    .situation = "I want a comparison without privacy",
    .source = "Hamilton, Ying and Leskovec 2017; Daigavane et al. 2021",
    .protects = "without privacy or at node level",
    .topology = SOTTO_ONE_OWNER,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows,
                          "adjacency epsilon delta max-degree degree-cut publish-accuracy"},
                         {&sotto_i_network_rows, "layers hidden activation dropout fan-out"},
                         {&sotto_i_training_rows, "epochs patience select-by learning-rate weight-decay"},
                         {&sotto_i_node_rows, "batch-rate clip steps"}},
                SOTTO_I_CHANGES(sage_changes),
                SOTTO_I_DEFAULTS(sage_defaults)},
    .open = sotto_i_predict_sage,
    SOTTO_I_VARIANTS(sage_variants),
};
