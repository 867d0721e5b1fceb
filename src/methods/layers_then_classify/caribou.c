/* CARIBOU (Zheng et al. 2026) in its sound form (docs/privacy.md): a degree floor instead of the graph's
 * own least degree, rows projected to the unit ball, noise after the last layer, and no release of earlier
 * layers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit/canary.h"
#include "base/error.h"
#include "caribou_paper.h"
#include "central.h"
#include "inside/pmp.h"
#include "options.h"
#include "pmp/contractive.h"
#include "protocols/answers/predict_private.h"
#include "protocols/answers/predict_stages.h"
#include "protocols/node_budget.h"
#include "protocols/options.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"
#include "run/statement/statement.h"

static const char *const faults[] = {
    "least degree: theorem 4 takes it from the private graph, and a neighbouring graph has another; epsilon "
    "is what this noise gives on every graph",
    "least degree: how much noise there is follows from it, which epsilon does not cover",
    "public code: it aggregates once more after the last noise, which no epsilon covers; here the noise is "
    "last",
    NULL};

static void annotate_contractive(json_t *statement, const sotto_report *report) {
  const sotto_options *o = report->options;
  const sotto_paper_claim *c = &report->result->cost.claim;
  if (!(c->epsilon > 0)) return;
  json_object_set_new(statement, "claim",
                      json_pack("{s:s,s:f,s:f,s:f,s:f,s:I,s:I,s:o}", "source",
                                "CARIBOU, theorem 4 and corollary 1", "epsilon", c->epsilon, "delta",
                                o->delta, "noise", c->noise, "sensitivity", c->sensitivity, "least_degree",
                                (json_int_t)c->least_degree, "layers", (json_int_t)o->layers,
                                "why_it_does_not_hold", sotto_i_json_strings(faults)));
}

static sotto_status check(const sotto_options *o, sotto_error *err) {
  if (!(sotto_i_caribou_settings_of(o)->contraction < 1))
    return sotto_i_fail(err, SOTTO_RANGE, "contraction: must be below 1, or nothing contracts");
  if (sotto_i_caribou_as_paper(o)) return sotto_i_caribou_paper_check(o, err);
  sotto_status status = sotto_i_check_node_combine(o, err);
  return status == SOTTO_OK ? sotto_i_check_floor(o, err) : status;
}

static sotto_status plan(sotto_i_release_plan *out, const sotto_options *o, const sotto_graph *graph,
                         sotto_error *err) {
  const sotto_contractive_options options = sotto_i_contractive_options(o);
  const double epsilon = sotto_i_job_wants_privacy(o) ? o->epsilon : INFINITY;
  sotto_status status = sotto_i_caribou_as_paper(o)
                            ? sotto_i_caribou_paper_plan(&out->contractive, &out->claim, o, graph, err)
                            : sotto_contractive_plan_new(&out->contractive, &options, graph->nodes, o->hidden,
                                                         epsilon, o->delta, err);
  if (status == SOTTO_OK) out->layers = sotto_i_contractive_shown(&out->contractive);
  return status;
}

static const sotto_i_paper paper = {
    .theorem = "theorem 4 and corollary 1",
    .why = "the claim reads the least degree off the private graph, and the charge holds on every graph"};

/* Chosen on validation nodes of amazon computers (docs/methods.md). */
static const sotto_i_option_change changes[] = {
    {.key = "adjacency", .choices = "none edge node"},
    {.key = "aggregator", .fallback = "gcn", .choices = "gcn"},
    {.key = "feature-scale", .fallback = "none"},
    {.key = "epochs", .fallback = "200"},
    {.key = "degree-floor", .fallback = "100"},
    {.key = "combine", .choices = "cat sum max mean attention"},
    {.key = "as-published", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
    {.key = "row-clip", .adjacencies = SOTTO_I_NODE},
    {.key = "dropout", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
    {.key = "patience", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
    {.key = "select-by", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
    {.key = "encoder-cache", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
};

/* A second layer leaves more noise on the first, and adds less information than that costs. A degree floor
 * bounds the effect of an edge, and few columns bound the noise. */
#define PUBLISHED .when = {SOTTO_I_PUBLISHED}
static const sotto_i_option_default defaults[] = {
    {"accounting", "paper", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE,
     PUBLISHED},                          /* theorem 4 and corollary 1 */
    {"hidden", "16", PUBLISHED},          /* appendix A-D5: as many as GAP, which has 16 */
    {"activation", "selu", PUBLISHED},    /* appendix A-D5 */
    {"layers", "4", PUBLISHED},           /* appendix A-D5: a grid; as many as a chain has nodes on chains */
    {"contraction", "0.5", PUBLISHED},    /* section VI-C3: a standard contractive layer; a grid elsewhere */
    {"alpha", "1", PUBLISHED},            /* section VI-C4: larger is better */
    {"beta", "10", PUBLISHED},            /* section VI-C4: larger is better with rich features; up to 15 */
    {"learning-rate", "0.01", PUBLISHED}, /* appendix A-D5, of Adam, as GAP */
    {"combine", "cat", PUBLISHED},        /* section IV-D: the head of GAP */
    {"layers", "1", .adjacencies = SOTTO_I_EDGE, .noise = SOTTO_I_WITH_NOISE},
    {"degree-floor", .as = "max-degree", .adjacencies = SOTTO_I_NODE},
    {"degree-floor", "0", .accountings = SOTTO_I_PAPER},
    {"degree-floor", "0", .noise = SOTTO_I_WITHOUT_NOISE},
    {"hidden", "128", .noise = SOTTO_I_WITHOUT_NOISE},
};

static const sotto_i_variant variants[] = {
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .noisy = true,
     .contractive = true,
     .plan = plan,
     .canaries = SOTTO_I_CANARIES_OF_EDGES,
     .canary = sotto_i_canary_of_layers,
     .ranks = true,
     .by_rows = true,
     .run = sotto_i_central_run},
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE,
     .accountings = SOTTO_I_PAPER,
     .edges = true,
     .noisy = true,
     .contractive = true,
     .plan = plan,
     .canaries = 1U << SOTTO_I_CANARY_OWN,
     .canary = sotto_i_canary_of_layers,
     .run = sotto_i_central_run},
    {.adjacencies = SOTTO_I_NODE,
     .accountings = SOTTO_I_SOUND,
     .answers_moved = sotto_i_moves_own_answer,
     .edges = true,
     .own_rows = true,
     .own_alone = sotto_i_no_node_release,
     .protocol = &sotto_i_central_contractive,
     .canaries = SOTTO_I_CANARIES_OF_NODES | SOTTO_I_CANARIES_OF_STEPS,
     .canary = sotto_i_central_node_canary,
     .run = sotto_i_central_node_run,
     .price = sotto_i_central_node_price},
};

const sotto_i_method sotto_i_method_caribou = {
    .name = "caribou",
    .summary = "the last of K contractive noisy layers",
    .situation = "I own one sensitive graph and publish the model",
    .source = "Zheng et al. 2026",
    .protects = "it protects edges or nodes",
    .topology = SOTTO_ONE_OWNER,
    .central = true,
    .options =
        {.uses = {{&sotto_i_run_rows, NULL},
                  {&sotto_i_privacy_rows, NULL},
                  {&sotto_i_published_rows, NULL},
                  {&sotto_i_network_rows, "aggregator layers degree-floor hidden activation combine "
                                          "dropout"},
                  {&sotto_i_training_rows,
                   "encoder-epochs epochs patience select-by learning-rate weight-decay encoder-cache"},
                  {&sotto_i_node_rows, "row-clip encoder-share release-share batch-rate clip steps"},
                  {&sotto_i_caribou_rows, NULL}},
         SOTTO_I_CHANGES(changes),
         SOTTO_I_DEFAULTS(defaults)},
    .paper = &paper,
    .check = check,
    .annotate = annotate_contractive,
    .open = sotto_i_central_open,
    .narrow = sotto_i_narrow_stages,
    SOTTO_I_VARIANTS(variants),
};
