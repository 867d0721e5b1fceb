/* The text of the ChaCha20 kernels, compiled once for each instruction set: define CHACHA_LANES and
 * CHACHA_NAME first. A vector holds one word of the state of every stream. */
#include <string.h>

#include "chacha.h"

typedef uint32_t lanes __attribute__((vector_size(CHACHA_LANES * 4)));

#define CHACHA_ROTATE(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
#define CHACHA_QUARTER(a, b, c, d)                                                                           \
  do {                                                                                                       \
    s[a] += s[b];                                                                                            \
    s[d] = CHACHA_ROTATE(s[d] ^ s[a], 16);                                                                   \
    s[c] += s[d];                                                                                            \
    s[b] = CHACHA_ROTATE(s[b] ^ s[c], 12);                                                                   \
    s[a] += s[b];                                                                                            \
    s[d] = CHACHA_ROTATE(s[d] ^ s[a], 8);                                                                    \
    s[c] += s[d];                                                                                            \
    s[b] = CHACHA_ROTATE(s[b] ^ s[c], 7);                                                                    \
  } while (0)

static void chacha_start(lanes s[16], const sotto_i_chacha_block *block) {
  static const uint32_t constants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  for (int w = 0; w < 4; w++) s[w] = (lanes){0} + constants[w];
  for (int w = 0; w < 8; w++) s[4 + w] = (lanes){0} + block->key[w];
  s[12] = (lanes){0} + block->number;
  s[13] = (lanes){0} + block->nonce;
  for (uint64_t i = 0; i < CHACHA_LANES; i++) {
    s[14][i] = (uint32_t)(block->first + i);
    s[15][i] = (uint32_t)((block->first + i) >> 32);
  }
}

void CHACHA_NAME(const sotto_i_chacha_block *block) {
  lanes s[16], start[16];
  chacha_start(start, block);
  memcpy(s, start, sizeof s);
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
  for (size_t i = 0; i < CHACHA_LANES; i++)
    for (size_t w = 0; w < 16; w++) {
      const uint32_t word = s[w][i];
      memcpy(block->out + i * block->stride + w * 4, &word, sizeof word);
    }
}
