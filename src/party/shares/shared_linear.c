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

static sotto_status multiply(sotto_ring *out, sotto_i_shared_linear *layer, const sotto_operand *left,
                             const sotto_operand *right, sotto_error *err) {
  sotto_ring correction;
  sotto_status status =
      receive_correction(&correction, layer, "correction.product", left->mask.rows, right->mask.cols, err);
  if (status == SOTTO_OK)
    status = sotto_share_product(out, &layer->party, left, right, is_last(layer) ? &correction : NULL, err);
  sotto_ring_free(&correction);
  return status;
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

static void copy_columns(sotto_ring *to, size_t first, const sotto_ring *from) {
  for (size_t i = 0; i < from->rows; i++)
    memcpy(to->data + i * to->cols + first, from->data + i * from->cols, from->cols * sizeof *from->data);
}

static sotto_status split_features(sotto_ring *shares, const sotto_i_shared_linear *layer,
                                   const sotto_matrix *features, sotto_error *err) {
  const sotto_i_shared_shape *s = &layer->shape;
  sotto_ring fixed = {0};
  sotto_status status;
  SOTTO_TRY(sotto_ring_new(&fixed, features->rows, features->cols, err));
  SOTTO_TRY(sotto_fixed_encode(&fixed, features, s->bits, s->feature_bound, err));
  SOTTO_TRY(sotto_share_split(shares, s->holders, &fixed, err));
done:
  sotto_ring_free(&fixed);
  return status;
}

/* Algorithm 1, lines 3 to 5: this holder's share of all columns, in the order of holders. */
static sotto_status share_features(sotto_ring *x, const sotto_i_shared_linear *layer,
                                   const sotto_matrix *features, sotto_error *err) {
  const sotto_i_shared_shape *s = &layer->shape;
  const sotto_i_peers *peers = layer->peers;
  sotto_ring shares[SOTTO_MOST_HOLDERS] = {{0}}, part = {0};
  sotto_status status;
  SOTTO_TRY(split_features(shares, layer, features, err));
  SOTTO_TRY(sotto_ring_new(x, s->rows, sotto_i_shared_inner(s), err));
  for (size_t i = 0, first = 0; i < s->holders; first += s->cols[i++]) {
    if (i == peers->self) {
      copy_columns(x, first, &shares[i]);
      continue;
    }
    if (peers->self < i) SOTTO_TRY(sotto_i_send_ring(peers->holder[i], "features", &shares[i], err));
    SOTTO_TRY(sotto_i_receive_ring(&part, peers->holder[i], "features", s->rows, s->cols[i], err));
    if (peers->self > i) SOTTO_TRY(sotto_i_send_ring(peers->holder[i], "features", &shares[i], err));
    copy_columns(x, first, &part);
    sotto_ring_free(&part);
  }
done:
  sotto_ring_free(&part);
  free_messages(shares, s->holders);
  return status;
}

sotto_status sotto_i_shared_begin(sotto_i_shared_linear *out, const sotto_i_shared_shape *shape,
                                  const sotto_i_peers *peers, const sotto_matrix *features,
                                  const sotto_matrix *start, sotto_error *err) {
  sotto_status status;
  sotto_key seed = {{0}, SOTTO_KEY_NONE};
  sotto_ring x = {0};
  *out = (sotto_i_shared_linear){.shape = *shape, .peers = peers};
  SOTTO_TRY(sotto_i_shared_check(shape, err));
  SOTTO_TRY(sotto_i_shared_check_features(shape, peers->self, features, err));
  SOTTO_TRY(sotto_ring_new(&out->weight, sotto_i_shared_inner(shape), shape->width, err));
  SOTTO_TRY(sotto_ring_new(&out->velocity, out->weight.rows, shape->width, err));
  SOTTO_TRY(sotto_fixed_encode(&out->weight, start, shape->bits, SOTTO_I_WEIGHT_BOUND, err));
  SOTTO_TRY(sotto_i_receive_seed(&seed, peers->dealer, err));
  SOTTO_TRY(sotto_mpc_party_new(&out->party, peers->self, peers->count, &seed, err));
  SOTTO_TRY(share_features(&x, out, features, err));
  SOTTO_TRY(open_operand(&out->x, out, "masked.features", &x, err));
  SOTTO_TRY(sotto_operand_transpose(&out->transposed, &out->x, err));
done:
  sotto_key_wipe(&seed);
  sotto_ring_free(&x);
  return status;
}

/* Opens the sum of all holders' shares. */
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

sotto_status sotto_i_shared_forward(sotto_i_shared_linear *layer, sotto_matrix *out, sotto_error *err) {
  sotto_operand weight = {0};
  sotto_ring product = {0};
  sotto_status status;
  SOTTO_TRY(open_operand(&weight, layer, "masked.weights", &layer->weight, err));
  SOTTO_TRY(
      multiply(&product, layer, layer->part.opened.data == NULL ? &layer->x : &layer->part, &weight, err));
  SOTTO_TRY(truncate(&product, layer, layer->shape.bits, err));
  SOTTO_TRY(open_shares(out, layer, "initial.embeddings", &product, err));
done:
  sotto_operand_free(&weight);
  sotto_ring_free(&product);
  return status;
}

/* to += factor * from, where factor is a public integer. */
static void add_scaled(sotto_ring *to, const sotto_ring *from, uint64_t factor) {
  for (size_t i = 0; i < to->rows * to->cols; i++) to->data[i] += factor * from->data[i];
}

static uint64_t fixed_point(double value, unsigned bits) {
  return (uint64_t)llrint(ldexp(value, (int)bits));
}

/* Gradient step. `product` is X^T G with bits + gradient bits of fraction; it is overwritten. */
static sotto_status step_weights(sotto_i_shared_linear *layer, sotto_ring *product, sotto_error *err) {
  const sotto_i_shared_shape *s = &layer->shape;
  unsigned gradient_bits = sotto_i_shared_gradient_bits(s);
  sotto_ring step = {0};
  sotto_status status;
  add_scaled(product, &layer->weight, fixed_point(s->decay, gradient_bits));
  add_scaled(product, &layer->velocity, fixed_point(s->momentum, s->bits));
  SOTTO_TRY(truncate(product, layer, s->bits, err));
  sotto_ring_free(&layer->velocity);
  layer->velocity = *product;
  *product = (sotto_ring){0};
  SOTTO_TRY(sotto_ring_new(&step, layer->weight.rows, layer->weight.cols, err));
  add_scaled(&step, &layer->velocity, fixed_point(s->rate, s->bits));
  SOTTO_TRY(truncate(&step, layer, gradient_bits, err));
  sotto_ring_subtract(&layer->weight, &layer->weight, &step);
done:
  sotto_ring_free(&step);
  return status;
}

/* Encodes a gradient. A value beyond the bound is clipped to it, and NAN counts as zero. A peer chose the
 * inputs of the gradient, and a failure would reveal information about a holder's data to the others. */
static sotto_status encode_gradient(sotto_ring *out, const sotto_i_shared_linear *layer,
                                    const sotto_matrix *gradient, sotto_error *err) {
  const float bound = SOTTO_I_GRADIENT_BOUND;
  sotto_matrix clipped = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&clipped, gradient->rows, gradient->cols, err));
  for (size_t i = 0; i < gradient->rows * gradient->cols; i++) {
    const float value = gradient->data[i];
    clipped.data[i] = isnan(value) ? 0 : fmaxf(-bound, fminf(value, bound));
  }
  SOTTO_TRY(sotto_fixed_encode(out, &clipped, sotto_i_shared_gradient_bits(&layer->shape),
                               SOTTO_I_GRADIENT_BOUND, err));
done:
  sotto_matrix_free(&clipped);
  return status;
}

/* A holder's part of the gradient is used as its share: it leaves this holder under a mask alone. */
sotto_status sotto_i_shared_backward(sotto_i_shared_linear *layer, const sotto_matrix *gradient,
                                     sotto_error *err) {
  const sotto_operand *turned = layer->part.opened.data == NULL ? &layer->transposed : &layer->part_turned;
  sotto_operand masked = {0};
  sotto_ring share = {0}, product = {0};
  sotto_status status;
  SOTTO_TRY(sotto_ring_new(&share, gradient->rows, layer->shape.width, err));
  SOTTO_TRY(encode_gradient(&share, layer, gradient, err));
  SOTTO_TRY(open_operand(&masked, layer, "masked.gradients", &share, err));
  SOTTO_TRY(multiply(&product, layer, turned, &masked, err));
  SOTTO_TRY(step_weights(layer, &product, err));
done:
  sotto_operand_free(&masked);
  sotto_ring_free(&share);
  sotto_ring_free(&product);
  return status;
}

sotto_status sotto_i_shared_export(const sotto_i_shared_linear *layer, const sotto_ring *weight,
                                   sotto_matrix *out, sotto_error *err) {
  return open_shares(out, layer, "weights", weight, err);
}

void sotto_i_shared_free(sotto_i_shared_linear *layer) {
  sotto_operand_free(&layer->x);
  sotto_operand_free(&layer->transposed);
  sotto_operand_free(&layer->part);
  sotto_operand_free(&layer->part_turned);
  sotto_ring_free(&layer->weight);
  sotto_ring_free(&layer->velocity);
  sotto_key_wipe(&layer->party.seed);
}
