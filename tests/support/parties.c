/* Parties and their dealer in one place. */
#include "parties.h"

#include "check.h"
#include "inside/mpc.h"

void parties_new(parties *p, size_t count) {
  sotto_key key;
  *p = (parties){.count = count};
  sotto_key_system(&key);
  CHECK_OK(sotto_dealer_from(&p->dealer, count, &key, &err));
  for (size_t i = 0; i < count; i++)
    CHECK_OK(sotto_mpc_party_new(&p->party[i], i, count, &p->dealer.seeds[i], &err));
}

void parties_free(parties *p) {
  sotto_dealer_free(&p->dealer);
}

static void show(const parties *p, size_t from, const sotto_ring *message) {
  if (p->seen != NULL) p->seen(p->context, from, message);
}

void parties_free_shares(const parties *p, sotto_ring *shares) {
  for (size_t i = 0; i < p->count; i++) sotto_ring_free(&shares[i]);
}

uint64_t parties_open(parties *p, sotto_operand *operands, const sotto_ring *shares) {
  sotto_ring messages[most_mpc];
  for (size_t i = 0; i < p->count; i++) {
    CHECK_OK(sotto_operand_mask(&operands[i], &messages[i], &p->party[i], &shares[i], &err));
    show(p, i, &messages[i]);
  }
  for (size_t i = 0; i < p->count; i++) CHECK_OK(sotto_operand_open(&operands[i], messages, p->count, &err));
  parties_free_shares(p, messages);
  return sotto_dealer_mask(&p->dealer);
}

void parties_product(parties *p, sotto_ring *out, const sotto_operand *left, uint64_t left_number,
                     const sotto_operand *right, uint64_t right_number) {
  sotto_ring correction;
  CHECK_OK(sotto_dealer_product(&correction, &p->dealer, left_number, right_number, left->mask.rows,
                                left->mask.cols, right->mask.cols, &err));
  show(p, p->count, &correction);
  for (size_t i = 0; i < p->count; i++)
    CHECK_OK(sotto_share_product(&out[i], &p->party[i], &left[i], &right[i],
                                 i + 1 == p->count ? &correction : NULL, &err));
  sotto_ring_free(&correction);
}

void parties_truncate(parties *p, sotto_ring *out, const sotto_ring *shares, unsigned bits) {
  sotto_ring correction, messages[most_mpc];
  sotto_truncation truncation[most_mpc];
  CHECK_OK(sotto_dealer_truncation(&correction, &p->dealer, shares[0].rows, shares[0].cols, bits, &err));
  show(p, p->count, &correction);
  for (size_t i = 0; i < p->count; i++) {
    CHECK_OK(sotto_truncation_mask(&truncation[i], &messages[i], &p->party[i], &shares[i], bits,
                                   i + 1 == p->count ? &correction : NULL, &err));
    show(p, i, &messages[i]);
  }
  for (size_t i = 0; i < p->count; i++) {
    CHECK_OK(sotto_truncation_open(&out[i], &p->party[i], &truncation[i], messages, &err));
    sotto_truncation_free(&truncation[i]);
  }
  parties_free_shares(p, messages);
  sotto_ring_free(&correction);
}
