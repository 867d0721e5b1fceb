/* Reading safetensors from memory, also for the fuzzer. */
#ifndef SOTTO_SRC_NN_PARAMS_SAFETENSORS_H
#define SOTTO_SRC_NN_PARAMS_SAFETENSORS_H

#include "inside/nn.h"
#include "sotto/nn.h"

/* sotto_params_load for `size` bytes in memory. On failure no parameter is changed. */
sotto_status sotto_i_params_parse(sotto_params *const *sets, size_t set_count, const uint8_t *data,
                                  size_t size, sotto_error *err);

#endif
