/* Options of embeddings of graphs under local privacy. */
#ifndef SOTTO_SRC_METHODS_GWLDP_OPTIONS_H
#define SOTTO_SRC_METHODS_GWLDP_OPTIONS_H

#include "base/option.h"

/* The settings of these options. */
typedef enum sotto_i_gwldp_encoder { SOTTO_I_ENCODER_CODE, SOTTO_I_ENCODER_MULTIBIT } sotto_i_gwldp_encoder;
typedef struct sotto_i_gwldp_settings {
  sotto_i_gwldp_encoder encoder;
  char anchors[256];
  uint64_t embed_every;
} sotto_i_gwldp_settings;
const sotto_i_gwldp_settings *sotto_i_gwldp_settings_of(const sotto_options *options);
extern const sotto_i_option_rows sotto_i_gwldp_rows;

#endif
