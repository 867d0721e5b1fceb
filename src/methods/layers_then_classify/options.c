/* Options of contractive layers. */
#include "options.h"
#include "run/settings/options.h"

static const sotto_i_option caribou_rows[] = {
    {SOTTO_I_OPTION(sotto_i_caribou_settings, contraction, "contraction", REAL, "0.9", 0, 1, "", NETWORK,
                    "C_L, below 1")},
    {SOTTO_I_OPTION(sotto_i_caribou_settings, alpha, "alpha", REAL, "1", 0, 1, "", NETWORK,
                    "weight of the graph; 1 - alpha is that of the mean row")},
    {SOTTO_I_OPTION(sotto_i_caribou_settings, beta, "beta", REAL, "0", 0, 100, "", NETWORK,
                    "weight of the first rows in every layer")},
};
const sotto_i_option_rows sotto_i_caribou_rows = SOTTO_I_OWN_ROWS(sotto_i_caribou_settings, caribou_rows);

const sotto_i_caribou_settings *sotto_i_caribou_settings_of(const sotto_options *options) {
  return SOTTO_I_OWN(sotto_i_caribou_settings, options, &sotto_i_caribou_rows);
}

sotto_contractive_options sotto_i_contractive_options(const sotto_options *options) {
  const sotto_i_caribou_settings *own = sotto_i_caribou_settings_of(options);
  return (sotto_contractive_options){.layers = (uint32_t)options->layers,
                                     .degree_floor = options->degree_floor,
                                     .contraction = own->contraction,
                                     .graph_weight = own->alpha,
                                     .residual = own->beta};
}
