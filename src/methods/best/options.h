/* Options of best. */
#ifndef SOTTO_SRC_METHODS_BEST_OPTIONS_H
#define SOTTO_SRC_METHODS_BEST_OPTIONS_H

#include "base/option.h"

extern const sotto_i_option_rows sotto_i_best_rows;

#endif
