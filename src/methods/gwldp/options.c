/* Options of embeddings of graphs under local privacy. */
#include "options.h"
#include "run/settings/options.h"

static const sotto_i_option gwldp_rows[] = {
    {SOTTO_I_OPTION(
        sotto_i_gwldp_settings, anchors, "anchors", TEXT, "shape", 0, 0, "", PRIVACY,
        "publication code: shape, size, or a public dataset of 2 to 256 graphs, the nearest of which "
        "is the code")},
    {SOTTO_I_OPTION(sotto_i_gwldp_settings, embed_every, "embed-every", COUNT, "0", 0, 1000000, "", PRIVACY,
                    "embeddings also after every so many rounds; 0: only at the end")},
};
const sotto_i_option_rows sotto_i_gwldp_rows = SOTTO_I_OWN_ROWS(sotto_i_gwldp_settings, gwldp_rows);

const sotto_i_gwldp_settings *sotto_i_gwldp_settings_of(const sotto_options *options) {
  return SOTTO_I_OWN(sotto_i_gwldp_settings, options, &sotto_i_gwldp_rows);
}
