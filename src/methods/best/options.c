/* Options of best. */
#include "options.h"
#include "base/option.h"

static const sotto_i_option best_rows[] = {
    {SOTTO_I_OPTION(sotto_options, fit_share, "fit-share", REAL, "1", 0.01, 1, "", TRAINING,
                    "share of training nodes that the correction is fitted on and counts are released for")},
};
const sotto_i_option_rows sotto_i_best_rows = {best_rows, sizeof best_rows / sizeof *best_rows};
