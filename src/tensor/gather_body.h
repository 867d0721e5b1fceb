/* Sums of rows of a dense matrix, picked and weighted by the entries of a sparse row. A part of
 * kernels_body.h. */
#ifdef __AVX512F__
#include <immintrin.h>
#endif

/* 64 columns of `gather`: the sums stay in registers. */
static void gather_64(float *y, const float *start, const uint32_t *index, const float *values, size_t count,
                      const float *x, size_t width) {
  wide a = {0}, b = {0}, c = {0}, d = {0};
  if (start != NULL) {
    a = WIDE(start);
    b = WIDE(start + 16);
    c = WIDE(start + 32);
    d = WIDE(start + 48);
  }
  for (size_t e = 0; e < count; e++) {
    const float *row = x + index[e] * width;
    float value = values[e];
    a += value * WIDE(row);
    b += value * WIDE(row + 16);
    c += value * WIDE(row + 32);
    d += value * WIDE(row + 48);
  }
  *(wide *)y = a;
  *(wide *)(y + 16) = b;
  *(wide *)(y + 32) = c;
  *(wide *)(y + 48) = d;
}

static void gather_32(float *y, const float *start, const uint32_t *index, const float *values, size_t count,
                      const float *x, size_t width) {
  wide a = {0}, b = {0};
  if (start != NULL) {
    a = WIDE(start);
    b = WIDE(start + 16);
  }
  for (size_t e = 0; e < count; e++) {
    const float *row = x + index[e] * width;
    a += values[e] * WIDE(row);
    b += values[e] * WIDE(row + 16);
  }
  *(wide *)y = a;
  *(wide *)(y + 16) = b;
}

/* One vector of columns of `gather`. */
#define GATHER(lanes)                                                                                        \
  typedef float floats_##lanes __attribute__((vector_size(4 * (lanes)), aligned(4)));                        \
  static void gather_##lanes(float *y, const float *start, const uint32_t *index, const float *values,       \
                             size_t count, const float *x, size_t width) {                                   \
    floats_##lanes sum = {0};                                                                                \
    if (start != NULL) sum = *(const floats_##lanes *)start;                                                 \
    for (size_t e = 0; e < count; e++) sum += values[e] * *(const floats_##lanes *)(x + index[e] * width);   \
    *(floats_##lanes *)y = sum;                                                                              \
  }
GATHER(16)
GATHER(8)
GATHER(4)
GATHER(2)

/* One column, as a vector of two: compilers would read eight entries at once, which takes longer. */
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
  } steps[] = {{64, gather_64}, {32, gather_32}, {16, gather_16}, {8, gather_8},
               {4, gather_4},   {2, gather_2},   {1, gather_1}};
  for (size_t from = 0, step = 0; from < width; from += steps[step].columns) {
    while (steps[step].columns > width - from) step++;
    steps[step].run(y + from, start == NULL ? NULL : start + from, index, values, count, x + from, width);
  }
}

#undef GATHER

/* Dropout drops entries at random, so that a branch at each would be foretold wrongly at every other. */
#ifdef __AVX512F__
static size_t pick_some(uint32_t *picked, float *kept, const uint32_t *index, const float *values, size_t n) {
  const __mmask16 some = (__mmask16)(n < 16 ? (1U << n) - 1 : 0xffffU);
  const __m512 value = _mm512_maskz_loadu_ps(some, values);
  const __mmask16 full = _mm512_mask_cmp_ps_mask(some, value, _mm512_setzero_ps(), _CMP_NEQ_UQ);
  _mm512_storeu_ps(kept, _mm512_maskz_compress_ps(full, value));
  _mm512_storeu_si512(picked, _mm512_maskz_compress_epi32(full, _mm512_maskz_loadu_epi32(some, index)));
  return (size_t)__builtin_popcount(full);
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
