/* Bytes that all ranks send each other, round after round: each round takes what was put since the last one.
 */
#ifndef SOTTO_SRC_GRAPH_SPREAD_EXCHANGE_H
#define SOTTO_SRC_GRAPH_SPREAD_EXCHANGE_H

#include "ranks/ranks.h"

/* Bytes from one rank or for one; `at` is for the reader. */
typedef struct sotto_i_mail {
  uint8_t *data;
  size_t size, room, at;
} sotto_i_mail;

typedef struct sotto_i_exchange {
  sotto_ranks *ranks; /* borrowed */
  uint32_t count, number;
  sotto_i_mail *out, *in; /* one a rank, this one included */
} sotto_i_exchange;

/* Errors: NOMEM. */
sotto_status sotto_i_exchange_new(sotto_i_exchange *out, sotto_ranks *ranks, sotto_error *err);
void sotto_i_exchange_free(sotto_i_exchange *exchange);
/* Puts bytes for rank `to`. Errors: NOMEM. */
sotto_status sotto_i_exchange_put(sotto_i_exchange *exchange, uint32_t to, const void *data, size_t size,
                                  sotto_error *err);
/* One round, which all ranks take part in: `in` has what each rank put for this one, in its order, and `out`
 * is empty. *more becomes true where any rank says so. Errors: NOMEM, those of another rank. */
sotto_status sotto_i_exchange_pass(sotto_i_exchange *exchange, bool *more, sotto_error *err);
/* The next `size` bytes of what rank `from` sent, or NULL where there are not as many. */
const void *sotto_i_exchange_take(sotto_i_exchange *exchange, uint32_t from, size_t size);

/* Every rank gets the bytes of all, in the order of ranks, in fresh memory. Errors: NOMEM, those of another
 * rank. */
sotto_status sotto_i_exchange_all(void **out, size_t *out_size, sotto_ranks *ranks, const void *data,
                                  size_t size, sotto_error *err);

#endif
