/* ChaCha20 of many streams or of one: choice of the kernel, and the blocks that fill no whole group of
 * lanes. */
#include "chacha.h"

#include <sodium.h>
#include <string.h>

#include "base/cpu.h"
#include "base/error.h"

#if defined(__x86_64__)
typedef struct kernel {
  void (*run)(const sotto_i_chacha_block *block);
  size_t lanes; /* 0: none */
} kernel;

static kernel choose_kernel(void) {
  switch (sotto_i_isa()) {
  case SOTTO_I_ISA_AVX512:
    return (kernel){sotto_i_chacha_avx512, SOTTO_I_CHACHA_LANES_AVX512};
  case SOTTO_I_ISA_AVX2:
    return (kernel){sotto_i_chacha_avx2, SOTTO_I_CHACHA_LANES_AVX2};
  case SOTTO_I_ISA_PLAIN:
    break;
  }
  return (kernel){NULL, 0};
}

/* Runs the streams that fill whole groups of lanes; returns how many streams were done. */
static size_t run_lanes(uint8_t *out, uint32_t number, size_t blocks, size_t count, const sotto_key *key,
                        uint32_t nonce, uint64_t first) {
  const kernel k = choose_kernel();
  uint32_t words[8];
  size_t done = 0;
  if (k.lanes == 0 || count < k.lanes) return 0;
  memcpy(words, key->bytes, sizeof words);
  for (; done + k.lanes <= count; done += k.lanes)
    for (size_t b = 0; b < blocks; b++)
      k.run(&(sotto_i_chacha_block){.out = out + (done * blocks + b) * 64,
                                    .stride = blocks * 64,
                                    .key = words,
                                    .number = number + (uint32_t)b,
                                    .nonce = nonce,
                                    .first = first + done});
  sodium_memzero(words, sizeof words);
  return done;
}

/* Runs the blocks of one stream that fill whole groups of lanes; returns how many blocks were done. */
static size_t run_stream(uint8_t *out, size_t blocks, const uint8_t key[32], const uint8_t nonce[12],
                         uint32_t number) {
  const kernel k = choose_kernel();
  uint32_t words[8];
  size_t done = 0;
  if (k.lanes == 0 || blocks < k.lanes) return 0;
  sotto_i_chacha_block block = {.stride = 64, .key = words, .one_stream = true};
  memcpy(words, key, sizeof words);
  memcpy(&block.nonce, nonce, sizeof block.nonce);
  memcpy(&block.first, nonce + sizeof block.nonce, sizeof block.first);
  for (; done + k.lanes <= blocks; done += k.lanes) {
    block.out = out + done * 64;
    block.number = number + (uint32_t)done;
    k.run(&block);
  }
  sodium_memzero(words, sizeof words);
  return done;
}
#endif

void sotto_i_chacha_stream(uint8_t *out, size_t blocks, const uint8_t key[32], const uint8_t nonce[12],
                           uint32_t number) {
  size_t done = 0;
#if defined(__x86_64__)
  done = run_stream(out, blocks, key, nonce, number);
#endif
  if (done == blocks) return;
  memset(out + done * 64, 0, (blocks - done) * 64);
  crypto_stream_chacha20_ietf_xor_ic(out + done * 64, out + done * 64, (blocks - done) * 64, nonce,
                                     number + (uint32_t)done, key);
}

void sotto_i_random_blocks(uint8_t *out, uint32_t number, size_t blocks, size_t count, const sotto_key *key,
                           sotto_i_purpose purpose, uint32_t sub, uint64_t first) {
  size_t done = 0;
  SOTTO_I_CHECK(key->origin != SOTTO_KEY_NONE);
  SOTTO_I_CHECK(sub < (1U << 24) && (unsigned)purpose < 256U);
#if defined(__x86_64__)
  done = run_lanes(out, number, blocks, count, key, (uint32_t)purpose | sub << 8, first);
#endif
  if (done == count) return;
  sotto_i_random random;
  for (; done < count; done++) {
    sotto_i_random_init(&random, key, purpose, sub, first + done);
    random.block = number;
    sotto_i_random_bytes(&random, out + done * blocks * 64, blocks * 64);
  }
  sodium_memzero(&random, sizeof random);
}
