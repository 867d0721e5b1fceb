/* Signatures of Ed25519 (RFC 8032), many at once: the verdict on each is that of libsodium. */
#ifndef SOTTO_SRC_PARTY_CURVE_VERIFY_H
#define SOTTO_SRC_PARTY_CURVE_VERIFY_H

#include "sotto/base.h"

/* A text of `size` bytes, a signature of 64 and the public key of 32 that it should be by. */
typedef struct sotto_i_signed {
  const uint8_t *text, *signature, *key;
  size_t size;
} sotto_i_signed;

/* good[i]: is signature i valid, as by crypto_sign_verify_detached? All inputs are public: time depends on
 * them. On the calling thread. */
typedef void sotto_i_verify_fn(bool *good, const sotto_i_signed *what, size_t count);
sotto_i_verify_fn sotto_i_verify_var, sotto_i_verify_sodium_var;
#if defined(__x86_64__)
sotto_i_verify_fn sotto_i_verify_ifma_var; /* needs AVX-512 with IFMA */
sotto_i_verify_fn sotto_i_verify_avx2_var; /* needs SOTTO_I_ISA_AVX2 */
#endif
/* Do the machine, and SOTTO_ISA, allow the kernels of *_ifma.c? */
bool sotto_i_has_ifma(void);

/* "avx512 ifma", "avx2" or "libsodium": the kernel for several signatures, points or ids. */
const char *sotto_i_curve_kernel(void);

#endif
