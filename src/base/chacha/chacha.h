/* ChaCha20 (RFC 8439): many short streams at once, or one long stream. */
#ifndef SOTTO_SRC_BASE_CHACHA_CHACHA_H
#define SOTTO_SRC_BASE_CHACHA_CHACHA_H

#include "base/random.h"

/* Writes blocks `number` to number + blocks - 1, of 64 bytes each, of the `count` streams (key, purpose,
 * sub, first + i) to out + i * blocks * 64. The bytes equal those of sotto_i_random_bytes. AVX-512 runs
 * sixteen streams at once, AVX2 eight; elsewhere libsodium runs one after the other. */
void sotto_i_random_blocks(uint8_t *out, uint32_t number, size_t blocks, size_t count, const sotto_key *key,
                           sotto_i_purpose purpose, uint32_t sub, uint64_t first);

/* Writes `blocks` blocks of one stream, from block `number` (RFC 8439). The bytes equal libsodium's; the
 * kernels run where there are at least as many blocks as lanes. number + blocks is at most 2^32. */
void sotto_i_chacha_stream(uint8_t *out, size_t blocks, const uint8_t key[32], const uint8_t nonce[12],
                           uint32_t number);

/* Input of a kernel: block `number` of as many streams as it has lanes, whose indices are consecutive; or,
 * with `one_stream`, as many consecutive blocks of one stream. */
typedef struct sotto_i_chacha_block {
  uint8_t *out; /* of the first lane; the others follow `stride` bytes apart */
  size_t stride;
  const uint32_t *key; /* 8 words */
  uint32_t number, nonce;
  uint64_t first; /* the two words after `nonce` in the first lane */
  bool one_stream;
} sotto_i_chacha_block;

enum { SOTTO_I_CHACHA_LANES_AVX2 = 8, SOTTO_I_CHACHA_LANES_AVX512 = 16 };
void sotto_i_chacha_avx2(const sotto_i_chacha_block *block);
void sotto_i_chacha_avx512(const sotto_i_chacha_block *block);

#endif
