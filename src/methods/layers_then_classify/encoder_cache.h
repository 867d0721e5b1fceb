/* Encoders trained without edges, cached for other runs. */
#ifndef SOTTO_SRC_METHODS_LAYERS_THEN_CLASSIFY_ENCODER_CACHE_H
#define SOTTO_SRC_METHODS_LAYERS_THEN_CLASSIFY_ENCODER_CACHE_H

#include "central.h"

/* Fills c->encoder_params and the baseline of `out`: from the folder that the options name, when it has the
 * encoder of the same data, seed and options; else by `train`, and keeps it there. What a run gives is the
 * same either way. Without such a folder, and at node level, where an encoder is a release, it is `train`. */
sotto_status sotto_i_encoder_cached(sotto_i_central *c, sotto_i_outcome *out,
                                    sotto_status (*train)(sotto_i_central *c, sotto_i_outcome *out,
                                                          sotto_error *err),
                                    sotto_error *err);

#endif
