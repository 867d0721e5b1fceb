/* Options of a perturbed graph. */
#include "options.h"
#include "run/settings/options.h"

static const sotto_i_option pertgraph_rows[] = {
    {SOTTO_I_OPTION(sotto_i_pertgraph_settings, perturbation, "perturbation", WORD, "asymmetric", 0, 0,
                    "asymmetric edgerand lapgraph", PRIVACY, "how the graph is perturbed"),
     .common = true, .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
};
const sotto_i_option_rows sotto_i_pertgraph_rows =
    SOTTO_I_OWN_ROWS(sotto_i_pertgraph_settings, pertgraph_rows);

const sotto_i_pertgraph_settings *sotto_i_pertgraph_settings_of(const sotto_options *options) {
  return SOTTO_I_OWN(sotto_i_pertgraph_settings, options, &sotto_i_pertgraph_rows);
}
