/* A linear layer X W over several holders of columns of X (Zhou et al. 2021, algorithm 1, and its backward
 * pass).
 *
 * X and W are shared among the holders; a server supplies triples and has no other part. Each step opens X W
 * to all holders, who return their own parts of its gradient. These parts are summed, multiplied by X
 * transposed and added to W under shares. W is never opened. The optimiser is gradient descent with momentum,
 * which is linear: V = momentum V + X^T G + decay W, W = W - rate V. All holders and the dealer make all
 * calls in the same order. docs/vfgnn.md has the bounds and the count of bytes. */
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
} sotto_i_shared_shape;

/* Bounds of a value of a gradient part, and, as expected, of a value of W. */
#define SOTTO_I_GRADIENT_BOUND 1.0
#define SOTTO_I_WEIGHT_BOUND   64.0

size_t sotto_i_shared_inner(const sotto_i_shared_shape *shape); /* columns of X in all */
/* Fraction bits of gradients: as many as fit into the sums, at most 30; 0 when there are too few. */
unsigned sotto_i_shared_gradient_bits(const sotto_i_shared_shape *shape);
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

/* A holder's side. */
typedef struct sotto_i_shared_linear {
  sotto_i_shared_shape shape;
  const sotto_i_peers *peers;
  sotto_mpc_party party;
  sotto_operand x, transposed;
  sotto_operand part, part_turned; /* the rows of x of the current step; empty: all */
  sotto_ring weight, velocity;     /* shares: `bits` and gradient bits of fraction */
} sotto_i_shared_linear;

/* Checks and shares the features, and opens their mask. `start` (inner x width) is this holder's part of the
 * initial weights, which are the sum of all holders' parts: keep it secret. */
sotto_status sotto_i_shared_begin(sotto_i_shared_linear *out, const sotto_i_shared_shape *shape,
                                  const sotto_i_peers *peers, const sotto_matrix *features,
                                  const sotto_matrix *start, sotto_error *err);
/* Restricts the following steps to these rows of X, in any order. All holders and the dealer make the same
 * call. */
sotto_status sotto_i_shared_take_rows(sotto_i_shared_linear *layer, const uint32_t *rows, size_t count,
                                      sotto_error *err);
/* out (rows x width) = X W. */
sotto_status sotto_i_shared_forward(sotto_i_shared_linear *layer, sotto_matrix *out, sotto_error *err);
/* `gradient` (for the rows of the step) is this holder's part. Values beyond SOTTO_I_GRADIENT_BOUND are
 * clipped to it; NAN counts as zero. */
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
  sotto_ring x_mask, transposed_mask;
  sotto_ring part_mask, part_turned; /* as for a holder's part */
} sotto_i_shared_dealer;
sotto_status sotto_i_shared_deal_begin(sotto_i_shared_dealer *out, const sotto_i_shared_shape *shape,
                                       sotto_link *const *links, const sotto_key *key, sotto_error *err);
sotto_status sotto_i_shared_deal_rows(sotto_i_shared_dealer *dealer, const uint32_t *rows, size_t count,
                                      sotto_error *err);
sotto_status sotto_i_shared_deal_forward(sotto_i_shared_dealer *dealer, sotto_error *err);
sotto_status sotto_i_shared_deal_backward(sotto_i_shared_dealer *dealer, sotto_error *err);
void sotto_i_shared_deal_free(sotto_i_shared_dealer *dealer);

#endif
