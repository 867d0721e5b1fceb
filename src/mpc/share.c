/* Additive secret sharing: shares, parties, operands, products. */
#include "base/memory.h"
#include "inside/mpc.h"
#include "ring.h"

static sotto_status check_parties(size_t count, sotto_error *err) {
  if (count >= 2 && count <= SOTTO_MPC_MOST_PARTIES) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE, "%zu parties; 2 to %d are possible", count, SOTTO_MPC_MOST_PARTIES);
}

void sotto_share_join(sotto_ring *out, const sotto_ring *shares, size_t count) {
  for (size_t i = 0; i < out->rows * out->cols; i++) out->data[i] = 0;
  for (size_t p = 0; p < count; p++) sotto_ring_add(out, out, &shares[p]);
}

sotto_status sotto_mpc_party_new(sotto_mpc_party *out, size_t party, size_t parties, const sotto_key *seed,
                                 sotto_error *err) {
  sotto_status status = check_parties(parties, err);
  if (status != SOTTO_OK) return status;
  if (party >= parties)
    return sotto_i_fail(err, SOTTO_RANGE, "party %zu of %zu; parties are numbered from 0", party, parties);
  if (seed->origin != SOTTO_KEY_SYSTEM)
    return sotto_i_fail(err, SOTTO_INVALID, "the seed of masks must come from the system's generator");
  *out = (sotto_mpc_party){party, parties, *seed, 0};
  return SOTTO_OK;
}

void sotto_operand_free(sotto_operand *operand) {
  sotto_ring_free(&operand->mask);
  sotto_ring_free(&operand->opened);
}

sotto_status sotto_operand_mask(sotto_operand *out, sotto_ring *message, sotto_mpc_party *party,
                                const sotto_ring *share, sotto_error *err) {
  sotto_status status;
  *out = (sotto_operand){.number = party->next++};
  *message = (sotto_ring){0};
  SOTTO_TRY(sotto_i_ring_expand_new(&out->mask, share->rows, share->cols, &party->seed, SOTTO_I_STREAM_MASK,
                                    out->number, err));
  SOTTO_TRY(sotto_ring_new(message, share->rows, share->cols, err));
  sotto_ring_subtract(message, share, &out->mask);
done:
  if (status != SOTTO_OK) sotto_operand_free(out);
  return status;
}

sotto_status sotto_operand_open(sotto_operand *operand, const sotto_ring *messages, size_t count,
                                sotto_error *err) {
  if (operand->opened.data != NULL)
    return sotto_i_fail(err, SOTTO_INVALID, "the operand was opened before; a changed one needs a new mask");
  for (size_t p = 0; p < count; p++)
    if (!sotto_i_ring_same_shape(&messages[p], &operand->mask))
      return sotto_i_fail(err, SOTTO_RANGE, "party %zu masked %zu x %zu, where %zu x %zu is opened", p,
                          messages[p].rows, messages[p].cols, operand->mask.rows, operand->mask.cols);
  sotto_status status = sotto_ring_new(&operand->opened, operand->mask.rows, operand->mask.cols, err);
  if (status == SOTTO_OK) sotto_share_join(&operand->opened, messages, count);
  return status;
}

sotto_status sotto_operand_transpose(sotto_operand *out, const sotto_operand *operand, sotto_error *err) {
  sotto_status status;
  *out = (sotto_operand){.number = operand->number};
  if (operand->opened.data == NULL)
    return sotto_i_fail(err, SOTTO_INVALID, "an operand must be opened before it is transposed");
  SOTTO_TRY(sotto_ring_new(&out->mask, operand->mask.cols, operand->mask.rows, err));
  SOTTO_TRY(sotto_ring_new(&out->opened, operand->mask.cols, operand->mask.rows, err));
  sotto_ring_transpose(&out->mask, &operand->mask);
  sotto_ring_transpose(&out->opened, &operand->opened);
done:
  if (status != SOTTO_OK) sotto_operand_free(out);
  return status;
}

/* Expands this party's share of C; the last party uses the dealer's correction instead. */
sotto_status sotto_mask_product(sotto_ring *out, sotto_mpc_party *party, size_t rows, size_t cols,
                                const sotto_ring *correction, sotto_error *err) {
  uint64_t number = party->next++;
  bool last = party->party == party->parties - 1;
  if (last != (correction != NULL))
    return sotto_i_fail(err, SOTTO_INVALID, "the dealer's correction is for the last party only");
  if (!last)
    return sotto_i_ring_expand_new(out, rows, cols, &party->seed, SOTTO_I_STREAM_PRODUCT, number, err);
  if (correction->rows != rows || correction->cols != cols)
    return sotto_i_fail(err, SOTTO_RANGE, "a correction of %zu x %zu for a product of %zu x %zu",
                        correction->rows, correction->cols, rows, cols);
  sotto_status status = sotto_ring_new(out, rows, cols, err);
  if (status == SOTTO_OK) sotto_ring_add(out, out, correction);
  return status;
}

/* With E = X - A and F = Y - B opened, XY = E F + E B + A F + C. One party adds E F; each adds its E B_i +
 * A_i F + C_i. */
sotto_status sotto_share_product(sotto_ring *out, sotto_mpc_party *party, const sotto_operand *left,
                                 const sotto_operand *right, const sotto_ring *correction, sotto_error *err) {
  sotto_ring inner = {0};
  sotto_status status;
  *out = (sotto_ring){0};
  if (left->opened.data == NULL || right->opened.data == NULL)
    return sotto_i_fail(err, SOTTO_INVALID, "both operands must be opened before they are multiplied");
  SOTTO_TRY(sotto_mask_product(out, party, left->mask.rows, right->mask.cols, correction, err));
  SOTTO_TRY(sotto_ring_product(out, &left->mask, &right->opened, true, err));
  SOTTO_TRY(sotto_ring_new(&inner, right->mask.rows, right->mask.cols, err));
  sotto_ring_add(&inner, &inner, &right->mask);
  if (party->party == 0) sotto_ring_add(&inner, &inner, &right->opened);
  SOTTO_TRY(sotto_ring_product(out, &left->opened, &inner, true, err));
done:
  sotto_ring_free(&inner);
  if (status != SOTTO_OK) sotto_ring_free(out);
  return status;
}

/* The same by element: x y = e f + e b + a f + c. */
sotto_status sotto_share_elementwise(sotto_ring *out, sotto_mpc_party *party, const sotto_operand *left,
                                     const sotto_operand *right, const sotto_ring *correction,
                                     sotto_error *err) {
  *out = (sotto_ring){0};
  if (left->opened.data == NULL || right->opened.data == NULL)
    return sotto_i_fail(err, SOTTO_INVALID, "both operands must be opened before they are multiplied");
  if (!sotto_i_ring_same_shape(&left->mask, &right->mask))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "a product by element of %zu x %zu and %zu x %zu: the shapes must be equal",
                        left->mask.rows, left->mask.cols, right->mask.rows, right->mask.cols);
  sotto_status status = sotto_mask_product(out, party, left->mask.rows, left->mask.cols, correction, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < out->rows * out->cols; i++) {
    uint64_t inner = right->mask.data[i] + (party->party == 0 ? right->opened.data[i] : 0);
    out->data[i] += left->mask.data[i] * right->opened.data[i] + left->opened.data[i] * inner;
  }
  return SOTTO_OK;
}
