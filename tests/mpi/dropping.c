/* A planted fault: rank 1 forgets one of the edges that it found. The file is whole, and of another graph. */
#include "faults.h"
#include "graph/spread/rows.h"

sotto_status __wrap_sotto_i_rows_add(sotto_i_rows *rows, uint32_t u, uint32_t v, sotto_error *err);
sotto_status __real_sotto_i_rows_add(sotto_i_rows *rows, uint32_t u, uint32_t v, sotto_error *err);

sotto_status __wrap_sotto_i_rows_add(sotto_i_rows *rows, uint32_t u, uint32_t v, sotto_error *err) {
  enum { forgotten = 1000 };
  static int found;
  if (rank_fault("dropping") && rows->mail.number == 1 && u != v && ++found == forgotten) return SOTTO_OK;
  return __real_sotto_i_rows_add(rows, u, v, err);
}
