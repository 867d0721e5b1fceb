/* Options of DPDGC. */
#include "options.h"
#include "run/settings/options.h"

static const sotto_i_option dpdgc_rows[] = {
    {SOTTO_I_OPTION(sotto_i_dpdgc_settings, neighbours, "neighbours", COUNT, "1", 1, 4294967295.0, "",
                    PRIVACY, "k of k-neighbour"),
     .adjacencies = SOTTO_I_NEIGHBOURS},
};
const sotto_i_option_rows sotto_i_dpdgc_rows = SOTTO_I_OWN_ROWS(sotto_i_dpdgc_settings, dpdgc_rows);

const sotto_i_dpdgc_settings *sotto_i_dpdgc_settings_of(const sotto_options *options) {
  return SOTTO_I_OWN(sotto_i_dpdgc_settings, options, &sotto_i_dpdgc_rows);
}
