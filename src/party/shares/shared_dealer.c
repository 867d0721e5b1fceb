/* The dealer's side of the shared linear layer: it sends seeds once, then corrections for the last holder. It
 * numbers masks in the order in which the holders draw them, and sees none of their data. */
#include "base/error.h"
#include "inside/mpc.h"
#include "shared_linear.h"

static sotto_link *last_link(const sotto_i_shared_dealer *d) {
  return d->links[d->shape.holders - 1];
}

sotto_status sotto_i_shared_deal_begin(sotto_i_shared_dealer *out, const sotto_i_shared_shape *shape,
                                       sotto_link *const *links, const sotto_key *key, sotto_error *err) {
  sotto_status status;
  size_t inner = sotto_i_shared_inner(shape);
  *out = (sotto_i_shared_dealer){.shape = *shape, .links = links};
  SOTTO_TRY(sotto_i_shared_check(shape, err));
  SOTTO_TRY(sotto_dealer_from(&out->dealer, shape->holders, key, err));
  for (size_t i = 0; i < shape->holders; i++)
    SOTTO_TRY(sotto_i_send_seed(links[i], &out->dealer.seeds[i], err));
  SOTTO_TRY(sotto_dealer_whole_mask(&out->x_mask, &out->dealer, sotto_dealer_mask(&out->dealer), shape->rows,
                                    inner, err));
  SOTTO_TRY(sotto_ring_new(&out->transposed_mask, inner, shape->rows, err));
  sotto_ring_transpose(&out->transposed_mask, &out->x_mask);
done:
  return status;
}

static sotto_status send_product(sotto_i_shared_dealer *d, const sotto_ring *left, sotto_error *err) {
  sotto_ring correction = {0};
  uint64_t right = sotto_dealer_mask(&d->dealer);
  sotto_status status = sotto_dealer_product_of(&correction, &d->dealer, left, right, d->shape.width, err);
  if (status == SOTTO_OK) status = sotto_i_send_ring(last_link(d), "correction.product", &correction, err);
  sotto_ring_free(&correction);
  return status;
}

static sotto_status send_truncation(sotto_i_shared_dealer *d, size_t rows, unsigned bits, sotto_error *err) {
  sotto_ring correction = {0};
  sotto_status status = sotto_dealer_truncation(&correction, &d->dealer, rows, d->shape.width, bits, err);
  if (status == SOTTO_OK) status = sotto_i_send_ring(last_link(d), "correction.truncation", &correction, err);
  sotto_ring_free(&correction);
  return status;
}

sotto_status sotto_i_shared_deal_forward(sotto_i_shared_dealer *d, sotto_error *err) {
  const sotto_ring *mask = d->part_mask.data == NULL ? &d->x_mask : &d->part_mask;
  sotto_status status = send_product(d, mask, err);
  return status == SOTTO_OK ? send_truncation(d, mask->rows, d->shape.bits, err) : status;
}

sotto_status sotto_i_shared_deal_backward(sotto_i_shared_dealer *d, sotto_error *err) {
  size_t inner = sotto_i_shared_inner(&d->shape);
  sotto_status status;
  SOTTO_TRY(send_product(d, d->part_turned.data == NULL ? &d->transposed_mask : &d->part_turned, err));
  SOTTO_TRY(send_truncation(d, inner, d->shape.bits, err));
  SOTTO_TRY(send_truncation(d, inner, sotto_i_shared_gradient_bits(&d->shape), err));
done:
  return status;
}

void sotto_i_shared_deal_free(sotto_i_shared_dealer *d) {
  sotto_dealer_free(&d->dealer);
  sotto_ring_free(&d->x_mask);
  sotto_ring_free(&d->transposed_mask);
  sotto_ring_free(&d->part_mask);
  sotto_ring_free(&d->part_turned);
}
