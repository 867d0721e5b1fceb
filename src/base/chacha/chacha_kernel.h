/* Source of the ChaCha20 kernels, compiled once per instruction set. Define CHACHA_LANES and CHACHA_NAME
 * first. A vector holds one state word of every block. */
#include "chacha.h"

typedef uint32_t lanes __attribute__((vector_size(CHACHA_LANES * 4)));
typedef uint32_t loose_lanes __attribute__((vector_size(CHACHA_LANES * 4), aligned(1), may_alias));

#define CHACHA_ROTATE(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
/* Rotations by whole bytes. AVX-512 rotates in one instruction. AVX2 needs three, or one byte shuffle:
 * byte b of word w comes from byte b - n. */
#if CHACHA_LANES == 16
#define CHACHA_ROTATE_BYTES(x, n) CHACHA_ROTATE(x, 8 * (n))
#else
typedef uint8_t lane_bytes __attribute__((vector_size(CHACHA_LANES * 4)));
#define CHACHA_BYTES(w, n)                                                                                   \
  4 * (w) + (4 - (n)) % 4, 4 * (w) + (5 - (n)) % 4, 4 * (w) + 2 - (n), 4 * (w) + 3 - (n)
#define CHACHA_ROTATE_BYTES(x, n)                                                                            \
  ((lanes)__builtin_shufflevector((lane_bytes)(x), (lane_bytes)(x), CHACHA_FOUR(CHACHA_BYTES, 0, n),         \
                                  CHACHA_FOUR(CHACHA_BYTES, 4, n)))
#endif
#define CHACHA_QUARTER(a, b, c, d)                                                                           \
  do {                                                                                                       \
    s[a] += s[b];                                                                                            \
    s[d] = CHACHA_ROTATE_BYTES(s[d] ^ s[a], 2);                                                              \
    s[c] += s[d];                                                                                            \
    s[b] = CHACHA_ROTATE(s[b] ^ s[c], 12);                                                                   \
    s[a] += s[b];                                                                                            \
    s[d] = CHACHA_ROTATE_BYTES(s[d] ^ s[a], 1);                                                              \
    s[c] += s[d];                                                                                            \
    s[b] = CHACHA_ROTATE(s[b] ^ s[c], 7);                                                                    \
  } while (0)

/* Transposes squares of CHACHA_LANES x CHACHA_LANES words by exchanging words at distance h = 1, 2, 4 (and
 * 8) between vectors at that distance. CHACHA_LOW and CHACHA_HIGH are the source indices of word l of the
 * lower and the higher vector. */
#define CHACHA_LOW(l, h)     ((l) & (h) ? CHACHA_LANES + (l) - (h) : (l))
#define CHACHA_HIGH(l, h)    ((l) & (h) ? CHACHA_LANES + (l) : (l) + (h))
#define CHACHA_FOUR(f, l, h) f(l, h), f((l) + 1, h), f((l) + 2, h), f((l) + 3, h)
#if CHACHA_LANES == 16
#define CHACHA_ALL(f, h)                                                                                     \
  CHACHA_FOUR(f, 0, h), CHACHA_FOUR(f, 4, h), CHACHA_FOUR(f, 8, h), CHACHA_FOUR(f, 12, h)
#else
#define CHACHA_ALL(f, h) CHACHA_FOUR(f, 0, h), CHACHA_FOUR(f, 4, h)
#endif
#define CHACHA_EXCHANGE(s, h)                                                                                \
  do {                                                                                                       \
    for (int i = 0; i < 16; i++) {                                                                           \
      if ((i & (h)) != 0) continue;                                                                          \
      const lanes low = (s)[i], high = (s)[i + (h)];                                                         \
      (s)[i] = __builtin_shufflevector(low, high, CHACHA_ALL(CHACHA_LOW, h));                                \
      (s)[i + (h)] = __builtin_shufflevector(low, high, CHACHA_ALL(CHACHA_HIGH, h));                         \
    }                                                                                                        \
  } while (0)

static void chacha_init_state(lanes s[16], const sotto_i_chacha_block *block) {
  static const uint32_t constants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  for (int w = 0; w < 4; w++) s[w] = (lanes){0} + constants[w];
  for (int w = 0; w < 8; w++) s[4 + w] = (lanes){0} + block->key[w];
  s[12] = (lanes){0} + block->number;
  s[13] = (lanes){0} + block->nonce;
  lanes count;
  for (uint32_t i = 0; i < CHACHA_LANES; i++) count[i] = i;
  const uint32_t low = (uint32_t)block->first, high = (uint32_t)(block->first >> 32);
  if (block->one_stream) s[12] += count;
  s[14] = (lanes){0} + low + (block->one_stream ? (lanes){0} : count);
  s[15] = (lanes){0} + high - (lanes)(s[14] < low); /* a true comparison is -1, which adds the carry */
}

/* Afterwards s[i] holds words 0 to CHACHA_LANES - 1 of block i, and s[CHACHA_LANES + i] holds the next
 * ones. */
static void chacha_transpose(lanes s[16]) {
#if CHACHA_LANES == 16
  CHACHA_EXCHANGE(s, 8);
#endif
  CHACHA_EXCHANGE(s, 4);
  CHACHA_EXCHANGE(s, 2);
  CHACHA_EXCHANGE(s, 1);
}

void CHACHA_NAME(const sotto_i_chacha_block *block) {
  lanes s[16], start[16];
  chacha_init_state(start, block);
  for (int w = 0; w < 16; w++) s[w] = start[w];
  for (int round = 0; round < 10; round++) {
    CHACHA_QUARTER(0, 4, 8, 12);
    CHACHA_QUARTER(1, 5, 9, 13);
    CHACHA_QUARTER(2, 6, 10, 14);
    CHACHA_QUARTER(3, 7, 11, 15);
    CHACHA_QUARTER(0, 5, 10, 15);
    CHACHA_QUARTER(1, 6, 11, 12);
    CHACHA_QUARTER(2, 7, 8, 13);
    CHACHA_QUARTER(3, 4, 9, 14);
  }
  for (int w = 0; w < 16; w++) s[w] += start[w];
  chacha_transpose(s);
  uint8_t *out = block->out;
  const size_t stride = block->stride;
  for (size_t w = 0; w < 16; w++)
    *(loose_lanes *)(out + w % CHACHA_LANES * stride + w / CHACHA_LANES * sizeof s[w]) = s[w];
}
