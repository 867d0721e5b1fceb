/* Options of a perturbed graph. */
#ifndef SOTTO_SRC_METHODS_PERTGRAPH_OPTIONS_H
#define SOTTO_SRC_METHODS_PERTGRAPH_OPTIONS_H

#include "base/option.h"

/* The settings of these options. */
typedef enum sotto_i_perturbation {
  SOTTO_I_PERTURBATION_ASYMMETRIC,
  SOTTO_I_PERTURBATION_EDGERAND,
  SOTTO_I_PERTURBATION_LAPGRAPH
} sotto_i_perturbation;
typedef struct sotto_i_pertgraph_settings {
  sotto_i_perturbation perturbation;
} sotto_i_pertgraph_settings;
const sotto_i_pertgraph_settings *sotto_i_pertgraph_settings_of(const sotto_options *options);
extern const sotto_i_option_rows sotto_i_pertgraph_rows;

#endif
