/* Receipts of charges. */
#include "receipt.h"

#include <pthread.h>
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "dp/ledger/draws.h"

/* The seal of this process: drawn once, then only read. */
static uint8_t seal[32];
static pthread_once_t drawn = PTHREAD_ONCE_INIT;

static void draw_seal(void) {
  randombytes_buf(seal, sizeof seal);
}

static void issue(sotto_i_receipt *out) {
  (void)pthread_once(&drawn, draw_seal);
  memcpy(out->seal, seal, sizeof out->seal);
}

bool sotto_i_receipt_holds(const sotto_i_receipt *receipt) {
  (void)pthread_once(&drawn, draw_seal);
  return sodium_memcmp(receipt->seal, seal, sizeof seal) == 0;
}

sotto_status sotto_i_receipt_give(sotto_i_receipt *receipt, sotto_ranks *ranks, sotto_error *err) {
  uint64_t charged = sotto_i_ranks_first(ranks) && sotto_i_receipt_holds(receipt);
  if (!sotto_i_ranks_first(ranks)) memset(receipt, 0, sizeof *receipt);
  const sotto_status status = sotto_i_ranks_give(ranks, &charged, sizeof charged, err);
  if (status == SOTTO_OK && charged != 0) issue(receipt);
  return status;
}

sotto_status sotto_i_receipt_of(sotto_i_receipt *out, sotto_ledger *ledger, const sotto_charge *charges,
                                size_t count, sotto_error *err) {
  bool stands = count > 0;
  sotto_status status = SOTTO_OK;
  memset(out, 0, sizeof *out);
  for (size_t i = 0; stands && i < count; i++)
    SOTTO_TRY(sotto_i_ledger_has(ledger, &stands, charges[i].id, err));
  if (!stands) return sotto_i_fail(err, SOTTO_CORRUPT, "a release has no charge in the ledger");
  issue(out);
done:
  return status;
}
