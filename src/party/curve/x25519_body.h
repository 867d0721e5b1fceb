/* X25519, two groups of `lanes` points at once, by the ladder of RFC 7748, section 5. The scalar is the same
 * for all lanes; no branch and no address depends on it. Included after a field: field_ifma.h or
 * field_avx2.h. */
#ifndef SOTTO_SRC_PARTY_CURVE_X25519_BODY_H
#define SOTTO_SRC_PARTY_CURVE_X25519_BODY_H

#include <sodium.h>
#include <string.h>

#include "x25519.h"

enum { both = 2 * lanes };

static const constant one = {{1, 0, 0, 0, 0}}, a24 = {{121665, 0, 0, 0, 0}};

/* The multiples n and n + 1 of a point, by X and Z. */
typedef struct ladder {
  fe x2, z2, x3, z3;
} ladder;

/* x2, z2 become the double, x3, z3 the sum, whose difference has the coordinate u; both trade places before
 * where `swap` has bits. */
static void step(ladder *l, const fe *u, lane_mask swap) {
  const fe x2 = fe_select(swap, l->x2, l->x3), x3 = fe_select(swap, l->x3, l->x2);
  const fe z2 = fe_select(swap, l->z2, l->z3), z3 = fe_select(swap, l->z3, l->z2);
  const fe a = fe_add(x2, z2), b = fe_sub(x2, z2), c = fe_add(x3, z3), d = fe_sub(x3, z3);
  const fe aa = fe_square(a), bb = fe_square(b), da = fe_mul(d, a), cb = fe_mul(c, b), e = fe_sub(aa, bb);
  l->x3 = fe_square(fe_add(da, cb));
  l->z3 = fe_mul(*u, fe_square(fe_sub(da, cb)));
  l->x2 = fe_mul(aa, bb);
  l->z2 = fe_mul(e, fe_add(aa, fe_mul(e, fe_constant(&a24))));
}

/* Of two groups; both are in each round, since the steps of one wait for each other. */
static fe2 multiply_two(const fe2 *u, const uint8_t secret[SOTTO_I_X25519]) {
  const fe unit = fe_constant(&one);
  ladder l[2];
  unsigned last = 0;
  for (int k = 0; k < 2; k++) l[k] = (ladder){unit, fe_zero(), u->v[k], unit};
  for (int i = 254; i >= 0; i--) {
    unsigned bit = (secret[i / 8] >> (i % 8)) & 1U;
    bit = i == 254 ? 1 : i < 3 ? 0 : bit; /* as the RFC sets them */
    for (int k = 0; k < 2; k++) step(&l[k], &u->v[k], all_lanes_if(bit ^ last));
    last = bit; /* 0 in the end */
  }
  return fe2_mul((fe2){{l[0].x2, l[1].x2}}, fe2_invert((fe2){{l[0].z2, l[1].z2}}));
}

static NOINLINE bool x25519_many(uint8_t *out, const uint8_t secret[SOTTO_I_X25519],
                                 const uint8_t *const *points, size_t count) {
  uint8_t bytes[both * SOTTO_I_X25519];
  lane_mask zero = no_lanes();
  for (size_t begin = 0; begin < count; begin += both) {
    const size_t some = count - begin < both ? count - begin : both;
    for (size_t i = 0; i < both; i++)
      memcpy(bytes + i * SOTTO_I_X25519, points[begin + (i < some ? i : 0)], SOTTO_I_X25519);
    lane_mask any;
    fe2 u;
    for (int k = 0; k < 2; k++)
      u.v[k] = fe_load(bytes + k * lanes * SOTTO_I_X25519, SOTTO_I_X25519, lanes, &any);
    u = multiply_two(&u, secret);
    for (int k = 0; k < 2; k++) {
      zero |= fe_is_zero(u.v[k]); /* of a lane that stands in, only if the first is */
      fe_store(bytes + k * lanes * SOTTO_I_X25519, lanes, u.v[k]);
    }
    memcpy(out + begin * SOTTO_I_X25519, bytes, some * SOTTO_I_X25519);
  }
  sodium_memzero(bytes, sizeof bytes);
  return lane_bits(zero) == 0;
}

#endif
