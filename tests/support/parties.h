/* Parties and their dealer in one place, with every message kept: a reference run of the mpc room. */
#ifndef SOTTO_TESTS_SUPPORT_PARTIES_H
#define SOTTO_TESTS_SUPPORT_PARTIES_H

#include "inside/mpc.h"

enum { most_mpc = 5 };

typedef struct parties {
  size_t count;
  sotto_dealer dealer;
  sotto_mpc_party party[most_mpc];
  /* sees every message that leaves a party or the dealer (from = count); may be NULL */
  void (*seen)(void *context, size_t from, const sotto_ring *message);
  void *context;
} parties;

void parties_new(parties *p, size_t count);
void parties_free(parties *p);
/* Masks and opens a shared matrix for all parties; gives its number at the dealer. */
uint64_t parties_open(parties *p, sotto_operand *operands, const sotto_ring *shares);
void parties_product(parties *p, sotto_ring *out, const sotto_operand *left, uint64_t left_number,
                     const sotto_operand *right, uint64_t right_number);
void parties_truncate(parties *p, sotto_ring *out, const sotto_ring *shares, unsigned bits);
void parties_free_shares(const parties *p, sotto_ring *shares);

#endif
