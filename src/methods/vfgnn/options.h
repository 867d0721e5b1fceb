/* Options of several holders and a server. */
#ifndef SOTTO_SRC_METHODS_VFGNN_OPTIONS_H
#define SOTTO_SRC_METHODS_VFGNN_OPTIONS_H

#include "base/option.h"

extern const sotto_i_option_rows sotto_i_holder_rows;

#endif
