/* Nodes whose rows a rank holds: it holds no others, so that its memory falls with the number of ranks. */
#ifndef SOTTO_SRC_NN_ROWS_RANK_ROWS_H
#define SOTTO_SRC_NN_ROWS_RANK_ROWS_H

#include "sotto/base.h"

typedef struct sotto_i_rank_rows {
  uint32_t *nodes; /* owned; ascending: row i of a table is of nodes[i] */
  size_t count;
} sotto_i_rank_rows;

/* The nodes v < nodes with seen[v] not 0. Free it in any case. Errors: NOMEM. */
sotto_status sotto_i_rank_rows_new(sotto_i_rank_rows *out, const uint8_t *seen, size_t nodes,
                                   sotto_error *err);
/* Whether a node's row is held, and then which row it is. */
bool sotto_i_rank_rows_find(size_t *row, const sotto_i_rank_rows *held, uint32_t node);
void sotto_i_rank_rows_free(sotto_i_rank_rows *held);

#endif
