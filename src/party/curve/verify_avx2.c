/* Signatures of Ed25519, eight at once, with AVX2 and FMA. */
#if defined(__x86_64__)
#include "field_avx2.h"

#include "verify_body.h"

void sotto_i_verify_avx2_var(bool *good, const sotto_i_signed *what, size_t count) {
  const unsigned before = exact_rounding();
  verify_many(good, what, count);
  _mm_setcsr(before);
}
#endif
