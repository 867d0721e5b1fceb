/* best: noisy counts of neighbours by likely class, and a correction learnt from them. */
#include <math.h>

#include "attacks/canary.h"
#include "best.h"
#include "models/options.h"
#include "recipes/counts.h"
#include "run/settings/options.h"
#include "run/settings/rows.h"

/* A second round of counts takes half of the budget of the first, which pays where there is plenty; and where
 * there is little, those that features alone are sure of need to hear nothing, and the other ends of edges
 * hear more. */
static void resolve(sotto_options *o, const sotto_options *asked) {
  const bool privacy = sotto_i_job_wants_privacy(o);
  sotto_i_fall_back(o, asked, "layers", privacy && o->epsilon < 12 ? "1" : "2");
  if (privacy) sotto_i_fall_back(o, asked, "read-share", o->epsilon / (double)o->layers <= 2 ? "0.7" : "0.9");
}

static const sotto_i_option_change changes[] = {
    {.key = "adjacency", .choices = "none edge"},
    {.key = "layers",
     .help = "rounds of counts, which share epsilon alike; 1 by default with noise below epsilon 12"},
    {.key = "epochs", .fallback = "150", .help = "epochs of the correction"},
};

static const sotto_i_variant variants[] = {
    {.adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE,
     .accountings = SOTTO_I_SOUND,
     .edges = true,
     .canaries = 1U << SOTTO_I_CANARY_PAIR,
     .canary = sotto_i_canary_of_counts,
     .run = sotto_i_best_run,
     .price = sotto_i_counts_price},
};

const sotto_i_method sotto_i_method_best = {
    .name = "best",
    .summary = "noisy counts of neighbours by known or likely class; the most accurate at edge level",
    .situation = "I own one sensitive graph and publish the model",
    .source = "this project (docs/methods.md)",
    .protects = "it protects edges",
    .topology = SOTTO_ONE_OWNER,
    .no_fresh = true,
    .options = {.uses = {{&sotto_i_run_rows, NULL},
                         {&sotto_i_privacy_rows, "adjacency epsilon delta max-degree"},
                         {&sotto_i_network_rows, "layers hidden activation decoder-activation dropout"},
                         {&sotto_i_training_rows,
                          "encoder-epochs epochs patience select-by learning-rate weight-decay"},
                         {&sotto_i_counts_rows, NULL}},
                .changes = changes,
                .change_count = sizeof changes / sizeof *changes},
    .resolve = resolve,
    .open = sotto_i_best_open,
    .variants = variants,
    .variant_count = sizeof variants / sizeof *variants,
};
