/* Proofs on shares that a sum of squares is what it is said to be, and that numbers are bits: fully linear
 * proofs with the square root's length (Corrigan-Gibbs and Boneh 2017; Boneh et al. 2019, section 4).
 *
 * Numbers stand in a table of n rows and some columns, row by row; n is a power of two, and rows 0 and 1 are
 * left free. Column c is read as the polynomial f_c of degree below n whose value at w^m is in row m, where w
 * is a root of unity of order n. Rows 0 and 1 hold random numbers, so that all f_c at two points that are no
 * roots together show nothing. The prover gives G by its values at the 2 n roots of order 2n: G = sum_c f_c^2
 * to prove squares; G = f (f - 1), of one column and zero in all other rows, to prove bits. All else is
 * linear in shares: each f_c(r), G(r), and the sum of the squares, which is G summed over rows. Who has both
 * sides' values at a random r compares G(r) with what follows from the f_c(r): a wrong G has degree below 2n,
 * and passes with probability 2n / (p - 2n) at most. */
#ifndef SOTTO_SRC_MPC_TABLE_PROOF_H
#define SOTTO_SRC_MPC_TABLE_PROOF_H

#include "prime.h"

enum { SOTTO_I_TABLE_FREE = 2 }; /* rows for random numbers, and points that may be shown */

typedef struct sotto_i_table {
  size_t values, nodes, width;
} sotto_i_table;
/* For squares, the most square one: nodes^2 >= values. */
sotto_i_table sotto_i_table_of_squares(size_t values);
/* For bits, of one column. */
sotto_i_table sotto_i_table_of_bits(size_t values);

/* out[2 nodes]: G at the roots v^0, v^1, ... of order 2 nodes, so row m is at 2 m. `free_rows` has 2 x width
 * numbers. `weights` has `width` numbers for a proof of bits; NULL: squares. On all threads. Errors: NOMEM.
 */
sotto_status sotto_i_table_prove(uint64_t *out, const sotto_i_table *table, const uint64_t *values,
                                 const uint64_t *free_rows, bool bits, sotto_error *err);

/* out[n]: what the values at w^0, ..., w^(n-1) of a polynomial of degree below n are multiplied by to sum up
 * to its value at r, which is no such root. n: a power of two. */
void sotto_i_lagrange(uint64_t *out, size_t n, uint64_t r);

/* out[width] = all f_c at the point of `lagrange`[nodes]. Linear: of shares it gives shares. */
void sotto_i_table_at(uint64_t *out, const sotto_i_table *table, const uint64_t *values,
                      const uint64_t *free_rows, const uint64_t *lagrange);

#endif
