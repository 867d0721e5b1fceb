/* Options of several holders and a server. */
#include "options.h"
#include "run/settings/options.h"

static const sotto_i_option holder_rows[] = {
    {SOTTO_I_OPTION(sotto_i_holder_settings, initial, "initial", WORD, "collaboratively", 0, 0,
                    "collaboratively individually opened", NETWORK,
                    "first layer over all columns under secret shares, or one a holder over its own; opened: "
                    "collaboratively, and all holders get its weights at the end")},
    {SOTTO_I_OPTION(sotto_i_holder_settings, hop_rate, "hop-rate", REAL, "0.0003", 0, 10, "", TRAINING,
                    "learning rate of the holders' hops, which begin as means; 0: they stay so")},
    {SOTTO_I_OPTION(sotto_i_holder_settings, feature_bound, "feature-bound", REAL, "1", 1e-3, 1e6, "",
                    NETWORK, "largest feature, after scaling, that enters shares")},
    {SOTTO_I_OPTION(sotto_i_holder_settings, edges_per_node, "edges-per-node", REAL, "8", 1e-3, 1e5, "",
                    NETWORK, "most edges of a holder for each node: public, as edges are padded to it")},
};
const sotto_i_option_rows sotto_i_holder_rows = SOTTO_I_OWN_ROWS(sotto_i_holder_settings, holder_rows);

const sotto_i_holder_settings *sotto_i_holder_settings_of(const sotto_options *options) {
  return SOTTO_I_OWN(sotto_i_holder_settings, options, &sotto_i_holder_rows);
}

bool sotto_i_holders_count(const sotto_options *options) {
  return sotto_i_publication_of(options) == SOTTO_I_PUBLICATION_COUNTS;
}
