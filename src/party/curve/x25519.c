/* X25519 by libsodium, and the choice of kernel. */
#include "x25519.h"

#include <sodium.h>

#include "base/cpu.h"
#include "verify.h"

enum { few = 3 }; /* points for which eight at once take longer than libsodium */

bool sotto_i_x25519_sodium(uint8_t *out, const uint8_t secret[SOTTO_I_X25519], const uint8_t *const *points,
                           size_t count) {
  bool good = true;
  for (size_t i = 0; i < count; i++)
    good = crypto_scalarmult(out + i * SOTTO_I_X25519, secret, points[i]) == 0 && good;
  return good;
}

bool sotto_i_x25519(uint8_t *out, const uint8_t secret[SOTTO_I_X25519], const uint8_t *const *points,
                    size_t count) {
#if defined(__x86_64__)
  if (sotto_i_has_ifma() && count > 1) return sotto_i_x25519_ifma(out, secret, points, count);
  if (sotto_i_isa() >= SOTTO_I_ISA_AVX2 && count > few)
    return sotto_i_x25519_avx2(out, secret, points, count);
#endif
  return sotto_i_x25519_sodium(out, secret, points, count);
}
