/* Signatures of Ed25519, sixteen at once, with AVX-512 IFMA. */
#if defined(__x86_64__)
#include "field_ifma.h"

#include "verify_body.h"

void sotto_i_verify_ifma_var(bool *good, const sotto_i_signed *what, size_t count) {
  verify_many(good, what, count);
}
#endif
