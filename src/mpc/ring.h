/* Kernels of the product over Z_2^64, and matrices expanded from a seed. */
#ifndef SOTTO_SRC_MPC_RING_H
#define SOTTO_SRC_MPC_RING_H

#include "inside/mpc.h"

/* tile[height][width] = sum over k < depth of rows[i][k] panel[k][width], with the kernel's width and
 * height. */
typedef struct sotto_i_ring_kernel {
  size_t height, width;
  void (*tile)(uint64_t *tile, const uint64_t *const *rows, const uint64_t *panel, size_t depth);
} sotto_i_ring_kernel;
enum { SOTTO_I_RING_HEIGHT = 8, SOTTO_I_RING_WIDTH = 16 }; /* maximum over all kernels */

extern const sotto_i_ring_kernel sotto_i_ring_plain;
#if defined(__x86_64__)
extern const sotto_i_ring_kernel sotto_i_ring_avx2, sotto_i_ring_avx512;
#endif
sotto_status sotto_i_ring_product_by(const sotto_i_ring_kernel *kernel, sotto_ring *out, const sotto_ring *a,
                                     const sotto_ring *b, bool add, sotto_error *err);

/* Purposes of the streams that a party expands from its seed; the number of the step is the index. */
typedef enum sotto_i_share_stream {
  SOTTO_I_STREAM_MASK = 1,
  SOTTO_I_STREAM_PRODUCT,
  SOTTO_I_STREAM_TRUNCATION,
  SOTTO_I_STREAM_HIGH,
  SOTTO_I_STREAM_TOP,
  SOTTO_I_STREAM_PRIME,       /* numbers below a prime */
  SOTTO_I_STREAM_PRIME_AGAIN, /* numbers drawn again after rejection */
  SOTTO_I_STREAM_SIGNS,       /* of random projections */
  SOTTO_I_STREAM_OWN,         /* of a mask that one party has as a whole; the row is the index */
  SOTTO_I_STREAM_ORDER,       /* random orders of rows */
} sotto_i_share_stream;
void sotto_i_ring_expand(sotto_ring *out, const sotto_key *seed, sotto_i_share_stream stream,
                         uint64_t number);
/* The same into new memory. */
sotto_status sotto_i_ring_expand_new(sotto_ring *out, size_t rows, size_t cols, const sotto_key *seed,
                                     sotto_i_share_stream stream, uint64_t number, sotto_error *err);
bool sotto_i_ring_same_shape(const sotto_ring *a, const sotto_ring *b);

#endif
