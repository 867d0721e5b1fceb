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
  *out = (sotto_i_shared_dealer){.shape = *shape, .links = links, .count = shape->rows};
  SOTTO_TRY(sotto_i_shared_check(shape, err));
  SOTTO_TRY(sotto_dealer_from(&out->dealer, shape->holders, key, err));
  for (size_t i = 0; i < shape->holders; i++)
    SOTTO_TRY(sotto_i_send_seed(links[i], &out->dealer.seeds[i], err));
done:
  return status;
}

/* The masks of X in rows [begin, end) of the step: each holder has that of its columns. */
static sotto_status mask_rows(sotto_ring *out, const sotto_i_shared_dealer *d, size_t begin, size_t end,
                              sotto_error *err) {
  const sotto_i_shared_shape *s = &d->shape;
  const uint32_t *rows = d->picked == NULL ? NULL : d->picked + begin;
  sotto_status status = sotto_ring_new(out, end - begin, sotto_i_shared_inner(s), err);
  for (size_t i = 0; status == SOTTO_OK && i < s->holders; i++)
    sotto_own_mask(out, sotto_i_shared_first_column(s, i), s->cols[i], &d->dealer.seeds[i], rows, begin);
  return status;
}

static size_t block_end(const sotto_i_shared_dealer *d, size_t begin) {
  const size_t block = sotto_i_shared_block(&d->shape);
  return d->count - begin < block ? d->count : begin + block;
}

static sotto_status send_truncation(sotto_i_shared_dealer *d, size_t rows, unsigned bits, sotto_error *err) {
  sotto_ring correction = {0};
  sotto_status status = sotto_dealer_truncation(&correction, &d->dealer, rows, d->shape.width, bits, err);
  if (status == SOTTO_OK) status = sotto_i_send_ring(last_link(d), "correction.truncation", &correction, err);
  sotto_ring_free(&correction);
  return status;
}

sotto_status sotto_i_shared_deal_forward(sotto_i_shared_dealer *d, sotto_error *err) {
  const uint64_t weight = sotto_dealer_mask(&d->dealer);
  const unsigned shift = sotto_i_shared_shift(&d->shape);
  sotto_ring mask = {0}, correction = {0};
  sotto_status status = SOTTO_OK;
  for (size_t begin = 0; begin < d->count; begin = block_end(d, begin)) {
    SOTTO_TRY(mask_rows(&mask, d, begin, block_end(d, begin), err));
    SOTTO_TRY(sotto_dealer_product_of(&correction, &d->dealer, &mask, weight, d->shape.width, err));
    SOTTO_TRY(sotto_i_send_rounded(last_link(d), "correction.product", &correction, shift, err));
    sotto_ring_free(&mask);
    sotto_ring_free(&correction);
  }
done:
  sotto_ring_free(&mask);
  sotto_ring_free(&correction);
  return status;
}

/* product += A^T times the mask of the gradient, over one block. */
static sotto_status add_block(sotto_ring *product, sotto_i_shared_dealer *d, size_t begin, sotto_error *err) {
  const size_t end = block_end(d, begin);
  sotto_ring mask = {0}, turned = {0}, gradient = {0};
  sotto_status status;
  SOTTO_TRY(mask_rows(&mask, d, begin, end, err));
  SOTTO_TRY(sotto_ring_new(&turned, mask.cols, mask.rows, err));
  sotto_ring_transpose(&turned, &mask);
  SOTTO_TRY(sotto_dealer_whole_mask(&gradient, &d->dealer, sotto_dealer_mask(&d->dealer), end - begin,
                                    d->shape.width, err));
  SOTTO_TRY(sotto_ring_product(product, &turned, &gradient, true, err));
done:
  sotto_ring_free(&mask);
  sotto_ring_free(&turned);
  sotto_ring_free(&gradient);
  return status;
}

sotto_status sotto_i_shared_deal_backward(sotto_i_shared_dealer *d, sotto_error *err) {
  size_t inner = sotto_i_shared_inner(&d->shape);
  sotto_ring product = {0};
  sotto_status status;
  if (d->shape.one_reads) return SOTTO_OK;
  SOTTO_TRY(sotto_ring_new(&product, inner, d->shape.width, err));
  for (size_t begin = 0; begin < d->count; begin = block_end(d, begin))
    SOTTO_TRY(add_block(&product, d, begin, err));
  SOTTO_TRY(sotto_dealer_correct(&product, &d->dealer, err));
  SOTTO_TRY(sotto_i_send_ring(last_link(d), "correction.product", &product, err));
  SOTTO_TRY(send_truncation(d, inner, d->shape.bits, err));
  SOTTO_TRY(send_truncation(d, inner, sotto_i_shared_gradient_bits(&d->shape), err));
done:
  sotto_ring_free(&product);
  return status;
}

void sotto_i_shared_deal_free(sotto_i_shared_dealer *d) {
  sotto_dealer_free(&d->dealer);
}
