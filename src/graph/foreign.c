/* Edges of a dataset to nodes of other owners: their order and their ids. */
#include "foreign.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

sotto_status sotto_i_foreign_check(const sotto_foreign *f, uint64_t nodes, const sotto_names *ids,
                                   sotto_error *err) {
  if (f->nodes == NULL) return SOTTO_OK;
  if (ids->count != nodes)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "edges to nodes of other owners need ids of the own nodes, by which their owners know "
        "them; there are none");
  sotto_status status = sotto_i_names_check(&f->ids, f->ids.count, "nodes of other owners", err);
  for (uint64_t i = 0; status == SOTTO_OK && i < f->ids.count; i++) {
    if (f->nodes[i] >= nodes)
      return sotto_i_fail(err, SOTTO_RANGE, "edge %llu to another owner: node %u is not below %llu",
                          (unsigned long long)i, (unsigned)f->nodes[i], (unsigned long long)nodes);
    if (i == 0 || f->nodes[i] > f->nodes[i - 1]) continue;
    if (f->nodes[i] < f->nodes[i - 1] || strcmp(sotto_name(&f->ids, i), sotto_name(&f->ids, i - 1)) <= 0)
      return sotto_i_fail(err, SOTTO_CORRUPT, "edge %llu to another owner is out of order or there twice",
                          (unsigned long long)i);
  }
  return status;
}

sotto_status sotto_i_foreign_copy(sotto_i_foreign *out, const sotto_foreign *from, sotto_error *err) {
  const uint64_t size = from->nodes == NULL ? 0 : sotto_i_names_size(&from->ids);
  uint64_t *block = NULL;
  sotto_status status;
  *out = (sotto_i_foreign){.nodes = NULL};
  if (from->nodes == NULL) return SOTTO_OK;
  SOTTO_TRY(sotto_i_new_raw(&block, size, 1, err));
  SOTTO_TRY(sotto_i_new_raw(&out->nodes, from->ids.count, sizeof *out->nodes, err));
  memcpy(block, from->ids.starts, size);
  if (from->ids.count > 0) memcpy(out->nodes, from->nodes, from->ids.count * sizeof *out->nodes);
  out->ids = (sotto_names){
      .count = from->ids.count, .starts = block, .text = (const char *)(block + from->ids.count + 1)};
  block = NULL;
done:
  sotto_i_free(block);
  return status;
}

void sotto_i_foreign_free(sotto_i_foreign *f) {
  sotto_i_free(f->nodes);
  sotto_i_names_free(&f->ids);
  *f = (sotto_i_foreign){.nodes = NULL};
}
