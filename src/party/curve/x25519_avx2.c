/* X25519, eight points at once, with AVX2 and FMA. */
#if defined(__x86_64__)
#include "field_avx2.h"

#include "x25519_body.h"

bool sotto_i_x25519_avx2(uint8_t *out, const uint8_t secret[SOTTO_I_X25519], const uint8_t *const *points,
                         size_t count) {
  const unsigned before = exact_rounding();
  const bool good = x25519_many(out, secret, points, count);
  _mm_setcsr(before);
  return good;
}
#endif
