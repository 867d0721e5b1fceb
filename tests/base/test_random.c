/* ChaCha20 streams. */
#include <math.h>
#include <sodium.h>

#include "base/chacha/chacha.h"
#include "base/cpu.h"
#include "check.h"

/* RFC 8439, section 2.4.2: key 00..1f, nonce 000000000000004a00000000; the keystream of block 1 begins thus.
 */
static void streams_are_chacha20_of_rfc_8439(void **state) {
  (void)state;
  static const uint8_t expected[16] = {0x22, 0x4f, 0x51, 0xf3, 0x40, 0x1b, 0xd9, 0xe1,
                                       0x2f, 0xde, 0x27, 0x6f, 0xb8, 0x63, 0x1d, 0xed};
  sotto_key key = {.origin = SOTTO_KEY_PUBLIC};
  for (int i = 0; i < 32; i++) key.bytes[i] = (uint8_t)i;
  sotto_i_random random;
  /* nonce = purpose and sub in 4 bytes, index in 8, little-endian: bytes 4 to 11 are 00 00 00 4a 00 00 00 00
   */
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_TEST, 0, 0x4a000000);
  uint8_t out[80];
  sotto_i_random_bytes(&random, out, sizeof out);
  assert_memory_equal(out + 64, expected, sizeof expected);
}

static void pieces_of_any_size_make_the_same_stream(void **state) {
  (void)state;
  sotto_i_random draw = check_random();
  sotto_key key;
  sotto_key_public(&key, sotto_i_random_u64(&draw));
  sotto_i_random whole, pieces;
  sotto_i_random_init(&whole, &key, SOTTO_I_PURPOSE_TEST, 3, 9);
  pieces = whole;
  static uint8_t a[20000], b[20000];
  sotto_i_random_bytes(&whole, a, sizeof a);
  for (size_t at = 0; at < sizeof b;) {
    size_t take = (size_t)sotto_i_random_below(&draw, 1500);
    if (take > sizeof b - at) take = sizeof b - at;
    sotto_i_random_bytes(&pieces, b + at, take);
    at += take;
  }
  assert_memory_equal(a, b, sizeof a);
}

static void purpose_sub_index_and_key_all_count(void **state) {
  (void)state;
  sotto_key key, other;
  sotto_key_public(&key, 1);
  sotto_key_insecure(&other, 1);
  sotto_i_random streams[5];
  sotto_i_random_init(&streams[0], &key, SOTTO_I_PURPOSE_TEST, 0, 0);
  sotto_i_random_init(&streams[1], &key, SOTTO_I_PURPOSE_SPLIT, 0, 0);
  sotto_i_random_init(&streams[2], &key, SOTTO_I_PURPOSE_TEST, 1, 0);
  sotto_i_random_init(&streams[3], &key, SOTTO_I_PURPOSE_TEST, 0, 1);
  sotto_i_random_init(&streams[4], &other, SOTTO_I_PURPOSE_TEST, 0, 0);
  uint64_t first[5];
  for (int i = 0; i < 5; i++) first[i] = sotto_i_random_u64(&streams[i]);
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < i; j++) assert_true(first[i] != first[j]);
}

static void below_is_uniform(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  enum { bins = 7, draws = 70000 };
  double counts[bins] = {0}, chi = 0;
  for (int i = 0; i < draws; i++) counts[sotto_i_random_below(&random, bins)]++;
  for (int i = 0; i < bins; i++) chi += pow(counts[i] - draws / bins, 2) / (draws / (double)bins);
  assert_true(chi < 37); /* six degrees of freedom: exceeded once in 500,000 */
}

static void normals_have_mean_zero_and_variance_one(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  enum { draws = 100000 };
  double sum = 0, square = 0;
  for (int i = 0; i < draws; i++) {
    double x = sotto_i_random_normal(&random);
    sum += x;
    square += x * x;
  }
  assert_true(fabs(sum / draws) < 5 / sqrt(draws));
  assert_true(fabs(square / draws - 1) < 5 * sqrt(2.0 / draws));
}

static void a_shuffle_keeps_every_item(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  uint32_t items[100];
  bool seen[100] = {false};
  for (uint32_t i = 0; i < 100; i++) items[i] = i;
  sotto_i_random_shuffle(&random, items, 100);
  for (int i = 0; i < 100; i++) seen[items[i]] = true;
  for (int i = 0; i < 100; i++) assert_true(seen[i]);
}

static void block_of(uint8_t out[64], const sotto_key *key, uint64_t index, size_t number) {
  sotto_i_random one;
  sotto_i_random_init(&one, key, SOTTO_I_PURPOSE_TEST, 77, index);
  for (size_t b = 0; b <= number; b++) sotto_i_random_bytes(&one, out, 64);
}

/* Any number of streams, also where the high half of the index changes among them. */
static void many_streams_at_once_are_the_same_streams(void **state) {
  (void)state;
  sotto_i_random draw = check_random();
  sotto_key key;
  sotto_key_public(&key, sotto_i_random_u64(&draw));
  static uint8_t all[40 * 8 * 64];
  for (size_t count = 0; count < 40; count++) {
    const size_t blocks = 1 + (size_t)sotto_i_random_below(&draw, 8);
    const uint64_t first = count % 2 == 0 ? sotto_i_random_u64(&draw) >> 1 : UINT64_C(0x2fffffff8);
    const uint32_t number = (uint32_t)sotto_i_random_below(&draw, 3);
    sotto_i_random_blocks(all, number, blocks, count, &key, SOTTO_I_PURPOSE_TEST, 77, first);
    for (size_t i = 0; i < count * blocks; i++) {
      uint8_t one[64];
      block_of(one, &key, first + i / blocks, number + i % blocks);
      assert_memory_equal(all + i * 64, one, sizeof one);
    }
  }
}

#if defined(__x86_64__)
static void check_kernel(void (*run)(const sotto_i_chacha_block *block), size_t lanes) {
  enum { stride = 100 };
  sotto_key key;
  uint32_t words[8];
  uint8_t out[16 * stride];
  sotto_key_public(&key, 8);
  memcpy(words, key.bytes, sizeof words);
  sotto_i_chacha_block block = {out,  stride, words, 3, SOTTO_I_PURPOSE_TEST | 77 << 8, UINT64_C(0xfffffffc),
                                false};
  for (int kind = 0; kind < 2; kind++) {
    block.one_stream = kind == 1;
    run(&block);
    for (size_t i = 0; i < lanes; i++) {
      uint8_t one[64];
      block_of(one, &key, UINT64_C(0xfffffffc) + (kind == 0 ? i : 0), 3 + (kind == 1 ? i : 0));
      assert_memory_equal(out + i * stride, one, sizeof one);
    }
  }
}
#endif

static void every_kernel_of_streams_is_chacha20(void **state) {
  (void)state;
#if defined(__x86_64__)
  if (sotto_i_isa() >= SOTTO_I_ISA_AVX2) check_kernel(sotto_i_chacha_avx2, SOTTO_I_CHACHA_LANES_AVX2);
  if (sotto_i_isa() >= SOTTO_I_ISA_AVX512) check_kernel(sotto_i_chacha_avx512, SOTTO_I_CHACHA_LANES_AVX512);
#endif
}

static void one_stream_is_that_of_libsodium(void **state) {
  (void)state;
  enum { most = 100 };
  static uint8_t ours[most * 64 + 1], theirs[most * 64];
  static const uint8_t zeros[most * 64];
  sotto_key key;
  uint8_t nonce[12];
  sotto_key_public(&key, 9);
  for (uint8_t i = 0; i < sizeof nonce; i++) nonce[i] = (uint8_t)(200 + i);
  for (size_t blocks = 0; blocks <= most; blocks++) {
    const uint32_t number = blocks % 2 == 0 ? 7 : UINT32_MAX - most + 1; /* up to the last block there is */
    ours[blocks * 64] = 0xa5;
    sotto_i_chacha_stream(ours, blocks, key.bytes, nonce, number);
    crypto_stream_chacha20_ietf_xor_ic(theirs, zeros, blocks * 64, nonce, number, key.bytes);
    assert_memory_equal(ours, theirs, blocks * 64);
    assert_int_equal(ours[blocks * 64], 0xa5);
  }
}

static void system_keys_differ_and_are_wiped(void **state) {
  (void)state;
  sotto_key a, b;
  sotto_key_system(&a);
  sotto_key_system(&b);
  assert_memory_not_equal(a.bytes, b.bytes, sizeof a.bytes);
  assert_int_equal(a.origin, SOTTO_KEY_SYSTEM);
  sotto_key_wipe(&a);
  assert_int_equal(a.origin, SOTTO_KEY_NONE);
  assert_true(sodium_is_zero(a.bytes, sizeof a.bytes));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(streams_are_chacha20_of_rfc_8439),
      cmocka_unit_test(pieces_of_any_size_make_the_same_stream),
      cmocka_unit_test(purpose_sub_index_and_key_all_count),
      cmocka_unit_test(below_is_uniform),
      cmocka_unit_test(normals_have_mean_zero_and_variance_one),
      cmocka_unit_test(a_shuffle_keeps_every_item),
      cmocka_unit_test(many_streams_at_once_are_the_same_streams),
      cmocka_unit_test(every_kernel_of_streams_is_chacha20),
      cmocka_unit_test(one_stream_is_that_of_libsodium),
      cmocka_unit_test(system_keys_differ_and_are_wiped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
