/* Fuzzes the reader of safetensors; jansson with it. */
#include <stdlib.h>
#include <string.h>

#include "inside/nn.h"
#include "nn/params/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A refused file must leave every parameter as it was. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const float before[4] = {1, 2, 3, 4};
  sotto_params *params;
  sotto_error err = {0};
  size_t number;
  if (sotto_params_new(&params, &err) != SOTTO_OK ||
      sotto_params_add(params, &number, "a", 1, 2, SOTTO_INIT_ZERO, true, NULL, &err) != SOTTO_OK ||
      sotto_params_add(params, &number, "b", 2, 1, SOTTO_INIT_ZERO, true, NULL, &err) != SOTTO_OK)
    abort();
  memcpy(sotto_params_value(params, 0)->data, before, 2 * sizeof(float));
  memcpy(sotto_params_value(params, 1)->data, before + 2, 2 * sizeof(float));
  sotto_params *const sets[] = {params};
  if (sotto_i_params_parse(sets, 1, data, size, &err) != SOTTO_OK &&
      (memcmp(sotto_params_value(params, 0)->data, before, 2 * sizeof(float)) != 0 ||
       memcmp(sotto_params_value(params, 1)->data, before + 2, 2 * sizeof(float)) != 0))
    abort();
  sotto_params_free(params);
  return 0;
}
