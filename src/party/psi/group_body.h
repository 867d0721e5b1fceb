/* ristretto255 (RFC 9496) on one element in each lane: the same results as libsodium, byte for byte, several
 * times as fast. The scalar is the same for all lanes; no branch and no address depends on it or on a point.
 * Include it after a field: field_ifma.h or field_avx2.h.
 *
 * Instead of k P this computes Q = (k/2) P and encodes 2 Q, which needs an inversion instead of a square root
 * (Hamburg 2015; the formulas are those of curve25519-dalek's batch compression). A batch shares one
 * inversion. */
#ifndef SOTTO_SRC_PARTY_PSI_GROUP_BODY_H
#define SOTTO_SRC_PARTY_PSI_GROUP_BODY_H

#include <sodium.h>
#include <string.h>

#include "group.h"
#include "party/curve/edwards_body.h"

/* More constants of RFC 9496, section 4.1, in radix 2^52. */
static const constant invsqrt_a_minus_d = {
    {0x8fdaa805d40eaULL, 0x175a4172be99cULL, 0xe01d8409d2f16ULL, 0xfca216c27b91fULL, 0x786c8905cfafULL}};
static const constant sqrt_ad_minus_one = {
    {0x7f6a0497b2e1bULL, 0x0c1b7854bd7e9ULL, 0x1f5d1fdaf9d8eULL, 0x48ac0f3cfcc93ULL, 0x376931bf2b83ULL}};
static const constant one_minus_d_sq = {
    {0xc09c1945fc176ULL, 0x38cd5e350fe27ULL, 0xe70dfe42c81a1ULL, 0xe0d79994abddbULL, 0x029072a8b2b3ULL}};
static const constant d_minus_one_sq = {
    {0xd5aaa44ed4d20ULL, 0x2cb01e199931aULL, 0x29b4eebd29e4aULL, 0x22414cdcd32f5ULL, 0x5968b37af66cULL}};

enum { digits_of_half = 63, batch = 16 }; /* groups of `lanes` that share an inversion; an even number */

/* SQRT_RATIO_M1 of the RFC for two values: |sqrt(u/v)| where it exists, else |sqrt(SQRT_M1 u/v)|. */
static void sqrt_ratios(lane_mask exists[2], fe2 *out, const fe2 *u, const fe2 *v) {
  fe i = fe_constant(&sqrt_m1);
  fe2 v3 = fe2_mul(fe2_square_times(*v, 1), *v), v7 = fe2_mul(fe2_square_times(v3, 1), *v);
  fe2 root = fe2_mul(fe2_mul(*u, v3), fe2_power_252_3(fe2_mul(*u, v7)));
  for (int k = 0; k < 2; k++) {
    fe r = root.v[k], check = fe_mul(v->v[k], fe_square(r)), minus_u = fe_neg(u->v[k]);
    lane_mask right = fe_equal(check, u->v[k]), flipped = fe_equal(check, minus_u);
    lane_mask flipped_i = fe_equal(check, fe_mul(minus_u, i));
    out->v[k] = fe_abs(fe_select(flipped | flipped_i, r, fe_mul(r, i)));
    exists[k] = right | flipped;
  }
}

/* Section 4.3.1, for two groups. `good` marks the lanes with a canonical encoding of an element. */
static void decode(lane_mask good[2], point p[2], const uint8_t *const bytes[2], const size_t count[2]) {
  fe unit = fe_constant(&one);
  fe2 units = {{unit, unit}}, s, u1, u2, v, root, under;
  lane_mask square[2];
  for (int k = 0; k < 2; k++) {
    s.v[k] = fe_load(bytes[k], SOTTO_I_POINT_BYTES, count[k], &good[k]);
    good[k] &= (lane_mask) ~(fe_is_negative(s.v[k]) | highest_bits(bytes[k], SOTTO_I_POINT_BYTES, count[k]));
    fe ss = fe_square(s.v[k]);
    u1.v[k] = fe_sub(unit, ss);
    u2.v[k] = fe_add(unit, ss);
    fe u2_sq = fe_square(u2.v[k]);
    v.v[k] = fe_sub(fe_neg(fe_mul(fe_constant(&edwards_d), fe_square(u1.v[k]))), u2_sq);
    under.v[k] = fe_mul(v.v[k], u2_sq);
  }
  sqrt_ratios(square, &root, &units, &under);
  for (int k = 0; k < 2; k++) {
    fe den_x = fe_mul(root.v[k], u2.v[k]), den_y = fe_mul(fe_mul(root.v[k], den_x), v.v[k]);
    fe x = fe_abs(fe_mul(fe_add(s.v[k], s.v[k]), den_x)), y = fe_mul(u1.v[k], den_y);
    p[k] = (point){x, y, unit, fe_mul(x, y)};
    good[k] &= square[k] & (lane_mask) ~(fe_is_negative(p[k].t) | fe_is_zero(y));
  }
}

/* MAP of section 4.3.4, for both halves of a hash. */
static void map_halves(point p[2], const fe2 *t) {
  fe unit = fe_constant(&one), d = fe_constant(&edwards_d);
  fe2 r, u, v, root;
  lane_mask square[2];
  for (int k = 0; k < 2; k++) {
    r.v[k] = fe_mul(fe_constant(&sqrt_m1), fe_square(t->v[k]));
    u.v[k] = fe_mul(fe_add(r.v[k], unit), fe_constant(&one_minus_d_sq));
    v.v[k] = fe_mul(fe_sub(fe_neg(unit), fe_mul(r.v[k], d)), fe_add(r.v[k], d));
  }
  sqrt_ratios(square, &root, &u, &v);
  for (int k = 0; k < 2; k++) {
    fe s = fe_select(square[k], fe_neg(fe_abs(fe_mul(root.v[k], t->v[k]))), root.v[k]);
    fe c = fe_select(square[k], r.v[k], fe_neg(unit));
    fe n = fe_sub(fe_mul(fe_mul(c, fe_sub(r.v[k], unit)), fe_constant(&d_minus_one_sq)), v.v[k]);
    fe ss = fe_square(s), sv = fe_mul(s, v.v[k]), w0 = fe_add(sv, sv);
    fe w1 = fe_mul(n, fe_constant(&sqrt_ad_minus_one)), w2 = fe_sub(unit, ss), w3 = fe_add(unit, ss);
    p[k] = (point){fe_mul(w0, w3), fe_mul(w2, w1), fe_mul(w1, w3), fe_mul(w0, w2)};
  }
}

/* Digits from -8 to 8, the lowest first, whose sum times 16^i is half the scalar modulo the order of the
 * group. The even one of k and -k is halved: the half is below 2^251 + 2^124, so that the last digit is at
 * most 8. */
static void half_digits(int8_t digits[digits_of_half], const uint8_t scalar[32]) {
  uint8_t even[32];
  const uint8_t odd = (uint8_t) - (scalar[0] & 1);
  crypto_core_ristretto255_scalar_negate(even, scalar);
  for (int i = 0; i < 32; i++) even[i] = (uint8_t)(scalar[i] ^ (odd & (scalar[i] ^ even[i])));
  for (int i = 0; i < 32; i++) even[i] = (uint8_t)(even[i] >> 1 | (i < 31 ? even[i + 1] << 7 : 0));
  int carry = 0;
  for (int i = 0; i < digits_of_half; i++) {
    int digit = ((even[i / 2] >> (4 * (i % 2))) & 15) + carry;
    carry = i == digits_of_half - 1 ? 0 : (digit + 8) >> 4;
    digit -= 16 * carry;
    digits[i] = (int8_t)((digit ^ (int8_t)odd) - (int8_t)odd);
  }
  sodium_memzero(even, sizeof even);
}

static void multiply_point(point *p, const int8_t digits[digits_of_half]) {
  addend table[multiples];
  fe unit = fe_constant(&one);
  point r = {fe_zero(), unit, unit, fe_zero()};
  point_multiples(table, p);
  for (int i = digits_of_half - 1; i >= 0; i--) {
    lane_mask turn;
    if (i < digits_of_half - 1)
      for (int doubling = 0; doubling < 4; doubling++) point_double(&r, doubling == 3);
    addend q = look_up(table, integers_splat(digits[i]), &turn);
    point_add(&r, &q, turn, i == 0);
  }
  *p = r;
}

/* For Q: e g / (f h) and the parts that encode 2 Q. */
typedef struct doubled {
  fe e, f, g, h, eg, fh;
} doubled;

static void prepare_doubled(doubled *out, const point *p) {
  fe zz = fe_square(p->z), dtt = fe_mul(fe_square(p->t), fe_constant(&edwards_d)), xy = fe_mul(p->x, p->y);
  out->e = fe_add(xy, xy);
  out->f = fe_add(zz, dtt);
  out->g = fe_add(fe_square(p->x), fe_square(p->y));
  out->h = fe_sub(zz, dtt);
  out->eg = fe_mul(out->e, out->g);
  out->fh = fe_mul(out->f, out->h);
}

/* The encoding of 2 Q; `inverse` is that of e f g h. */
static fe encode(const doubled *q, fe inverse) {
  fe z_inv = fe_mul(q->eg, inverse), t_inv = fe_mul(q->fh, inverse);
  lane_mask rotate = fe_is_negative(fe_mul(q->eg, z_inv));
  fe e = fe_select(rotate, q->e, q->g), g = fe_select(rotate, q->g, fe_neg(q->e));
  fe h = fe_select(rotate, q->h, fe_mul(q->f, fe_constant(&sqrt_m1)));
  fe by = fe_select(rotate, fe_constant(&invsqrt_a_minus_d), fe_constant(&sqrt_m1));
  g = fe_select(fe_is_negative(fe_mul(fe_mul(h, e), z_inv)), g, fe_neg(g));
  return fe_abs(fe_mul(fe_sub(h, g), fe_mul(by, fe_mul(g, t_inv))));
}

/* Encodes the doubles of `groups` times `lanes` points, of which `count` are wanted. A product e f g h of 0
 * belongs to the identity, which is encoded as 0; it is replaced by 1, so that the others keep their
 * inverses. Even and odd groups have separate inversions, interleaved. */
static void encode_doubles(uint8_t *out, size_t count, const doubled *q, size_t groups) {
  const fe unit = fe_constant(&one);
  fe before[batch], product[batch];
  lane_mask identity[batch];
  fe2 all = {{unit, unit}};
  for (size_t i = 0; i < groups; i++) {
    product[i] = fe_mul(q[i].eg, q[i].fh);
    identity[i] = fe_is_zero(product[i]);
    product[i] = fe_select(identity[i], product[i], unit);
    before[i] = all.v[i % 2];
    all.v[i % 2] = fe_mul(all.v[i % 2], product[i]);
  }
  all = fe2_invert(all);
  for (size_t i = groups; i-- > 0;) {
    const size_t first = lanes * i, some = count - first < lanes ? count - first : lanes;
    fe s = encode(&q[i], fe_mul(all.v[i % 2], before[i]));
    all.v[i % 2] = fe_mul(all.v[i % 2], product[i]);
    if (first < count)
      fe_store(out + SOTTO_I_POINT_BYTES * first, some, fe_select(identity[i], s, fe_zero()));
  }
}

/* The two groups that begin at ids `begin` and `begin` + `lanes`; the second repeats the first where there is
 * none. */
typedef struct two {
  const uint8_t *at[2];
  size_t count[2];
} two;

static two two_groups(const uint8_t *in, size_t stride, size_t begin, size_t count) {
  const size_t second = begin + lanes < count ? begin + lanes : begin;
  return (two){
      {in + stride * begin, in + stride * second},
      {count - begin < lanes ? count - begin : lanes, count - second < lanes ? count - second : lanes}};
}

static size_t first_bad_lane(lane_mask good, size_t count, size_t begin) {
  const unsigned wrong = ~lane_bits(good) & ((1U << count) - 1U);
  return wrong == 0 ? SIZE_MAX : begin + (unsigned)__builtin_ctz(wrong);
}

static NOINLINE size_t group_multiply(uint8_t *out, const uint8_t *points, size_t count,
                                      const uint8_t *scalar) {
  int8_t digits[digits_of_half];
  size_t bad = SIZE_MAX;
  doubled q[batch];
  half_digits(digits, scalar);
  for (size_t begin = 0; begin < count; begin += (size_t)lanes * batch) {
    const size_t some = count - begin < (size_t)lanes * batch ? count - begin : (size_t)lanes * batch;
    size_t groups = 0;
    for (; lanes * groups < some; groups += 2) {
      const two from =
          two_groups(points + SOTTO_I_POINT_BYTES * begin, SOTTO_I_POINT_BYTES, lanes * groups, some);
      lane_mask good[2];
      point p[2];
      decode(good, p, from.at, from.count);
      for (size_t k = 0; k < 2; k++) {
        good[k] &= (lane_mask)~fe_is_zero(p[k].x); /* the identity */
        const size_t here =
            first_bad_lane(good[k], from.count[k], (size_t)(from.at[k] - points) / SOTTO_I_POINT_BYTES);
        if (here < bad) bad = here;
        multiply_point(&p[k], digits);
        prepare_doubled(&q[groups + k], &p[k]);
      }
    }
    encode_doubles(out + SOTTO_I_POINT_BYTES * begin, some, q, groups);
  }
  sodium_memzero(digits, sizeof digits);
  sodium_memzero(q, sizeof q);
  return bad;
}

static NOINLINE void group_hash_multiply(uint8_t *out, const uint8_t *hashes, size_t count,
                                         const uint8_t *scalar) {
  int8_t digits[digits_of_half];
  doubled q[batch];
  half_digits(digits, scalar);
  for (size_t begin = 0; begin < count; begin += (size_t)lanes * batch) {
    const size_t some = count - begin < (size_t)lanes * batch ? count - begin : (size_t)lanes * batch;
    size_t groups = 0;
    for (; lanes * groups < some; groups++) {
      const size_t first = begin + lanes * groups, left = count - first < lanes ? count - first : lanes;
      const uint8_t *at = hashes + SOTTO_I_HASH_BYTES * first;
      lane_mask any;
      fe2 halves = {
          {fe_load(at, SOTTO_I_HASH_BYTES, left, &any), fe_load(at + 32, SOTTO_I_HASH_BYTES, left, &any)}};
      point p[2];
      map_halves(p, &halves);
      addend second = addend_of(&p[1]);
      point_add(&p[0], &second, no_lanes(), 1);
      multiply_point(&p[0], digits);
      prepare_doubled(&q[groups], &p[0]);
    }
    encode_doubles(out + SOTTO_I_POINT_BYTES * begin, some, q, groups);
  }
  sodium_memzero(digits, sizeof digits);
  sodium_memzero(q, sizeof q);
}

#endif
