/* ristretto255 (RFC 9496) on eight elements at once: the same results as libsodium, byte for byte, several
 * times as fast. The scalar is the same for all lanes; no branch and no address depends on it or on a point.
 */
#if defined(__x86_64__)
#include <sodium.h>
#include <string.h>

#include "field_ifma.h"
#include "group.h"

/* The constants of RFC 9496, section 4.1, in radix 2^51. */
static const constant one = {{1, 0, 0, 0, 0}};
static const constant edwards_d = {
    {0x34dca135978a3ULL, 0x1a8283b156ebdULL, 0x5e7a26001c029ULL, 0x739c663a03cbbULL, 0x52036cee2b6ffULL}};
static const constant edwards_2d = {
    {0x69b9426b2f159ULL, 0x35050762add7aULL, 0x3cf44c0038052ULL, 0x6738cc7407977ULL, 0x2406d9dc56dffULL}};
static const constant sqrt_m1 = {
    {0x61b274a0ea0b0ULL, 0xd5a5fc8f189dULL, 0x7ef5e9cbd0c60ULL, 0x78595a6804c9eULL, 0x2b8324804fc1dULL}};
static const constant invsqrt_a_minus_d = {
    {0xfdaa805d40eaULL, 0x2eb482e57d339ULL, 0x7610274bc58ULL, 0x6510b613dc8ffULL, 0x786c8905cfaffULL}};
static const constant sqrt_ad_minus_one = {
    {0x7f6a0497b2e1bULL, 0x1836f0a97afd2ULL, 0x7d747f6be7638ULL, 0x456079e7e6498ULL, 0x376931bf2b834ULL}};
static const constant one_minus_d_sq = {
    {0x409c1945fc176ULL, 0x719abc6a1fc4fULL, 0x1c37f90b20684ULL, 0x6bccca55eedfULL, 0x29072a8b2b3eULL}};
static const constant d_minus_one_sq = {
    {0x55aaa44ed4d20ULL, 0x59603c3332635ULL, 0x26d3baf4a7928ULL, 0x120a66e6997a9ULL, 0x5968b37af66c2ULL}};

/* Extended coordinates on the twisted Edwards curve with a = -1: x = X/Z, y = Y/Z, T = XY/Z. */
typedef struct point {
  fe x, y, z, t;
} point;
/* A point as it is added: Y + X, Y - X, 2Z, 2dT. */
typedef struct addend {
  fe plus, minus, z2, t2d;
} addend;

static addend addend_of(const point *p) {
  return (addend){fe_add(p->y, p->x), fe_sub(p->y, p->x), fe_add(p->z, p->z),
                  fe_mul(p->t, fe_constant(&edwards_2d))};
}

/* Hisil, Wong, Carter and Dawson 2008, section 3.1. */
static point point_add(const point *p, const addend *q) {
  fe a = fe_mul(fe_sub(p->y, p->x), q->minus), b = fe_mul(fe_add(p->y, p->x), q->plus);
  fe c = fe_mul(p->t, q->t2d), d = fe_mul(p->z, q->z2);
  fe e = fe_sub(b, a), f = fe_sub(d, c), g = fe_add(d, c), h = fe_add(b, a);
  return (point){fe_mul(e, f), fe_mul(g, h), fe_mul(f, g), fe_mul(e, h)};
}

/* The same, section 3.3, all signs turned. `with_t` is public: doublings do not read T. */
static point point_double(const point *p, int with_t) {
  fe a = fe_square(p->x), b = fe_square(p->y), zz = fe_square(p->z);
  fe h = fe_add(a, b), e = fe_sub(h, fe_square(fe_add(p->x, p->y)));
  fe g = fe_sub(a, b), f = fe_add(fe_add(zz, zz), g);
  return (point){fe_mul(e, f), fe_mul(g, h), fe_mul(f, g), with_t ? fe_mul(e, h) : p->t};
}

/* SQRT_RATIO_M1 of the RFC: |sqrt(u/v)| and whether it exists, or |sqrt(SQRT_M1 u/v)|. */
static __mmask8 sqrt_ratio(fe *out, fe u, fe v) {
  fe i = fe_constant(&sqrt_m1), v3 = fe_mul(fe_square(v), v), v7 = fe_mul(fe_square(v3), v);
  fe r = fe_mul(fe_mul(u, v3), fe_power_252_3(fe_mul(u, v7)));
  fe check = fe_mul(v, fe_square(r)), minus_u = fe_neg(u);
  __mmask8 right = fe_equal(check, u), flipped = fe_equal(check, minus_u);
  __mmask8 flipped_i = fe_equal(check, fe_mul(minus_u, i));
  *out = fe_abs(fe_select(flipped | flipped_i, r, fe_mul(r, i)));
  return right | flipped;
}

/* Section 4.3.1. Gives which of the lanes hold a canonical encoding of an element. */
static __mmask8 decode(point *p, const uint8_t *bytes, size_t count) {
  __mmask8 canonical;
  fe s = fe_load(bytes, SOTTO_I_POINT_BYTES, count, &canonical), unit = fe_constant(&one), root;
  __mmask8 negative = fe_is_negative(s);
  fe ss = fe_square(s), u1 = fe_sub(unit, ss), u2 = fe_add(unit, ss), u2_sq = fe_square(u2);
  fe v = fe_sub(fe_neg(fe_mul(fe_constant(&edwards_d), fe_square(u1))), u2_sq);
  __mmask8 square = sqrt_ratio(&root, unit, fe_mul(v, u2_sq));
  fe den_x = fe_mul(root, u2), den_y = fe_mul(fe_mul(root, den_x), v);
  p->x = fe_abs(fe_mul(fe_add(s, s), den_x));
  p->y = fe_mul(u1, den_y);
  p->z = unit;
  p->t = fe_mul(p->x, p->y);
  return canonical & (__mmask8)~negative & square & (__mmask8)~fe_is_negative(p->t) &
         (__mmask8)~fe_is_zero(p->y);
}

/* Section 4.3.2. */
static fe encode(const point *p) {
  fe root, u1 = fe_mul(fe_add(p->z, p->y), fe_sub(p->z, p->y)), u2 = fe_mul(p->x, p->y);
  (void)sqrt_ratio(&root, fe_constant(&one), fe_mul(u1, fe_square(u2)));
  fe den1 = fe_mul(root, u1), den2 = fe_mul(root, u2), z_inv = fe_mul(fe_mul(den1, den2), p->t);
  fe i = fe_constant(&sqrt_m1), ix = fe_mul(p->x, i), iy = fe_mul(p->y, i);
  __mmask8 rotate = fe_is_negative(fe_mul(p->t, z_inv));
  fe x = fe_select(rotate, p->x, iy), y = fe_select(rotate, p->y, ix);
  fe den = fe_select(rotate, den2, fe_mul(den1, fe_constant(&invsqrt_a_minus_d)));
  y = fe_select(fe_is_negative(fe_mul(x, z_inv)), y, fe_neg(y));
  return fe_abs(fe_mul(den, fe_sub(p->z, y)));
}

/* MAP of section 4.3.4. */
static point map(fe t) {
  fe unit = fe_constant(&one), d = fe_constant(&edwards_d), s;
  fe r = fe_mul(fe_constant(&sqrt_m1), fe_square(t));
  fe u = fe_mul(fe_add(r, unit), fe_constant(&one_minus_d_sq));
  fe v = fe_mul(fe_sub(fe_neg(unit), fe_mul(r, d)), fe_add(r, d));
  __mmask8 square = sqrt_ratio(&s, u, v);
  s = fe_select(square, fe_neg(fe_abs(fe_mul(s, t))), s);
  fe c = fe_select(square, r, fe_neg(unit));
  fe n = fe_sub(fe_mul(fe_mul(c, fe_sub(r, unit)), fe_constant(&d_minus_one_sq)), v);
  fe ss = fe_square(s), sv = fe_mul(s, v), w0 = fe_add(sv, sv);
  fe w1 = fe_mul(n, fe_constant(&sqrt_ad_minus_one)), w2 = fe_sub(unit, ss), w3 = fe_add(unit, ss);
  return (point){fe_mul(w0, w3), fe_mul(w2, w1), fe_mul(w1, w3), fe_mul(w0, w2)};
}

/* 64 digits from -8 to 8, the lowest first, whose sum times 16^i is the scalar, below 2^253. */
static void signed_digits(int8_t digits[64], const uint8_t *scalar) {
  int carry = 0;
  for (int i = 0; i < 64; i++) {
    int digit = ((scalar[i / 2] >> (4 * (i % 2))) & 15) + carry;
    carry = i == 63 ? 0 : (digit + 8) >> 4;
    digits[i] = (int8_t)(digit - 16 * carry);
  }
}

/* digit * p out of table[j] = (j + 1) p: every entry is read, and the sign is applied with a mask. */
static addend look_up(const addend *table, int digit) {
  int negative = (int)((unsigned)digit >> 31), size = (digit ^ -negative) + negative;
  addend r = {fe_constant(&one), fe_constant(&one), fe_constant(&one), fe_zero()};
  r.z2 = fe_add(r.z2, r.z2);
  for (int j = 0; j < 8; j++) {
    __mmask8 here = (__mmask8)(0U - (((unsigned)(size ^ (j + 1)) - 1U) >> 31)); /* all lanes, or none */
    r.plus = fe_select(here, r.plus, table[j].plus);
    r.minus = fe_select(here, r.minus, table[j].minus);
    r.z2 = fe_select(here, r.z2, table[j].z2);
    r.t2d = fe_select(here, r.t2d, table[j].t2d);
  }
  __mmask8 turn = (__mmask8)-negative;
  fe plus = r.plus;
  r.plus = fe_select(turn, r.plus, r.minus);
  r.minus = fe_select(turn, r.minus, plus);
  r.t2d = fe_select(turn, r.t2d, fe_neg(r.t2d));
  return r;
}

static point multiply_point(const point *p, const int8_t digits[64]) {
  addend table[8];
  point multiple = *p;
  table[0] = addend_of(p);
  for (int j = 1; j < 8; j++) {
    multiple = point_add(&multiple, &table[0]);
    table[j] = addend_of(&multiple);
  }
  fe unit = fe_constant(&one);
  point r = {fe_zero(), unit, unit, fe_zero()};
  for (int i = 63; i >= 0; i--) {
    for (int doubling = 0; doubling < 4; doubling++) r = point_double(&r, doubling == 3);
    addend q = look_up(table, digits[i]);
    r = point_add(&r, &q);
  }
  return r;
}

static size_t ifma_multiply(uint8_t *out, const uint8_t *points, size_t count, const uint8_t *scalar) {
  int8_t digits[64];
  size_t bad = SIZE_MAX;
  signed_digits(digits, scalar);
  for (size_t begin = 0; begin < count; begin += lanes) {
    size_t some = count - begin < lanes ? count - begin : lanes;
    point p;
    __mmask8 good = decode(&p, points + 32 * begin, some);
    p = multiply_point(&p, digits);
    fe s = encode(&p);
    good &= (__mmask8)~fe_is_zero(s);
    fe_store(out + 32 * begin, some, s);
    unsigned wrong = ~(unsigned)good & ((1U << some) - 1U);
    if (wrong != 0 && bad == SIZE_MAX) bad = begin + (unsigned)__builtin_ctz(wrong);
  }
  sodium_memzero(digits, sizeof digits);
  return bad;
}

static void ifma_hash_multiply(uint8_t *out, const uint8_t *hashes, size_t count, const uint8_t *scalar) {
  int8_t digits[64];
  signed_digits(digits, scalar);
  for (size_t begin = 0; begin < count; begin += lanes) {
    size_t some = count - begin < lanes ? count - begin : lanes;
    __mmask8 any;
    const uint8_t *at = hashes + SOTTO_I_HASH_BYTES * begin;
    point p = map(fe_load(at, SOTTO_I_HASH_BYTES, some, &any));
    point q = map(fe_load(at + 32, SOTTO_I_HASH_BYTES, some, &any));
    addend second = addend_of(&q);
    p = point_add(&p, &second);
    p = multiply_point(&p, digits);
    fe_store(out + 32 * begin, some, encode(&p));
  }
  sodium_memzero(digits, sizeof digits);
}

const sotto_i_group_kernel sotto_i_group_ifma = {"avx512 ifma", ifma_multiply, ifma_hash_multiply};
#endif
