/* Options of embeddings of graphs under local privacy. */
#ifndef SOTTO_SRC_METHODS_GWLDP_OPTIONS_H
#define SOTTO_SRC_METHODS_GWLDP_OPTIONS_H

#include "base/option.h"

extern const sotto_i_option_rows sotto_i_gwldp_rows;

#endif
