/* BLAKE2b-256 (RFC 7693) of several messages of the same length at once. */
#ifndef SOTTO_SRC_BASE_BLAKE2B_BLAKE2B_H
#define SOTTO_SRC_BASE_BLAKE2B_BLAKE2B_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SOTTO_I_BLAKE2B_BLOCK = 128, SOTTO_I_BLAKE2B_DIGEST = 32, SOTTO_I_BLAKE2B_MOST = 8 };

/* Number of messages that run at once on this machine: 8 with AVX-512, 4 with AVX2, else 1. */
size_t sotto_i_blake2b_lanes(void);

/* State of one message per lane. All messages have the same length, a multiple of the block size. Word w
 * of lane l is words[w * lanes + l]. */
typedef struct sotto_i_blake2b {
  uint64_t words[8 * SOTTO_I_BLAKE2B_MOST];
  uint64_t done; /* message bytes hashed so far, per lane */
} sotto_i_blake2b;

void sotto_i_blake2b_begin(sotto_i_blake2b *state);
/* Hashes the next `blocks` blocks of every lane; at[l] points to the blocks of lane l. `last` marks the
 * end of the messages. */
void sotto_i_blake2b_add(sotto_i_blake2b *state, const uint8_t *const *at, size_t blocks, bool last);
/* Digest of one lane after the last block; equal to libsodium's crypto_generichash. */
void sotto_i_blake2b_digest(const sotto_i_blake2b *state, size_t lane, uint8_t out[SOTTO_I_BLAKE2B_DIGEST]);

/* Kernels for 1, 4 and 8 lanes. `words` has the layout above; `before` is the number of message bytes
 * hashed before these blocks. */
typedef void (*sotto_i_blake2b_kernel)(uint64_t *words, const uint8_t *const *at, size_t blocks,
                                       uint64_t before, bool last);
void sotto_i_blake2b_plain(uint64_t *words, const uint8_t *const *at, size_t blocks, uint64_t before,
                           bool last);
void sotto_i_blake2b_avx2(uint64_t *words, const uint8_t *const *at, size_t blocks, uint64_t before,
                          bool last);
void sotto_i_blake2b_avx512(uint64_t *words, const uint8_t *const *at, size_t blocks, uint64_t before,
                            bool last);

#endif
