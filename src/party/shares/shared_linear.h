/* A linear layer X W over several holders of columns of X (Zhou et al. 2021, algorithm 1, and its backward
 * pass).
 *
 * W is shared among the holders. Each holder's columns of X are opened once under a mask of its own, which is
 * used in every step; a server supplies the products of masks and has no other part. Each step opens X W,
 * rounded, to all holders or to one, the reader. W is never opened. The optimiser is gradient descent with
 * momentum, which is linear: V = momentum V + X^T G + decay W, W = W - rate V.
 * - All read: the holders return their own parts of the gradient G. These are summed, multiplied by X
 *   transposed and added to W under shares.
 * - One reads: it alone has a gradient, which it gives to all. Each holder multiplies its own columns by it,
 *   and its share of W moves by nothing that others have.
 * Rows pass in blocks, so that no matrix of shares is as long as X. All holders and the dealer make all calls
 * in the same order. docs/vfgnn.md has the bounds and the count of bytes. */
#ifndef SOTTO_SRC_PARTY_SHARES_SHARED_LINEAR_H
#define SOTTO_SRC_PARTY_SHARES_SHARED_LINEAR_H

#include "inside/mpc.h"
#include "sotto/party.h"
#include "sotto/split.h"

/* The public properties of a layer. */
typedef struct sotto_i_shared_shape {
  size_t holders, rows, width;
  size_t cols[SOTTO_MOST_HOLDERS];
  unsigned bits;        /* fraction bits of X, W and X W */
  double feature_bound; /* largest |x|; larger features are refused */
  double rate, momentum, decay;
  size_t trained; /* rows that the gradient is a mean over, 0: not known; it bounds each of them */
  size_t block;   /* rows that pass at a time; 0: about as many as a cache holds */
  bool one_reads; /* X W is opened to `reader` alone */
  size_t reader;
} sotto_i_shared_shape;

/* Bound of a value of W, as expected. */
#define SOTTO_I_WEIGHT_BOUND 64.0

size_t sotto_i_shared_inner(const sotto_i_shared_shape *shape); /* columns of X in all */
/* Bound of a value of a gradient part: 1, and less where the gradient is a mean over more than 1024 rows, as
 * its values then are smaller; a power of two. */
double sotto_i_shared_gradient_bound(const sotto_i_shared_shape *shape);
/* Fraction bits of gradients: as many as fit into the sums, at most 30; 0 when there are too few. */
unsigned sotto_i_shared_gradient_bits(const sotto_i_shared_shape *shape);
/* X W is opened in words of 32 bits: a share times 2^shift, rounded to its upper half. So a value is right up
 * to one unit of 2^(32 - shift - 2 bits) for each holder. */
unsigned sotto_i_shared_shift(const sotto_i_shared_shape *shape);
/* Rows of a block, by the shape alone. */
size_t sotto_i_shared_block(const sotto_i_shared_shape *shape);
/* RANGE when a product could pass 2^62. */
sotto_status sotto_i_shared_check(const sotto_i_shared_shape *shape, sotto_error *err);
/* Checks features before anything is sent. Errors: INVALID (shape), NUMERIC, RANGE, naming row and column. */
sotto_status sotto_i_shared_check_features(const sotto_i_shared_shape *shape, size_t holder,
                                           const sotto_matrix *features, sotto_error *err);

/* A holder's links: to each other holder (NULL at its own number) and to the dealer; borrowed. */
typedef struct sotto_i_peers {
  size_t self, count;
  sotto_link *holder[SOTTO_MOST_HOLDERS], *dealer;
} sotto_i_peers;

/* Sends `ring` to all other holders and receives theirs into messages[count]; messages[self] becomes a copy.
 * Pairs of holders take turns in one order, so that no two wait for each other. */
sotto_status sotto_i_exchange(sotto_ring *messages, const sotto_i_peers *peers, const char *name,
                              const sotto_ring *ring, sotto_error *err);
sotto_status sotto_i_send_ring(sotto_link *link, const char *name, const sotto_ring *ring, sotto_error *err);
sotto_status sotto_i_receive_ring(sotto_ring *out, sotto_link *link, const char *name, size_t rows,
                                  size_t cols, sotto_error *err);
/* Rows of a matrix, in fresh memory. */
sotto_status sotto_i_ring_take(sotto_ring *out, const sotto_ring *from, const uint32_t *rows, size_t count,
                               sotto_error *err);
/* Sends and receives the dealer's seeds. */
sotto_status sotto_i_send_seed(sotto_link *link, const sotto_key *seed, sotto_error *err);
sotto_status sotto_i_receive_seed(sotto_key *seed, sotto_link *link, sotto_error *err);

/* Shares of 32 bits (rows x cols words): share 2^shift, rounded to the upper half, and back. */
sotto_status sotto_i_send_rounded(sotto_link *link, const char *name, const sotto_ring *share, unsigned shift,
                                  sotto_error *err);
sotto_status sotto_i_receive_rounded(sotto_ring *out, sotto_link *link, const char *name, size_t rows,
                                     size_t cols, unsigned shift, sotto_error *err);
/* Opens a share to all holders, or to the shape's reader. *sum becomes the sum of all rounded shares, and
 * stays empty at holders that do not read. */
sotto_status sotto_i_open_rounded(sotto_ring *sum, const sotto_i_peers *peers,
                                  const sotto_i_shared_shape *shape, const char *name,
                                  const sotto_ring *share, sotto_error *err);

/* A holder's side. */
typedef struct sotto_i_shared_linear {
  sotto_i_shared_shape shape;
  const sotto_i_peers *peers;
  const sotto_matrix *features; /* this holder's, borrowed */
  sotto_mpc_party party;
  sotto_ring theirs;           /* the other holders' columns minus their masks */
  const uint32_t *picked;      /* the rows of the current step, borrowed; NULL: all */
  size_t count;                /* of the step's rows */
  sotto_ring weight, velocity; /* shares: `bits` and gradient bits of fraction */
} sotto_i_shared_linear;

/* Some rows of X at one holder. */
typedef struct sotto_i_shared_rows {
  sotto_ring opened;      /* all columns, minus their masks */
  sotto_ring mask, fixed; /* this holder's columns: the mask; the values */
} sotto_i_shared_rows;
/* Rows [begin, end) of the step. Errors: NOMEM. */
sotto_status sotto_i_shared_rows_new(sotto_i_shared_rows *out, const sotto_i_shared_linear *layer,
                                     size_t begin, size_t end, sotto_error *err);
void sotto_i_shared_rows_free(sotto_i_shared_rows *rows);
size_t sotto_i_shared_first_column(const sotto_i_shared_shape *shape, size_t holder);

/* Checks the features, which stay borrowed, and opens them under their masks. `start` (inner x width) is this
 * holder's part of the initial weights, which are the sum of all holders' parts: keep it secret. */
sotto_status sotto_i_shared_begin(sotto_i_shared_linear *out, const sotto_i_shared_shape *shape,
                                  const sotto_i_peers *peers, const sotto_matrix *features,
                                  const sotto_matrix *start, sotto_error *err);
/* Restricts the following steps to these rows of X, in any order, borrowed; NULL: all. All holders and the
 * dealer make the same call. */
void sotto_i_shared_take_rows(sotto_i_shared_linear *layer, const uint32_t *rows, size_t count);
/* out (rows x width) = X W; not written by holders that do not read, where it may be NULL. */
sotto_status sotto_i_shared_forward(sotto_i_shared_linear *layer, sotto_matrix *out, sotto_error *err);
/* All read: `gradient` (for the rows of the step) is this holder's part. One reads: it is the gradient, the
 * same at all holders, and nothing passes. Values beyond the gradient's bound are clipped to it; NAN counts
 * as zero. */
sotto_status sotto_i_shared_backward(sotto_i_shared_linear *layer, const sotto_matrix *gradient,
                                     sotto_error *err);
/* Opens weights (shares, as `weight` above) to all holders. All must consent. */
sotto_status sotto_i_shared_export(const sotto_i_shared_linear *layer, const sotto_ring *weight,
                                   sotto_matrix *out, sotto_error *err);
void sotto_i_shared_free(sotto_i_shared_linear *layer);

/* The dealer's side; links[holders] are borrowed. All masks are derived from `key` (sotto_dealer_from). */
typedef struct sotto_i_shared_dealer {
  sotto_i_shared_shape shape;
  sotto_link *const *links;
  sotto_dealer dealer;
  const uint32_t *picked; /* the rows of the current step, as at a holder */
  size_t count;
} sotto_i_shared_dealer;
sotto_status sotto_i_shared_deal_begin(sotto_i_shared_dealer *out, const sotto_i_shared_shape *shape,
                                       sotto_link *const *links, const sotto_key *key, sotto_error *err);
void sotto_i_shared_deal_rows(sotto_i_shared_dealer *dealer, const uint32_t *rows, size_t count);
sotto_status sotto_i_shared_deal_forward(sotto_i_shared_dealer *dealer, sotto_error *err);
/* Nothing passes if one holder reads. */
sotto_status sotto_i_shared_deal_backward(sotto_i_shared_dealer *dealer, sotto_error *err);
void sotto_i_shared_deal_free(sotto_i_shared_dealer *dealer);

#endif
