/* Options of a perturbed graph. */
#include "options.h"
#include "run/settings/options.h"

static const sotto_i_option pertgraph_rows[] = {
    {SOTTO_I_OPTION(sotto_i_pertgraph_settings, perturbation, "perturbation", WORD, "asymmetric", 0, 0,
                    "asymmetric edgerand lapgraph", PRIVACY, "how the graph is perturbed"),
     .common = true, .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
};
const sotto_i_option_rows sotto_i_pertgraph_rows = {
    pertgraph_rows, sizeof pertgraph_rows / sizeof *pertgraph_rows, sizeof(sotto_i_pertgraph_settings)};

const sotto_i_pertgraph_settings *sotto_i_pertgraph_settings_of(const sotto_options *options) {
  return sotto_i_own(options, &sotto_i_pertgraph_rows);
}
