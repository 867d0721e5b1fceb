/* Masks of secure aggregation: streams of AES-256 in counter mode, added to a vector or subtracted from
 * it. */
#ifndef SOTTO_SRC_PARTY_SECURE_SUM_SECURE_SUM_MASKS_H
#define SOTTO_SRC_PARTY_SECURE_SUM_SECURE_SUM_MASKS_H

#include "base/cpu.h"
#include "secure_sum.h"

/* The stream of a mask: blocks 0, 1, ... of 16 bytes, block b the encryption of b in big-endian order under
 * `key` (NIST SP 800-38A, CTR from zero), read as two little-endian words. */
typedef struct sotto_i_sum_mask {
  uint8_t key[SOTTO_I_SUM_KEY];
  bool subtract;
} sotto_i_sum_mask;

/* out = values + or - the stream of each of `count` masks, modulo 2^64, on all threads. `out` may be
 * `values`. Errors: NOMEM. Cost: size x count words of AES. */
SOTTO_MUST_USE sotto_status sotto_i_sum_add_masks(uint64_t *out, const uint64_t *values, size_t size,
                                                  const sotto_i_sum_mask *masks, size_t count,
                                                  sotto_error *err);

/* One mask over part of a vector: values + or - `count` words of the stream from block `block` on, a multiple
 * of the group. False: out of memory. */
enum { SOTTO_I_SUM_MASK_GROUP = 256 };
typedef bool sotto_i_sum_mask_fn(uint64_t *values, size_t count, const sotto_i_sum_mask *mask,
                                 uint64_t block);
sotto_i_sum_mask_fn sotto_i_sum_mask_openssl, sotto_i_sum_mask_vaes_avx2, sotto_i_sum_mask_vaes_avx512;
/* The fastest kernel for an instruction set of this machine. */
sotto_i_sum_mask_fn *sotto_i_sum_mask_kernel(sotto_i_isa_level level);

#endif
