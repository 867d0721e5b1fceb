/* Options of clients that each hold a part of one graph. */
#ifndef SOTTO_SRC_METHODS_FEDDEP_OPTIONS_H
#define SOTTO_SRC_METHODS_FEDDEP_OPTIONS_H

#include "base/option.h"

/* Settings of clients that each hold a part of one graph: those of these options. */
typedef enum sotto_i_generated {
  SOTTO_I_GENERATED_EMBEDDINGS,
  SOTTO_I_GENERATED_EMBEDDINGS_ONCE,
  SOTTO_I_GENERATED_FEATURES
} sotto_i_generated;
typedef enum sotto_i_prototype_kind {
  SOTTO_I_PROTOTYPES_CLUSTERS,
  SOTTO_I_PROTOTYPES_CLASSES
} sotto_i_prototype_kind;
typedef struct sotto_i_part_settings {
  double hide_share;
  uint64_t most_missing;
  uint64_t generator_epochs;
  char generator_weights[96];
  uint64_t cross_fit;
  uint64_t embed_layers;
  uint64_t embed_epochs;
  uint64_t prototypes;
  sotto_i_prototype_kind prototype_kind;
  double prototype_rate;
  double prototype_noise;
  uint64_t least_degree;
  sotto_i_generated generate;
  double fusion_scale;
} sotto_i_part_settings;
const sotto_i_part_settings *sotto_i_part_settings_of(const sotto_options *options);
extern const sotto_i_option_rows sotto_i_part_rows;
/* a, b and c of the generator's loss (Zhang et al. 2021). Errors: INVALID (not three numbers), PARSE, RANGE.
 */
sotto_status sotto_i_generator_weights(double weights[3], const sotto_options *options, sotto_error *err);

#endif
