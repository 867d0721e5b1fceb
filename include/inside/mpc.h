/* Computing on additive shares: matrices over Z_2^64, fixed point, products by triples, truncation.
 *
 * - A secret matrix is the sum modulo 2^64 of one share per party. All shares but one are uniform and
 *   reveal nothing.
 * - A dealer, who has no other role and must not collude with a party, gives each party a 32-byte seed
 *   once. Masks and triples are expanded from the seeds; of a triple, only the last party's correction is
 *   sent.
 * - This room makes and reads messages. The caller sends them, as payloads of kind `share`.
 * - Parties and dealer take the same steps in the same order, since all of them count the masks.
 *
 * Sources: Beaver 1991; Mohassel and Zhang 2017 (matrix triples, one mask for a fixed operand); Escudero,
 * Ghosh, Keller, Rachuri and Scholl 2020 (truncation by a mask whose highest bit is shared too); Chase, Ghosh
 * and Poburinnaya 2020 (rows in an order that one party knows). */
#ifndef SOTTO_INSIDE_MPC_H
#define SOTTO_INSIDE_MPC_H

#include "sotto/tensor.h"

enum { SOTTO_MPC_MOST_PARTIES = 64, SOTTO_FIXED_BITS = 20, SOTTO_FIXED_MOST_BITS = 30 };

/* A row-major matrix over Z_2^64; owned. */
typedef struct sotto_ring {
  uint64_t *data;
  size_t rows, cols;
} sotto_ring;

/* Makes a zeroed matrix. Errors: NOMEM. */
sotto_status sotto_ring_new(sotto_ring *out, size_t rows, size_t cols, sotto_error *err);
void sotto_ring_free(sotto_ring *ring); /* wiped, then freed */
/* out = a + b, and out = a - b; the matrices may be the same. Shapes must match. */
void sotto_ring_add(sotto_ring *out, const sotto_ring *a, const sotto_ring *b);
void sotto_ring_subtract(sotto_ring *out, const sotto_ring *a, const sotto_ring *b);
/* out = the transpose of a (a's columns x rows); not in place. */
void sotto_ring_transpose(sotto_ring *out, const sotto_ring *a);
/* out = a b, or out + a b with `add`; out is neither a nor b. Blocked, vectorised, on all threads. Errors:
 * NOMEM, RANGE (shapes). */
sotto_status sotto_ring_product(sotto_ring *out, const sotto_ring *a, const sotto_ring *b, bool add,
                                sotto_error *err);

/* Fixed point: round(x 2^bits) as a two's complement number. Errors: NUMERIC (not finite), RANGE (|x|
 * above `bound`, naming row and column; bits above SOTTO_FIXED_MOST_BITS; bound 2^bits above 2^62). */
sotto_status sotto_fixed_encode(sotto_ring *out, const sotto_matrix *x, unsigned bits, double bound,
                                sotto_error *err);
void sotto_fixed_decode(sotto_matrix *out, const sotto_ring *x, unsigned bits);
/* Fails with RANGE unless every product of an (m x inner) by an (inner x n) matrix with values up to
 * bound_a and bound_b stays below 2^62 before truncation: inner (bound_a 2^bits + 1/2) (bound_b 2^bits +
 * 1/2) < 2^62. Larger results are wrong without any sign of it, so check before sharing. */
sotto_status sotto_fixed_check_product(size_t inner, double bound_a, double bound_b, unsigned bits,
                                       sotto_error *err);

/* out = the sum of the shares. */
void sotto_share_join(sotto_ring *out, const sotto_ring *shares, size_t count);

/* One party: its index, the seed shared with the dealer, and the number of its next mask. */
typedef struct sotto_mpc_party {
  size_t party, parties;
  sotto_key seed;
  uint64_t next;
} sotto_mpc_party;
/* Seeds must come from sotto_key_system; a PUBLIC key is refused. Errors: RANGE, INVALID. */
sotto_status sotto_mpc_party_new(sotto_mpc_party *out, size_t party, size_t parties, const sotto_key *seed,
                                 sotto_error *err);

/* An operand of products at one party: its share of the mask, and the opened masked value, equal at all
 * parties. A fixed operand is masked and opened once and used in many products; a changed one needs a new
 * mask. */
typedef struct sotto_operand {
  uint64_t number;
  sotto_ring mask, opened;
} sotto_operand;
/* Draws a mask; *message, for all other parties, is share - mask. */
sotto_status sotto_operand_mask(sotto_operand *out, sotto_ring *message, sotto_mpc_party *party,
                                const sotto_ring *share, sotto_error *err);
/* Opens the operand with the messages of all parties, this one included. Errors: RANGE (shapes), NOMEM. */
sotto_status sotto_operand_open(sotto_operand *operand, const sotto_ring *messages, size_t count,
                                sotto_error *err);
/* The transpose of an opened operand, under the transposed mask: nothing more is opened. The dealer uses
 * the transposed mask for it (sotto_dealer_product_of). Errors: INVALID (not opened), NOMEM. */
sotto_status sotto_operand_transpose(sotto_operand *out, const sotto_operand *operand, sotto_error *err);
void sotto_operand_free(sotto_operand *operand);

/* This party's share of the product of two opened operands. `correction` (left rows x right cols) comes
 * from the dealer, for the last party; NULL for the others. Errors: INVALID (not opened, correction),
 * RANGE, NOMEM. */
sotto_status sotto_share_product(sotto_ring *out, sotto_mpc_party *party, const sotto_operand *left,
                                 const sotto_operand *right, const sotto_ring *correction, sotto_error *err);

/* This party's share of the product of two masks, whose correction the dealer sends to the last party. Terms
 * with opened values are added to it, as in sotto_share_product. Errors: INVALID (correction), RANGE, NOMEM.
 */
sotto_status sotto_mask_product(sotto_ring *out, sotto_mpc_party *party, size_t rows, size_t cols,
                                const sotto_ring *correction, sotto_error *err);
/* A mask that one party has as a whole, by rows: `own` columns of row rows[i] (NULL: row i) go to row i of
 * `out`, from column `first` on. A seed has one such mask, so it is for one matrix that never changes. */
void sotto_own_mask(sotto_ring *out, size_t first, size_t own, const sotto_key *seed, const uint32_t *rows,
                    size_t begin);

/* The same for the element-wise product of two opened operands of one shape. */
sotto_status sotto_share_elementwise(sotto_ring *out, sotto_mpc_party *party, const sotto_operand *left,
                                     const sotto_operand *right, const sotto_ring *correction,
                                     sotto_error *err);

/* Division of a shared x by 2^bits, -2^62 <= x < 2^62: the result is floor(x / 2^bits) or one more, for
 * any number of parties. Only x + 2^62 plus a uniform mask is opened, which reveals nothing. */
typedef struct sotto_truncation {
  unsigned bits;
  sotto_ring high, top; /* shares of bits `bits` to 62 of the mask, and of bit 63 */
} sotto_truncation;
sotto_status sotto_truncation_mask(sotto_truncation *out, sotto_ring *message, sotto_mpc_party *party,
                                   const sotto_ring *share, unsigned bits, const sotto_ring *correction,
                                   sotto_error *err);
sotto_status sotto_truncation_open(sotto_ring *out, const sotto_mpc_party *party,
                                   const sotto_truncation *truncation, const sotto_ring *messages,
                                   sotto_error *err);
void sotto_truncation_free(sotto_truncation *truncation);

/* The dealer, with all seeds. For each step of the parties it takes the step of the same name. */
typedef struct sotto_dealer {
  size_t parties;
  sotto_key seeds[SOTTO_MPC_MOST_PARTIES];
  uint64_t next;
} sotto_dealer;
/* Derives the seeds from one key, of the system or insecure. Send seeds[i] to party i over a sealed channel.
 * Wipe with sotto_dealer_free. An insecure key protects nothing; it makes runs
 * reproducible, since masks decide how truncation rounds. Errors: RANGE, INVALID (a public key). */
sotto_status sotto_dealer_from(sotto_dealer *out, size_t parties, const sotto_key *key, sotto_error *err);
void sotto_dealer_free(sotto_dealer *dealer);
/* Number of the mask that the parties draw in this step. */
uint64_t sotto_dealer_mask(sotto_dealer *dealer);
/* The last party's correction for a product of (rows x inner) by (inner x cols) under masks `left` and
 * `right`. */
sotto_status sotto_dealer_product(sotto_ring *correction, sotto_dealer *dealer, uint64_t left, uint64_t right,
                                  size_t rows, size_t inner, size_t cols, sotto_error *err);
/* Turns a product of masks into the last party's correction. Errors: NOMEM. */
sotto_status sotto_dealer_correct(sotto_ring *product, sotto_dealer *dealer, sotto_error *err);
/* The whole mask `number` in new memory, for a dealer that stores the mask of a fixed operand. */
sotto_status sotto_dealer_whole_mask(sotto_ring *out, const sotto_dealer *dealer, uint64_t number,
                                     size_t rows, size_t cols, sotto_error *err);
/* The same correction from a left mask that the dealer stored, possibly transposed. */
sotto_status sotto_dealer_product_of(sotto_ring *correction, sotto_dealer *dealer,
                                     const sotto_ring *left_mask, uint64_t right, size_t cols,
                                     sotto_error *err);
/* The same for an element-wise product under masks `left` and `right` of that shape. */
sotto_status sotto_dealer_elementwise(sotto_ring *correction, sotto_dealer *dealer, uint64_t left,
                                      uint64_t right, size_t rows, size_t cols, sotto_error *err);
/* The last party's correction for a truncation: 2 rows x cols. */
sotto_status sotto_dealer_truncation(sotto_ring *correction, sotto_dealer *dealer, size_t rows, size_t cols,
                                     unsigned bits, sotto_error *err);

/* A map of the rows of shared matrices that one party alone knows, its owner. Row k of the result is row
 * from[k] of X, or factor[k] times row k of X. The other parties see the map once, disguised: `shown` or
 * `rest`, which are uniform for any map. Then any number of matrices can be mapped; each needs a message of
 * every other party to the owner, and the dealer's correction for the owner. */
typedef struct sotto_row_map {
  size_t owner, in, out; /* rows of X and of the result */
  /* Of max(in, out) rows. `from` at the owner; the random `order` at owner and dealer; `shown` at all
   * parties. */
  uint32_t *from, *order, *shown;
  /* Factors at the owner; random ones at owner and dealer; their difference at all parties. */
  sotto_ring factor, random, rest;
} sotto_row_map;
/* `from` is a permutation of max(in, out) rows: rows of X beyond `in` are zero, those of the result beyond
 * `out` are dropped. `from` and `factor` (rows x 1) are NULL at all but the owner. The caller sends the
 * owner's `shown` (or `rest`) and fills that of the others. Errors: NOMEM, RANGE (2^32 rows or more), INVALID
 * (no permutation). */
sotto_status sotto_row_map_move(sotto_row_map *out, sotto_mpc_party *party, size_t owner, size_t in,
                                size_t rows, const uint32_t *from, sotto_error *err);
sotto_status sotto_row_map_scale(sotto_row_map *out, sotto_mpc_party *party, size_t owner,
                                 const sotto_ring *factor, size_t rows, sotto_error *err);
/* INVALID unless the received `shown` is a permutation. */
sotto_status sotto_row_map_check(const sotto_row_map *map, sotto_error *err);
void sotto_row_map_free(sotto_row_map *map);
/* At a party that is not the owner: its share of the result, and its message (in x cols) for the owner. */
sotto_status sotto_row_map_ask(sotto_ring *out, sotto_ring *message, sotto_mpc_party *party,
                               const sotto_row_map *map, const sotto_ring *share, sotto_error *err);
/* At the owner: `asked` is the sum of all messages. */
sotto_status sotto_row_map_apply(sotto_ring *out, sotto_mpc_party *party, const sotto_row_map *map,
                                 const sotto_ring *share, const sotto_ring *asked,
                                 const sotto_ring *correction, sotto_error *err);
/* The dealer's side; the correction has out x cols. */
sotto_status sotto_dealer_move(sotto_row_map *out, sotto_dealer *dealer, size_t owner, size_t in, size_t rows,
                               sotto_error *err);
sotto_status sotto_dealer_scale(sotto_row_map *out, sotto_dealer *dealer, size_t owner, size_t rows,
                                sotto_error *err);
sotto_status sotto_dealer_row_map(sotto_ring *correction, sotto_dealer *dealer, const sotto_row_map *map,
                                  size_t cols, sotto_error *err);

#endif
