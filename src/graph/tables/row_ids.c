/* Rows of a dataset by the ids of their nodes. */
#include "row_ids.h"

#include <stdio.h>
#include <string.h>

sotto_status sotto_i_row_ids(sotto_i_ids *out, const sotto_dataset *data, uint64_t count, sotto_error *err) {
  char number[24];
  sotto_i_ids_init(out);
  sotto_i_ids_copy(out);
  for (uint64_t v = 0; v < count; v++) {
    const char *id = sotto_name(&data->node_ids, v);
    (void)snprintf(number, sizeof number, "%llu", (unsigned long long)v);
    if (id == NULL) id = number;
    const sotto_i_field field = {(const uint8_t *)id, strlen(id)};
    const sotto_status status = sotto_i_ids_add(out, &field, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}
