/* Inside checked sums: what follows from a plan, keys, and the relation that is proved.
 *
 * Digits. A number in [0, R] is written with as few digits as R has bits; digit i weighs 2^i, but the last
 * one what is left of R, so digits 0 and 1 give just the numbers in [0, R]. Range 0 is sum x_j^2 in [0,
 * bound]; range 1 + k is <z_k, x> + T in [0, 2T], for each random projection z_k. The last digit of each
 * range is not sent: it follows, on shares, from the others and from what they stand for. So the ranges hold
 * if all digits are bits, and that, with the sum of squares, is what the tables prove.
 *
 * Proof, in words: digits | free rows of squares | of bits | G of squares | G of bits. G of bits is sent
 * where it need not be zero: in the free rows, and between rows. */
#ifndef SOTTO_SRC_PARTY_CHECKED_SUM_CHECK_INSIDE_H
#define SOTTO_SRC_PARTY_CHECKED_SUM_CHECK_INSIDE_H

#include "checked_sum.h"
#include "mpc/projection.h"
#include "mpc/table_proof.h"

enum {
  SOTTO_I_CHECK_REPEATS = 2, /* points: p alone is too small for one */
  SOTTO_I_CHECK_WIDE = 9,    /* T is so many times the bound's square root */
  SOTTO_I_CHECK_RANGES = 1 + SOTTO_I_PROJECTIONS
};

typedef struct sotto_i_check_shape {
  sotto_i_table squares, bits;
  uint64_t reach;                  /* T */
  size_t norm_digits, wrap_digits; /* of range 0; of each other */
  size_t squares_free, bits_free;  /* places in the proof */
  size_t squares_sum, bits_sum;    /* the same */
  size_t proof, points;            /* words of the messages */
} sotto_i_check_shape;
sotto_i_check_shape sotto_i_check_shape_of(const sotto_i_check_plan *plan);

/* Range `range` and its digits. */
typedef struct sotto_i_check_range {
  uint64_t most;        /* R */
  size_t digits, first; /* how many, and the place of the first among all */
} sotto_i_check_range;
sotto_i_check_range sotto_i_check_range_of(const sotto_i_check_plan *plan, const sotto_i_check_shape *shape,
                                           size_t range);
uint64_t sotto_i_check_digit_weight(const sotto_i_check_range *range, size_t digit);

/* Keys. A client's: of its share of the vector; of its share of the proof, with the challenge. All sides': of
 * projections, with the challenge; of points, with the challenge and the coin. */
void sotto_i_check_vector_key(sotto_key *out, const sotto_i_check_plan *plan, uint32_t client,
                              const uint8_t seed[SOTTO_I_CHECK_KEY]);
void sotto_i_check_proof_key(sotto_key *out, const sotto_i_check_plan *plan, uint32_t client,
                             const uint8_t seed[SOTTO_I_CHECK_KEY],
                             const uint8_t challenge[SOTTO_I_CHECK_KEY]);
void sotto_i_check_public_key(sotto_key *out, const sotto_i_check_plan *plan,
                              const uint8_t challenge[SOTTO_I_CHECK_KEY],
                              const uint8_t coin[SOTTO_I_CHECK_KEY]);
/* All sides': of what is signed by a client, or by the helper (`client` is plan->clients), under its key. */
void sotto_i_check_seal_key(sotto_key *out, const sotto_i_check_plan *plan, uint32_t client,
                            const uint8_t public_key[SOTTO_I_CHECK_KEY]);

/* All sides': of what a client signs of what it sent, and of what the helper signs of a client that it
 * refuses, under a challenge and a coin. The leader's values are a client's to sign. */
void sotto_i_check_signed_key(sotto_key *out, sotto_i_check_role by, const sotto_i_check_plan *plan,
                              uint32_t client, const uint8_t challenge[SOTTO_I_CHECK_KEY],
                              const uint8_t coin[SOTTO_I_CHECK_KEY]);

/* check_client.c: the same as share and prove, of any vector modulo p; what is not in its range is given
 * digits that do not stand for it. */
sotto_status sotto_i_check_share_any(uint64_t *shares, uint8_t seed[SOTTO_I_CHECK_KEY],
                                     const sotto_i_check_plan *plan, uint32_t client, const uint64_t *x,
                                     sotto_error *err);
/* `fits`: whether all ranges hold. */
sotto_status sotto_i_check_prove_any(uint64_t *proof, bool *fits, const sotto_i_check_plan *plan,
                                     uint32_t client, const uint64_t *x,
                                     const uint8_t seed[SOTTO_I_CHECK_KEY],
                                     const uint8_t challenge[SOTTO_I_CHECK_KEY], sotto_error *err);

/* check_points.c: what both servers do with shares. */
typedef struct sotto_i_check_points {
  const sotto_i_check_plan *plan;
  sotto_i_check_shape shape;
  sotto_key key; /* of the challenge */

  uint64_t *lagrange[SOTTO_I_CHECK_REPEATS][4]; /* squares, twice as many; bits, twice as many */
  uint64_t *digits;                             /* scratch of each client of a group */
  bool adds;                                    /* constants: one side alone, the leader */
} sotto_i_check_points;
enum { SOTTO_I_CHECK_GROUP = 8 }; /* clients at once */
sotto_status sotto_i_check_points_new(sotto_i_check_points *out, const sotto_i_check_plan *plan,
                                      sotto_i_check_role role, const uint8_t challenge[SOTTO_I_CHECK_KEY],
                                      const uint8_t coin[SOTTO_I_CHECK_KEY], sotto_error *err);
void sotto_i_check_points_free(sotto_i_check_points *points);
/* out[i][points] for each of `count` clients of a group, from shares of vector and proof. */
sotto_status sotto_i_check_points_of(uint64_t *const *out, const sotto_i_check_points *points,
                                     const uint64_t *const *vectors, const uint64_t *const *proofs,
                                     size_t count, sotto_error *err);
/* Do both sides' values fit? */
bool sotto_i_check_holds(const sotto_i_check_points *points, const uint64_t *ours, const uint64_t *theirs);

/* Are all words below p? */
bool sotto_i_check_canonical(const uint64_t *words, size_t count);

#endif
