/* Points of the twisted Edwards curve of ristretto255 and Ed25519, one in each lane: sums, doubles and
 * multiples.
 *
 * Coordinates are extended (Hisil, Wong, Carter and Dawson 2008): x = X/Z, y = Y/Z, T = XY/Z, on -x^2 + y^2 =
 * 1 + d x^2 y^2. The formulas are complete: no point is a special case. Include it after a field:
 * field_ifma.h or field_avx2.h. */
#ifndef SOTTO_SRC_PARTY_CURVE_EDWARDS_BODY_H
#define SOTTO_SRC_PARTY_CURVE_EDWARDS_BODY_H

static const constant one = {{1, 0, 0, 0, 0}};
static const constant edwards_d = {
    {0xb4dca135978a3ULL, 0x4d4141d8ab75eULL, 0x779e89800700aULL, 0xfe738cc740797ULL, 0x52036cee2b6fULL}};
static const constant edwards_2d = {
    {0x69b9426b2f159ULL, 0x9a8283b156ebdULL, 0xef3d13000e014ULL, 0xfce7198e80f2eULL, 0x2406d9dc56dfULL}};
static const constant sqrt_m1 = {
    {0xe1b274a0ea0b0ULL, 0x6ad2fe478c4eULL, 0xdfbd7a72f4318ULL, 0xdf0b2b4d00993ULL, 0x2b8324804fc1ULL}};

typedef struct point {
  fe x, y, z, t;
} point;
/* A point prepared for addition: Y + X, Y - X, 2Z, 2dT. */
typedef struct addend {
  fe plus, minus, z2, t2d;
} addend;
enum { multiples = 8 }; /* 1 to 8 times a point, for digits from -8 to 8 */

INLINE addend addend_of(const point *p) {
  return (addend){fe_add(p->y, p->x), fe_sub(p->y, p->x), fe_add(p->z, p->z),
                  fe_mul(p->t, fe_constant(&edwards_2d))};
}

/* p += q by section 3.1. In lanes of `turn` q is subtracted: its sum and difference are swapped. `with_t` is
 * public: doublings do not read T. */
INLINE void point_add(point *p, const addend *q, lane_mask turn, int with_t) {
  wide_fe a = wide_mul(fe_sub(p->y, p->x), fe_select(turn, q->minus, q->plus));
  wide_fe b = wide_mul(fe_add(p->y, p->x), fe_select(turn, q->plus, q->minus));
  wide_fe c = wide_mul(p->t, q->t2d), d = wide_mul(p->z, q->z2);
  fe less = fe_carry(wide_sub(d, c)), more = fe_carry(wide_add(d, c));
  fe e = fe_carry(wide_sub(b, a)), h = fe_carry(wide_add(b, a));
  fe f = fe_select(turn, less, more), g = fe_select(turn, more, less);
  p->x = fe_mul(e, f);
  p->y = fe_mul(g, h);
  p->z = fe_mul(f, g);
  if (with_t) p->t = fe_mul(e, h);
}

/* p = 2 p by section 3.3, with all signs changed. The limbs of f are sums of four products, below 2^61.4 each
 * in field_ifma.h, so with the difference's offset below 2^63.6; below 2^57 in field_avx2.h. */
INLINE void point_double(point *p, int with_t) {
  wide_fe s = wide_square(fe_add(p->x, p->y));
  wide_fe a = wide_square(p->x), b = wide_square(p->y), c = wide_square(p->z);
  wide_fe sum = wide_add(a, b), difference = wide_sub(a, b);
  fe h = fe_carry(sum), e = fe_carry(wide_sub(sum, s));
  fe g = fe_carry(difference), f = fe_carry(wide_add(wide_add(c, c), difference));
  p->x = fe_mul(e, f);
  p->y = fe_mul(g, h);
  p->z = fe_mul(f, g);
  if (with_t) p->t = fe_mul(e, h);
}

/* table[i] = (i + 1) p. */
static void point_multiples(addend table[multiples], const point *p) {
  point times[multiples];
  times[0] = *p;
  for (int i = 1; i < multiples; i++) {
    table[i - 1] = addend_of(&times[i - 1]);
    times[i] = times[i % 2 == 0 ? i - 1 : i / 2];
    if (i % 2 == 0)
      point_add(&times[i], &table[0], no_lanes(), 1);
    else
      point_double(&times[i], 1);
  }
  table[multiples - 1] = addend_of(&times[multiples - 1]);
}

/* In each lane, the entry of `table` for its digit, from -8 to 8; `turn` marks the lanes where it must be
 * subtracted. All entries are read. */
INLINE addend look_up(const addend table[multiples], integers digit, lane_mask *turn) {
  const fe unit = fe_constant(&one);
  const integers size = integers_abs(digit);
  const lane_mask none = integers_equal(size, 0);
  addend r = {fe_first(none, unit), fe_first(none, unit), fe_first(none, fe_add(unit, unit)), fe_zero()};
  for (int j = 0; j < multiples; j++) {
    const lane_mask here = integers_equal(size, j + 1);
    r.plus = fe_or(here, r.plus, table[j].plus);
    r.minus = fe_or(here, r.minus, table[j].minus);
    r.z2 = fe_or(here, r.z2, table[j].z2);
    r.t2d = fe_or(here, r.t2d, table[j].t2d);
  }
  *turn = integers_negative(digit);
  return r;
}

#endif
