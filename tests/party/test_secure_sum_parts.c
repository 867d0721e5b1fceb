/* Parts of secure aggregation beside slow references, and what the server sees of one client. */
#include <math.h>
#include <openssl/evp.h>
#include <sodium.h>

#include "check.h"
#include "chi_square.h"
#include "party/secure_sum/secure_sum_masks.h"
#include "sum_round.h"

static void neighbours_are_mutual_and_as_many_as_planned(void **state) {
  (void)state;
  for (uint64_t round = 0; round < 4; round++) {
    sotto_sum_plan plan;
    uint32_t *graph, met = 0, k;
    CHECK_OK(sotto_sum_plan_new(&plan, 50, 0, 0, 1, &err));
    plan.round = round;
    k = plan.neighbours;
    assert_int_equal(k, 12); /* 2 ceil(log2 50) */
    CHECK_OK(sotto_i_sum_graph(&graph, &plan, &err));
    for (uint32_t i = 0; i < 50; i++)
      for (uint32_t j = 0; j < k; j++) {
        uint32_t other = graph[i * k + j];
        assert_true(other != i && (j == 0 || graph[i * k + j - 1] < other));
        assert_true(sotto_i_sum_place(graph + (size_t)other * k, k, i) < k);
        met += other == (i + 1) % 50;
      }
    assert_true(met < 50); /* the circle is shuffled */
    sotto_i_free(graph);
  }
}

static void plans_out_of_range_are_refused_by_name(void **state) {
  (void)state;
  sotto_sum_plan plan;
  CHECK_FAILS(SOTTO_RANGE, "3 to", sotto_sum_plan_new(&plan, 2, 0, 0, 1, &err));
  CHECK_FAILS(SOTTO_RANGE, "3 to", sotto_sum_plan_new(&plan, 70000, 0, 0, 1, &err));
  CHECK_FAILS(SOTTO_RANGE, "even number", sotto_sum_plan_new(&plan, 10, 5, 0, 1, &err));
  CHECK_FAILS(SOTTO_RANGE, "at most 254", sotto_sum_plan_new(&plan, 1000, 300, 0, 1, &err));
  CHECK_FAILS(SOTTO_RANGE, "must be 6 to 8", sotto_sum_plan_new(&plan, 10, 8, 5, 1, &err));
  CHECK_FAILS(SOTTO_RANGE, "more than two thirds", sotto_sum_plan_new(&plan, 10, 8, 9, 1, &err));
  CHECK_FAILS(SOTTO_RANGE, "values", sotto_sum_plan_new(&plan, 10, 8, 6, 0, &err));
}

/* Multiplication in GF(2^8) by the polynomial of libgfshare, x^8 + x^4 + x^3 + x^2 + 1, bit by bit. */
static uint8_t times(uint8_t a, uint8_t b) {
  uint8_t product = 0;
  for (; b != 0; b >>= 1) {
    if (b & 1) product ^= a;
    a = (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1D : 0));
  }
  return product;
}

static uint8_t inverse(uint8_t a) {
  for (int b = 1; b < 256; b++)
    if (times(a, (uint8_t)b) == 1) return (uint8_t)b;
  return 0;
}

/* Lagrange's formula at 0, byte by byte. */
static void join_slowly(uint8_t out[32], uint8_t (*shares)[32], const uint32_t *places, uint32_t count) {
  memset(out, 0, 32);
  for (uint32_t i = 0; i < count; i++) {
    uint8_t factor = 1, x = (uint8_t)(places[i] + 1);
    for (uint32_t j = 0; j < count; j++) {
      uint8_t other = (uint8_t)(places[j] + 1);
      if (j != i) factor = times(factor, times(other, inverse(other ^ x)));
    }
    for (int b = 0; b < 32; b++) out[b] ^= times(shares[places[i]][b], factor);
  }
}

static void shares_join_to_the_secret_from_the_threshold_on(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int repeat = 0; repeat < 20; repeat++) {
    enum { most = 60 };
    uint8_t secret[32], shares[most][32], joined[32], slowly[32];
    uint32_t places[most], count = 2 + (uint32_t)sotto_i_random_below(&random, most - 2);
    uint32_t threshold = 1 + (uint32_t)sotto_i_random_below(&random, count);
    const uint8_t *chosen[most];
    sotto_i_random_bytes(&random, secret, sizeof secret);
    CHECK_OK(sotto_i_sum_split(shares[0], count, threshold, secret, &err));
    for (uint32_t i = 0; i < count; i++) places[i] = i;
    sotto_i_random_shuffle(&random, places, count);
    for (uint32_t i = 0; i < threshold; i++) chosen[i] = shares[places[i]];
    CHECK_OK(sotto_i_sum_join(joined, chosen, places, threshold, &err));
    assert_memory_equal(joined, secret, 32);
    join_slowly(slowly, shares, places, threshold);
    assert_memory_equal(slowly, secret, 32);
    if (threshold == 1) continue;
    CHECK_OK(sotto_i_sum_join(joined, chosen, places, threshold - 1, &err));
    assert_memory_not_equal(joined, secret, 32);
  }
}

/* AES-256 of one number at a time, as FIPS 197 has it. */
static void stream_slowly(uint64_t *out, size_t size, const uint8_t key[32]) {
  EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
  assert_int_equal(EVP_EncryptInit_ex(cipher, EVP_aes_256_ecb(), NULL, key, NULL), 1);
  for (size_t i = 0; i < size; i += 2) {
    uint8_t number[16] = {0}, block[32];
    int length;
    for (size_t byte = 0; byte < 8; byte++) number[15 - byte] = (uint8_t)((uint64_t)(i / 2) >> (8 * byte));
    assert_int_equal(EVP_EncryptUpdate(cipher, block, &length, number, 16), 1);
    memcpy(out + i, block, size - i < 2 ? 8 : 16);
  }
  EVP_CIPHER_CTX_free(cipher);
}

static void masks_are_aes_256_of_numbers_for_any_number_of_threads(void **state) {
  (void)state;
  enum { size = 40001 };
  static uint64_t values[size], masked[size], slow[size], stream[size];
  static const uint8_t first[16] = {0xdc, 0x95, 0xc0, 0x78, 0xa2, 0x40, 0x89, 0x89,
                                    0xad, 0x48, 0xa2, 0x14, 0x92, 0x84, 0x20, 0x87}; /* NIST's AESAVS */
  const sotto_i_sum_mask masks[3] = {{.key = {0}}, {.key = {2}, .subtract = true}, {.key = {3}}};
  stream_slowly(stream, size, masks[0].key);
  assert_memory_equal(stream, first, sizeof first);
  for (size_t i = 0; i < size; i++) values[i] = slow[i] = i;
  for (int m = 0; m < 3; m++) {
    stream_slowly(stream, size, masks[m].key);
    for (size_t i = 0; i < size; i++) slow[i] += masks[m].subtract ? -stream[i] : stream[i];
  }
  for (unsigned threads = 1; threads <= 3; threads++) {
    CHECK_OK(sotto_threads_set(threads, &err));
    CHECK_OK(sotto_i_sum_add_masks(masked, values, size, masks, 3, &err));
    assert_memory_equal(masked, slow, sizeof slow);
  }
  CHECK_OK(sotto_i_sum_add_masks(values, values, size, masks, 3, &err)); /* in place */
  assert_memory_equal(values, slow, sizeof slow);
  CHECK_OK(sotto_threads_set(0, &err));
}

/* Any part of a stream that starts with a group of blocks, over the ends of groups, of 2^32 blocks and of
 * 2^40, where a byte changes that the vector kernel computes once. */
static void masks_are_the_same_by_all_kernels(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (sotto_i_isa_level level = SOTTO_I_ISA_PLAIN; level <= sotto_i_isa(); level++) {
    sotto_i_sum_mask_fn *add = sotto_i_sum_mask_kernel(level);
    if (level > SOTTO_I_ISA_PLAIN && add == sotto_i_sum_mask_openssl)
      print_message("this machine has no vector AES for %s: its kernel is not tested\n",
                    sotto_i_isa_name(level));
    for (int repeat = 0; repeat < 200; repeat++) {
      uint64_t ours[1400], theirs[1400];
      sotto_i_sum_mask mask = {.subtract = repeat % 2};
      const size_t count = sotto_i_random_below(&random, 1400) + 1;
      uint64_t block = sotto_i_random_below(&random, (uint64_t)1 << 54) >> (repeat % 5 * 8);
      if (repeat % 10 < 2)
        block = ((uint64_t)1 << (repeat % 10 == 0 ? 32 : 40)) - 1 - (uint64_t)(repeat / 10 % 3 * 256);
      block -= block % SOTTO_I_SUM_MASK_GROUP;
      sotto_i_random_bytes(&random, mask.key, sizeof mask.key);
      sotto_i_random_bytes(&random, (uint8_t *)ours, sizeof ours);
      memcpy(theirs, ours, sizeof ours);
      assert_true(add(ours, count, &mask, block));
      assert_true(sotto_i_sum_mask_openssl(theirs, count, &mask, block));
      assert_memory_equal(ours, theirs, sizeof ours); /* nothing beyond count */
    }
  }
}

/* By a list; here beside the product that the list stands for. */
static void keys_are_refused_when_their_product_is_zero(void **state) {
  (void)state;
  static const uint8_t eight[32] = {8}; /* X25519 makes a multiple of the cofactor of any scalar */
  sotto_i_random random = check_random();
  for (int i = 0; i < 300; i++) {
    uint8_t key[32], product[32];
    sotto_i_random_bytes(&random, key, sizeof key);
    key[31] &= 0x7f;
    if (i < 30) { /* 0 to 29 */
      memset(key, 0, sizeof key);
      key[0] = (uint8_t)i;
    } else if (i < 60) { /* 2^255 - 48 to 2^255 - 19 */
      memset(key, 0xff, sizeof key);
      key[31] = 0x7f;
      key[0] = (uint8_t)(0xec - (i - 30));
    }
    assert_int_equal(sotto_i_sum_key_good(key), crypto_scalarmult(product, eight, key) == 0);
  }
}

/* Bytes that the server saw of client 1, by message. */
typedef struct transcript {
  uint64_t bytes[sum_steps][256], total[sum_steps];
  uint8_t last_keys[64];
  bool repeated;
  const uint64_t *plain; /* a fault: the vector as it is */
} transcript;

static void count_bytes(void *context, uint32_t client, int step, uint8_t *message, size_t size) {
  transcript *t = context;
  if (client != 1) return;
  if (step == 0) { /* points of a curve, not uniform bytes; new each time */
    t->repeated |= memcmp(t->last_keys, message, sizeof t->last_keys) == 0;
    memcpy(t->last_keys, message, sizeof t->last_keys);
    return;
  }
  if (step == 2 && t->plain != NULL) memcpy(message, t->plain, size);
  for (size_t i = 0; i < size; i++) t->bytes[step][message[i]]++;
  t->total[step] += size;
}

static double z_of(const transcript *t, int step) {
  double expected[256];
  for (int i = 0; i < 256; i++) expected[i] = (double)t->total[step] / 256;
  return chi_square_z(t->bytes[step], expected, 256);
}

static void sums_of_constant_values(sum_round *r, transcript *t, uint64_t *values, int repeats) {
  sum_round_new(r, 6, 0, 0, 2000);
  for (size_t i = 0; i < 6 * r->plan.values; i++) values[i] = 1000;
  r->values = values;
  r->seen = count_bytes;
  r->context = t;
  for (int i = 0; i < repeats; i++) {
    r->drops[4] = (uint8_t)(i % 2 == 0 ? 2 : never_drops); /* its key is revealed every other time */
    CHECK_OK(sum_round_run(r, &err));
  }
}

/* Boxes, vectors and what it reveals of others, over many sums of the same values. */
static void what_the_server_sees_of_a_client_is_uniform(void **state) {
  (void)state;
  static sum_round r;
  static uint64_t values[6 * 2000];
  static transcript t, fault;
  sums_of_constant_values(&r, &t, values, 60);
  for (int step = 1; step < sum_steps; step++)
    if (step != 3 && /* a signature, of what the server said */
        fabs(z_of(&t, step)) > CHI_SQUARE_LIMIT)
      fail_msg("message %d is not uniform: z = %.2f over %llu bytes", step, z_of(&t, step),
               (unsigned long long)t.total[step]);
  assert_false(t.repeated);
  fault.plain = values;
  sums_of_constant_values(&r, &fault, values, 1);
  assert_true(fabs(z_of(&fault, 2)) > CHI_SQUARE_LIMIT); /* the test can see a vector without masks */
}

/* Of one that lasted the server learns the own mask. What is left when it is taken off is still uniform. */
typedef struct unmasking {
  uint64_t counts[256], total;
  uint8_t reveals[6][5 * 32], masked[2000 * 8];
} unmasking;

static void keep(void *context, uint32_t client, int step, uint8_t *message, size_t size) {
  unmasking *u = context;
  if (step == 2 && client == 1) memcpy(u->masked, message, size);
  if (step == 4) memcpy(u->reveals[client], message, size);
}

static void vector_without_its_own_mask_is_still_uniform(void **state) {
  (void)state;
  static sum_round r;
  static uint64_t values[6 * 2000], vector[2000];
  static unmasking u;
  sum_round_new(&r, 6, 0, 0, 2000);
  r.values = values;
  r.seen = keep;
  r.context = &u;
  for (int repeat = 0; repeat < 20; repeat++) {
    const uint32_t places[] = {0, 1, 2, 3};
    const uint8_t *shares[4];
    sotto_i_sum_mask mask = {.subtract = true};
    CHECK_OK(sum_round_run(&r, &err));
    assert_int_equal(r.plan.threshold, 4);
    /* Client 1's neighbours are 0, 2, 3, 4, 5; it is second among those of each but 0. */
    for (int i = 0; i < 4; i++) shares[i] = i == 0 ? u.reveals[0] : u.reveals[i + 1] + 32;
    CHECK_OK(sotto_i_sum_join(mask.key, shares, places, 4, &err));
    memcpy(vector, u.masked, sizeof vector);
    CHECK_OK(sotto_i_sum_add_masks(vector, vector, 2000, &mask, 1, &err));
    for (size_t i = 0; i < sizeof vector; i++) u.counts[((const uint8_t *)vector)[i]]++;
    u.total += sizeof vector;
  }
  double expected[256];
  for (int i = 0; i < 256; i++) expected[i] = (double)u.total / 256;
  double z = chi_square_z(u.counts, expected, 256);
  if (fabs(z) > CHI_SQUARE_LIMIT) fail_msg("not uniform: z = %.2f", z);
}

static void keys_of_low_order_or_not_canonical_are_told(void **state) {
  (void)state;
  static const char *const bad[] = {
      /* 0, 1 and -1; the points of order 8; 2^255 - 19 and above; with the highest bit */
      "0000000000000000000000000000000000000000000000000000000000000000",
      "0100000000000000000000000000000000000000000000000000000000000000",
      "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
      "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
      "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "f6ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "0900000000000000000000000000000000000000000000000000000000000080",
  };
  uint8_t key[32];
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(sodium_hex2bin(key, 32, bad[i], 64, NULL, NULL, NULL), 0);
    if (sotto_i_sum_key_good(key)) fail_msg("the key %s is taken", bad[i]);
  }
  for (int i = 0; i < 100; i++) {
    sotto_i_sum_pair pair;
    sotto_i_sum_pair_new(&pair);
    assert_true(sotto_i_sum_key_good(pair.public));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(neighbours_are_mutual_and_as_many_as_planned),
      cmocka_unit_test(plans_out_of_range_are_refused_by_name),
      cmocka_unit_test(keys_of_low_order_or_not_canonical_are_told),
      cmocka_unit_test(shares_join_to_the_secret_from_the_threshold_on),
      cmocka_unit_test(masks_are_aes_256_of_numbers_for_any_number_of_threads),
      cmocka_unit_test(masks_are_the_same_by_all_kernels),
      cmocka_unit_test(keys_are_refused_when_their_product_is_zero),
      cmocka_unit_test(what_the_server_sees_of_a_client_is_uniform),
      cmocka_unit_test(vector_without_its_own_mask_is_still_uniform),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
