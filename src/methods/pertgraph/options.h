/* Options of a perturbed graph. */
#ifndef SOTTO_SRC_METHODS_PERTGRAPH_OPTIONS_H
#define SOTTO_SRC_METHODS_PERTGRAPH_OPTIONS_H

#include "base/option.h"

extern const sotto_i_option_rows sotto_i_pertgraph_rows;

#endif
