/* Options of the building blocks that methods share. */
#ifndef SOTTO_SRC_MODELS_OPTIONS_H
#define SOTTO_SRC_MODELS_OPTIONS_H

#include "base/option.h"

extern const sotto_i_option_rows sotto_i_network_rows;
extern const sotto_i_option_rows sotto_i_training_rows;
extern const sotto_i_option_rows sotto_i_node_rows;
extern const sotto_i_option_rows sotto_i_counts_rows;

#endif
