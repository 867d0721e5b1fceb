/* Masks by vector AES (AVX-512 and VAES): a vector holds four blocks, and 32 are on their way at once, so
 * that the latency of a round is hidden. The words are added where they are made. */
#if defined(__x86_64__)
#include <immintrin.h>
#include <sodium.h>
#include <string.h>

#include "secure_sum_masks.h"

enum { rounds = 14, at_once = 8, words = 64 }; /* vectors, and words in them */

/* Each word the sum of the words up to it. */
static __m128i running(__m128i key) {
  key = _mm_xor_si128(key, _mm_slli_si128(key, 4));
  return _mm_xor_si128(key, _mm_slli_si128(key, 8));
}

/* Key expansion of FIPS 197, section 5.2, for 256 bits. */
static void expand(__m128i keys[rounds + 1], const uint8_t key[SOTTO_I_SUM_KEY]) {
  memcpy(keys, key, SOTTO_I_SUM_KEY);
  for (int i = 0; 2 * i + 2 <= rounds; i++) {
    const __m128i turned = _mm_shuffle_epi32(_mm_aeskeygenassist_si128(keys[2 * i + 1], 0), 0xff);
    keys[2 * i + 2] = _mm_xor_si128(running(keys[2 * i]), _mm_xor_si128(turned, _mm_set1_epi32(1 << i)));
    if (2 * i + 3 > rounds) break;
    keys[2 * i + 3] = _mm_xor_si128(running(keys[2 * i + 1]),
                                    _mm_shuffle_epi32(_mm_aeskeygenassist_si128(keys[2 * i + 2], 0), 0xaa));
  }
}

/* The next 32 blocks, from the counters of the first four in little-endian order. */
static inline void encrypt(__m512i s[at_once], __m512i *counter, const __m128i keys[rounds + 1]) {
  const __m512i reverse =
      _mm512_broadcast_i32x4(_mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  const __m512i four = _mm512_set_epi64(0, 4, 0, 4, 0, 4, 0, 4);
  __m512i key = _mm512_broadcast_i32x4(keys[0]);
  for (int v = 0; v < at_once; v++) {
    s[v] = _mm512_xor_si512(_mm512_shuffle_epi8(*counter, reverse), key);
    *counter = _mm512_add_epi64(*counter, four);
  }
  for (int r = 1; r < rounds; r++) {
    key = _mm512_broadcast_i32x4(keys[r]);
    for (int v = 0; v < at_once; v++) s[v] = _mm512_aesenc_epi128(s[v], key);
  }
  key = _mm512_broadcast_i32x4(keys[rounds]);
  for (int v = 0; v < at_once; v++) s[v] = _mm512_aesenclast_epi128(s[v], key);
}

static inline void add(uint64_t *values, const __m512i s[at_once], bool subtract) {
  for (int v = 0; v < at_once; v++) {
    const __m512i old = _mm512_loadu_si512(values + 8 * v);
    _mm512_storeu_si512(values + 8 * v, subtract ? _mm512_sub_epi64(old, s[v]) : _mm512_add_epi64(old, s[v]));
  }
}

bool sotto_i_sum_mask_vaes(uint64_t *values, size_t count, const sotto_i_sum_mask *mask, uint64_t block) {
  __m128i keys[rounds + 1];
  __m512i s[at_once];
  const long long first = (long long)block;
  __m512i counter = _mm512_set_epi64(0, first + 3, 0, first + 2, 0, first + 1, 0, first);
  size_t done = 0;
  expand(keys, mask->key);
  for (; done + words <= count; done += words) {
    encrypt(s, &counter, keys);
    add(values + done, s, mask->subtract);
  }
  if (done < count) {
    uint64_t last[words] = {0};
    memcpy(last, values + done, (count - done) * sizeof *last);
    encrypt(s, &counter, keys);
    add(last, s, mask->subtract);
    memcpy(values + done, last, (count - done) * sizeof *last);
  }
  sodium_memzero(keys, sizeof keys);
  sodium_memzero(s, sizeof s);
  return true;
}
#endif
