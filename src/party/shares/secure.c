/* Arithmetic on shared matrices: the steps with messages between the parties. */
#include "secure.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "inside/mpc.h"

static sotto_link *last_link(const sotto_i_secure *s) {
  return s->links[s->holders - 1];
}

sotto_status sotto_i_secure_begin(sotto_i_secure *out, const sotto_i_peers *peers, sotto_link *const *links,
                                  size_t holders, unsigned bits, const sotto_key *key, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_key seed = {{0}, SOTTO_KEY_NONE};
  *out = (sotto_i_secure){
      .dealing = peers == NULL, .peers = peers, .links = links, .holders = holders, .bits = bits};
  if (out->dealing) {
    SOTTO_TRY(sotto_dealer_from(&out->dealer, holders, key, err));
    for (size_t i = 0; i < holders; i++) SOTTO_TRY(sotto_i_send_seed(links[i], &out->dealer.seeds[i], err));
  } else {
    SOTTO_TRY(sotto_i_receive_seed(&seed, peers->dealer, err));
    SOTTO_TRY(sotto_mpc_party_new(&out->party, peers->self, holders, &seed, err));
  }
done:
  sotto_key_wipe(&seed);
  return status;
}

void sotto_i_secure_free(sotto_i_secure *s) {
  sotto_dealer_free(&s->dealer);
  sotto_key_wipe(&s->party.seed);
}

static void free_messages(sotto_ring *messages, size_t count) {
  for (size_t i = 0; i < count; i++) sotto_ring_free(&messages[i]);
}

sotto_status sotto_i_secure_mask(sotto_i_factor *out, sotto_i_secure *s, const sotto_i_secret *secret,
                                 sotto_error *err) {
  sotto_ring message = {0}, messages[SOTTO_MOST_HOLDERS] = {{0}};
  sotto_status status = SOTTO_OK;
  *out = (sotto_i_factor){.rows = secret->rows, .cols = secret->cols};
  if (s->dealing) {
    out->number = sotto_dealer_mask(&s->dealer);
    return SOTTO_OK;
  }
  SOTTO_TRY(sotto_operand_mask(&out->operand, &message, &s->party, &secret->share, err));
  SOTTO_TRY(sotto_i_exchange(messages, s->peers, "masked", &message, err));
  SOTTO_TRY(sotto_operand_open(&out->operand, messages, s->holders, err));
done:
  sotto_ring_free(&message);
  free_messages(messages, s->holders);
  return status;
}

sotto_status sotto_i_secure_transpose(sotto_i_factor *out, const sotto_i_secure *s,
                                      const sotto_i_factor *factor, sotto_error *err) {
  sotto_ring made = {0};
  const sotto_ring *whole = &factor->whole;
  sotto_status status;
  *out = (sotto_i_factor){.rows = factor->cols, .cols = factor->rows};
  if (!s->dealing) return sotto_operand_transpose(&out->operand, &factor->operand, err);
  if (whole->data == NULL) {
    SOTTO_TRY(sotto_dealer_whole_mask(&made, &s->dealer, factor->number, factor->rows, factor->cols, err));
    whole = &made;
  }
  SOTTO_TRY(sotto_ring_new(&out->whole, out->rows, out->cols, err));
  sotto_ring_transpose(&out->whole, whole);
done:
  sotto_ring_free(&made);
  return status;
}

/* Sends the dealer's correction to the last holder; *correction is filled there alone. */
static sotto_status transfer_correction(sotto_ring *correction, sotto_i_secure *s, size_t rows, size_t cols,
                                        const sotto_ring **got, sotto_error *err) {
  *got = NULL;
  if (s->dealing) return sotto_i_send_ring(last_link(s), "correction", correction, err);
  if (s->peers->self + 1 != s->holders) return SOTTO_OK;
  *got = correction;
  return sotto_i_receive_ring(correction, s->peers->dealer, "correction", rows, cols, err);
}

sotto_status sotto_i_secure_truncate(sotto_i_secret *secret, sotto_i_secure *s, unsigned bits,
                                     sotto_error *err) {
  sotto_ring correction = {0}, message = {0}, less = {0}, messages[SOTTO_MOST_HOLDERS] = {{0}};
  sotto_truncation truncation = {0};
  const sotto_ring *mine;
  sotto_status status;
  if (s->dealing)
    SOTTO_TRY(sotto_dealer_truncation(&correction, &s->dealer, secret->rows, secret->cols, bits, err));
  SOTTO_TRY(transfer_correction(&correction, s, 2 * secret->rows, secret->cols, &mine, err));
  if (s->dealing) goto done;
  SOTTO_TRY(sotto_truncation_mask(&truncation, &message, &s->party, &secret->share, bits, mine, err));
  SOTTO_TRY(sotto_i_exchange(messages, s->peers, "truncation", &message, err));
  SOTTO_TRY(sotto_truncation_open(&less, &s->party, &truncation, messages, err));
  sotto_ring_free(&secret->share);
  secret->share = less;
done:
  sotto_ring_free(&correction);
  sotto_ring_free(&message);
  sotto_truncation_free(&truncation);
  free_messages(messages, s->holders);
  return status;
}

static sotto_status correct_product(sotto_ring *correction, sotto_i_secure *s, const sotto_i_factor *a,
                                    const sotto_i_factor *b, sotto_error *err) {
  if (a->whole.data != NULL)
    return sotto_dealer_product_of(correction, &s->dealer, &a->whole, b->number, b->cols, err);
  return sotto_dealer_product(correction, &s->dealer, a->number, b->number, a->rows, a->cols, b->cols, err);
}

/* The product over the ring, with the fraction bits of both factors. A transposed factor may only be on the
 * left, where the dealer has its whole mask. */
static sotto_status multiply(sotto_i_secret *out, sotto_i_secure *s, const sotto_i_factor *a,
                             const sotto_i_factor *b, sotto_error *err) {
  sotto_ring correction = {0};
  const sotto_ring *mine;
  sotto_status status;
  SOTTO_I_CHECK(a->cols == b->rows && b->whole.data == NULL);
  *out = (sotto_i_secret){.rows = a->rows, .cols = b->cols};
  if (s->dealing) SOTTO_TRY(correct_product(&correction, s, a, b, err));
  SOTTO_TRY(transfer_correction(&correction, s, a->rows, b->cols, &mine, err));
  if (!s->dealing)
    SOTTO_TRY(sotto_share_product(&out->share, &s->party, &a->operand, &b->operand, mine, err));
done:
  sotto_ring_free(&correction);
  return status;
}

sotto_status sotto_i_secure_product(sotto_i_secret *out, sotto_i_secure *s, const sotto_i_factor *a,
                                    const sotto_i_factor *b, sotto_error *err) {
  const sotto_status status = multiply(out, s, a, b, err);
  return status == SOTTO_OK ? sotto_i_secure_truncate(out, s, s->bits, err) : status;
}

/* to += bit (from - to), as one row. */
sotto_status sotto_i_secure_select(sotto_i_secret *to, sotto_i_secure *s, const sotto_i_factor *bit,
                                   const sotto_i_secret *from, sotto_error *err) {
  const size_t count = to->rows * to->cols;
  sotto_i_secret change = {0}, moved = {0};
  sotto_i_factor by = {0};
  sotto_status status;
  SOTTO_I_CHECK(bit->rows == 1 && bit->cols == 1 && from->rows == to->rows && from->cols == to->cols);
  SOTTO_TRY(sotto_i_secret_new(&change, s, 1, count, err));
  for (size_t i = 0; !s->dealing && i < count; i++)
    change.share.data[i] = from->share.data[i] - to->share.data[i];
  SOTTO_TRY(sotto_i_secure_mask(&by, s, &change, err));
  SOTTO_TRY(multiply(&moved, s, bit, &by, err));
  for (size_t i = 0; !s->dealing && i < count; i++) to->share.data[i] += moved.share.data[i];
done:
  sotto_i_secret_free(&change);
  sotto_i_secret_free(&moved);
  sotto_i_factor_free(&by);
  return status;
}

sotto_status sotto_i_secure_elementwise(sotto_i_secret *out, sotto_i_secure *s, const sotto_i_factor *a,
                                        const sotto_i_factor *b, sotto_error *err) {
  sotto_ring correction = {0};
  const sotto_ring *mine;
  sotto_status status;
  *out = (sotto_i_secret){.rows = a->rows, .cols = a->cols};
  if (s->dealing)
    SOTTO_TRY(sotto_dealer_elementwise(&correction, &s->dealer, a->number, b->number, a->rows, a->cols, err));
  SOTTO_TRY(transfer_correction(&correction, s, a->rows, a->cols, &mine, err));
  if (!s->dealing)
    SOTTO_TRY(sotto_share_elementwise(&out->share, &s->party, &a->operand, &b->operand, mine, err));
  SOTTO_TRY(sotto_i_secure_truncate(out, s, s->bits, err));
done:
  sotto_ring_free(&correction);
  return status;
}

sotto_status sotto_i_secure_add_scaled(sotto_i_secret *to, sotto_i_secure *s, const sotto_i_secret *from,
                                       double factor, sotto_error *err) {
  sotto_i_secret scaled = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_secret_new(&scaled, s, from->rows, from->cols, err));
  if (!s->dealing) {
    uint64_t whole = (uint64_t)llrint(ldexp(factor, (int)s->bits));
    for (size_t i = 0; i < from->rows * from->cols; i++) scaled.share.data[i] = whole * from->share.data[i];
  }
  SOTTO_TRY(sotto_i_secure_truncate(&scaled, s, s->bits, err));
  sotto_i_secure_add(to, &scaled);
done:
  sotto_i_secret_free(&scaled);
  return status;
}

sotto_status sotto_i_secure_reveal(sotto_matrix *out, sotto_i_secure *s, const sotto_i_secret *secret,
                                   size_t holder, const char *name, sotto_error *err) {
  sotto_ring whole = {0}, part = {0};
  sotto_status status = SOTTO_OK;
  if (s->dealing) return SOTTO_OK;
  if (s->peers->self != holder) return sotto_i_send_ring(s->peers->holder[holder], name, &secret->share, err);
  SOTTO_TRY(sotto_ring_new(&whole, secret->rows, secret->cols, err));
  sotto_ring_add(&whole, &whole, &secret->share);
  for (size_t i = 0; i < s->holders; i++) {
    if (i == holder) continue;
    SOTTO_TRY(sotto_i_receive_ring(&part, s->peers->holder[i], name, secret->rows, secret->cols, err));
    sotto_ring_add(&whole, &whole, &part);
    sotto_ring_free(&part);
  }
  sotto_fixed_decode(out, &whole, s->bits);
done:
  sotto_ring_free(&whole);
  sotto_ring_free(&part);
  return status;
}
