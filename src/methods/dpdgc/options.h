/* Options of DPDGC. */
#ifndef SOTTO_SRC_METHODS_DPDGC_OPTIONS_H
#define SOTTO_SRC_METHODS_DPDGC_OPTIONS_H

#include "base/option.h"

/* The settings of these options. */
typedef struct sotto_i_dpdgc_settings {
  uint64_t neighbours;
} sotto_i_dpdgc_settings;
const sotto_i_dpdgc_settings *sotto_i_dpdgc_settings_of(const sotto_options *options);
extern const sotto_i_option_rows sotto_i_dpdgc_rows;

#endif
