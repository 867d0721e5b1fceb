/* Options of contractive layers. */
#ifndef SOTTO_SRC_METHODS_LAYERS_THEN_CLASSIFY_OPTIONS_H
#define SOTTO_SRC_METHODS_LAYERS_THEN_CLASSIFY_OPTIONS_H

#include "base/option.h"

extern const sotto_i_option_rows sotto_i_caribou_rows;

#endif
