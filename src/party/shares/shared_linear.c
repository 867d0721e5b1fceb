/* A holder's side of the shared linear layer. */
#include "shared_linear.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "inside/mpc.h"

static void free_messages(sotto_ring *messages, size_t count) {
  for (size_t i = 0; i < count; i++) sotto_ring_free(&messages[i]);
}

/* Masks this holder's share of a matrix and opens the sum of all masked shares. */
static sotto_status open_operand(sotto_operand *out, sotto_i_shared_linear *layer, const char *name,
                                 const sotto_ring *share, sotto_error *err) {
  sotto_ring message = {0}, messages[SOTTO_MOST_HOLDERS] = {{0}};
  sotto_status status;
  SOTTO_TRY(sotto_operand_mask(out, &message, &layer->party, share, err));
  SOTTO_TRY(sotto_i_exchange(messages, layer->peers, name, &message, err));
  SOTTO_TRY(sotto_operand_open(out, messages, layer->peers->count, err));
done:
  sotto_ring_free(&message);
  free_messages(messages, layer->peers->count);
  return status;
}

static bool is_last(const sotto_i_shared_linear *layer) {
  return layer->peers->self + 1 == layer->peers->count;
}

/* Receives the dealer's correction, which goes to the last holder alone. */
static sotto_status receive_correction(sotto_ring *out, const sotto_i_shared_linear *layer, const char *name,
                                       size_t rows, size_t cols, sotto_error *err) {
  *out = (sotto_ring){0};
  if (!is_last(layer)) return SOTTO_OK;
  return sotto_i_receive_ring(out, layer->peers->dealer, name, rows, cols, err);
}

/* Replaces *share by a share of its value divided by 2^bits. */
static sotto_status truncate(sotto_ring *share, sotto_i_shared_linear *layer, unsigned bits,
                             sotto_error *err) {
  sotto_ring correction = {0}, message = {0}, truncated = {0}, messages[SOTTO_MOST_HOLDERS] = {{0}};
  sotto_truncation truncation = {0};
  sotto_status status;
  SOTTO_TRY(
      receive_correction(&correction, layer, "correction.truncation", 2 * share->rows, share->cols, err));
  SOTTO_TRY(sotto_truncation_mask(&truncation, &message, &layer->party, share, bits,
                                  is_last(layer) ? &correction : NULL, err));
  SOTTO_TRY(sotto_i_exchange(messages, layer->peers, "truncation", &message, err));
  SOTTO_TRY(sotto_truncation_open(&truncated, &layer->party, &truncation, messages, err));
  sotto_ring_free(share);
  *share = truncated;
done:
  sotto_ring_free(&correction);
  sotto_ring_free(&message);
  sotto_truncation_free(&truncation);
  free_messages(messages, layer->peers->count);
  return status;
}

/* Puts another holder's columns of a block into `theirs`, which lacks this holder's own. */
static void store_columns(sotto_i_shared_linear *layer, size_t holder, size_t begin, const sotto_ring *part) {
  const sotto_i_shared_shape *s = &layer->shape;
  const size_t self = layer->peers->self;
  const size_t first = sotto_i_shared_first_column(s, holder) - (holder > self ? s->cols[self] : 0);
  sotto_ring *to = &layer->theirs;
  for (size_t i = 0; i < part->rows; i++)
    memcpy(to->data + (begin + i) * to->cols + first, part->data + i * part->cols,
           part->cols * sizeof *part->data);
}

static sotto_status swap_columns(sotto_i_shared_linear *layer, size_t other, size_t begin,
                                 const sotto_ring *own, sotto_error *err) {
  static const char name[] = "masked.features";
  const sotto_i_peers *peers = layer->peers;
  sotto_link *link = peers->holder[other];
  sotto_ring part = {0};
  sotto_status status;
  if (peers->self < other) SOTTO_TRY(sotto_i_send_ring(link, name, own, err));
  SOTTO_TRY(sotto_i_receive_ring(&part, link, name, own->rows, layer->shape.cols[other], err));
  if (peers->self > other) SOTTO_TRY(sotto_i_send_ring(link, name, own, err));
  store_columns(layer, other, begin, &part);
done:
  sotto_ring_free(&part);
  return status;
}

/* Algorithm 1, lines 3 to 5: each holder's columns, minus their mask, to all others, by blocks of rows. */
static sotto_status open_features(sotto_i_shared_linear *layer, sotto_error *err) {
  const sotto_i_shared_shape *s = &layer->shape;
  const size_t block = sotto_i_shared_block(s);
  sotto_i_shared_rows rows = {.mask = {0}};
  sotto_status status = SOTTO_OK;
  SOTTO_TRY(sotto_ring_new(&layer->theirs, s->rows, sotto_i_shared_inner(s) - layer->features->cols, err));
  for (size_t begin = 0; begin < s->rows; begin += block) {
    const size_t end = s->rows - begin < block ? s->rows : begin + block;
    SOTTO_TRY(sotto_i_shared_rows_new(&rows, layer, begin, end, err));
    sotto_ring_subtract(&rows.fixed, &rows.fixed, &rows.mask);
    for (size_t i = 0; i < s->holders; i++)
      if (i != layer->peers->self) SOTTO_TRY(swap_columns(layer, i, begin, &rows.fixed, err));
    sotto_i_shared_rows_free(&rows);
  }
done:
  sotto_i_shared_rows_free(&rows);
  return status;
}

sotto_status sotto_i_shared_begin(sotto_i_shared_linear *out, const sotto_i_shared_shape *shape,
                                  const sotto_i_peers *peers, const sotto_matrix *features,
                                  const sotto_matrix *start, sotto_error *err) {
  sotto_status status;
  sotto_key seed = {{0}, SOTTO_KEY_NONE};
  *out = (sotto_i_shared_linear){.shape = *shape, .peers = peers, .features = features, .count = shape->rows};
  SOTTO_TRY(sotto_i_shared_check(shape, err));
  SOTTO_TRY(sotto_i_shared_check_features(shape, peers->self, features, err));
  SOTTO_TRY(sotto_ring_new(&out->weight, sotto_i_shared_inner(shape), shape->width, err));
  SOTTO_TRY(sotto_ring_new(&out->velocity, out->weight.rows, shape->width, err));
  SOTTO_TRY(sotto_fixed_encode(&out->weight, start, shape->bits, SOTTO_I_WEIGHT_BOUND, err));
  SOTTO_TRY(sotto_i_receive_seed(&seed, peers->dealer, err));
  SOTTO_TRY(sotto_mpc_party_new(&out->party, peers->self, peers->count, &seed, err));
  SOTTO_TRY(open_features(out, err));
done:
  sotto_key_wipe(&seed);
  return status;
}

/* Opens the sum of all holders' shares in full. */
static sotto_status open_shares(sotto_matrix *out, const sotto_i_shared_linear *layer, const char *name,
                                const sotto_ring *share, sotto_error *err) {
  sotto_ring messages[SOTTO_MOST_HOLDERS] = {{0}}, whole = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_exchange(messages, layer->peers, name, share, err));
  SOTTO_TRY(sotto_ring_new(&whole, share->rows, share->cols, err));
  sotto_share_join(&whole, messages, layer->peers->count);
  sotto_fixed_decode(out, &whole, layer->shape.bits);
done:
  sotto_ring_free(&whole);
  free_messages(messages, layer->peers->count);
  return status;
}

/* The rows of `from` that stand for this holder's columns, borrowed. */
static sotto_ring own_rows(const sotto_i_shared_linear *layer, const sotto_ring *from) {
  const size_t first = sotto_i_shared_first_column(&layer->shape, layer->peers->self);
  return (sotto_ring){from->data + first * from->cols, layer->features->cols, from->cols};
}

/* With E = X - A and F = Y - B opened, XY = E F + E B + A F + A B. One holder adds E F; each adds E B_i, A_i
 * F and its share of A B. *inner becomes B_i, plus F at that one. */
static sotto_status add_opened(sotto_ring *inner, const sotto_i_shared_linear *layer, const sotto_operand *y,
                               sotto_error *err) {
  sotto_status status = sotto_ring_new(inner, y->mask.rows, y->mask.cols, err);
  if (status != SOTTO_OK) return status;
  sotto_ring_add(inner, inner, &y->mask);
  if (layer->peers->self == 0) sotto_ring_add(inner, inner, &y->opened);
  return SOTTO_OK;
}

static void store_values(sotto_matrix *out, size_t begin, sotto_ring *sum, const sotto_i_shared_shape *s) {
  const unsigned shift = sotto_i_shared_shift(s);
  sotto_matrix rows = {out->data + begin * out->cols, sum->rows, sum->cols};
  for (size_t i = 0; i < sum->rows * sum->cols; i++)
    sum->data[i] = (uint64_t)((int64_t)(sum->data[i] << shift) >> shift);
  sotto_fixed_decode(&rows, sum, 2 * s->bits);
}

/* This holder's share of the dealer's part of a block; its correction has 32 bits. */
static sotto_status share_masks(sotto_ring *out, sotto_i_shared_linear *layer, size_t rows,
                                sotto_error *err) {
  const sotto_i_shared_shape *s = &layer->shape;
  sotto_ring correction = {0};
  sotto_status status = SOTTO_OK;
  if (is_last(layer))
    SOTTO_TRY(sotto_i_receive_rounded(&correction, layer->peers->dealer, "correction.product", rows, s->width,
                                      sotto_i_shared_shift(s), err));
  SOTTO_TRY(sotto_mask_product(out, &layer->party, rows, s->width, is_last(layer) ? &correction : NULL, err));
done:
  sotto_ring_free(&correction);
  return status;
}

static sotto_status forward_block(sotto_matrix *out, sotto_i_shared_linear *layer,
                                  const sotto_operand *weight, const sotto_ring *inner, size_t begin,
                                  size_t end, sotto_error *err) {
  const sotto_ring own = own_rows(layer, &weight->opened);
  sotto_i_shared_rows x = {.mask = {0}};
  sotto_ring product = {0}, sum = {0};
  sotto_status status;
  SOTTO_TRY(share_masks(&product, layer, end - begin, err));
  SOTTO_TRY(sotto_i_shared_rows_new(&x, layer, begin, end, err));
  SOTTO_TRY(sotto_ring_product(&product, &x.opened, inner, true, err));
  SOTTO_TRY(sotto_ring_product(&product, &x.mask, &own, true, err));
  SOTTO_TRY(sotto_i_open_rounded(&sum, layer->peers, &layer->shape, "initial.embeddings", &product, err));
  if (sum.data != NULL) store_values(out, begin, &sum, &layer->shape);
done:
  sotto_i_shared_rows_free(&x);
  sotto_ring_free(&product);
  sotto_ring_free(&sum);
  return status;
}

sotto_status sotto_i_shared_forward(sotto_i_shared_linear *layer, sotto_matrix *out, sotto_error *err) {
  const size_t block = sotto_i_shared_block(&layer->shape);
  sotto_operand weight = {0};
  sotto_ring inner = {0};
  sotto_status status;
  SOTTO_TRY(open_operand(&weight, layer, "masked.weights", &layer->weight, err));
  SOTTO_TRY(add_opened(&inner, layer, &weight, err));
  for (size_t begin = 0; begin < layer->count; begin += block)
    SOTTO_TRY(forward_block(out, layer, &weight, &inner, begin,
                            layer->count - begin < block ? layer->count : begin + block, err));
done:
  sotto_operand_free(&weight);
  sotto_ring_free(&inner);
  return status;
}

/* to += factor * from, where factor is a public integer. */
static void add_scaled(sotto_ring *to, const sotto_ring *from, uint64_t factor) {
  for (size_t i = 0; i < to->rows * to->cols; i++) to->data[i] += factor * from->data[i];
}

static uint64_t fixed_point(double value, unsigned bits) {
  return (uint64_t)llrint(ldexp(value, (int)bits));
}

/* Divides each share by 2^bits on its own: right for shares that are small numbers themselves, as those of W
 * are while no share of a product was added to them. */
static void divide_alone(sotto_ring *share, unsigned bits) {
  for (size_t i = 0; i < share->rows * share->cols; i++)
    share->data[i] = (uint64_t)((int64_t)share->data[i] >> bits);
}

static sotto_status divide(sotto_ring *share, sotto_i_shared_linear *layer, unsigned bits, sotto_error *err) {
  if (!layer->shape.one_reads) return truncate(share, layer, bits, err);
  divide_alone(share, bits);
  return SOTTO_OK;
}

/* Gradient step. `product` is X^T G with bits + gradient bits of fraction; it is overwritten. */
static sotto_status step_weights(sotto_i_shared_linear *layer, sotto_ring *product, sotto_error *err) {
  const sotto_i_shared_shape *s = &layer->shape;
  unsigned gradient_bits = sotto_i_shared_gradient_bits(s);
  sotto_ring step = {0};
  sotto_status status;
  add_scaled(product, &layer->weight, fixed_point(s->decay, gradient_bits));
  add_scaled(product, &layer->velocity, fixed_point(s->momentum, s->bits));
  SOTTO_TRY(divide(product, layer, s->bits, err));
  sotto_ring_free(&layer->velocity);
  layer->velocity = *product;
  *product = (sotto_ring){0};
  SOTTO_TRY(sotto_ring_new(&step, layer->weight.rows, layer->weight.cols, err));
  add_scaled(&step, &layer->velocity, fixed_point(s->rate, s->bits));
  SOTTO_TRY(divide(&step, layer, gradient_bits, err));
  sotto_ring_subtract(&layer->weight, &layer->weight, &step);
done:
  sotto_ring_free(&step);
  return status;
}

/* Encodes a gradient. A value beyond the bound is clipped to it, and NAN counts as zero. A peer chose the
 * inputs of the gradient, and a failure would reveal information about a holder's data to the others. */
static sotto_status encode_gradient(sotto_ring *out, const sotto_i_shared_linear *layer,
                                    const sotto_matrix *gradient, size_t begin, sotto_error *err) {
  const float *values = gradient->data + begin * gradient->cols;
  const float bound = (float)sotto_i_shared_gradient_bound(&layer->shape);
  sotto_matrix clipped = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&clipped, out->rows, out->cols, err));
  for (size_t i = 0; i < out->rows * out->cols; i++) {
    const float value = values[i];
    clipped.data[i] = isnan(value) ? 0 : fmaxf(-bound, fminf(value, bound));
  }
  SOTTO_TRY(sotto_fixed_encode(out, &clipped, sotto_i_shared_gradient_bits(&layer->shape), bound, err));
done:
  sotto_matrix_free(&clipped);
  return status;
}

/* out += left^T right. */
static sotto_status add_transposed(sotto_ring *out, const sotto_ring *left, const sotto_ring *right,
                                   sotto_error *err) {
  sotto_ring turned = {0};
  sotto_status status;
  SOTTO_TRY(sotto_ring_new(&turned, left->cols, left->rows, err));
  sotto_ring_transpose(&turned, left);
  SOTTO_TRY(sotto_ring_product(out, &turned, right, true, err));
done:
  sotto_ring_free(&turned);
  return status;
}

/* A holder's part of the gradient is used as its share: it leaves this holder under a mask alone. */
static sotto_status add_masked(sotto_ring *product, sotto_i_shared_linear *layer,
                               const sotto_i_shared_rows *x, const sotto_ring *gradient, sotto_error *err) {
  sotto_ring own = own_rows(layer, product), inner = {0};
  sotto_operand masked = {0};
  sotto_status status;
  SOTTO_TRY(open_operand(&masked, layer, "masked.gradients", gradient, err));
  SOTTO_TRY(add_opened(&inner, layer, &masked, err));
  SOTTO_TRY(add_transposed(product, &x->opened, &inner, err));
  SOTTO_TRY(add_transposed(&own, &x->mask, &masked.opened, err));
done:
  sotto_operand_free(&masked);
  sotto_ring_free(&inner);
  return status;
}

static sotto_status backward_block(sotto_ring *product, sotto_i_shared_linear *layer,
                                   const sotto_matrix *gradient, size_t begin, size_t end, sotto_error *err) {
  sotto_ring own = own_rows(layer, product), part = {0};
  sotto_i_shared_rows x = {.mask = {0}};
  sotto_status status;
  SOTTO_TRY(sotto_ring_new(&part, end - begin, layer->shape.width, err));
  SOTTO_TRY(encode_gradient(&part, layer, gradient, begin, err));
  SOTTO_TRY(sotto_i_shared_rows_new(&x, layer, begin, end, err));
  if (layer->shape.one_reads)
    SOTTO_TRY(add_transposed(&own, &x.fixed, &part, err));
  else
    SOTTO_TRY(add_masked(product, layer, &x, &part, err));
done:
  sotto_i_shared_rows_free(&x);
  sotto_ring_free(&part);
  return status;
}

/* Adds this holder's share of the products of masks. */
static sotto_status add_mask_product(sotto_ring *product, sotto_i_shared_linear *layer, sotto_error *err) {
  sotto_ring correction, masks = {0};
  sotto_status status =
      receive_correction(&correction, layer, "correction.product", product->rows, product->cols, err);
  if (status != SOTTO_OK) return status;
  SOTTO_TRY(sotto_mask_product(&masks, &layer->party, product->rows, product->cols,
                               is_last(layer) ? &correction : NULL, err));
  sotto_ring_add(product, product, &masks);
done:
  sotto_ring_free(&correction);
  sotto_ring_free(&masks);
  return status;
}

sotto_status sotto_i_shared_backward(sotto_i_shared_linear *layer, const sotto_matrix *gradient,
                                     sotto_error *err) {
  const size_t block = sotto_i_shared_block(&layer->shape);
  sotto_ring product = {0};
  sotto_status status;
  SOTTO_I_CHECK(gradient->rows == layer->count);
  SOTTO_TRY(sotto_ring_new(&product, layer->weight.rows, layer->weight.cols, err));
  for (size_t begin = 0; begin < layer->count; begin += block)
    SOTTO_TRY(backward_block(&product, layer, gradient, begin,
                             layer->count - begin < block ? layer->count : begin + block, err));
  if (!layer->shape.one_reads) SOTTO_TRY(add_mask_product(&product, layer, err));
  SOTTO_TRY(step_weights(layer, &product, err));
done:
  sotto_ring_free(&product);
  return status;
}

sotto_status sotto_i_shared_export(const sotto_i_shared_linear *layer, const sotto_ring *weight,
                                   sotto_matrix *out, sotto_error *err) {
  return open_shares(out, layer, "weights", weight, err);
}

void sotto_i_shared_free(sotto_i_shared_linear *layer) {
  sotto_ring_free(&layer->theirs);
  sotto_ring_free(&layer->weight);
  sotto_ring_free(&layer->velocity);
  sotto_key_wipe(&layer->party.seed);
}
