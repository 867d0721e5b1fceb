/* BLAKE2b of several messages at once: libsodium's bytes, by every kernel that this machine runs. */
#include <sodium.h>
#include <string.h>

#include "base/blake2b/blake2b.h"
#include "base/cpu.h"
#include "base/memory.h"
#include "base/random.h"
#include "check.h"

enum { most_blocks = 40, rounds = 60 };

/* Messages of the same length at places of their own, some of them at odd addresses; taken in one or two
 * parts. */
static void one_round(sotto_i_blake2b_kernel run, size_t lanes, sotto_i_random *random) {
  const size_t blocks = 1 + sotto_i_random_below(random, most_blocks),
               first = sotto_i_random_below(random, blocks);
  const size_t size = blocks * SOTTO_I_BLAKE2B_BLOCK;
  uint8_t *bytes = NULL;
  const uint8_t *at[SOTTO_I_BLAKE2B_MOST], *then[SOTTO_I_BLAKE2B_MOST];
  sotto_i_blake2b state;
  CHECK_OK(sotto_i_new(&bytes, lanes, size + 1, &err));
  sotto_i_random_bytes(random, bytes, lanes * (size + 1));
  for (size_t l = 0; l < lanes; l++) {
    at[l] = bytes + l * (size + 1);
    then[l] = at[l] + first * SOTTO_I_BLAKE2B_BLOCK;
  }
  sotto_i_blake2b_begin(&state);
  const size_t own = sotto_i_blake2b_lanes(); /* the first words of its lanes are those of all lanes */
  uint64_t words[8 * SOTTO_I_BLAKE2B_MOST];
  for (size_t w = 0; w < 8; w++)
    for (size_t l = 0; l < lanes; l++) words[w * lanes + l] = state.words[w * own];
  run(words, at, first, 0, false);
  run(words, then, blocks - first, first * SOTTO_I_BLAKE2B_BLOCK, true);
  for (size_t l = 0; l < lanes; l++) {
    uint8_t expected[SOTTO_I_BLAKE2B_DIGEST], found[SOTTO_I_BLAKE2B_DIGEST];
    crypto_generichash(expected, sizeof expected, at[l], size, NULL, 0);
    for (size_t w = 0; w < 4; w++) memcpy(found + 8 * w, &words[w * lanes + l], 8);
    assert_memory_equal(found, expected, sizeof found);
  }
  sotto_i_free(bytes);
}

static void kernels_give_the_bytes_of_libsodium(void **state) {
  const struct {
    sotto_i_blake2b_kernel run;
    size_t lanes;
    sotto_i_isa_level level;
  } kernels[] = {
    {sotto_i_blake2b_plain, 1, SOTTO_I_ISA_PLAIN},
#if defined(__x86_64__)
    {sotto_i_blake2b_avx2, 4, SOTTO_I_ISA_AVX2},
    {sotto_i_blake2b_avx512, 8, SOTTO_I_ISA_AVX512}
#endif
  };
  sotto_i_random random = check_random();
  (void)state;
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
    for (size_t i = 0; i < rounds && sotto_i_isa() >= kernels[k].level; i++)
      one_round(kernels[k].run, kernels[k].lanes, &random);
}

static void a_digest_is_taken_from_each_lane(void **state) {
  uint8_t bytes[SOTTO_I_BLAKE2B_MOST][SOTTO_I_BLAKE2B_BLOCK], expected[SOTTO_I_BLAKE2B_DIGEST];
  const uint8_t *at[SOTTO_I_BLAKE2B_MOST];
  sotto_i_random random = check_random();
  sotto_i_blake2b hashed;
  (void)state;
  sotto_i_random_bytes(&random, bytes, sizeof bytes);
  for (size_t l = 0; l < SOTTO_I_BLAKE2B_MOST; l++) at[l] = bytes[l];
  sotto_i_blake2b_begin(&hashed);
  sotto_i_blake2b_add(&hashed, at, 1, true);
  for (size_t l = 0; l < sotto_i_blake2b_lanes(); l++) {
    uint8_t found[SOTTO_I_BLAKE2B_DIGEST];
    sotto_i_blake2b_digest(&hashed, l, found);
    crypto_generichash(expected, sizeof expected, bytes[l], sizeof bytes[l], NULL, 0);
    assert_memory_equal(found, expected, sizeof found);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_give_the_bytes_of_libsodium),
                                     cmocka_unit_test(a_digest_is_taken_from_each_lane)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
