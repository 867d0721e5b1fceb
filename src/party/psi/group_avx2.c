/* ristretto255 on four elements at once, with AVX2 and FMA. */
#if defined(__x86_64__)
#include "party/curve/field_avx2.h"

#include "group_body.h"

static size_t avx2_multiply(uint8_t *out, const uint8_t *points, size_t count, const uint8_t *scalar) {
  const unsigned before = exact_rounding();
  const size_t bad = group_multiply(out, points, count, scalar);
  _mm_setcsr(before);
  return bad;
}

static void avx2_hash_multiply(uint8_t *out, const uint8_t *hashes, size_t count, const uint8_t *scalar) {
  const unsigned before = exact_rounding();
  group_hash_multiply(out, hashes, count, scalar);
  _mm_setcsr(before);
}

const sotto_i_group_kernel sotto_i_group_avx2 = {"avx2", avx2_multiply, avx2_hash_multiply};
#endif
