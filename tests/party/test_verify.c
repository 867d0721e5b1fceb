/* Signatures of Ed25519: the kernel's verdict against libsodium's, on good ones, on false ones and on keys
 * and signatures with parts of small order. */
#include <sodium.h>

#include "check.h"
#include "party/curve/verify.h"

enum { many = 75, text_size = 96 };

typedef struct crowd {
  uint8_t text[many][text_size], signature[many][64], key[many][32], secret[many][64];
  sotto_i_signed item[many];
} crowd;

static void draw(crowd *c, sotto_i_random *random) {
  for (size_t i = 0; i < many; i++) {
    uint8_t seed[32];
    sotto_i_random_bytes(random, seed, sizeof seed);
    crypto_sign_seed_keypair(c->key[i], c->secret[i], seed);
    sotto_i_random_bytes(random, c->text[i], text_size);
    c->item[i] = (sotto_i_signed){c->text[i], c->signature[i], c->key[i], i % (text_size + 1)};
    crypto_sign_detached(c->signature[i], NULL, c->text[i], c->item[i].size, c->secret[i]);
  }
}

/* Both verdicts on the first `count`; gives how many are good. */
static size_t compare(const crowd *c, size_t count, int round) {
  bool ours[many], theirs[many];
  size_t good = 0;
  sotto_i_verify_var(ours, c->item, count);
  sotto_i_verify_sodium_var(theirs, c->item, count);
  for (size_t i = 0; i < count; i++) {
    if (ours[i] != theirs[i])
      fail_msg("round %d, signature %zu: %d, by libsodium %d", round, i, ours[i], theirs[i]);
    good += ours[i];
  }
  return good;
}

static void good_signatures_are_found_good_in_any_number(void **state) {
  (void)state;
  static crowd c;
  sotto_i_random random = check_random();
  draw(&c, &random);
  for (size_t count = 0; count <= many; count++) assert_int_equal(compare(&c, count, 0), count);
}

static void one_changed_bit_anywhere_is_found(void **state) {
  (void)state;
  static crowd c;
  sotto_i_random random = check_random();
  for (int round = 0; round < 8; round++) {
    draw(&c, &random);
    for (size_t i = 0; i < many; i += 1 + sotto_i_random_below(&random, 2)) {
      const uint8_t bit = (uint8_t)(1U << sotto_i_random_below(&random, 8));
      if (round % 3 == 0) c.signature[i][sotto_i_random_below(&random, 64)] ^= bit;
      if (round % 3 == 1) c.key[i][sotto_i_random_below(&random, 32)] ^= bit;
      if (round % 3 == 2) c.item[i].key = c.key[(i + 1) % many];
    }
    assert_in_range(compare(&c, many, round), 0, many / 2);
  }
}

/* s + the order of the group: the same equation holds. */
static void add_order(uint8_t s[32]) {
  static const uint8_t order[32] = {0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58,       0xd6,
                                    0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, [31] = 0x10};
  unsigned carry = 0;
  for (int i = 0; i < 32; i++) {
    carry += (unsigned)s[i] + order[i];
    s[i] = (uint8_t)carry;
    carry >>= 8;
  }
}

/* Encodings of points whose order divides 8, some not canonical. */
static const char *const small[] = {"0100000000000000000000000000000000000000000000000000000000000000",
                                    "0000000000000000000000000000000000000000000000000000000000000000",
                                    "0000000000000000000000000000000000000000000000000000000000000080",
                                    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                                    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
                                    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
                                    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                                    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                                    "0100000000000000000000000000000000000000000000000000000000000080"};
enum { smalls = sizeof small / sizeof *small };

/* A signature by `secret` for a key that has the point `torsion` added: valid for the key without it, and
 * valid in the equation with a cofactor. */
static void sign_with_torsion(crowd *c, size_t i, const uint8_t torsion[32], bool in_key,
                              sotto_i_random *random) {
  uint8_t hash[64], nonce[64], r[32], h[32], a[32];
  crypto_hash_sha512_state state;
  sotto_i_random_bytes(random, nonce, sizeof nonce);
  crypto_core_ed25519_scalar_reduce(r, nonce);
  crypto_scalarmult_ed25519_base_noclamp(c->signature[i], r);
  if (in_key)
    (void)!crypto_core_ed25519_add(c->key[i], c->key[i], torsion);
  else
    (void)!crypto_core_ed25519_add(c->signature[i], c->signature[i], torsion);
  crypto_hash_sha512_init(&state);
  crypto_hash_sha512_update(&state, c->signature[i], 32);
  crypto_hash_sha512_update(&state, c->key[i], 32);
  crypto_hash_sha512_update(&state, c->text[i], c->item[i].size);
  crypto_hash_sha512_final(&state, hash);
  crypto_core_ed25519_scalar_reduce(h, hash);
  crypto_hash_sha512(hash, c->secret[i], 32);
  hash[0] &= 248, hash[31] &= 127, hash[31] |= 64;
  memset(hash + 32, 0, 32);
  crypto_core_ed25519_scalar_reduce(a, hash);
  crypto_core_ed25519_scalar_mul(h, h, a);
  crypto_core_ed25519_scalar_add(c->signature[i] + 32, h, r);
}

static void the_verdict_on_points_of_small_order_is_that_of_libsodium(void **state) {
  (void)state;
  static crowd c;
  sotto_i_random random = check_random();
  size_t good = 0;
  for (int round = 0; round < 6; round++) {
    draw(&c, &random);
    for (size_t i = 0; i < many; i++) {
      uint8_t point[32];
      assert_int_equal(sodium_hex2bin(point, 32, small[i % smalls], 64, NULL, NULL, NULL), 0);
      if (round == 0) memcpy(c.key[i], point, 32);
      if (round == 1) memcpy(c.signature[i], point, 32);
      if (round == 2) add_order(c.signature[i] + 32);
      if (round == 3)
        memcpy(c.key[i], point, 32), memcpy(c.signature[i], point, 32), memset(c.signature[i] + 32, 0, 32);
      if (round >= 4) sign_with_torsion(&c, i, point, round == 4, &random);
    }
    good += compare(&c, many, round);
  }
  assert_in_range(good, 1,
                  6 * many / 2); /* of keys with torsion, an eighth or so are good, as h T may be neutral */
}

int main(void) {
  if (sodium_init() < 0) return 1;
  printf("kernel: %s\n", sotto_i_curve_kernel());
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_signatures_are_found_good_in_any_number),
      cmocka_unit_test(one_changed_bit_anywhere_is_found),
      cmocka_unit_test(the_verdict_on_points_of_small_order_is_that_of_libsodium),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
