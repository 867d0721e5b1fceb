/* The kernels under the sparse operators: y = diag(post) (A + self I) diag(pre) x, row by row. */
#ifndef SOTTO_SRC_GRAPH_KERNELS_SPMM_H
#define SOTTO_SRC_GRAPH_KERNELS_SPMM_H

#include "base/cpu.h"
#include "sotto/graph.h"

/* One product. All pointers are borrowed; x and y do not overlap. */
typedef struct sotto_i_spmm {
  const uint64_t *offsets; /* CSR of A, checked */
  const uint32_t *targets;
  const uint32_t *from; /* one a node: entries of the row before this one are in y already; NULL for none */
  const uint32_t *to;   /* one a node: entries from this one on come later; NULL for the row's end */
  const float *pre;     /* one a node, or NULL for ones: scales a row of x as it is loaded */
  const float *post;    /* one a node, or NULL for ones: scales a row of y before it is stored */
  const float *x;       /* nodes x width, packed */
  float *y;
  size_t width;
  bool self;  /* whether A has ones on its diagonal */
  bool add;   /* y += instead of y =; not together with from or to */
  bool fetch; /* whether to fetch rows of x ahead of their use: x is larger than the caches */
} sotto_i_spmm;

/* Computes rows [begin, end). A row is summed in the order of its entries, the own row first, so the result
 * does not depend on how rows are shared out, nor on how a row is split by `from` and `to`: a pass with
 * `from` takes the sum up where y left it, one without `to` scales it by post. */
typedef void (*sotto_i_spmm_fn)(const sotto_i_spmm *job, size_t begin, size_t end);

void sotto_i_spmm_plain(const sotto_i_spmm *job, size_t begin, size_t end);
void sotto_i_spmm_avx2(const sotto_i_spmm *job, size_t begin, size_t end);
void sotto_i_spmm_avx512(const sotto_i_spmm *job, size_t begin, size_t end);

/* The kernel of a level that this machine has. */
sotto_i_spmm_fn sotto_i_spmm_kernel(sotto_i_isa_level level);

/* How many entries lie between a fetch and its use, where a row has so many lines: enough lines on their way
 * to hide main memory, few enough to stay in the first level until then. */
static inline uint64_t sotto_i_spmm_ahead(int lines) {
  enum { lines_ahead = 48, least = 12 };
  return lines_ahead / lines > least ? (uint64_t)(lines_ahead / lines) : (uint64_t)least;
}

/* Kernels are copied for each number of registers. Not under the address sanitizer, which would take minutes
 * to compile the copies: there one copy serves all. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SOTTO_I_SPMM_INLINE static
#endif
#endif
#ifndef SOTTO_I_SPMM_INLINE
#define SOTTO_I_SPMM_INLINE static inline __attribute__((always_inline))
#endif

#endif
