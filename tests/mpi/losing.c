/* A planted fault: rank 1 loses some edges that it sends, and those of them that have an end among its own
 * rows are then in one of their two rows alone. */
#include "faults.h"
#include "graph/spread/exchange.h"

sotto_status __wrap_sotto_i_exchange_put(sotto_i_exchange *exchange, uint32_t to, const void *data,
                                         size_t size, sotto_error *err);
sotto_status __real_sotto_i_exchange_put(sotto_i_exchange *exchange, uint32_t to, const void *data,
                                         size_t size, sotto_error *err);

sotto_status __wrap_sotto_i_exchange_put(sotto_i_exchange *exchange, uint32_t to, const void *data,
                                         size_t size, sotto_error *err) {
  enum { first = 1000, last = 1100, pair = 2 * sizeof(uint32_t) };
  static int sent;
  const bool own = rank_fault("losing") && exchange->number == 1 && to != 1 && size == pair;
  if (own && ++sent >= first && sent <= last) return SOTTO_OK;
  return __real_sotto_i_exchange_put(exchange, to, data, size, err);
}
