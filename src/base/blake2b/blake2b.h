/* BLAKE2b-256 (RFC 7693) of several messages of the same length at once. */
#ifndef SOTTO_SRC_BASE_BLAKE2B_BLAKE2B_H
#define SOTTO_SRC_BASE_BLAKE2B_BLAKE2B_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SOTTO_I_BLAKE2B_BLOCK = 128, SOTTO_I_BLAKE2B_DIGEST = 32, SOTTO_I_BLAKE2B_MOST = 8 };

/* How many messages run at once on this machine: 8 with AVX-512, 4 with AVX2, else 1. */
size_t sotto_i_blake2b_lanes(void);

/* As many messages as there are lanes, all of whole blocks and as long. Word w of the state of lane l is
 * words[w * lanes + l]. */
typedef struct sotto_i_blake2b {
  uint64_t words[8 * SOTTO_I_BLAKE2B_MOST];
  uint64_t done; /* bytes of each message so far */
} sotto_i_blake2b;

void sotto_i_blake2b_begin(sotto_i_blake2b *state);
/* The next `blocks` blocks of each message, of lane l from at[l]; `last`: they are the end of it. */
void sotto_i_blake2b_add(sotto_i_blake2b *state, const uint8_t *const *at, size_t blocks, bool last);
/* The digest of a lane, after the last block: libsodium's bytes. */
void sotto_i_blake2b_digest(const sotto_i_blake2b *state, size_t lane, uint8_t out[SOTTO_I_BLAKE2B_DIGEST]);

/* The kernels: `words` as above for 1, 4 and 8 lanes, `before` the bytes of each message before these blocks.
 */
typedef void (*sotto_i_blake2b_kernel)(uint64_t *words, const uint8_t *const *at, size_t blocks,
                                       uint64_t before, bool last);
void sotto_i_blake2b_plain(uint64_t *words, const uint8_t *const *at, size_t blocks, uint64_t before,
                           bool last);
void sotto_i_blake2b_avx2(uint64_t *words, const uint8_t *const *at, size_t blocks, uint64_t before,
                          bool last);
void sotto_i_blake2b_avx512(uint64_t *words, const uint8_t *const *at, size_t blocks, uint64_t before,
                            bool last);

#endif
