/* Options of two parties, one with the graph, one with labels. */
#ifndef SOTTO_SRC_METHODS_VESPER_OPTIONS_H
#define SOTTO_SRC_METHODS_VESPER_OPTIONS_H

#include "base/option.h"

extern const sotto_i_option_rows sotto_i_vesper_rows;
extern const sotto_i_option_rows sotto_i_label_rows;

#endif
