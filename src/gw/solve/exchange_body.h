/* Kernels of exchanges in single precision, compiled once per instruction set. */
#include <string.h>

#include "gw/solve/kernels.h"
#include "gw/solve/vectors.h"

/* table[index] in each lane. The table has at most `size` floats; whole groups of 32 may be read. With
 * AVX-512 a small table stays in registers. */
static inline floats look_up(const float *table, words index, size_t size) {
#ifdef __AVX512F__
  const __m512i at = (__m512i)index;
  if (size > 64) return (floats)_mm512_i32gather_ps(at, table, 4);
  const __m512 low = _mm512_permutex2var_ps(_mm512_loadu_ps(table), at, _mm512_loadu_ps(table + 16));
  if (size <= 32) return (floats)low;
  const __m512 high = _mm512_permutex2var_ps(_mm512_loadu_ps(table + 32), at, _mm512_loadu_ps(table + 48));
  return (floats)_mm512_mask_blend_ps(_mm512_test_epi32_mask(at, _mm512_set1_epi32(32)), low, high);
#else
  floats out;
  (void)size;
  for (size_t lane = 0; lane < FLOATS; lane++) out[lane] = table[index[lane]];
  return out;
#endif
}

static void rank_one(float *restrict y, const float *left, size_t n, const float *restrict right,
                     size_t stride) {
  for (size_t i = 0; i < n; i++, y += stride)
    for (size_t j = 0; j < stride; j += SOTTO_I_GW_LANES)
      for (size_t p = 0; p < PARTS; p++) {
        float *at = y + j + p * FLOATS;
        store_floats(at, load_floats(at) + left[i] * load_floats(right + j + p * FLOATS));
      }
}

static void rank_one_at(float *y, const float *left, const uint32_t *row, size_t rows, const float *right,
                        const uint32_t *col, size_t cols, size_t count) {
  for (size_t k = 0; k < count; k += FLOATS) {
    const floats step = look_up(left, load_words(row + k), rows) * look_up(right, load_words(col + k), cols);
    store_floats(y + k, load_floats(y + k) + step);
  }
}

/* Table values at the rows and columns of eight or sixteen cells. */
typedef struct looked_up {
  floats of_row, right, of_col, left;
} looked_up;

#if GW_BYTES == 32
/* Interleaves two tables, so that one load gets both values of a row or a column. */
static void pair_up(float *out, const float *first, const float *second, size_t count) {
  for (size_t k = 0; k < count; k += FLOATS) {
    const __m256 a = _mm256_loadu_ps(first + k), b = _mm256_loadu_ps(second + k);
    const __m256 low = _mm256_unpacklo_ps(a, b), high = _mm256_unpackhi_ps(a, b);
    _mm256_storeu_ps(out + 2 * k, _mm256_permute2f128_ps(low, high, 0x20));
    _mm256_storeu_ps(out + 2 * k + FLOATS, _mm256_permute2f128_ps(low, high, 0x31));
  }
}

static inline __m128 two_pairs(const float *pairs, const uint32_t *index) {
  const __m128d one = _mm_load_sd((const double *)(const void *)(pairs + 2 * (size_t)index[0]));
  return _mm_castpd_ps(_mm_loadh_pd(one, (const double *)(const void *)(pairs + 2 * (size_t)index[1])));
}

static inline void look_up_pairs(floats *first, floats *second, const float *pairs, const uint32_t *index) {
  const __m256 a = _mm256_set_m128(two_pairs(pairs, index + 4), two_pairs(pairs, index));
  const __m256 b = _mm256_set_m128(two_pairs(pairs, index + 6), two_pairs(pairs, index + 2));
  *first = (floats)_mm256_shuffle_ps(a, b, 0x88);
  *second = (floats)_mm256_shuffle_ps(a, b, 0xdd);
}

static inline void prepare(const sotto_i_gw_scan *s) {
  pair_up(s->of_rows, s->of_col, s->left, s->rows);
  pair_up(s->of_cols, s->of_row, s->right, s->cols);
}

static inline looked_up look_up_cells(const sotto_i_gw_scan *s, size_t t, size_t size) {
  looked_up out;
  (void)size;
  look_up_pairs(&out.of_col, &out.left, s->of_rows, s->row + t);
  look_up_pairs(&out.of_row, &out.right, s->of_cols, s->col + t);
  return out;
}
#else
static inline void prepare(const sotto_i_gw_scan *s) {
  (void)s;
}

static inline looked_up look_up_cells(const sotto_i_gw_scan *s, size_t t, size_t size) {
  const words row = load_words(s->row + t), col = load_words(s->col + t);
  return (looked_up){look_up(s->of_row, col, size), look_up(s->right, col, size),
                     look_up(s->of_col, row, size), look_up(s->left, row, size)};
}
#endif

/* Best exchange for at most `size` rows and columns. `concave` is a compile-time constant of the caller. */
static inline float best_exchange(size_t *best, const sotto_i_gw_scan *s, size_t size, bool concave) {
  const floats none = {0};
  floats most = none;
  words where = {0}, at = {0};
  for (size_t lane = 0; lane < FLOATS; lane++) at[lane] = (int32_t)(s->begin + lane);
  for (size_t t = s->begin; t < s->end; t += FLOATS, at += FLOATS) {
    const looked_up of = look_up_cells(s, t, size);
    const floats linear = s->here + load_floats(s->own + t) - of.of_row - of.of_col;
    const floats curvature = s->coupling * of.left * of.right;
    const floats held = load_floats(s->mass + t);
    floats mass = select_lanes(held < s->held, held, none + s->held);
    if (!concave) {
      const floats least = linear / (-2 * curvature);
      mass = select_lanes((curvature < 0) & (least < mass), select_lanes(least > 0, least, none), mass);
    }
    const floats rate = linear + curvature * mass;
    const floats gain = select_lanes(rate > s->noise, mass * rate, none);
    const words more = gain > most;
    most = select_lanes(more, gain, most);
    where = (more & at) | (~more & where);
  }
  const float greatest = max_of(most);
  if (!(greatest > 0)) return 0;
  *best = SIZE_MAX;
  for (size_t lane = 0; lane < FLOATS; lane++)
    if (most[lane] == greatest && (size_t)where[lane] < *best) *best = (size_t)where[lane];
  return greatest;
}

static float exchange(size_t *best, const sotto_i_gw_scan *s) {
  const size_t size = s->rows > s->cols ? s->rows : s->cols;
  prepare(s);
  if (!s->concave) return best_exchange(best, s, size, false);
  if (size <= 32) return best_exchange(best, s, 32, true);
  if (size <= 64) return best_exchange(best, s, 64, true);
  return best_exchange(best, s, size, true);
}

static void difference(float *restrict out, const double *restrict x, const double *restrict y, double factor,
                       size_t count) {
  for (size_t k = 0; k < count; k++) out[k] = (float)(factor * (x[k] - y[k]));
}

static void narrow(float *restrict out, const double *restrict x, double factor, size_t count) {
  for (size_t k = 0; k < count; k++) out[k] = (float)(factor * x[k]);
}
