/* Options of clients that each hold a part of one graph. */
#ifndef SOTTO_SRC_METHODS_FEDDEP_OPTIONS_H
#define SOTTO_SRC_METHODS_FEDDEP_OPTIONS_H

#include "base/option.h"

extern const sotto_i_option_rows sotto_i_part_rows;

#endif
