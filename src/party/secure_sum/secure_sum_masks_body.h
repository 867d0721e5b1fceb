/* The source of the vector AES masks, compiled once for each width of vectors. The including file defines
 * MASK_NAME, VECTOR and its operations. A vector holds two or four blocks, and eight vectors are in flight at
 * once, which hides the latency of a round. The words are added as soon as they are made. */
#include <immintrin.h>
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "secure_sum_masks.h"

enum { rounds = 14, at_once = 8 };                                        /* at_once: vectors */
enum { vector_words = sizeof(VECTOR) / 8, blocks = sizeof(VECTOR) / 16 }; /* in a vector */
enum { words = at_once * vector_words };
enum { group = SOTTO_I_SUM_MASK_GROUP }; /* blocks whose counters differ in the last byte alone */

/* Prefix sums of the four words. */
static __m128i prefix_sums(__m128i key) {
  key = _mm_xor_si128(key, _mm_slli_si128(key, 4));
  return _mm_xor_si128(key, _mm_slli_si128(key, 8));
}

/* Key expansion of FIPS 197, section 5.2, for 256 bits. */
static void expand_key(__m128i keys[rounds + 1], const uint8_t key[SOTTO_I_SUM_KEY]) {
  memcpy(keys, key, SOTTO_I_SUM_KEY);
  for (int i = 0; 2 * i + 2 <= rounds; i++) {
    const __m128i turned = _mm_shuffle_epi32(_mm_aeskeygenassist_si128(keys[2 * i + 1], 0), 0xff);
    keys[2 * i + 2] = _mm_xor_si128(prefix_sums(keys[2 * i]), _mm_xor_si128(turned, _mm_set1_epi32(1 << i)));
    if (2 * i + 3 > rounds) break;
    keys[2 * i + 3] = _mm_xor_si128(prefix_sums(keys[2 * i + 1]),
                                    _mm_shuffle_epi32(_mm_aeskeygenassist_si128(keys[2 * i + 2], 0), 0xaa));
  }
}

/* The state of blocks after two rounds. The last byte of a counter affects one column in the first round and
 * all columns in the second. So the state for counter c is the sum of a part that depends on the last byte of
 * c and a part that depends on the rest, as long as byte 10 (bits 40 to 47 of c) does not change. 256 of the
 * first part are computed once, the second part once for 256 blocks. */
typedef struct start {
  VECTOR last[group / blocks]; /* two rounds of the first group's counters */
  __m128i first;               /* the first of these */
  uint64_t high;               /* bits 40 and up of the counters */
} start;

/* The state of counter `block`, in big-endian order, after two rounds. */
static inline __m128i two_rounds(uint64_t block, const __m128i keys[rounds + 1]) {
  const __m128i counter = _mm_set_epi64x((long long)__builtin_bswap64(block), 0);
  return _mm_aesenc_si128(_mm_aesenc_si128(_mm_xor_si128(counter, keys[0]), keys[1]), keys[2]);
}

/* Prepares the state; `block` is the first of its group. */
static void begin_group(start *s, uint64_t block, const __m128i keys[rounds + 1]) {
  const VECTOR reverse = IN_ALL_LANES(_mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  const VECTOR step = IN_ALL_LANES(_mm_set_epi64x(0, blocks));
  const VECTOR k0 = IN_ALL_LANES(keys[0]), k1 = IN_ALL_LANES(keys[1]), k2 = IN_ALL_LANES(keys[2]);
  uint64_t counters[vector_words] = {0};
  for (uint64_t i = 0; i < blocks; i++) counters[2 * i] = block + i;
  VECTOR counter = OF_BITS(loadu)((const VECTOR *)counters);
  for (int v = 0; v < group / blocks; v++) {
    const VECTOR text = OF_BITS(xor)(OF_WORDS(shuffle_epi8)(counter, reverse), k0);
    s->last[v] = OF_WORDS(aesenc_epi128)(OF_WORDS(aesenc_epi128)(text, k1), k2);
    counter = OF_WORDS(add_epi64)(counter, step);
  }
  s->first = _mm_load_si128((const __m128i *)s->last);
  s->high = block >> 40;
}

/* Adds or subtracts `parts` batches of the blocks that are made at once, from block `last` of the group
 * on. */
static inline void add_blocks(uint64_t *values, size_t parts, const VECTOR *last, VECTOR rest,
                              const __m128i keys[rounds + 1], bool subtract) {
  VECTOR key[rounds - 2], s[at_once];
  for (int r = 0; r < rounds - 2; r++) key[r] = IN_ALL_LANES(keys[r + 3]);
  for (size_t part = 0; part < parts; part++, values += words, last += at_once) {
    for (int v = 0; v < at_once; v++) s[v] = OF_BITS(xor)(OF_BITS(load)(last + v), rest);
    for (int r = 0; r < rounds - 3; r++)
      for (int v = 0; v < at_once; v++) s[v] = OF_WORDS(aesenc_epi128)(s[v], key[r]);
    for (int v = 0; v < at_once; v++) {
      VECTOR *to = (VECTOR *)(values + vector_words * v);
      const VECTOR mask = OF_WORDS(aesenclast_epi128)(s[v], key[rounds - 3]), old = OF_BITS(loadu)(to);
      OF_BITS(storeu)(to, subtract ? OF_WORDS(sub_epi64)(old, mask) : OF_WORDS(add_epi64)(old, mask));
    }
  }
}

bool MASK_NAME(uint64_t *values, size_t count, const sotto_i_sum_mask *mask, uint64_t block) {
  __m128i keys[rounds + 1];
  start from;
  size_t done = 0;
  SOTTO_I_CHECK(block % group == 0);
  expand_key(keys, mask->key);
  for (; done < count; block += group) {
    const size_t now = count - done < 2 * group ? count - done : 2 * group, parts = now / words;
    if (done == 0 || block >> 40 != from.high) begin_group(&from, block, keys);
    const VECTOR rest = IN_ALL_LANES(_mm_xor_si128(two_rounds(block, keys), from.first));
    if (mask->subtract)
      add_blocks(values + done, parts, from.last, rest, keys, true);
    else
      add_blocks(values + done, parts, from.last, rest, keys, false);
    done += parts * words;
    if (parts * words < now) {
      uint64_t last[words] = {0};
      const size_t left = now - parts * words;
      memcpy(last, values + done, left * sizeof *last);
      add_blocks(last, 1, from.last + parts * at_once, rest, keys, mask->subtract);
      memcpy(values + done, last, left * sizeof *last);
      done += left;
    }
  }
  sodium_memzero(keys, sizeof keys);
  sodium_memzero(&from, sizeof from);
  return true;
}
