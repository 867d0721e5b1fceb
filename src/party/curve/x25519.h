/* X25519 (RFC 7748) of one secret with many points: the same bytes as by libsodium. */
#ifndef SOTTO_SRC_PARTY_CURVE_X25519_H
#define SOTTO_SRC_PARTY_CURVE_X25519_H

#include "sotto/base.h"

enum { SOTTO_I_X25519 = 32 };

/* out[i] of 32 bytes = X25519(secret, points[i]) for i < count; false if one of them is 0, as of a point of
 * low order. Time does not depend on the secret or the points. On the calling thread. */
typedef bool sotto_i_x25519_fn(uint8_t *out, const uint8_t secret[SOTTO_I_X25519],
                               const uint8_t *const *points, size_t count);
sotto_i_x25519_fn sotto_i_x25519, sotto_i_x25519_sodium;
#if defined(__x86_64__)
sotto_i_x25519_fn sotto_i_x25519_ifma; /* needs AVX-512 with IFMA */
sotto_i_x25519_fn sotto_i_x25519_avx2; /* needs SOTTO_I_ISA_AVX2 */
#endif

#endif
