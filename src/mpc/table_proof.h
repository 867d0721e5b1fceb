/* Proofs on shares that a sum of squares has the claimed value, and that numbers are bits: fully linear
 * proofs of square-root length (Corrigan-Gibbs and Boneh 2017; Boneh et al. 2019, section 4).
 *
 * Numbers are stored row by row in a table of n rows, a power of two; rows 0 and 1 are reserved. Column c
 * defines the polynomial f_c of degree below n whose value at w^m is in row m, where w is a root of unity
 * of order n. Rows 0 and 1 hold random numbers, so the values of all f_c at two points other than the
 * roots reveal nothing.
 *
 * The prover sends G by its values at the 2 n roots of order 2n:
 * - squares: G = sum_c f_c^2
 * - bits: G = f (f - 1) of a single column; it is zero in all other rows
 *
 * Everything else is linear in shares: each f_c(r), G(r), and the sum of the squares, which is the sum of
 * G over rows. Whoever has both sides' values at a random r compares G(r) with the value that the f_c(r)
 * imply. A wrong G has degree below 2n, so it passes with probability at most 2n / (p - 2n). */
#ifndef SOTTO_SRC_MPC_TABLE_PROOF_H
#define SOTTO_SRC_MPC_TABLE_PROOF_H

#include "prime.h"

enum { SOTTO_I_TABLE_FREE = 2 }; /* rows of random numbers, and points that may be opened */

typedef struct sotto_i_table {
  size_t values, nodes, width;
} sotto_i_table;
/* For squares: a nearly square table, nodes^2 >= values. */
sotto_i_table sotto_i_table_of_squares(size_t values);
/* For bits: one column. */
sotto_i_table sotto_i_table_of_bits(size_t values);

/* out[2 nodes]: G at the roots v^0, v^1, ... of order 2 nodes, so row m is at index 2 m. `free_rows` has 2
 * x width random numbers. `bits`: a proof of bits, else of squares. On all threads. Errors: NOMEM. */
sotto_status sotto_i_table_prove(uint64_t *out, const sotto_i_table *table, const uint64_t *values,
                                 const uint64_t *free_rows, bool bits, sotto_error *err);

/* out[n]: Lagrange weights. The values of a polynomial of degree below n at w^0, ..., w^(n-1), weighted by
 * them, sum up to its value at r, which is no such root. n: a power of two. */
void sotto_i_lagrange(uint64_t *out, size_t n, uint64_t r);

/* out[width] = all f_c at the point of `lagrange`[nodes]. Linear: shares of the values give shares of the
 * result. */
void sotto_i_table_at(uint64_t *out, const sotto_i_table *table, const uint64_t *values,
                      const uint64_t *free_rows, const uint64_t *lagrange);

#endif
