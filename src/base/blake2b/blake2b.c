/* BLAKE2b of several messages at once: choice of the kernel, initial state, digests. */
#include "blake2b.h"

#include <string.h>

#include "base/cpu.h"

typedef struct kernel_choice {
  sotto_i_blake2b_kernel run;
  size_t lanes;
} kernel_choice;

static kernel_choice choose_kernel(void) {
#if defined(__x86_64__)
  if (sotto_i_isa() >= SOTTO_I_ISA_AVX512) return (kernel_choice){sotto_i_blake2b_avx512, 8};
  if (sotto_i_isa() >= SOTTO_I_ISA_AVX2) return (kernel_choice){sotto_i_blake2b_avx2, 4};
#endif
  return (kernel_choice){sotto_i_blake2b_plain, 1};
}

size_t sotto_i_blake2b_lanes(void) {
  return choose_kernel().lanes;
}

void sotto_i_blake2b_begin(sotto_i_blake2b *state) {
  /* The initial words of RFC 7693; the first with the parameters: 32 bytes of digest, no key, no tree. */
  static const uint64_t start[8] = {UINT64_C(0x6a09e667f3bcc908) ^ UINT64_C(0x01010020),
                                    UINT64_C(0xbb67ae8584caa73b),
                                    UINT64_C(0x3c6ef372fe94f82b),
                                    UINT64_C(0xa54ff53a5f1d36f1),
                                    UINT64_C(0x510e527fade682d1),
                                    UINT64_C(0x9b05688c2b3e6c1f),
                                    UINT64_C(0x1f83d9abfb41bd6b),
                                    UINT64_C(0x5be0cd19137e2179)};
  const size_t lanes = sotto_i_blake2b_lanes();
  *state = (sotto_i_blake2b){.done = 0};
  for (size_t w = 0; w < 8; w++)
    for (size_t l = 0; l < lanes; l++) state->words[w * lanes + l] = start[w];
}

void sotto_i_blake2b_add(sotto_i_blake2b *state, const uint8_t *const *at, size_t blocks, bool last) {
  choose_kernel().run(state->words, at, blocks, state->done, last);
  state->done += blocks * SOTTO_I_BLAKE2B_BLOCK;
}

void sotto_i_blake2b_digest(const sotto_i_blake2b *state, size_t lane, uint8_t out[SOTTO_I_BLAKE2B_DIGEST]) {
  const size_t lanes = sotto_i_blake2b_lanes();
  for (size_t w = 0; w < SOTTO_I_BLAKE2B_DIGEST / sizeof(uint64_t); w++) /* little-endian, as in the RFC */
    memcpy(out + w * sizeof(uint64_t), &state->words[w * lanes + lane], sizeof(uint64_t));
}
