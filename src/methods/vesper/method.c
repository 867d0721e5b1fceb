/* VESPER: one party has the graph and features, another the labels. */
#include <math.h>
#include <string.h>

#include "as_published/vesper_paper.h"
#include "attacks/canary.h"
#include "base/error.h"
#include "models/options.h"
#include "options.h"
#include "pmp/publish.h"
#include "run/method/method.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"
#include "run/train/predict.h"
#include "statement.h"
#include "vesper.h"

static void resolve(sotto_options *o, const sotto_options *asked) {
  if (o->releases > 1) sotto_i_fall_back(o, asked, "release-scale", "raw");
  if (strcmp(o->accounting, "paper") ==
      0) { /* Wu et al. 2023, appendix C.4; passes over the training nodes */
    sotto_i_fall_back(o, asked, "epochs", "5");
    sotto_i_fall_back(o, asked, "activation", "relu");
  }
  if (strcmp(o->adjacency, "node") != 0) return;
  sotto_i_resolve_node(o, asked);
  /* Own rows carry more than sums over neighbours at the noise of this level (docs/methods.md). */
  sotto_i_fall_back(o, asked, "layers", "1");
  sotto_i_fall_back(o, asked, "encoder-share", "0.5");
}

static sotto_status check_as_published(const sotto_options *o, sotto_error *err) {
  if (strcmp(o->aggregator, "mean") == 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "aggregator: with accounting paper gin or gcn");
  if (strcmp(o->aggregator, "gcn") == 0 && o->degree_floor < 2)
    return sotto_i_fail(
        err, SOTTO_RANGE,
        "degree-floor: with accounting paper it is the least degree of proposition 2, at least 2");
  if (o->layers > SOTTO_I_PAPER_LAYERS)
    return sotto_i_fail(err, SOTTO_RANGE, "layers: with accounting paper at most %d", SOTTO_I_PAPER_LAYERS);
  return SOTTO_OK;
}

static sotto_status check(const sotto_options *o, sotto_error *err) {
  if (strcmp(o->accounting, "paper") == 0) return check_as_published(o, err);
  if (o->label_edges > 0 && o->layers > 32)
    return sotto_i_fail(err, SOTTO_RANGE,
                        "layers: at most 32 with label-edges, since both parties have as many");
  if (strcmp(o->publication, "layers") != 0 && (o->releases > 1 || o->layer_weights))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "publication: baselines have one release and no layer-weights");
  if (o->releases > 1 && (strcmp(o->release_scale, "raw") != 0 || strcmp(o->release_activation, "none") != 0))
    return sotto_i_fail(err, SOTTO_INVALID,
                        "releases: gradients go back through layers as the noise left them; more than one "
                        "release needs release-scale raw and release-activation none");
  return sotto_i_check_floor(o, err);
}

/* Noisy layers, with own rows or without; or the last layer alone. */
static sotto_status plan(sotto_i_release_plan *out, const sotto_options *o, const sotto_graph *graph,
                         sotto_error *err) {
  sotto_pmp_options pmp = sotto_i_job_pmp(o);
  const double epsilon = sotto_i_job_wants_privacy(o) ? o->epsilon : INFINITY;
  const size_t width = sotto_i_released_width(o);
  if (strcmp(o->publication, "layers") == 0) return sotto_i_plan_layers(out, o, graph, err);
  if (strcmp(o->publication, "gap") == 0) {
    pmp.self = false;
    return sotto_pmp_plan_new(&out->layers, &pmp, graph->nodes, width, epsilon, o->delta, err);
  }
  out->one_shot = true;
  out->what = "the last of several layers of message passing, noisy in that alone; its sensitivity rests on "
              "max-degree, which was declared";
  return sotto_i_publish_plan(&out->layers, &pmp, o->max_degree, graph->nodes, width, epsilon, o->delta, err);
}

enum { plain = SOTTO_I_NONE | SOTTO_I_EDGE };
static const sotto_i_option_change changes[] = {
    {.key = "aggregator", .choices = "gin gcn mean"},
    {.key = "encoder-share",
     .help = "share of mu squared for noisy own rows; the rest is for layers",
     .adjacencies = SOTTO_I_NODE},
    {.key = "row-clip", .adjacencies = SOTTO_I_NODE},
    {.key = "activation", .adjacencies = plain}, /* node level has no encoder */
    {.key = "patience", .accountings = SOTTO_I_SOUND},
    {.key = "release-activation", .accountings = SOTTO_I_SOUND},
    {.key = "adjacency", .choices = "none edge node"},
    {.key = "record-wire", .adjacencies = plain, .accountings = SOTTO_I_SOUND},
};

static const sotto_i_variant variants[] = {
    {.adjacencies = plain,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .noisy = true,
     .plan = plan,
     .canaries = SOTTO_I_CANARIES_OF_EDGES,
     .canary = sotto_i_canary_of_layers,
     .run = sotto_i_vesper_run},
    {.adjacencies = plain,
     .accountings = SOTTO_I_PAPER,
     .edges = true,
     .run = sotto_i_vesper_paper_run,
     .price = sotto_i_vesper_paper_price},
    {.adjacencies = SOTTO_I_NODE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .canaries = SOTTO_I_CANARIES_OF_NODES,
     .canary = sotto_i_vesper_node_canary,
     .run = sotto_i_vesper_node_run,
     .price = sotto_i_vesper_node_price},
};

const sotto_i_method sotto_i_method_vesper = {
    .name = "vesper",
    .summary =
        "K noisy layers leave the party with the graph, once or R times; labels by randomised response",
    .situation = "I have the graph and features, a partner has the labels",
    .source = "Wu et al. 2023",
    .protects = "it protects edges or nodes",
    .topology = SOTTO_TWO_PARTIES,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, NULL},
                         {&sotto_i_network_rows,
                          "aggregator layers degree-floor hidden activation decoder-activation "
                          "release-activation decoder dropout"},
                         {&sotto_i_training_rows,
                          "encoder-epochs epochs patience select-by learning-rate weight-decay"},
                         {&sotto_i_node_rows, "row-clip encoder-share"},
                         {&sotto_i_vesper_rows, NULL},
                         {&sotto_i_label_rows, NULL},
                         {&sotto_i_party_rows, NULL}},
                .changes = changes,
                .change_count = sizeof changes / sizeof *changes},
    .resolve = resolve,
    .divide = sotto_i_two_parties_divide,
    .accounts = sotto_i_two_parties_accounts,
    .state = sotto_i_two_parties_state,
    .check = check,
    .describe = sotto_i_describe_two_parties,
    .annotate = sotto_i_annotate_two_parties,
    .open = sotto_i_predict_stages,
    .variants = variants,
    .variant_count = sizeof variants / sizeof *variants,
};
