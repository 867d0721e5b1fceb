/* Weighted sums of rows of a dense matrix, selected by the entries of a sparse row. Part of
 * kernels_body.h. */
#ifdef __AVX2__
#include <immintrin.h>
#endif

/* As wide as a register: compilers keep wider sums in memory. */
#if defined(__AVX512F__)
#define GATHER_LANES 16
#elif defined(__AVX2__)
#define GATHER_LANES 8
#else
#define GATHER_LANES 4
#endif

/* One function per number of columns: loops are unrolled first, so that sums stay in registers. */
#define GATHER_EACH _Pragma("GCC unroll 8") for (size_t v = 0; v < vectors; v++)
#define GATHER_OF(columns, lanes)                                                                            \
  typedef float floats_##columns __attribute__((vector_size(4 * (lanes)), aligned(4), may_alias));           \
  static void gather_##columns(float *y, const float *start, const uint32_t *index, const float *values,     \
                               size_t count, const float *x, size_t width) {                                 \
    enum { vectors = (columns) / (lanes) };                                                                  \
    floats_##columns sum[vectors] = {0};                                                                     \
    if (start != NULL) GATHER_EACH sum[v] = *(const floats_##columns *)(start + v * (lanes));                \
    for (size_t e = 0; e < count; e++) {                                                                     \
      const float *row = x + index[e] * width;                                                               \
      GATHER_EACH sum[v] += values[e] * *(const floats_##columns *)(row + v * (lanes));                      \
    }                                                                                                        \
    GATHER_EACH *(floats_##columns *)(y + v * (lanes)) = sum[v];                                             \
  }
#define GATHER(columns) GATHER_OF(columns, (columns) < GATHER_LANES ? (columns) : GATHER_LANES)
#if GATHER_LANES > 4
GATHER(64)
#endif
GATHER(32)
GATHER(16)
GATHER(8)
GATHER(4)
GATHER(2)

/* One column, as a vector of two: compilers would otherwise load eight entries at once, which is slower. */
static void gather_1(float *y, const float *start, const uint32_t *index, const float *values, size_t count,
                     const float *x, size_t width) {
  floats_2 sum = {start == NULL ? 0.0F : *start, 0.0F};
  for (size_t e = 0; e < count; e++) sum += values[e] * (floats_2){x[index[e] * width], 0.0F};
  *y = sum[0];
}

static void gather(float *y, const float *start, const uint32_t *index, const float *values, size_t count,
                   const float *x, size_t width) {
  static const struct {
    size_t columns;
    void (*run)(float *y, const float *start, const uint32_t *index, const float *values, size_t count,
                const float *x, size_t width);
  } steps[] = {
#if GATHER_LANES > 4
    {64, gather_64},
#endif
    {32, gather_32},
    {16, gather_16},
    {8, gather_8},
    {4, gather_4},
    {2, gather_2},
    {1, gather_1}
  };
  for (size_t from = 0, step = 0; from < width; from += steps[step].columns) {
    while (steps[step].columns > width - from) step++;
    steps[step].run(y + from, start == NULL ? NULL : start + from, index, values, count, x + from, width);
  }
}

#undef GATHER
#undef GATHER_OF
#undef GATHER_EACH
#undef GATHER_LANES

/* Dropout drops entries at random, so a branch per entry would be mispredicted half of the time. */
#ifdef __AVX512F__
static size_t pick_some(uint32_t *picked, float *kept, const uint32_t *index, const float *values, size_t n) {
  const __mmask16 some = (__mmask16)(n < 16 ? (1U << n) - 1 : 0xffffU);
  const __m512 value = _mm512_maskz_loadu_ps(some, values);
  const __mmask16 full = _mm512_mask_cmp_ps_mask(some, value, _mm512_setzero_ps(), _CMP_NEQ_UQ);
  _mm512_storeu_ps(kept, _mm512_maskz_compress_ps(full, value));
  _mm512_storeu_si512(picked, _mm512_maskz_compress_epi32(full, _mm512_maskz_loadu_epi32(some, index)));
  return (size_t)__builtin_popcount(full);
}
#elif defined(__AVX2__)
/* Byte shuffles that move the lanes of set bits to the front. */
#define LANE(i) 4 * (i), 4 * (i) + 1, 4 * (i) + 2, 4 * (i) + 3
static const uint8_t front[16][16] = {
    {0},
    {LANE(0)},
    {LANE(1)},
    {LANE(0), LANE(1)},
    {LANE(2)},
    {LANE(0), LANE(2)},
    {LANE(1), LANE(2)},
    {LANE(0), LANE(1), LANE(2)},
    {LANE(3)},
    {LANE(0), LANE(3)},
    {LANE(1), LANE(3)},
    {LANE(0), LANE(1), LANE(3)},
    {LANE(2), LANE(3)},
    {LANE(0), LANE(2), LANE(3)},
    {LANE(1), LANE(2), LANE(3)},
    {LANE(0), LANE(1), LANE(2), LANE(3)},
};
#undef LANE

static size_t pick_some(uint32_t *picked, float *kept, const uint32_t *index, const float *values, size_t n) {
  size_t count = 0, e = 0;
  for (; e + 4 <= n; e += 4) {
    const __m128 value = _mm_loadu_ps(values + e);
    const unsigned full = (unsigned)_mm_movemask_ps(_mm_cmpneq_ps(value, _mm_setzero_ps()));
    const __m128i order = _mm_loadu_si128((const __m128i *)front[full]);
    _mm_storeu_si128((__m128i *)(picked + count),
                     _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(index + e)), order));
    _mm_storeu_si128((__m128i *)(kept + count), _mm_shuffle_epi8(_mm_castps_si128(value), order));
    count += (size_t)__builtin_popcount(full);
  }
  for (; e < n; e++) {
    picked[count] = index[e];
    kept[count] = values[e];
    count += values[e] != 0.0F;
  }
  return count;
}
#else
static size_t pick_some(uint32_t *picked, float *kept, const uint32_t *index, const float *values, size_t n) {
  size_t count = 0;
  for (size_t e = 0; e < n; e++) {
    picked[count] = index[e];
    kept[count] = values[e];
    count += values[e] != 0.0F;
  }
  return count;
}
#endif

static size_t pick(uint32_t *picked, float *kept, const uint32_t *index, const float *values, size_t n) {
  size_t count = 0;
  for (size_t e = 0; e < n; e += SOTTO_I_PICK_ROOM)
    count += pick_some(picked + count, kept + count, index + e, values + e,
                       n - e < SOTTO_I_PICK_ROOM ? n - e : SOTTO_I_PICK_ROOM);
  return count;
}
