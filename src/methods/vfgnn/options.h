/* Options of several holders and a server. */
#ifndef SOTTO_SRC_METHODS_VFGNN_OPTIONS_H
#define SOTTO_SRC_METHODS_VFGNN_OPTIONS_H

#include "protocols/options.h"

/* Settings of several holders and a server: those of these options. */
typedef enum sotto_i_initial {
  SOTTO_I_INITIAL_COLLABORATIVELY,
  SOTTO_I_INITIAL_INDIVIDUALLY
} sotto_i_initial;
typedef enum sotto_i_estimator {
  SOTTO_I_ESTIMATOR_GAUSSIAN,
  SOTTO_I_ESTIMATOR_JAMES_STEIN
} sotto_i_estimator;
typedef struct sotto_i_holder_settings {
  sotto_i_initial initial;
  double first_rate;
  double first_momentum;
  double hop_rate;
  double feature_bound;
  uint64_t fraction_bits;
  sotto_i_estimator estimator;
  bool export_first;
} sotto_i_holder_settings;
const sotto_i_holder_settings *sotto_i_holder_settings_of(const sotto_options *options);
extern const sotto_i_option_rows sotto_i_holder_rows;
/* Are counts of neighbours published once, in the place of rows in every epoch? */
bool sotto_i_holders_count(const sotto_options *options);

#endif
