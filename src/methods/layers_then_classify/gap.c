/* GAP (Sajadmanesh et al. 2023; a baseline of Zheng et al. 2026): K noisy sums of normalised embeddings,
 * without the own row. All are released, and the classifier reads every layer. */
#include <math.h>
#include <string.h>

#include "audit/canary.h"
#include "base/error.h"
#include "central.h"
#include "options.h"
#include "protocols/answers/predict_private.h"
#include "protocols/answers/predict_stages.h"
#include "protocols/networks/work.h"
#include "protocols/node_budget.h"
#include "protocols/options.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"

enum { most_at_once = 16 }; /* columns of a release over ranks */

static bool gap_work(sotto_plan_work *out, const sotto_options *o, const sotto_plan_shape *shape) {
  const double rows = (double)shape->nodes, width = (double)sotto_i_released_width(o),
               layers = (double)o->layers;
  if (o->combine != SOTTO_COMBINE_CAT) return false;
  sotto_i_work_encoder(out, o, shape, INFINITY);
  sotto_i_work_dropout(&out->phases[0], o->train_share * rows, (double)shape->features, o->dropout, false);
  sotto_plan_phase *p = sotto_i_work_phase(out, "release", 1, rows, width);
  sotto_i_work_embed(p, o, shape);
  p->passes += (layers + 2) * rows * width; /* centred, written */
  p->scaled += (2 * layers + 1) * rows * width;
  p->sums = layers * 2 * (double)shape->edges * width;
  if (sotto_i_job_wants_privacy(o)) p->normals = layers * rows * width;
  const double parts = ceil(width / most_at_once);
  p->at_once = ceil(width / parts);
  p->exchanges = layers * parts;
  p->exchanged = layers * parts * p->at_once;
  p->dealt = rows * width;
  p->gathered = (layers + 1) * rows * width;
  sotto_i_work_decoder(out, o, shape, layers + 1);
  out->node_values += 2 * width;
  out->rank_values = (layers > 1 ? 3 : 2) * width;
  out->released_bytes = layers * rows * width * (double)sizeof(float);
  return true;
}

static sotto_status check(const sotto_options *o, sotto_error *err) {
  sotto_status status = sotto_i_check_node_combine(o, err);
  return status == SOTTO_OK ? sotto_i_check_floor(o, err) : status;
}

static const sotto_i_option_change changes[] = {
    {.key = "adjacency", .choices = "none edge node"},
    {.key = "aggregator", .choices = "gin gcn mean"},
    {.key = "combine", .choices = "cat sum max mean attention"},
    {.key = "row-clip", .adjacencies = SOTTO_I_NODE},
    {.key = "dropout", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
    {.key = "patience", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
    {.key = "select-by", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
    {.key = "encoder-cache", .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
};

/* A second sum leaves more noise on the first, and adds less information than that costs. At node level a
 * floor of max-degree makes all weights equal, which has the least sensitivity. */
static const sotto_i_option_default defaults[] = {
    {"layers", "1", .noise = SOTTO_I_WITH_NOISE},
    {"degree-floor", .as = "max-degree", .adjacencies = SOTTO_I_NODE},
};

static const sotto_i_variant variants[] = {
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .noisy = true,
     .canaries = SOTTO_I_CANARIES_OF_EDGES,
     .canary = sotto_i_canary_of_layers,
     .ranks = true,
     .by_rows = true,
     .run = sotto_i_central_run,
     .work = gap_work},
    {.adjacencies = SOTTO_I_NODE,
     .accountings = SOTTO_I_SOUND,
     .answers_moved = sotto_i_moves_own_answer,
     .edges = true,
     .own_rows = true,
     .own_alone = sotto_i_no_node_release,
     .canaries = SOTTO_I_CANARIES_OF_NODES | SOTTO_I_CANARIES_OF_STEPS,
     .canary = sotto_i_central_node_canary,
     .run = sotto_i_central_node_run,
     .price = sotto_i_central_node_price},
};

const sotto_i_method sotto_i_method_gap = {
    .name = "gap",
    .summary = "K noisy sums over neighbours, all of them released",
    .situation = "I own one sensitive graph and publish the model",
    .source = "Sajadmanesh et al. 2023",
    .protects = "it protects edges or nodes",
    .topology = SOTTO_ONE_OWNER,
    .central = true,
    .options =
        {.uses = {{&sotto_i_run_rows, NULL},
                  {&sotto_i_privacy_rows, "adjacency epsilon delta max-degree degree-cut publish-accuracy"},
                  {&sotto_i_network_rows, "aggregator layers degree-floor hidden activation "
                                          "release-activation combine dropout"},
                  {&sotto_i_training_rows,
                   "encoder-epochs epochs patience select-by learning-rate weight-decay encoder-cache"},
                  {&sotto_i_node_rows,
                   "row-clip row-sign encoder-share release-share batch-rate clip steps"}},
         SOTTO_I_CHANGES(changes),
         SOTTO_I_DEFAULTS(defaults)},
    .check = check,
    .open = sotto_i_central_open,
    .narrow = sotto_i_narrow_stages,
    SOTTO_I_VARIANTS(variants),
};
