/* Edges found at any rank are sent to the ranks of their rows: rank r has the rows of nodes first[r] to
 * first[r + 1] - 1. */
#ifndef SOTTO_SRC_GRAPH_SPREAD_ROWS_H
#define SOTTO_SRC_GRAPH_SPREAD_ROWS_H

#include "exchange.h"
#include "sotto/graph.h"

typedef struct sotto_i_rows {
  sotto_i_exchange mail;
  const uint64_t *first;  /* ranks + 1, borrowed */
  uint32_t (**blocks)[2]; /* pairs with an end in own rows, in blocks */
  size_t held, block_room;
  uint64_t pairs, loops; /* added by this rank; after finish, by all ranks */
  uint64_t *offsets;     /* after finish: of own rows, from 0 */
  uint32_t *targets;
  uint64_t before, entries; /* after finish: entries in rows of earlier ranks; of all ranks */
} sotto_i_rows;

/* Errors: NOMEM. */
sotto_status sotto_i_rows_new(sotto_i_rows *out, sotto_ranks *ranks, const uint64_t *first, sotto_error *err);
void sotto_i_rows_free(sotto_i_rows *rows);
/* Adds an edge between two nodes below first[ranks]. Errors: NOMEM. */
sotto_status sotto_i_rows_add(sotto_i_rows *rows, uint32_t u, uint32_t v, sotto_error *err);
/* A round, in which all ranks take part; *more becomes true if it is true at any rank. Errors: NOMEM,
 * those of another rank. */
sotto_status sotto_i_rows_pass(sotto_i_rows *rows, bool *more, sotto_error *err);
/* Call after the last round: sorts own rows and removes repeats. Errors: NOMEM, CORRUPT (an edge is in
 * only one of its two rows: a rank lost it), those of another rank. */
sotto_status sotto_i_rows_finish(sotto_i_rows *rows, sotto_error *err);

#endif
