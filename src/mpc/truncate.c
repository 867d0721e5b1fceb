/* Truncation of shares with a mask from the dealer.
 *
 * y = x + 2^62 is in [0, 2^63). Let r be the mask, uniform over Z_2^64, with top bit t and r' = r mod
 * 2^63. Let c = y + r be opened, with top bit s and c' = c mod 2^63. Then y = c' - r' + 2^63 u, where u =
 * [y + r' >= 2^63] = s xor t, which is linear in t. So floor(y / 2^f) is floor(c'/2^f) - floor(r'/2^f) +
 * 2^(63 - f) u, or that minus one. */
#include "base/error.h"
#include "inside/mpc.h"
#include "ring.h"

static const uint64_t offset = (uint64_t)1 << 62, low63 = ((uint64_t)1 << 63) - 1;

static sotto_status check_bits(unsigned bits, sotto_error *err) {
  if (bits >= 1 && bits <= 2 * SOTTO_FIXED_MOST_BITS) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE, "truncation by %u bits; 1 to %d are possible", bits,
                      2 * SOTTO_FIXED_MOST_BITS);
}

void sotto_truncation_free(sotto_truncation *truncation) {
  sotto_ring_free(&truncation->high);
  sotto_ring_free(&truncation->top);
}

static sotto_status use_correction(sotto_truncation *out, const sotto_ring *correction, sotto_error *err) {
  size_t values = out->high.rows * out->high.cols;
  if (correction->rows != 2 * out->high.rows || correction->cols != out->high.cols)
    return sotto_i_fail(err, SOTTO_RANGE, "a correction of %zu x %zu for a truncation of %zu x %zu",
                        correction->rows, correction->cols, out->high.rows, out->high.cols);
  for (size_t i = 0; i < values; i++) {
    out->high.data[i] = correction->data[i];
    out->top.data[i] = correction->data[values + i];
  }
  return SOTTO_OK;
}

sotto_status sotto_truncation_mask(sotto_truncation *out, sotto_ring *message, sotto_mpc_party *party,
                                   const sotto_ring *share, unsigned bits, const sotto_ring *correction,
                                   sotto_error *err) {
  uint64_t number = party->next++;
  size_t rows = share->rows, cols = share->cols;
  bool last = party->party == party->parties - 1;
  sotto_status status;
  *out = (sotto_truncation){.bits = bits};
  *message = (sotto_ring){0};
  SOTTO_TRY(check_bits(bits, err));
  if (last != (correction != NULL)) {
    status = sotto_i_fail(err, SOTTO_INVALID, "the dealer's correction is for the last party only");
    goto done;
  }
  SOTTO_TRY(sotto_i_ring_expand_new(&out->high, rows, cols, &party->seed, SOTTO_I_STREAM_HIGH, number, err));
  SOTTO_TRY(sotto_i_ring_expand_new(&out->top, rows, cols, &party->seed, SOTTO_I_STREAM_TOP, number, err));
  if (last) SOTTO_TRY(use_correction(out, correction, err));
  SOTTO_TRY(
      sotto_i_ring_expand_new(message, rows, cols, &party->seed, SOTTO_I_STREAM_TRUNCATION, number, err));
  sotto_ring_add(message, message, share);
  if (party->party == 0)
    for (size_t i = 0; i < rows * cols; i++) message->data[i] += offset;
done:
  if (status != SOTTO_OK) {
    sotto_truncation_free(out);
    sotto_ring_free(message);
  }
  return status;
}

sotto_status sotto_truncation_open(sotto_ring *out, const sotto_mpc_party *party,
                                   const sotto_truncation *truncation, const sotto_ring *messages,
                                   sotto_error *err) {
  unsigned bits = truncation->bits;
  uint64_t weight = (uint64_t)1 << (63 - bits);
  for (size_t p = 0; p < party->parties; p++)
    if (!sotto_i_ring_same_shape(&messages[p], &truncation->high))
      return sotto_i_fail(err, SOTTO_RANGE, "party %zu masked %zu x %zu, where %zu x %zu is truncated", p,
                          messages[p].rows, messages[p].cols, truncation->high.rows, truncation->high.cols);
  sotto_status status = sotto_ring_new(out, truncation->high.rows, truncation->high.cols, err);
  if (status != SOTTO_OK) return status;
  sotto_share_join(out, messages, party->parties);
  for (size_t i = 0; i < out->rows * out->cols; i++) {
    uint64_t c = out->data[i], top = truncation->top.data[i], u = c >> 63 == 1 ? 0 - top : top;
    out->data[i] = weight * u - truncation->high.data[i];
    if (party->party == 0)
      out->data[i] += ((c & low63) >> bits) + (c >> 63 == 1 ? weight : 0) - (offset >> bits);
  }
  return SOTTO_OK;
}

sotto_status sotto_dealer_truncation(sotto_ring *correction, sotto_dealer *dealer, size_t rows, size_t cols,
                                     unsigned bits, sotto_error *err) {
  uint64_t number = dealer->next++;
  size_t values = rows * cols;
  sotto_ring mask = {0}, share = {0};
  sotto_status status;
  *correction = (sotto_ring){0};
  SOTTO_TRY(check_bits(bits, err));
  SOTTO_TRY(sotto_ring_new(correction, 2 * rows, cols, err));
  SOTTO_TRY(sotto_ring_new(&mask, rows, cols, err));
  SOTTO_TRY(sotto_ring_new(&share, rows, cols, err));
  for (size_t p = 0; p < dealer->parties; p++) {
    sotto_i_ring_expand(&share, &dealer->seeds[p], SOTTO_I_STREAM_TRUNCATION, number);
    sotto_ring_add(&mask, &mask, &share);
  }
  for (size_t i = 0; i < values; i++) {
    correction->data[i] = (mask.data[i] & low63) >> bits;
    correction->data[values + i] = mask.data[i] >> 63;
  }
  for (size_t p = 0; p + 1 < dealer->parties; p++) {
    sotto_i_ring_expand(&share, &dealer->seeds[p], SOTTO_I_STREAM_HIGH, number);
    for (size_t i = 0; i < values; i++) correction->data[i] -= share.data[i];
    sotto_i_ring_expand(&share, &dealer->seeds[p], SOTTO_I_STREAM_TOP, number);
    for (size_t i = 0; i < values; i++) correction->data[values + i] -= share.data[i];
  }
done:
  sotto_ring_free(&mask);
  sotto_ring_free(&share);
  if (status != SOTTO_OK) sotto_ring_free(correction);
  return status;
}
