/* Signatures of Ed25519, in two groups of `lanes` at once, each on its own: R = s B - H(R, A, text) A is
 * computed and compared with the R of the signature byte for byte, without a cofactor. libsodium's further
 * checks are made here as well: s is reduced, A is canonical, and neither A nor R has an order of 8 or less.
 * Included after a field: field_ifma.h or field_avx2.h. */
#ifndef SOTTO_SRC_PARTY_CURVE_VERIFY_BODY_H
#define SOTTO_SRC_PARTY_CURVE_VERIFY_BODY_H

#include <sodium.h>
#include <string.h>

#include "edwards_body.h"
#include "verify.h"

enum { key_size = 32, digit_count = 64, both = 2 * lanes };

static const constant base_x = {
    {0x62d608f25d51aULL, 0x609525a7b2c95ULL, 0xdd6dc5c692cc7ULL, 0x53fec0a4e231fULL, 0x216936d3cd6eULL}};
static const constant base_y = {
    {0x6666666666658ULL, 0x6666666666666ULL, 0x6666666666666ULL, 0x6666666666666ULL, 0x666666666666ULL}};

/* Digits of a scalar of each lane. */
typedef struct lane_digits {
  int8_t digit[digit_count][lanes];
} lane_digits;

/* From -8 to 8, the lowest first; the scalar is below 2^253. */
static void set_digits(lane_digits *out, size_t lane, const uint8_t scalar[32]) {
  int carry = 0;
  for (int i = 0; i < digit_count; i++) {
    const int digit = ((scalar[i / 2] >> (4 * (i % 2))) & 15) + carry;
    carry = i == digit_count - 1 ? 0 : (digit + 8) >> 4;
    out->digit[i][lane] = (int8_t)(digit - 16 * carry);
  }
}

static integers digits_at(const lane_digits *of, int i) {
  return integers_load(of->digit[i]);
}

static bool is_reduced(const uint8_t scalar[32]) {
  static const uint8_t order[32] = {0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58,       0xd6,
                                    0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, [31] = 0x10};
  for (int i = 31; i >= 0; i--)
    if (scalar[i] != order[i]) return scalar[i] < order[i];
  return false;
}

/* RFC 8032, section 5.1.3, of two groups, with x of the other sign: -A. Gives which are canonical points. */
static void decode_negated(lane_mask good[2], point p[2], const uint8_t keys[2][lanes * key_size]) {
  const fe unit = fe_constant(&one), i = fe_constant(&sqrt_m1);
  fe2 y, u, v, root;
  for (int k = 0; k < 2; k++) {
    y.v[k] = fe_load(keys[k], key_size, lanes, &good[k]);
    const fe yy = fe_square(y.v[k]);
    u.v[k] = fe_sub(yy, unit);
    v.v[k] = fe_add(fe_mul(yy, fe_constant(&edwards_d)), unit);
  }
  const fe2 v3 = fe2_mul(fe2_square_times(v, 1), v), v7 = fe2_mul(fe2_square_times(v3, 1), v);
  root = fe2_mul(fe2_mul(u, v3), fe2_power_252_3(fe2_mul(u, v7)));
  for (int k = 0; k < 2; k++) {
    const fe check = fe_mul(v.v[k], fe_square(root.v[k]));
    const lane_mask right = fe_equal(check, u.v[k]), flipped = fe_equal(check, fe_neg(u.v[k]));
    fe x = fe_select(flipped, root.v[k], fe_mul(root.v[k], i));
    const lane_mask same = (lane_mask) ~(fe_is_negative(x) ^ highest_bits(keys[k], key_size, lanes));
    x = fe_select(same, x, fe_neg(x));
    good[k] &= right | flipped;
    p[k] = (point){x, y.v[k], unit, fe_mul(x, y.v[k])};
  }
}

/* Is 8 p the neutral element? Its x is 0 then, and of no other multiple of 8. */
static lane_mask has_small_order(const point *p) {
  point eight = *p;
  for (int i = 0; i < 3; i++) point_double(&eight, 0);
  return fe_is_zero(eight.x);
}

/* s B + h p. */
static point two_products(const lane_digits *s, const addend base[multiples], const lane_digits *h,
                          const point *p) {
  addend table[multiples];
  const fe unit = fe_constant(&one);
  point r = {fe_zero(), unit, unit, fe_zero()};
  point_multiples(table, p);
  for (int i = digit_count - 1; i >= 0; i--) {
    lane_mask turn;
    if (i < digit_count - 1)
      for (int doubling = 0; doubling < 4; doubling++) point_double(&r, doubling == 3);
    addend q = look_up(base, digits_at(s, i), &turn);
    point_add(&r, &q, turn, 1);
    q = look_up(table, digits_at(h, i), &turn);
    point_add(&r, &q, turn, 0);
  }
  return r;
}

/* What a signature says: H(R, A, text) and s, in the digits of its lane. */
static bool read_signature(lane_digits *h, lane_digits *s, size_t lane, const sotto_i_signed *what) {
  crypto_hash_sha512_state hash;
  uint8_t wide[crypto_hash_sha512_BYTES], scalar[32];
  crypto_hash_sha512_init(&hash);
  crypto_hash_sha512_update(&hash, what->signature, 32);
  crypto_hash_sha512_update(&hash, what->key, key_size);
  crypto_hash_sha512_update(&hash, what->text, what->size);
  crypto_hash_sha512_final(&hash, wide);
  crypto_core_ed25519_scalar_reduce(scalar, wide);
  set_digits(h, lane, scalar);
  const bool reduced = is_reduced(what->signature + 32);
  memcpy(scalar, what->signature + 32, sizeof scalar);
  if (!reduced) memset(scalar, 0, sizeof scalar);
  set_digits(s, lane, scalar);
  return reduced;
}

/* Up to `both`; the first stands in for those that are missing. */
static void verify_both(bool *good, const sotto_i_signed *what, size_t count, const addend base[multiples]) {
  uint8_t keys[2][lanes * key_size], found[2][lanes * 32];
  lane_digits h[2], s[2];
  point p[2], r[2];
  fe2 z;
  lane_mask fine[2], odd[2];
  bool reduced[both];
  for (size_t i = 0; i < both; i++) {
    const sotto_i_signed *one_of_them = &what[i < count ? i : 0];
    memcpy(keys[i / lanes] + i % lanes * key_size, one_of_them->key, key_size);
    reduced[i] = read_signature(&h[i / lanes], &s[i / lanes], i % lanes, one_of_them);
  }
  decode_negated(fine, p, keys);
  for (int k = 0; k < 2; k++) {
    r[k] = two_products(&s[k], base, &h[k], &p[k]);
    fine[k] &= (lane_mask) ~(has_small_order(&p[k]) | has_small_order(&r[k]));
    z.v[k] = r[k].z;
  }
  z = fe2_invert(z);
  for (int k = 0; k < 2; k++) {
    fe_store(found[k], lanes, fe_mul(r[k].y, z.v[k]));
    odd[k] = fe_is_negative(fe_mul(r[k].x, z.v[k]));
  }
  for (size_t i = 0; i < count; i++) {
    const size_t k = i / lanes, lane = i % lanes;
    found[k][lane * 32 + 31] |= (uint8_t)((lane_bits(odd[k]) >> lane & 1) << 7);
    good[i] = reduced[i] && (lane_bits(fine[k]) >> lane & 1) != 0 &&
              memcmp(found[k] + lane * 32, what[i].signature, 32) == 0;
  }
}

static NOINLINE void verify_many(bool *good, const sotto_i_signed *what, size_t count) {
  const fe x = fe_constant(&base_x), y = fe_constant(&base_y);
  const point b = {x, y, fe_constant(&one), fe_mul(x, y)};
  addend base[multiples];
  point_multiples(base, &b);
  for (size_t i = 0; i < count; i += both)
    verify_both(good + i, what + i, count - i < both ? count - i : both, base);
}

#endif
