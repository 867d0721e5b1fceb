/* Sparse times dense with 16 lanes. A pass covers up to 128 columns, whose sums stay in registers while the
 * entries of a row go by. Out-of-order execution alone keeps enough loads in flight as long as x is cached;
 * beyond that, rows that come up are fetched ahead, for their order is that of the ids and no hardware
 * prefetcher guesses it (a fifth faster at degree 3 with x in main memory, slower with x in the caches). */
#include "spmm.h"

#if defined(__AVX512F__)
#include <immintrin.h>

/* `most` registers hold a pass. */
enum { lanes = 16, most = 8 };

#define INLINE SOTTO_I_SPMM_INLINE

INLINE __m512 load(const float *from, int b, int blocks, __mmask16 tail) {
  return b + 1 < blocks ? _mm512_loadu_ps(from + b * lanes) : _mm512_maskz_loadu_ps(tail, from + b * lanes);
}

/* Columns from `column`, in `blocks` registers of which the last one holds the lanes of `tail`. */
INLINE void pass(const sotto_i_spmm *job, size_t begin, size_t end, size_t column, int blocks, __mmask16 tail,
                 bool scaled, bool fetch) {
  const size_t width = job->width;
  const uint32_t *targets = job->targets;
  const float *x = job->x + column, *pre = job->pre;
  const bool resume = job->from != NULL, last = job->to == NULL;
  const uint64_t limit = job->offsets[end], ahead = sotto_i_spmm_ahead(blocks);
  for (size_t v = begin; v < end; v++) {
    __m512 sum[most];
    float *out = job->y + v * width + column;
    for (int b = 0; b < blocks; b++) {
      if (resume) {
        sum[b] = load(out, b, blocks, tail);
        continue;
      }
      sum[b] = job->self ? load(x + v * width, b, blocks, tail) : _mm512_setzero_ps();
      if (scaled) sum[b] = _mm512_mul_ps(sum[b], _mm512_set1_ps(pre[v]));
    }
    uint64_t e = job->offsets[v] + (resume ? job->from[v] : 0);
    const uint64_t stop = last ? job->offsets[v + 1] : job->offsets[v] + job->to[v];
    for (; e < stop; e++) {
      const float *row = x + targets[e] * width;
      const __m512 scale = scaled ? _mm512_set1_ps(pre[targets[e]]) : _mm512_setzero_ps();
      if (fetch) {
        const float *later = x + targets[e + ahead < limit ? e + ahead : e] * width;
        for (int b = 0; b < blocks; b++) _mm_prefetch((const char *)(later + b * lanes), _MM_HINT_T0);
      }
      for (int b = 0; b < blocks; b++) {
        const __m512 value = load(row, b, blocks, tail);
        sum[b] = scaled ? _mm512_fmadd_ps(scale, value, sum[b]) : _mm512_add_ps(sum[b], value);
      }
    }
    for (int b = 0; b < blocks; b++) {
      if (last && job->post != NULL) sum[b] = _mm512_mul_ps(sum[b], _mm512_set1_ps(job->post[v]));
      if (job->add) sum[b] = _mm512_add_ps(sum[b], load(out, b, blocks, tail));
      _mm512_mask_storeu_ps(out + b * lanes, b + 1 < blocks ? (__mmask16)0xffff : tail, sum[b]);
    }
  }
}

/* One copy of `pass` for each number of registers, so that the sums never leave them. */
INLINE void pass_any(const sotto_i_spmm *job, size_t begin, size_t end, size_t column, int blocks,
                     __mmask16 tail, bool scaled, bool fetch) {
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

void sotto_i_spmm_avx512(const sotto_i_spmm *job, size_t begin, size_t end) {
  for (size_t column = 0; column < job->width; column += lanes * most) {
    size_t count = job->width - column < lanes * most ? job->width - column : lanes * most;
    int blocks = (int)((count + lanes - 1) / lanes);
    __mmask16 tail = (__mmask16)(0xffffU >> ((size_t)blocks * lanes - count));
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
