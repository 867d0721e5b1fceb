/* The dealer of triples: expands the shares of all parties, and computes the last party's correction. */
#include "base/memory.h"
#include "base/random.h"
#include "inside/mpc.h"
#include "ring.h"

enum { dealer_keys = 7000 }; /* index of the derived keys */

sotto_status sotto_dealer_from(sotto_dealer *out, size_t parties, const sotto_key *key, sotto_error *err) {
  *out = (sotto_dealer){.parties = parties};
  if (parties < 2 || parties > SOTTO_MPC_MOST_PARTIES)
    return sotto_i_fail(err, SOTTO_RANGE, "%zu parties; 2 to %d are possible", parties,
                        SOTTO_MPC_MOST_PARTIES);
  if (key->origin != SOTTO_KEY_SYSTEM && key->origin != SOTTO_KEY_INSECURE)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "seeds of shares must come from the system's generator, or be insecure");
  for (size_t p = 0; p < parties; p++) sotto_i_key_derive(&out->seeds[p], key, dealer_keys + p);
  return SOTTO_OK;
}

void sotto_dealer_free(sotto_dealer *dealer) {
  for (size_t p = 0; p < dealer->parties; p++) sotto_key_wipe(&dealer->seeds[p]);
  *dealer = (sotto_dealer){0};
}

uint64_t sotto_dealer_mask(sotto_dealer *dealer) {
  return dealer->next++;
}

/* The whole mask: the sum of the shares that the parties expand. */
sotto_status sotto_dealer_whole_mask(sotto_ring *out, const sotto_dealer *dealer, uint64_t number,
                                     size_t rows, size_t cols, sotto_error *err) {
  sotto_ring share = {0};
  sotto_status status;
  *out = (sotto_ring){0};
  SOTTO_TRY(sotto_ring_new(out, rows, cols, err));
  SOTTO_TRY(sotto_ring_new(&share, rows, cols, err));
  for (size_t p = 0; p < dealer->parties; p++) {
    sotto_i_ring_expand(&share, &dealer->seeds[p], SOTTO_I_STREAM_MASK, number);
    sotto_ring_add(out, out, &share);
  }
done:
  sotto_ring_free(&share);
  if (status != SOTTO_OK) sotto_ring_free(out);
  return status;
}

/* Subtracts the other parties' shares of C from the product of masks. */
sotto_status sotto_dealer_correct(sotto_ring *correction, sotto_dealer *dealer, sotto_error *err) {
  const uint64_t number = dealer->next++;
  sotto_ring share = {0};
  sotto_status status = sotto_ring_new(&share, correction->rows, correction->cols, err);
  for (size_t p = 0; status == SOTTO_OK && p + 1 < dealer->parties; p++) {
    sotto_i_ring_expand(&share, &dealer->seeds[p], SOTTO_I_STREAM_PRODUCT, number);
    sotto_ring_subtract(correction, correction, &share);
  }
  sotto_ring_free(&share);
  return status;
}

sotto_status sotto_dealer_product_of(sotto_ring *correction, sotto_dealer *dealer,
                                     const sotto_ring *left_mask, uint64_t right, size_t cols,
                                     sotto_error *err) {
  sotto_ring b = {0};
  sotto_status status;
  *correction = (sotto_ring){0};
  SOTTO_TRY(sotto_dealer_whole_mask(&b, dealer, right, left_mask->cols, cols, err));
  SOTTO_TRY(sotto_ring_new(correction, left_mask->rows, cols, err));
  SOTTO_TRY(sotto_ring_product(correction, left_mask, &b, false, err));
  SOTTO_TRY(sotto_dealer_correct(correction, dealer, err));
done:
  sotto_ring_free(&b);
  if (status != SOTTO_OK) sotto_ring_free(correction);
  return status;
}

sotto_status sotto_dealer_product(sotto_ring *correction, sotto_dealer *dealer, uint64_t left, uint64_t right,
                                  size_t rows, size_t inner, size_t cols, sotto_error *err) {
  sotto_ring a = {0};
  *correction = (sotto_ring){0};
  sotto_status status = sotto_dealer_whole_mask(&a, dealer, left, rows, inner, err);
  if (status == SOTTO_OK) status = sotto_dealer_product_of(correction, dealer, &a, right, cols, err);
  sotto_ring_free(&a);
  return status;
}

sotto_status sotto_dealer_elementwise(sotto_ring *correction, sotto_dealer *dealer, uint64_t left,
                                      uint64_t right, size_t rows, size_t cols, sotto_error *err) {
  sotto_ring b = {0};
  sotto_status status;
  *correction = (sotto_ring){0};
  SOTTO_TRY(sotto_dealer_whole_mask(correction, dealer, left, rows, cols, err));
  SOTTO_TRY(sotto_dealer_whole_mask(&b, dealer, right, rows, cols, err));
  for (size_t i = 0; i < rows * cols; i++) correction->data[i] *= b.data[i];
  SOTTO_TRY(sotto_dealer_correct(correction, dealer, err));
done:
  sotto_ring_free(&b);
  if (status != SOTTO_OK) sotto_ring_free(correction);
  return status;
}
