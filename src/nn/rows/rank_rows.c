/* Nodes whose rows a rank holds. */
#include "rank_rows.h"

#include "base/memory.h"
#include "graph/csr.h"

sotto_status sotto_i_rank_rows_new(sotto_i_rank_rows *out, const uint8_t *seen, size_t nodes,
                                   sotto_error *err) {
  size_t count = 0;
  *out = (sotto_i_rank_rows){.nodes = NULL};
  for (size_t v = 0; v < nodes; v++) count += seen[v] != 0;
  const sotto_status status = sotto_i_new_raw(&out->nodes, count, sizeof *out->nodes, err);
  for (size_t v = 0; status == SOTTO_OK && v < nodes; v++)
    if (seen[v] != 0) out->nodes[out->count++] = (uint32_t)v;
  return status;
}

bool sotto_i_rank_rows_find(size_t *row, const sotto_i_rank_rows *held, uint32_t node) {
  *row = (size_t)sotto_i_first_at_least(held->nodes, 0, held->count, node);
  return *row < held->count && held->nodes[*row] == node;
}

void sotto_i_rank_rows_free(sotto_i_rank_rows *held) {
  sotto_i_free(held->nodes);
  *held = (sotto_i_rank_rows){.nodes = NULL};
}
