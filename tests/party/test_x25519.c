/* X25519: the kernel against libsodium, byte for byte, and points of low order. */
#include <sodium.h>

#include "check.h"
#include "party/curve/verify.h"
#include "party/curve/x25519.h"

enum { many = 50 };

static void compare(const uint8_t secret[32], uint8_t points[many][32], size_t count) {
  uint8_t ours[many * 32], theirs[many * 32];
  const uint8_t *at[many];
  for (size_t i = 0; i < many; i++) at[i] = points[i];
  const bool good = sotto_i_x25519(ours, secret, at, count);
  assert_int_equal(good, sotto_i_x25519_sodium(theirs, secret, at, count));
  for (size_t i = 0; good && i < count; i++)
    if (memcmp(ours + 32 * i, theirs + 32 * i, 32) != 0) fail_msg("point %zu of %zu", i, count);
}

static void keys_in_common_are_those_of_libsodium(void **state) {
  (void)state;
  uint8_t points[many][32], secret[32];
  sotto_i_random random = check_random();
  for (int round = 0; round < 12; round++) {
    sotto_i_random_bytes(&random, secret, sizeof secret);
    sotto_i_random_bytes(&random, (uint8_t *)points, sizeof points);
    if (round < 2) memset(secret, round == 0 ? 0 : 0xff, sizeof secret);
    for (size_t i = 0; round == 2 && i < many;
         i++) { /* 2^255 - 19 + 2 to + 18, which are not canonical; and 2 to 15 */
      memset(points[i], i < 17 ? 0xff : 0, 32);
      points[i][0] = (uint8_t)(i < 17 ? 0xef + i % 16 : i % 14 + 2);
      points[i][31] = (uint8_t)(i < 17 ? 0x7f | (i % 2 << 7) : i % 2 << 7);
    }
    compare(secret, points, round < 4 ? many : sotto_i_random_below(&random, many + 1));
  }
}

/* RFC 7748, section 5.2, first vector. */
static void the_vector_of_the_rfc_is_met(void **state) {
  (void)state;
  uint8_t secret[32], point[32], wanted[32], out[64];
  const uint8_t *const points[2] = {point, point};
  assert_int_equal(sodium_hex2bin(secret, 32,
                                  "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4", 64,
                                  NULL, NULL, NULL),
                   0);
  assert_int_equal(sodium_hex2bin(point, 32,
                                  "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c", 64,
                                  NULL, NULL, NULL),
                   0);
  assert_int_equal(sodium_hex2bin(wanted, 32,
                                  "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552", 64,
                                  NULL, NULL, NULL),
                   0);
  assert_true(sotto_i_x25519(out, secret, points, 2));
  assert_memory_equal(out, wanted, 32);
  assert_memory_equal(out + 32, wanted, 32);
}

static void one_point_of_low_order_is_found_at_any_place(void **state) {
  (void)state;
  static const uint8_t low[3][32] = {{0}, {1}, {0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae,
                                                0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f, 0xc4, 0x6a,
                                                0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd,
                                                0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00}};
  sotto_i_random random = check_random();
  for (size_t place = 0; place < many; place++) {
    uint8_t points[many][32], secret[32], out[many * 32];
    const uint8_t *at[many];
    sotto_i_random_bytes(&random, secret, sizeof secret);
    sotto_i_random_bytes(&random, (uint8_t *)points, sizeof points);
    for (size_t i = 0; i < many; i++) at[i] = points[i];
    assert_true(sotto_i_x25519(out, secret, at, many));
    memcpy(points[place], low[place % 3], 32);
    assert_false(sotto_i_x25519(out, secret, at, many));
  }
}

int main(void) {
  if (sodium_init() < 0) return 1;
  printf("kernel: %s\n", sotto_i_curve_kernel());
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_in_common_are_those_of_libsodium),
      cmocka_unit_test(the_vector_of_the_rfc_is_met),
      cmocka_unit_test(one_point_of_low_order_is_found_at_any_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
