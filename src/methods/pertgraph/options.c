/* Options of a perturbed graph. */
#include "options.h"
#include "base/option.h"

static const sotto_i_option pertgraph_rows[] = {
    {SOTTO_I_OPTION(sotto_options, perturbation, "perturbation", WORD, "asymmetric", 0, 0,
                    "asymmetric edgerand lapgraph", PRIVACY, "how the graph is perturbed"),
     .common = true, .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
    {SOTTO_I_OPTION(sotto_options, density_share, "density-share", REAL, "0.1", 0.001, 0.9, "", PRIVACY,
                    "share of epsilon for the number of edges (asymmetric, lapgraph)"),
     .adjacencies = SOTTO_I_NONE | SOTTO_I_EDGE},
};
const sotto_i_option_rows sotto_i_pertgraph_rows = {pertgraph_rows,
                                                    sizeof pertgraph_rows / sizeof *pertgraph_rows};
