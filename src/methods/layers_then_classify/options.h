/* Options of contractive layers. */
#ifndef SOTTO_SRC_METHODS_LAYERS_THEN_CLASSIFY_OPTIONS_H
#define SOTTO_SRC_METHODS_LAYERS_THEN_CLASSIFY_OPTIONS_H

#include "base/option.h"
#include "sotto/pmp.h"

/* The settings of these options. */
typedef struct sotto_i_caribou_settings {
  double contraction;
  double alpha;
  double beta;
} sotto_i_caribou_settings;
const sotto_i_caribou_settings *sotto_i_caribou_settings_of(const sotto_options *options);
extern const sotto_i_option_rows sotto_i_caribou_rows;
/* Contractive layers with these options. */
sotto_contractive_options sotto_i_contractive_options(const sotto_options *options);

#endif
