/* X25519, sixteen points at once, with AVX-512 IFMA. */
#if defined(__x86_64__)
#include "field_ifma.h"

#include "x25519_body.h"

bool sotto_i_x25519_ifma(uint8_t *out, const uint8_t secret[SOTTO_I_X25519], const uint8_t *const *points,
                         size_t count) {
  return x25519_many(out, secret, points, count);
}
#endif
