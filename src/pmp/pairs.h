/* Walks over the pairs of nodes in jumps of random length. */
#ifndef SOTTO_SRC_PMP_PAIRS_H
#define SOTTO_SRC_PMP_PAIRS_H

#include "sotto/pmp.h"

/* Probabilities of pairs without an edge are 1 - exp(-rate / 2^40). Then the jump from one hit to the next is
 * geometric and can be drawn exactly. */
enum { SOTTO_I_RATE_BITS = 40 };

/* The least rate whose probability is at least `chance`, including arithmetic error; chance in (0, 3/4). */
uint64_t sotto_i_rate_of(double chance);
/* Checks epsilon of a perturbed adjacency. Errors: RANGE. */
sotto_status sotto_i_check_adjacency_epsilon(double epsilon, sotto_error *err);

/* Position among the pairs u < v, in order of u, then v. Starts from {nodes}. */
typedef struct sotto_i_pair_walk {
  uint64_t nodes, u, v;
} sotto_i_pair_walk;

/* Skips `jump` pairs and moves to the next; false when none is left. */
bool sotto_i_pair_next(sotto_i_pair_walk *walk, uint64_t jump);

static inline double sotto_i_pair_count(uint64_t nodes) {
  return (double)nodes * ((double)nodes - 1) / 2;
}

#endif
