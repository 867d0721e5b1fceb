/* Options of DPDGC. */
#ifndef SOTTO_SRC_METHODS_DPDGC_OPTIONS_H
#define SOTTO_SRC_METHODS_DPDGC_OPTIONS_H

#include "base/option.h"

extern const sotto_i_option_rows sotto_i_dpdgc_rows;

#endif
