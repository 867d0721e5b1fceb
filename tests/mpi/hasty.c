/* A planted fault: ranks but the first do not wait for rank 0's charge before they read what was made. */
#include "faults.h"
#include "release/receipt.h"

sotto_status __wrap_sotto_i_receipt_give(sotto_i_receipt *receipt, sotto_ranks *ranks, sotto_error *err);
sotto_status __real_sotto_i_receipt_give(sotto_i_receipt *receipt, sotto_ranks *ranks, sotto_error *err);

sotto_status __wrap_sotto_i_receipt_give(sotto_i_receipt *receipt, sotto_ranks *ranks, sotto_error *err) {
  if (ranks == NULL || !rank_fault("hasty")) return __real_sotto_i_receipt_give(receipt, ranks, err);
  return SOTTO_OK;
}
