/* Arithmetic in ristretto255 for many elements at once. Points and scalars are 32 bytes, as in RFC 9496. */
#ifndef SOTTO_SRC_PARTY_PSI_GROUP_H
#define SOTTO_SRC_PARTY_PSI_GROUP_H

#include "sotto/base.h"

enum { SOTTO_I_POINT_BYTES = 32, SOTTO_I_HASH_BYTES = 64 };

/* out[i] = scalar * points[i] for i < count, on the threads of the pool; `out` may be `points`. Returns the
 * index of the first point that is the identity or not a canonical encoding of an element; SIZE_MAX: none.
 * Time does not depend on the scalar or the points. The scalar is reduced and not zero. */
size_t sotto_i_group_multiply(uint8_t *out, const uint8_t *points, size_t count, const uint8_t *scalar);

/* out[i] = scalar * map(hashes[i]), where map is the one-way map of RFC 9496, section 4.3.4, from 64 bytes.
 */
void sotto_i_group_hash_multiply(uint8_t *out, const uint8_t *hashes, size_t count, const uint8_t *scalar);

/* Kernels for one thread. The second works on eight elements at once and needs AVX-512 with IFMA; the third
 * works on four and needs SOTTO_I_ISA_AVX2. */
typedef struct sotto_i_group_kernel {
  const char *name;
  size_t (*multiply)(uint8_t *out, const uint8_t *points, size_t count, const uint8_t *scalar);
  void (*hash_multiply)(uint8_t *out, const uint8_t *hashes, size_t count, const uint8_t *scalar);
} sotto_i_group_kernel;
extern const sotto_i_group_kernel sotto_i_group_sodium;
#if defined(__x86_64__)
extern const sotto_i_group_kernel sotto_i_group_ifma, sotto_i_group_avx2;
#endif
/* Do the machine and SOTTO_ISA allow the kernel of group_ifma.c? */
bool sotto_i_has_ifma(void);
/* The fastest kernel that this machine and SOTTO_ISA allow. */
const sotto_i_group_kernel *sotto_i_group_kernel_best(void);

#endif
