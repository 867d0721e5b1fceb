/* Sparse times dense with 8 lanes: as the kernel with 16, up to 64 columns a pass. */
#include "spmm.h"

#if defined(__AVX2__)
#include <immintrin.h>

enum { lanes = 8, most = 8 };

#define INLINE SOTTO_I_SPMM_INLINE

INLINE __m256 load(const float *from, int b, int blocks, __m256i tail) {
  return b + 1 < blocks ? _mm256_loadu_ps(from + b * lanes) : _mm256_maskload_ps(from + b * lanes, tail);
}

INLINE void pass(const sotto_i_spmm *job, size_t begin, size_t end, size_t column, int blocks, __m256i tail,
                 bool scaled, bool fetch) {
  const size_t width = job->width;
  const uint32_t *targets = job->targets;
  const float *x = job->x + column, *pre = job->pre;
  const bool resume = job->from != NULL, last = job->to == NULL;
  const uint64_t limit = job->offsets[end], ahead = sotto_i_spmm_ahead((blocks + 1) / 2);
  for (size_t v = begin; v < end; v++) {
    __m256 sum[most];
    float *out = job->y + v * width + column;
    for (int b = 0; b < blocks; b++) {
      if (resume) {
        sum[b] = load(out, b, blocks, tail);
        continue;
      }
      sum[b] = job->self ? load(x + v * width, b, blocks, tail) : _mm256_setzero_ps();
      if (scaled) sum[b] = _mm256_mul_ps(sum[b], _mm256_set1_ps(pre[v]));
    }
    uint64_t e = job->offsets[v] + (resume ? job->from[v] : 0);
    const uint64_t stop = last ? job->offsets[v + 1] : job->offsets[v] + job->to[v];
    for (; e < stop; e++) {
      const float *row = x + targets[e] * width;
      const __m256 scale = scaled ? _mm256_set1_ps(pre[targets[e]]) : _mm256_setzero_ps();
      if (fetch) {
        const float *later = x + targets[e + ahead < limit ? e + ahead : e] * width;
        for (int b = 0; b < blocks; b += 2) _mm_prefetch((const char *)(later + b * lanes), _MM_HINT_T0);
      }
      for (int b = 0; b < blocks; b++) {
        const __m256 value = load(row, b, blocks, tail);
        sum[b] = scaled ? _mm256_fmadd_ps(scale, value, sum[b]) : _mm256_add_ps(sum[b], value);
      }
    }
    for (int b = 0; b < blocks; b++) {
      if (last && job->post != NULL) sum[b] = _mm256_mul_ps(sum[b], _mm256_set1_ps(job->post[v]));
      if (job->add) sum[b] = _mm256_add_ps(sum[b], load(out, b, blocks, tail));
      if (b + 1 < blocks)
        _mm256_storeu_ps(out + b * lanes, sum[b]);
      else
        _mm256_maskstore_ps(out + b * lanes, tail, sum[b]);
    }
  }
}

INLINE void pass_any(const sotto_i_spmm *job, size_t begin, size_t end, size_t column, int blocks,
                     __m256i tail, bool scaled, bool fetch) {
  switch (blocks) {
  case 1:
    pass(job, begin, end, column, 1, tail, scaled, fetch);
    break;
  case 2:
    pass(job, begin, end, column, 2, tail, scaled, fetch);
    break;
  case 3:
    pass(job, begin, end, column, 3, tail, scaled, fetch);
    break;
  case 4:
    pass(job, begin, end, column, 4, tail, scaled, fetch);
    break;
  case 5:
    pass(job, begin, end, column, 5, tail, scaled, fetch);
    break;
  case 6:
    pass(job, begin, end, column, 6, tail, scaled, fetch);
    break;
  case 7:
    pass(job, begin, end, column, 7, tail, scaled, fetch);
    break;
  default:
    pass(job, begin, end, column, 8, tail, scaled, fetch);
    break;
  }
}

void sotto_i_spmm_avx2(const sotto_i_spmm *job, size_t begin, size_t end) {
  static const int32_t steps[2 * lanes] = {-1, -1, -1, -1, -1, -1, -1, -1};
  for (size_t column = 0; column < job->width; column += lanes * most) {
    size_t count = job->width - column < lanes * most ? job->width - column : lanes * most;
    int blocks = (int)((count + lanes - 1) / lanes);
    size_t missing = (size_t)blocks * lanes - count;
    const __m256i tail = _mm256_loadu_si256((const __m256i *)(const void *)(steps + missing));
    if (job->pre == NULL && job->fetch)
      pass_any(job, begin, end, column, blocks, tail, false, true);
    else if (job->pre == NULL)
      pass_any(job, begin, end, column, blocks, tail, false, false);
    else if (job->fetch)
      pass_any(job, begin, end, column, blocks, tail, true, true);
    else
      pass_any(job, begin, end, column, blocks, tail, true, false);
  }
}
#endif
