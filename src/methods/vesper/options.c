/* Options of two parties, one with the graph, one with labels. */
#include "options.h"
#include "base/option.h"

static const sotto_i_option vesper_rows[] = {
    {SOTTO_I_OPTION(sotto_options, release_width, "release-width", COUNT, "0", 0, 65536, "", NETWORK,
                    "columns of the embeddings that are released; 0: hidden"),
     .accountings = SOTTO_I_SOUND},
    {SOTTO_I_OPTION(sotto_options, constant, "constant", REAL, "0", 0, 1e6, "", NETWORK,
                    "one more column of this value, whose sum counts neighbours; 0: none"),
     .accountings = SOTTO_I_SOUND},
    {SOTTO_I_OPTION(sotto_options, release_scale, "release-scale", WORD, "unit", 0, 0, "unit raw", NETWORK,
                    "what the label party gets of a layer: unit-norm rows, or as the noise left them"),
     .accountings = SOTTO_I_SOUND},
    {SOTTO_I_OPTION(sotto_options, publication, "publication", WORD, "layers", 0, 0, "layers gap vfgnn",
                    PRIVACY,
                    "every layer with noise; the same without own rows (GAP); the last layer alone (VFGNN)"),
     .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE, .accountings = SOTTO_I_SOUND},
    {SOTTO_I_OPTION(sotto_options, releases, "releases", COUNT, "1", 1, 64, "", PRIVACY,
                    "releases of one training, with gradients sent back between them"),
     .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE, .accountings = SOTTO_I_SOUND},
    {SOTTO_I_OPTION(sotto_options, layer_weights, "layer-weights", SWITCH, "false", 0, 0, "", NETWORK,
                    "trained weights between layers, of operator norm at most 1"),
     .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE, .accountings = SOTTO_I_SOUND},
    {SOTTO_I_OPTION(sotto_options, label_edges, "label-edges", REAL, "0", 0, 0.99, "", DATA,
                    "share of the edges that the label party holds, and releases to its own decoder"),
     .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE, .accountings = SOTTO_I_SOUND},
    {SOTTO_I_OPTION(sotto_options, neighbour_cap, "neighbour-cap", COUNT, "20", 1, 100000, "", PRIVACY,
                    "neighbours sampled for a node in a layer"),
     .accountings = SOTTO_I_PAPER},
    {SOTTO_I_OPTION(sotto_options, batch, "batch", COUNT, "256", 1, 4294967295.0, "", PRIVACY,
                    "training nodes in a mini-batch"),
     .accountings = SOTTO_I_PAPER},
};
const sotto_i_option_rows sotto_i_vesper_rows = {vesper_rows, sizeof vesper_rows / sizeof *vesper_rows};

static const sotto_i_option label_rows[] = {
    {SOTTO_I_OPTION(sotto_options, label_epsilon, "label-epsilon", REAL, "0", 0, 40, "", PRIVACY,
                    "randomised response on labels, against the data party; 0: none"),
     .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE, .accountings = SOTTO_I_SOUND},
    {SOTTO_I_OPTION(sotto_options, label_features, "label-features", REAL, "0", 0, 0.99, "", DATA,
                    "share of the feature columns, the last ones, that the label party holds"),
     .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE, .accountings = SOTTO_I_SOUND},
};
const sotto_i_option_rows sotto_i_label_rows = {label_rows, sizeof label_rows / sizeof *label_rows};
