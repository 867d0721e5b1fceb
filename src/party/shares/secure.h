/* Arithmetic on shared matrices, written once for all sides. Holders compute on their shares; the dealer runs
 * the step of the same name and sends its corrections. All sides run a protocol of such calls in the same
 * order (everything is public except the numbers). */
#ifndef SOTTO_SRC_PARTY_SHARES_SECURE_H
#define SOTTO_SRC_PARTY_SHARES_SECURE_H

#include "inside/mpc.h"
#include "shared_linear.h"

typedef struct sotto_i_secure {
  bool dealing;               /* is this the dealer? */
  const sotto_i_peers *peers; /* of a holder */
  sotto_link *const *links;   /* of the dealer, to the holders */
  size_t holders;
  unsigned bits; /* fraction bits of every value */
  sotto_mpc_party party;
  sotto_dealer dealer;
} sotto_i_secure;

/* A shared matrix: this holder's share; at the dealer a shape without numbers. */
typedef struct sotto_i_secret {
  sotto_ring share;
  size_t rows, cols;
} sotto_i_secret;

/* A factor of products: masked and opened. The dealer has the mask's number, or stores the whole mask. */
typedef struct sotto_i_factor {
  sotto_operand operand;
  sotto_ring whole;
  uint64_t number;
  size_t rows, cols;
} sotto_i_factor;

/* All masks of a dealer are derived from `key`; a holder's `key` is not read. */
sotto_status sotto_i_secure_begin(sotto_i_secure *out, const sotto_i_peers *peers, sotto_link *const *links,
                                  size_t holders, unsigned bits, const sotto_key *key, sotto_error *err);
void sotto_i_secure_free(sotto_i_secure *s);

/* A shared matrix of zeros. */
sotto_status sotto_i_secret_new(sotto_i_secret *out, const sotto_i_secure *s, size_t rows, size_t cols,
                                sotto_error *err);
void sotto_i_secret_free(sotto_i_secret *secret);
/* Adds a holder's private matrix, with values up to `bound` in size, to its share. The secret is the sum over
 * all holders. */
sotto_status sotto_i_secret_put(sotto_i_secret *secret, const sotto_i_secure *s, const sotto_matrix *values,
                                double bound, sotto_error *err);

sotto_status sotto_i_secure_mask(sotto_i_factor *out, sotto_i_secure *s, const sotto_i_secret *secret,
                                 sotto_error *err);
/* The transpose of an opened factor, under the same mask. */
sotto_status sotto_i_secure_transpose(sotto_i_factor *out, const sotto_i_secure *s,
                                      const sotto_i_factor *factor, sotto_error *err);
/* Rows of an opened factor, under those rows of its mask; for the left side of products, or to be
 * transposed. */
sotto_status sotto_i_secure_take(sotto_i_factor *out, const sotto_i_secure *s, const sotto_i_factor *from,
                                 const uint32_t *rows, size_t count, sotto_error *err);
/* The dealer stores the mask of a fixed factor, instead of making it again for each product. */
sotto_status sotto_i_secure_keep(sotto_i_factor *factor, const sotto_i_secure *s, sotto_error *err);
void sotto_i_factor_free(sotto_i_factor *factor);
/* out = a b, and out = a b element by element; both truncated back to `bits`. */
sotto_status sotto_i_secure_product(sotto_i_secret *out, sotto_i_secure *s, const sotto_i_factor *a,
                                    const sotto_i_factor *b, sotto_error *err);
sotto_status sotto_i_secure_elementwise(sotto_i_secret *out, sotto_i_secure *s, const sotto_i_factor *a,
                                        const sotto_i_factor *b, sotto_error *err);
/* Divides by 2^bits, as after products. */
sotto_status sotto_i_secure_truncate(sotto_i_secret *secret, sotto_i_secure *s, unsigned bits,
                                     sotto_error *err);
/* *to stays, or becomes *from, of the same shape, as the masked secret `bit` (1 x 1) is the whole number 0
 * or 1. Nobody learns which, and nothing is rounded. */
sotto_status sotto_i_secure_select(sotto_i_secret *to, sotto_i_secure *s, const sotto_i_factor *bit,
                                   const sotto_i_secret *from, sotto_error *err);
/* to += factor from, with one truncation; to += constant in every element; to += from. */
sotto_status sotto_i_secure_add_scaled(sotto_i_secret *to, sotto_i_secure *s, const sotto_i_secret *from,
                                       double factor, sotto_error *err);
void sotto_i_secure_add_constant(sotto_i_secret *to, const sotto_i_secure *s, double constant);
void sotto_i_secure_add(sotto_i_secret *to, const sotto_i_secret *from);
/* Rows of a secret, in fresh memory; and adding those rows back into a larger one. */
sotto_status sotto_i_secure_gather(sotto_i_secret *out, const sotto_i_secure *s, const sotto_i_secret *from,
                                   const uint32_t *rows, size_t count, sotto_error *err);
void sotto_i_secure_scatter(sotto_i_secret *to, const sotto_i_secret *from, const uint32_t *rows);
/* Maps of rows that one holder alone knows (sotto_row_map): all sides call, with from or factor NULL at all
 * but the owner. Then out = the mapped x, exact. */
sotto_status sotto_i_secure_move(sotto_row_map *out, sotto_i_secure *s, size_t owner, size_t in, size_t rows,
                                 const uint32_t *from, sotto_error *err);
sotto_status sotto_i_secure_scale(sotto_row_map *out, sotto_i_secure *s, size_t owner,
                                  const sotto_ring *factor, size_t rows, sotto_error *err);
sotto_status sotto_i_secure_map(sotto_i_secret *out, sotto_i_secure *s, const sotto_row_map *map,
                                const sotto_i_secret *x, sotto_error *err);
/* The transpose, in fresh memory. */
sotto_status sotto_i_secret_transpose(sotto_i_secret *out, const sotto_i_secure *s,
                                      const sotto_i_secret *from, sotto_error *err);
/* Opens the result of a product to one holder, whose *out gets it (rows x cols); NULL for the others. */
sotto_status sotto_i_secure_reveal(sotto_matrix *out, sotto_i_secure *s, const sotto_i_secret *secret,
                                   size_t holder, const char *name, sotto_error *err);

#endif
