/* Source of the BLAKE2b kernels (RFC 7693, section 3), compiled once per instruction set. Define
 * BLAKE2B_LANES and BLAKE2B_NAME first. A vector holds one word of every lane. */
#include <string.h>

#include "blake2b.h"

#if BLAKE2B_LANES == 1
typedef uint64_t lanes;
#else
typedef uint64_t lanes __attribute__((vector_size(BLAKE2B_LANES * 8)));
#endif
/* Unaligned loads without memcpy, which checks its bounds at each call. */
typedef lanes unaligned_lanes __attribute__((aligned(1), may_alias));

static const uint64_t blake2b_start[8] = {UINT64_C(0x6a09e667f3bcc908), UINT64_C(0xbb67ae8584caa73b),
                                          UINT64_C(0x3c6ef372fe94f82b), UINT64_C(0xa54ff53a5f1d36f1),
                                          UINT64_C(0x510e527fade682d1), UINT64_C(0x9b05688c2b3e6c1f),
                                          UINT64_C(0x1f83d9abfb41bd6b), UINT64_C(0x5be0cd19137e2179)};

#define BLAKE2B_ALL(x) ((lanes){0} + (x))
#if BLAKE2B_LANES == 4
/* AVX2 has no rotation instruction. Rotations by whole bytes take one shuffle; other rotations take two
 * shifts and an OR. The two halves of a rotation by 63 share no bit, so addition replaces shift and OR:
 * more execution units add than shift. */
typedef uint8_t lane_bytes __attribute__((vector_size(BLAKE2B_LANES * 8)));
#define BLAKE2B_BYTE(n, word, byte) ((word)*8 + ((byte) + (n) / 8) % 8)
#define BLAKE2B_WORD(n, word)                                                                                \
  BLAKE2B_BYTE(n, word, 0), BLAKE2B_BYTE(n, word, 1), BLAKE2B_BYTE(n, word, 2), BLAKE2B_BYTE(n, word, 3),    \
      BLAKE2B_BYTE(n, word, 4), BLAKE2B_BYTE(n, word, 5), BLAKE2B_BYTE(n, word, 6), BLAKE2B_BYTE(n, word, 7)
#define BLAKE2B_ROTATE(x, n)                                                                                 \
  ((lanes)__builtin_shufflevector((lane_bytes)(x), (lane_bytes)(x), BLAKE2B_WORD(n, 0), BLAKE2B_WORD(n, 1),  \
                                  BLAKE2B_WORD(n, 2), BLAKE2B_WORD(n, 3)))
#define BLAKE2B_ROTATE_63(x) (((x) + (x)) ^ ((x) >> 63))
#else
#define BLAKE2B_ROTATE(x, n) (((x) >> (n)) | ((x) << (64 - (n))))
#define BLAKE2B_ROTATE_63(x) BLAKE2B_ROTATE(x, 63)
#endif
#define BLAKE2B_MIX(a, b, c, d, x, y)                                                                        \
  do {                                                                                                       \
    v[a] += v[b] + m[x];                                                                                     \
    v[d] = BLAKE2B_ROTATE(v[d] ^ v[a], 32);                                                                  \
    v[c] += v[d];                                                                                            \
    v[b] = BLAKE2B_ROTATE(v[b] ^ v[c], 24);                                                                  \
    v[a] += v[b] + m[y];                                                                                     \
    v[d] = BLAKE2B_ROTATE(v[d] ^ v[a], 16);                                                                  \
    v[c] += v[d];                                                                                            \
    v[b] = BLAKE2B_ROTATE_63(v[b] ^ v[c]);                                                                   \
  } while (0)
#define BLAKE2B_ROUND(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15)                  \
  do {                                                                                                       \
    BLAKE2B_MIX(0, 4, 8, 12, s0, s1);                                                                        \
    BLAKE2B_MIX(1, 5, 9, 13, s2, s3);                                                                        \
    BLAKE2B_MIX(2, 6, 10, 14, s4, s5);                                                                       \
    BLAKE2B_MIX(3, 7, 11, 15, s6, s7);                                                                       \
    BLAKE2B_MIX(0, 5, 10, 15, s8, s9);                                                                       \
    BLAKE2B_MIX(1, 6, 11, 12, s10, s11);                                                                     \
    BLAKE2B_MIX(2, 7, 8, 13, s12, s13);                                                                      \
    BLAKE2B_MIX(3, 4, 9, 14, s14, s15);                                                                      \
  } while (0)

/* Transposes squares of BLAKE2B_LANES x BLAKE2B_LANES words by exchanging words at distance h = 1, 2 (and
 * 4) between vectors at that distance. BLAKE2B_LOW and BLAKE2B_HIGH are the source indices of word l of
 * the lower and the higher vector. */
#define BLAKE2B_LOW(l, h)     ((l) & (h) ? BLAKE2B_LANES + (l) - (h) : (l))
#define BLAKE2B_HIGH(l, h)    ((l) & (h) ? BLAKE2B_LANES + (l) : (l) + (h))
#define BLAKE2B_FOUR(f, l, h) f(l, h), f((l) + 1, h), f((l) + 2, h), f((l) + 3, h)
#if BLAKE2B_LANES == 8
#define BLAKE2B_EACH(f, h) BLAKE2B_FOUR(f, 0, h), BLAKE2B_FOUR(f, 4, h)
#else
#define BLAKE2B_EACH(f, h) BLAKE2B_FOUR(f, 0, h)
#endif
#define BLAKE2B_EXCHANGE(s, h)                                                                               \
  do {                                                                                                       \
    for (int i = 0; i < BLAKE2B_LANES; i++) {                                                                \
      if ((i & (h)) != 0) continue;                                                                          \
      const lanes low = (s)[i], high = (s)[i + (h)];                                                         \
      (s)[i] = __builtin_shufflevector(low, high, BLAKE2B_EACH(BLAKE2B_LOW, h));                             \
      (s)[i + (h)] = __builtin_shufflevector(low, high, BLAKE2B_EACH(BLAKE2B_HIGH, h));                      \
    }                                                                                                        \
  } while (0)

/* Loads one block of every lane and transposes it: m[w] holds word w of all lanes. */
static inline void blake2b_load(lanes m[16], const uint8_t *const *at, size_t block) {
  for (int first = 0; first < 16; first += BLAKE2B_LANES) {
    for (int l = 0; l < BLAKE2B_LANES; l++)
      m[first + l] = *(const unaligned_lanes *)(at[l] + block * SOTTO_I_BLAKE2B_BLOCK + (size_t)first * 8);
#if BLAKE2B_LANES > 1
    BLAKE2B_EXCHANGE(m + first, 1);
    BLAKE2B_EXCHANGE(m + first, 2);
#endif
#if BLAKE2B_LANES == 8
    BLAKE2B_EXCHANGE(m + first, 4);
#endif
  }
}

static inline void blake2b_rounds(lanes v[16], const lanes m[16]) {
  BLAKE2B_ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  BLAKE2B_ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3);
  BLAKE2B_ROUND(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4);
  BLAKE2B_ROUND(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8);
  BLAKE2B_ROUND(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13);
  BLAKE2B_ROUND(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9);
  BLAKE2B_ROUND(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11);
  BLAKE2B_ROUND(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10);
  BLAKE2B_ROUND(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5);
  BLAKE2B_ROUND(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0);
  BLAKE2B_ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  BLAKE2B_ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3);
}

void BLAKE2B_NAME(uint64_t *words, const uint8_t *const *at, size_t blocks, uint64_t before, bool last) {
  lanes h[8], v[16], m[16];
  memcpy(h, words, sizeof h);
  for (size_t b = 0; b < blocks; b++) {
    blake2b_load(m, at, b);
    for (int w = 0; w < 8; w++) {
      v[w] = h[w];
      v[8 + w] = BLAKE2B_ALL(blake2b_start[w]);
    }
    v[12] ^= BLAKE2B_ALL(before + (b + 1) * SOTTO_I_BLAKE2B_BLOCK);
    if (last && b + 1 == blocks) v[14] = ~v[14];
    blake2b_rounds(v, m);
    for (int w = 0; w < 8; w++) h[w] ^= v[w] ^ v[8 + w];
  }
  memcpy(words, h, sizeof h);
}
