/* Options of DPDGC. */
#include "options.h"
#include "base/option.h"

static const sotto_i_option dpdgc_rows[] = {
    {SOTTO_I_OPTION(sotto_options, neighbours, "neighbours", COUNT, "1", 1, 4294967295.0, "", PRIVACY,
                    "k of k-neighbour"),
     .adjacencies = SOTTO_I_NEIGHBOURS},
};
const sotto_i_option_rows sotto_i_dpdgc_rows = {dpdgc_rows, sizeof dpdgc_rows / sizeof *dpdgc_rows};
