/* Options of several holders and a server. */
#ifndef SOTTO_SRC_METHODS_VFGNN_OPTIONS_H
#define SOTTO_SRC_METHODS_VFGNN_OPTIONS_H

#include "protocols/options.h"

/* Fixed point under shares: bits of the fraction. Then the learning rate of vfgnn's first layer, and the
 * momentum of everything trained under shares. */
enum { SOTTO_I_FRACTION_BITS = 20 };
#define SOTTO_I_SHARED_RATE     1
#define SOTTO_I_SHARED_MOMENTUM 0.9

/* The settings of these options. */
typedef enum sotto_i_initial {
  SOTTO_I_INITIAL_COLLABORATIVELY,
  SOTTO_I_INITIAL_INDIVIDUALLY,
  SOTTO_I_INITIAL_OPENED /* collaboratively, and its weights are opened to all holders at the end */
} sotto_i_initial;
typedef struct sotto_i_holder_settings {
  sotto_i_initial initial;
  double hop_rate;
  double feature_bound;
  double edges_per_node;
} sotto_i_holder_settings;
const sotto_i_holder_settings *sotto_i_holder_settings_of(const sotto_options *options);
extern const sotto_i_option_rows sotto_i_holder_rows;
/* Are counts of neighbours published once, instead of rows in every epoch? */
bool sotto_i_holders_count(const sotto_options *options);

#endif
