/* Signatures of Ed25519 by libsodium, and the choice of kernel. */
#include "verify.h"

#include <sodium.h>

#include "base/cpu.h"

enum { few = 3 }; /* signatures for which eight at once take longer than libsodium */

bool sotto_i_has_ifma(void) {
#if defined(__x86_64__)
  return sotto_i_isa() == SOTTO_I_ISA_AVX512 && __builtin_cpu_supports("avx512ifma");
#else
  return false;
#endif
}

const char *sotto_i_curve_kernel(void) {
  if (sotto_i_has_ifma()) return "avx512 ifma";
  return sotto_i_isa() >= SOTTO_I_ISA_AVX2 ? "avx2" : "libsodium";
}

void sotto_i_verify_sodium_var(bool *good, const sotto_i_signed *what, size_t count) {
  for (size_t i = 0; i < count; i++)
    good[i] = crypto_sign_verify_detached(what[i].signature, what[i].text, what[i].size, what[i].key) == 0;
}

void sotto_i_verify_var(bool *good, const sotto_i_signed *what, size_t count) {
#if defined(__x86_64__)
  if (sotto_i_has_ifma() && count > 1) {
    sotto_i_verify_ifma_var(good, what, count);
    return;
  }
  if (sotto_i_isa() >= SOTTO_I_ISA_AVX2 && count > few) {
    sotto_i_verify_avx2_var(good, what, count);
    return;
  }
#endif
  sotto_i_verify_sodium_var(good, what, count);
}
