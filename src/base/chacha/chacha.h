/* ChaCha20 (RFC 8439): many streams at once, for rows that need a block or two each, and one long stream. */
#ifndef SOTTO_SRC_BASE_CHACHA_CHACHA_H
#define SOTTO_SRC_BASE_CHACHA_CHACHA_H

#include "base/random.h"

/* Blocks `number` to number + blocks - 1, of 64 bytes, of each of the `count` streams (key, purpose, sub,
 * first + i), to out + i * blocks * 64: the bytes that sotto_i_random_bytes gives. On AVX-512 sixteen streams
 * run at once, on AVX2 eight; elsewhere libsodium makes one after the other. */
void sotto_i_random_blocks(uint8_t *out, uint32_t number, size_t blocks, size_t count, const sotto_key *key,
                           sotto_i_purpose purpose, uint32_t sub, uint64_t first);

/* The `blocks` blocks from block `number` of one stream (RFC 8439): libsodium's bytes, by the same kernels
 * where there are as many blocks as they have lanes. number + blocks is at most 2^32. */
void sotto_i_chacha_stream(uint8_t *out, size_t blocks, const uint8_t key[32], const uint8_t nonce[12],
                           uint32_t number);

/* What the kernels take: block `number` of as many streams as they have lanes, which differ in their index,
 * or as many blocks of one stream. */
typedef struct sotto_i_chacha_block {
  uint8_t *out; /* of the first stream; the others follow `stride` bytes apart */
  size_t stride;
  const uint32_t *key; /* 8 words */
  uint32_t number, nonce;
  uint64_t first; /* the words after `nonce` in the first lane */
  bool one_stream;
} sotto_i_chacha_block;

enum { SOTTO_I_CHACHA_LANES_AVX2 = 8, SOTTO_I_CHACHA_LANES_AVX512 = 16 };
void sotto_i_chacha_avx2(const sotto_i_chacha_block *block);
void sotto_i_chacha_avx512(const sotto_i_chacha_block *block);

#endif
