/* Reading safetensors from memory; the fuzzer calls it. */
#ifndef SOTTO_SRC_NN_PARAMS_SAFETENSORS_H
#define SOTTO_SRC_NN_PARAMS_SAFETENSORS_H

#include "inside/nn.h"
#include "sotto/nn.h"

/* sotto_params_load for `size` bytes. On failure no parameter was changed. */
sotto_status sotto_i_params_parse(sotto_params *const *sets, size_t set_count, const uint8_t *data,
                                  size_t size, sotto_error *err);

#endif
