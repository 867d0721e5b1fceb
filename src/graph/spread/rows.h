/* Edges that ranks find anywhere and bring to the ranks whose rows they are in: rank r has the rows of nodes
 * first[r] to first[r + 1] - 1. */
#ifndef SOTTO_SRC_GRAPH_SPREAD_ROWS_H
#define SOTTO_SRC_GRAPH_SPREAD_ROWS_H

#include "exchange.h"
#include "sotto/graph.h"

typedef struct sotto_i_rows {
  sotto_i_exchange mail;
  const uint64_t *first;  /* ranks + 1, borrowed */
  uint32_t (**blocks)[2]; /* pairs with an end among own rows, in blocks of so many */
  size_t held, block_room;
  uint64_t pairs, loops; /* that this rank added; after finish of all ranks */
  uint64_t *offsets;     /* after finish: of own rows, from 0 */
  uint32_t *targets;
  uint64_t before, entries; /* after finish: in the rows of ranks before this one; of all ranks */
} sotto_i_rows;

/* Errors: NOMEM. */
sotto_status sotto_i_rows_new(sotto_i_rows *out, sotto_ranks *ranks, const uint64_t *first, sotto_error *err);
void sotto_i_rows_free(sotto_i_rows *rows);
/* An edge between two nodes below first[ranks]. Errors: NOMEM. */
sotto_status sotto_i_rows_add(sotto_i_rows *rows, uint32_t u, uint32_t v, sotto_error *err);
/* A round, which all ranks take part in; *more becomes true where any rank says so. Errors: NOMEM, those of
 * another rank. */
sotto_status sotto_i_rows_pass(sotto_i_rows *rows, bool *more, sotto_error *err);
/* After the last round: sorts own rows and drops repeats. Errors: NOMEM, CORRUPT (an edge is in one of its
 * two rows alone: a rank lost it), those of another rank. */
sotto_status sotto_i_rows_finish(sotto_i_rows *rows, sotto_error *err);

#endif
