/* Kernels of the sparse operators: y = diag(post) (A + self I) diag(pre) x, row by row. */
#ifndef SOTTO_SRC_GRAPH_KERNELS_SPMM_H
#define SOTTO_SRC_GRAPH_KERNELS_SPMM_H

#include "base/cpu.h"
#include "sotto/graph.h"

/* One product. All pointers are borrowed; x and y do not overlap. */
typedef struct sotto_i_spmm {
  const uint64_t *offsets; /* CSR of A, checked */
  const uint32_t *targets;
  const uint32_t *from; /* one per node: entries of the row before this one are already in y; NULL: none */
  const uint32_t *to;   /* one per node: entries from this one on follow later; NULL: the row's end */
  const float *pre;     /* one per node, or NULL for ones: scales a row of x when it is loaded */
  const float *post;    /* one per node, or NULL for ones: scales a row of y before it is stored */
  const float *x;       /* nodes x width, packed */
  float *y;
  size_t width;
  bool self;  /* whether A has ones on its diagonal */
  bool add;   /* y += instead of y =; not combined with from or to */
  bool fetch; /* whether to prefetch rows of x, because x exceeds the caches */
} sotto_i_spmm;

/* Computes rows [begin, end). A row is summed in the order of its entries, the own row first. So the
 * result depends neither on the distribution of rows nor on the split of a row by `from` and `to`. A pass
 * with `from` continues the sum in y; a pass without `to` scales it by post. */
typedef void (*sotto_i_spmm_fn)(const sotto_i_spmm *job, size_t begin, size_t end);

void sotto_i_spmm_avx2(const sotto_i_spmm *job, size_t begin, size_t end);
void sotto_i_spmm_avx512(const sotto_i_spmm *job, size_t begin, size_t end);

/* The kernel for a level that this machine supports. */
sotto_i_spmm_fn sotto_i_spmm_kernel(sotto_i_isa_level level);

/* Number of entries between a prefetch and its use, for rows of this many cache lines: enough to hide the
 * latency of memory, few enough to stay in the first-level cache. */
static inline uint64_t sotto_i_spmm_ahead(int lines) {
  enum { lines_ahead = 48, least = 12 };
  return lines_ahead / lines > least ? (uint64_t)(lines_ahead / lines) : (uint64_t)least;
}

/* Kernels are copied for each number of registers. Under the address sanitizer, compiling the copies would
 * take minutes: there one copy serves all. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SOTTO_I_SPMM_INLINE static
#endif
#endif
#ifndef SOTTO_I_SPMM_INLINE
#define SOTTO_I_SPMM_INLINE static inline __attribute__((always_inline))
#endif

#endif
