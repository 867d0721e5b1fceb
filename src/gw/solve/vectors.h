/* Vector types of the kernels. A group of eight doubles or sixteen floats is as many machine vectors as
 * hold it. Vectors wider than the machine's would go through memory at each operation. */
#ifndef SOTTO_SRC_GW_SOLVE_VECTORS_H
#define SOTTO_SRC_GW_SOLVE_VECTORS_H

#include <stdint.h>
#include <string.h>

#include "gw/solve/kernels.h"
#if defined(__AVX512F__)
#include <immintrin.h>
#define GW_BYTES 64
#elif defined(__AVX2__)
#include <immintrin.h>
#define GW_BYTES 32
#else
#define GW_BYTES 16
#endif

enum { DOUBLES = GW_BYTES / sizeof(double), FLOATS = GW_BYTES / sizeof(float), PARTS = 64 / GW_BYTES };
typedef double doubles __attribute__((vector_size(GW_BYTES), aligned(8), may_alias));
typedef long long masks __attribute__((vector_size(GW_BYTES)));
typedef float floats __attribute__((vector_size(GW_BYTES), aligned(4), may_alias));
typedef int32_t words __attribute__((vector_size(GW_BYTES), aligned(4), may_alias));

static inline doubles load(const double *x) {
  return *(const doubles *)(const void *)x;
}

static inline void store(double *x, doubles value) {
  *(doubles *)(void *)x = value;
}

static inline floats load_floats(const float *x) {
  return *(const floats *)(const void *)x;
}

static inline void store_floats(float *x, floats value) {
  *(floats *)(void *)x = value;
}

static inline words load_words(const uint32_t *x) {
  return *(const words *)(const void *)x;
}

static inline floats select_lanes(words mask, floats yes, floats no) {
  return (floats)((mask & (words)yes) | (~mask & (words)no));
}

/* Minimum of each lane; the second operand on ties and NaN. */
static inline doubles min_lanes(doubles a, doubles b) {
#if GW_BYTES == 32
  return (doubles)_mm256_min_pd((__m256d)a, (__m256d)b);
#else
  const masks less = a < b;
  return (doubles)((less & (masks)a) | (~less & (masks)b));
#endif
}

/* Minimum of a group. */
static inline double min_of(const doubles *group) {
#if GW_BYTES == 64
  doubles x = group[0];
  x = min_lanes(x, __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3));
  x = min_lanes(x, __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5));
  return x[0] < x[1] ? x[0] : x[1];
#elif GW_BYTES == 32
  const __m256d x = (__m256d)min_lanes(group[0], group[1]);
  const __m128d y = _mm_min_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
  return _mm_cvtsd_f64(_mm_min_sd(y, _mm_unpackhi_pd(y, y)));
#else
  const doubles x = min_lanes(min_lanes(group[0], group[1]), min_lanes(group[2], group[3]));
  return x[0] < x[1] ? x[0] : x[1];
#endif
}

static inline float max_of(floats x) {
#if GW_BYTES == 64
  return _mm512_reduce_max_ps((__m512)x);
#else
  float out = x[0];
  for (size_t lane = 1; lane < FLOATS; lane++) out = x[lane] > out ? x[lane] : out;
  return out;
#endif
}

#endif
