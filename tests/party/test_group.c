/* ristretto255: every kernel against libsodium, byte for byte, and encodings that are none. */
#include <sodium.h>

#include "check.h"
#include "party/psi/group.h"

enum { many = 75 };

static void random_bytes(sotto_i_random *random, uint8_t *out, size_t count) {
  sotto_i_random_bytes(random, out, count);
}

static void draw_scalar(sotto_i_random *random, uint8_t *scalar) {
  uint8_t wide[64];
  random_bytes(random, wide, sizeof wide);
  crypto_core_ristretto255_scalar_reduce(scalar, wide);
}

/* 0: the best kernel through the pool, 1: it alone, 2: libsodium's. */
static size_t multiply(int how, uint8_t *out, const uint8_t *in, size_t count, const uint8_t *scalar) {
  if (how == 0) return sotto_i_group_multiply(out, in, count, scalar);
  return (how == 1 ? sotto_i_group_kernel_best() : &sotto_i_group_sodium)->multiply(out, in, count, scalar);
}

/* Scalars with extreme digits: 1, 2, the order less 1, 8 and 7 repeated. */
static void scalar_number(uint8_t *scalar, int number, sotto_i_random *random) {
  static const uint8_t order[32] = {0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58,       0xd6,
                                    0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, [31] = 0x10};
  memset(scalar, number == 3 ? 0x88 : number == 4 ? 0x77 : number == 5 ? 0x78 : 0, 32);
  if (number < 2) scalar[0] = (uint8_t)(number + 1);
  if (number == 2) {
    memcpy(scalar, order, 32);
    scalar[0]--;
  }
  if (number >= 3) scalar[31] = 0x0f;
  if (number > 5) draw_scalar(random, scalar);
}

static void products_are_those_of_libsodium(void **state) {
  (void)state;
  static uint8_t hashes[64 * many], got[32 * many];
  uint8_t scalar[32], point[32], wanted[32];
  sotto_i_random random = check_random();
  for (int number = 0; number < 9; number++) {
    random_bytes(&random, hashes, sizeof hashes);
    if (number == 0) memset(hashes, 0, 64); /* the map at 0, and at values of p and above */
    if (number == 1) memset(hashes, 0xFF, 64);
    if (number == 2) memset(hashes, 0xED, 1), memset(hashes + 1, 0xFF, 30), hashes[31] = 0x7F;
    scalar_number(scalar, number, &random);
    sotto_i_group_hash_multiply(got, hashes, many, scalar);
    for (size_t i = 0; i < many; i++) {
      assert_int_equal(crypto_core_ristretto255_from_hash(point, hashes + 64 * i), 0);
      (void)!crypto_scalarmult_ristretto255(wanted, scalar, point);
      if (memcmp(wanted, got + 32 * i, 32) != 0) fail_msg("scalar %d, hash %zu", number, i);
      memcpy(got + 32 * i, point, 32);
    }
    static uint8_t out[32 * many];
    size_t bad = multiply(number % 3, out, got, many, scalar);
    for (size_t i = 0; i < many; i++) {
      int status = crypto_scalarmult_ristretto255(wanted, scalar, got + 32 * i);
      if (status != 0) assert_true(bad <= i);
      if (status == 0 && memcmp(wanted, out + 32 * i, 32) != 0) fail_msg("scalar %d, point %zu", number, i);
    }
    if (number > 2) assert_true(bad == SIZE_MAX);
  }
}

/* RFC 9496, appendix A.1: the first multiples of the generator. */
static void small_multiples_of_the_generator_are_those_of_the_rfc(void **state) {
  (void)state;
  static const char *const multiples[] = {"e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76",
                                          "6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919",
                                          "94741f5d5d52755ece4f23f044ee27d5d1ea1e2bd196b462166b16152a9d0259"};
  uint8_t base[32], wanted[32], got[32], scalar[32] = {0};
  size_t size;
  assert_int_equal(sodium_hex2bin(base, 32, multiples[0], 64, NULL, &size, NULL), 0);
  for (uint8_t k = 1; k <= 3; k++) {
    scalar[0] = k;
    assert_int_equal(sodium_hex2bin(wanted, 32, multiples[k - 1], 64, NULL, &size, NULL), 0);
    assert_true(sotto_i_group_multiply(got, base, 1, scalar) == SIZE_MAX);
    assert_memory_equal(got, wanted, 32);
  }
}

/* RFC 9496, appendix A.2, some of each kind, and the identity. */
static const char *const wrong[] = {
    "00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", /* not canonical */
    "f3ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0100000000000000000000000000000000000000000000000000000000000000", /* negative */
    "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "ed57ffd8c914fb201471d1c3d245ce3c746fcbe63a3679d51b6a516ebebe0e20",
    "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371", /* no square root */
    "4eac077a713c57b4f4397629a4145982c661f48044dd3f96427d40b147d9742f",
    "3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e", /* x y negative */
    "a45fdc55c76448c049a1ab33f17023edfb2be3581e9c7aade8a6125215e04220",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", /* y = 0 */
    "0000000000000000000000000000000000000000000000000000000000000000", /* the identity */
    "e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2df6", /* the highest bit, which libsodium
                                                                           takes */
};

static void encodings_that_are_none_are_found(void **state) {
  (void)state;
  static uint8_t hashes[64 * many], points[32 * many], out[32 * many];
  uint8_t scalar[32] = {5};
  sotto_i_random random = check_random();
  random_bytes(&random, hashes, sizeof hashes);
  sotto_i_group_hash_multiply(points, hashes, many, scalar);
  for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
    size_t at = sotto_i_random_below(&random, many), size;
    uint8_t kept[32];
    memcpy(kept, points + 32 * at, 32);
    assert_int_equal(sodium_hex2bin(points + 32 * at, 32, wrong[w], 64, NULL, &size, NULL), 0);
    for (int how = 0; how < 3; how++) assert_int_equal(multiply(how, out, points, many, scalar), at);
    memcpy(points + 32 * at, kept, 32);
  }
  assert_true(multiply(0, out, points, many, scalar) == SIZE_MAX);
}

/* Bytes at random, and valid ones with a bit turned: the same verdict as libsodium's, but for the highest
 * bit. */
static void the_verdict_on_any_bytes_is_that_of_libsodium(void **state) {
  (void)state;
  uint8_t scalar[32], point[32], hash[64], wanted[32], got[32];
  sotto_i_random random = check_random();
  size_t valid = 0;
  for (int trial = 0; trial < 900; trial++) {
    draw_scalar(&random, scalar);
    random_bytes(&random, hash, sizeof hash);
    crypto_core_ristretto255_from_hash(point, hash);
    if (trial % 3 == 0) point[sotto_i_random_below(&random, 32)] ^= (uint8_t)(1U << (trial % 8));
    if (trial % 3 == 1) random_bytes(&random, point, 32), point[31] &= 0x7F, point[0] &= 0xFE;
    bool good = crypto_scalarmult_ristretto255(wanted, scalar, point) == 0 && point[31] >> 7 == 0;
    for (int how = 1; how < 3; how++) {
      assert_int_equal(multiply(how, got, point, 1, scalar) == SIZE_MAX, good);
      if (good) assert_memory_equal(got, wanted, 32);
    }
    valid += good;
  }
  assert_in_range(valid, 301, 899);
}

int main(void) {
  if (sodium_init() < 0) return 1;
  printf("kernel: %s\n", sotto_i_group_kernel_best()->name);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_are_those_of_libsodium),
      cmocka_unit_test(small_multiples_of_the_generator_are_those_of_the_rfc),
      cmocka_unit_test(encodings_that_are_none_are_found),
      cmocka_unit_test(the_verdict_on_any_bytes_is_that_of_libsodium),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
