/* Options of two parties, one with the graph, one with labels. */
#include "options.h"
#include "run/settings/options.h"

static const sotto_i_option vesper_rows[] = {
    {SOTTO_I_OPTION(sotto_options, release_width, "release-width", COUNT, "0", 0, 65536, "", NETWORK,
                    "columns of the embeddings that are released; 0: hidden"),
     .accountings = SOTTO_I_SOUND},
    {SOTTO_I_OPTION(sotto_options, constant, "constant", REAL, "0", 0, 1e6, "", NETWORK,
                    "one more column of this value, whose sum counts neighbours; 0: none"),
     .accountings = SOTTO_I_SOUND},
    {SOTTO_I_OPTION(sotto_options, release_scale, "release-scale", WORD, "unit", 0, 0,
                    SOTTO_RELEASE_SCALE_WORDS, NETWORK,
                    "what the label party gets of a layer: unit-norm rows, or as the noise left them"),
     .accountings = SOTTO_I_SOUND},
    {SOTTO_I_OPTION(sotto_options, releases, "releases", COUNT, "1", 1, 64, "", PRIVACY,
                    "releases of one training, with gradients sent back between them"),
     .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE, .accountings = SOTTO_I_SOUND},
    {SOTTO_I_OPTION(sotto_options, layer_weights, "layer-weights", SWITCH, "false", 0, 0, "", NETWORK,
                    "trained weights between layers, of operator norm at most 1"),
     .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE, .accountings = SOTTO_I_SOUND},
    {SOTTO_I_OPTION(sotto_options, label_edges, "label-edges", REAL, "0", 0, 0.99, "", DATA,
                    "share of the edges that the label party holds, and releases to its own decoder"),
     .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE, .accountings = SOTTO_I_SOUND},
};
const sotto_i_option_rows sotto_i_vesper_rows = SOTTO_I_ROWS(vesper_rows);

static const sotto_i_option clusters_rows[] = {
    {SOTTO_I_OPTION(sotto_i_vesper_settings, clusters, "clusters", WORD, "predictions", 0, 0,
                    "predictions labels", PRIVACY,
                    "what the data party counts neighbours by: classes that the label party predicts, or for "
                    "training nodes their labels"),
     .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE, .accountings = SOTTO_I_SOUND},
    {SOTTO_I_OPTION(
         sotto_i_vesper_settings, share_features, "share-features", WORD, "no", 0, 0, "no once", PRIVACY,
         "once: the data party shows the label party all features, a byte a value, in the place of "
         "embeddings in every epoch"),
     .adjacencies = SOTTO_I_NONE | SOTTO_I_TRANSFER | SOTTO_I_EDGE, .accountings = SOTTO_I_SOUND},
};
const sotto_i_option_rows sotto_i_clusters_rows = SOTTO_I_OWN_ROWS(sotto_i_vesper_settings, clusters_rows);

const sotto_i_vesper_settings *sotto_i_vesper_settings_of(const sotto_options *options) {
  return SOTTO_I_OWN(sotto_i_vesper_settings, options, &sotto_i_clusters_rows);
}

static const sotto_i_option label_rows[] = {
    {SOTTO_I_OPTION(sotto_options, label_epsilon, "label-epsilon", REAL, "0", 0, 40, "", PRIVACY,
                    "randomised response on labels, against the data party; 0: none"),
     .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE, .accountings = SOTTO_I_SOUND},
    {SOTTO_I_OPTION(sotto_options, label_features, "label-features", REAL, "0", 0, 0.99, "", DATA,
                    "share of the feature columns, the last ones, that the label party holds"),
     .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE, .accountings = SOTTO_I_SOUND},
};
const sotto_i_option_rows sotto_i_label_rows = SOTTO_I_ROWS(label_rows);

const char sotto_i_vesper_counts_protocol = 0;

bool sotto_i_vesper_has_holders(const sotto_options *options) {
  return options->holders > 1 && sotto_i_option_given(options, "holders");
}

bool sotto_i_vesper_by_counts(const sotto_options *options) {
  const sotto_i_variant *variant = sotto_i_variant_find(sotto_i_method_of(options), options);
  return variant != NULL && variant->protocol == &sotto_i_vesper_counts_protocol;
}
