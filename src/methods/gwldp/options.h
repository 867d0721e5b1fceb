/* Options of embeddings of graphs under local privacy. */
#ifndef SOTTO_SRC_METHODS_GWLDP_OPTIONS_H
#define SOTTO_SRC_METHODS_GWLDP_OPTIONS_H

#include "base/option.h"

/* The settings of these options. */
typedef struct sotto_i_gwldp_settings {
  char anchors[256];
  uint64_t embed_every;
} sotto_i_gwldp_settings;
const sotto_i_gwldp_settings *sotto_i_gwldp_settings_of(const sotto_options *options);
extern const sotto_i_option_rows sotto_i_gwldp_rows;

#endif
