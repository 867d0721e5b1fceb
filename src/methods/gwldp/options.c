/* Options of embeddings of graphs under local privacy. */
#include "options.h"
#include "base/option.h"

static const sotto_i_option gwldp_rows[] = {
    {SOTTO_I_OPTION(sotto_options, embed_every, "embed-every", COUNT, "0", 0, 1000000, "", PRIVACY,
                    "embeddings also after every so many rounds; 0: only at the end")},
    {SOTTO_I_OPTION(sotto_options, unbiased, "unbiased", SWITCH, "false", 0, 0, "", PRIVACY,
                    "the server keeps unbiased estimates of embeddings in the place of codes")},
};
const sotto_i_option_rows sotto_i_gwldp_rows = {gwldp_rows, sizeof gwldp_rows / sizeof *gwldp_rows};
