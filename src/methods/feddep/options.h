/* Options of clients that each have a part of one graph. */
#ifndef SOTTO_SRC_METHODS_FEDDEP_OPTIONS_H
#define SOTTO_SRC_METHODS_FEDDEP_OPTIONS_H

#include "base/option.h"

/* The settings of these options. */
typedef enum sotto_i_generated {
  SOTTO_I_GENERATED_EMBEDDINGS,
  SOTTO_I_GENERATED_EMBEDDINGS_ONCE,
  SOTTO_I_GENERATED_FEATURES
} sotto_i_generated;
typedef struct sotto_i_part_settings {
  uint64_t generator_epochs;
  char generator_weights[96];
  uint64_t cross_fit;
  uint64_t embed_layers;
  uint64_t embed_epochs;
  char prototypes[16];
  double prototype_rate;
  double prototype_noise;
  sotto_i_generated generate;
} sotto_i_part_settings;
const sotto_i_part_settings *sotto_i_part_settings_of(const sotto_options *options);
extern const sotto_i_option_rows sotto_i_part_rows;
/* The share of a client's nodes that is hidden from its generator in each step, and the most generated
 * neighbours of a node (Zhang et al. 2021). */
#define SOTTO_I_HIDE_SHARE 0.5
enum { SOTTO_I_MOST_MISSING = 5 };
/* What a client shows of its embeddings; neither member set: nothing. */
typedef struct sotto_i_shown_prototypes {
  bool classes;     /* means by class and by the class of most neighbours */
  uint64_t centres; /* of clusters */
} sotto_i_shown_prototypes;
/* Errors: PARSE, RANGE. */
sotto_status sotto_i_prototypes_read(sotto_i_shown_prototypes *out, const sotto_options *options,
                                     sotto_error *err);
/* The same for checked options. */
sotto_i_shown_prototypes sotto_i_prototypes_of(const sotto_options *options);
/* a, b and c of the generator's loss (Zhang et al. 2021). Errors: INVALID (not three numbers), PARSE, RANGE.
 */
sotto_status sotto_i_generator_weights(double weights[3], const sotto_options *options, sotto_error *err);

#endif
