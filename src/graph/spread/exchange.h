/* Exchange of bytes between all ranks in rounds; each round delivers what was queued since the last one. */
#ifndef SOTTO_SRC_GRAPH_SPREAD_EXCHANGE_H
#define SOTTO_SRC_GRAPH_SPREAD_EXCHANGE_H

#include "ranks/ranks.h"

/* Bytes from one rank or for one; `at` is the read position. */
typedef struct sotto_i_mail {
  uint8_t *data;
  size_t size, room, at;
} sotto_i_mail;

typedef struct sotto_i_exchange {
  sotto_ranks *ranks; /* borrowed */
  uint32_t count, number;
  sotto_i_mail *out, *in; /* one per rank, this one included */
} sotto_i_exchange;

/* Errors: NOMEM. */
sotto_status sotto_i_exchange_new(sotto_i_exchange *out, sotto_ranks *ranks, sotto_error *err);
void sotto_i_exchange_free(sotto_i_exchange *exchange);
/* Queues bytes for rank `to`. Errors: NOMEM. */
sotto_status sotto_i_exchange_put(sotto_i_exchange *exchange, uint32_t to, const void *data, size_t size,
                                  sotto_error *err);
/* One round, in which all ranks take part: `in` receives what each rank queued for this one, in order, and
 * `out` becomes empty. *more becomes true if it is true at any rank. Errors: NOMEM, those of another rank. */
sotto_status sotto_i_exchange_pass(sotto_i_exchange *exchange, bool *more, sotto_error *err);
/* The next `size` bytes that rank `from` sent, or NULL when fewer are left. */
const void *sotto_i_exchange_take(sotto_i_exchange *exchange, uint32_t from, size_t size);

/* Allgather: every rank gets the bytes of all ranks, in their order, in new memory. Errors: NOMEM, those
 * of another rank. */
sotto_status sotto_i_exchange_all(void **out, size_t *out_size, sotto_ranks *ranks, const void *data,
                                  size_t size, sotto_error *err);

#endif
