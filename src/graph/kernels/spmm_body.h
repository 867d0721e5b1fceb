/* Passes of the sparse product for vectors of any width; spmm_*.c define the vectors and include this
 * file. A pass covers up to `most` vectors of columns, whose sums stay in registers while the entries of a
 * row are read. If x is cached, out-of-order execution keeps enough loads in flight. Otherwise, rows are
 * prefetched: their order is that of the ids, which no hardware prefetcher predicts (20% faster at degree
 * 3 with x in main memory, slower with x in the caches). */
#include "spmm.h"

enum { most = 8, line_lanes = 16 };

INLINE vector load(const float *from, int b, int blocks, lanes_of tail) {
  return b + 1 < blocks ? load_whole(from + b * lanes) : load_some(from + b * lanes, tail);
}

/* Columns from `column`, in `blocks` registers; the last one has the lanes of `tail`. */
INLINE void sum_columns(const sotto_i_spmm *job, size_t begin, size_t end, size_t column, int blocks,
                        lanes_of tail, bool scaled, bool fetch) {
  const size_t width = job->width;
  const uint32_t *targets = job->targets;
  const float *x = job->x + column, *pre = job->pre;
  const bool resume = job->from != NULL, last = job->to == NULL;
  const int each_line = line_lanes / lanes, lines = (blocks + each_line - 1) / each_line;
  const uint64_t limit = job->offsets[end], ahead = sotto_i_spmm_ahead(lines);
  for (size_t v = begin; v < end; v++) {
    vector sum[most];
    float *out = job->y + v * width + column;
    for (int b = 0; b < blocks; b++) {
      if (resume) {
        sum[b] = load(out, b, blocks, tail);
        continue;
      }
      sum[b] = job->self ? load(x + v * width, b, blocks, tail) : splat(0);
      if (scaled) sum[b] = multiply(sum[b], splat(pre[v]));
    }
    uint64_t e = job->offsets[v] + (resume ? job->from[v] : 0);
    const uint64_t stop = last ? job->offsets[v + 1] : job->offsets[v] + job->to[v];
    for (; e < stop; e++) {
      const float *row = x + targets[e] * width;
      const vector scale = splat(scaled ? pre[targets[e]] : 0);
      if (fetch) {
        const float *later = x + targets[e + ahead < limit ? e + ahead : e] * width;
        for (int b = 0; b < blocks; b += each_line)
          _mm_prefetch((const char *)(later + b * lanes), _MM_HINT_T0);
      }
      for (int b = 0; b < blocks; b++) {
        const vector value = load(row, b, blocks, tail);
        sum[b] = scaled ? multiply_add(scale, value, sum[b]) : plus(sum[b], value);
      }
    }
    for (int b = 0; b < blocks; b++) {
      if (last && job->post != NULL) sum[b] = multiply(sum[b], splat(job->post[v]));
      if (job->add) sum[b] = plus(sum[b], load(out, b, blocks, tail));
      if (b + 1 < blocks)
        store_whole(out + b * lanes, sum[b]);
      else
        store_some(out + b * lanes, tail, sum[b]);
    }
  }
}

/* One copy of `pass` for each number of registers, so that the sums stay in registers. */
INLINE void sum_columns_any(const sotto_i_spmm *job, size_t begin, size_t end, size_t column, int blocks,
                            lanes_of tail, bool scaled, bool fetch) {
#define OF(number)                                                                                           \
  case number:                                                                                               \
    sum_columns(job, begin, end, column, number, tail, scaled, fetch);                                       \
    break;
  switch (blocks) { OF(1) OF(2) OF(3) OF(4) OF(5) OF(6) OF(7) OF(8) }
#undef OF
}

void KERNEL(const sotto_i_spmm *job, size_t begin, size_t end) {
  for (size_t column = 0; column < job->width; column += lanes * most) {
    const size_t count = job->width - column < lanes * most ? job->width - column : lanes * most;
    const int blocks = (int)((count + lanes - 1) / lanes);
    const lanes_of tail = first_lanes(count - (size_t)(blocks - 1) * lanes);
    if (job->pre == NULL && job->fetch)
      sum_columns_any(job, begin, end, column, blocks, tail, false, true);
    else if (job->pre == NULL)
      sum_columns_any(job, begin, end, column, blocks, tail, false, false);
    else if (job->fetch)
      sum_columns_any(job, begin, end, column, blocks, tail, true, true);
    else
      sum_columns_any(job, begin, end, column, blocks, tail, true, false);
  }
}
