/* Options of a training as Wu et al. 2023 ran it. */
#include "options.h"
#include "run/settings/options.h"

static const sotto_i_option paper_rows[] = {
    {SOTTO_I_OPTION(sotto_i_vesper_paper_settings, neighbour_cap, "neighbour-cap", COUNT, "20", 1, 100000, "",
                    PRIVACY, "neighbours sampled for a node in a layer"),
     .accountings = SOTTO_I_PAPER},
    {SOTTO_I_OPTION(sotto_i_vesper_paper_settings, batch, "batch", COUNT, "256", 1, 4294967295.0, "", PRIVACY,
                    "training nodes in a mini-batch"),
     .accountings = SOTTO_I_PAPER},
};
const sotto_i_option_rows sotto_i_vesper_paper_rows = {paper_rows, sizeof paper_rows / sizeof *paper_rows,
                                                       sizeof(sotto_i_vesper_paper_settings)};

const sotto_i_vesper_paper_settings *sotto_i_vesper_paper_settings_of(const sotto_options *options) {
  return sotto_i_own(options, &sotto_i_vesper_paper_rows);
}
