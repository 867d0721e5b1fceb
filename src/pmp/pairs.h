/* Walking the pairs of nodes in jumps, and collecting edges. */
#ifndef SOTTO_SRC_PMP_PAIRS_H
#define SOTTO_SRC_PMP_PAIRS_H

#include "sotto/pmp.h"

/* Chances of pairs without an edge are 1 - exp(-rate / 2^40): then the jump from one to the next is a
 * geometric that can be drawn exactly. */
enum { SOTTO_I_RATE_BITS = 40 };

/* The least rate whose chance is at least `chance`, past the error of the arithmetic; chance in (0, 3/4). */
uint64_t sotto_i_rate_of(double chance);
/* Epsilon of the perturbed adjacency, and a key that can hide it. Errors: RANGE, INVALID. */
sotto_status sotto_i_check_adjacency_epsilon(double epsilon, sotto_error *err);

/* Pairs u < v in order of u, then v. Starts from {nodes}. */
typedef struct sotto_i_pair_walk {
  uint64_t nodes, u, v;
} sotto_i_pair_walk;

/* Passes over `jump` pairs to the next; false when there are none left. */
bool sotto_i_pair_next(sotto_i_pair_walk *walk, uint64_t jump);

static inline double sotto_i_pair_count(uint64_t nodes) {
  return (double)nodes * ((double)nodes - 1) / 2;
}

#endif
