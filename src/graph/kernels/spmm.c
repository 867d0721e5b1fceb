/* The plain kernel, which is also the reference for the others, and the choice of a kernel. */
#include "spmm.h"

enum { block = 64 };

/* Adds columns [column, column + count) of the row's entries to `sum`. */
static void add_entries(float *sum, const sotto_i_spmm *job, size_t v, size_t column, size_t count) {
  uint64_t e = job->offsets[v] + (job->from == NULL ? 0 : job->from[v]);
  const uint64_t end = job->to == NULL ? job->offsets[v + 1] : job->offsets[v] + job->to[v];
  for (; e < end; e++) {
    const float *row = job->x + job->targets[e] * job->width + column;
    float scale = job->pre == NULL ? 1 : job->pre[job->targets[e]];
    for (size_t j = 0; j < count; j++) sum[j] += scale * row[j];
  }
}

/* Columns [column, column + count) of rows [begin, end), count <= block. */
static void block_rows(const sotto_i_spmm *job, size_t begin, size_t end, size_t column, size_t count) {
  for (size_t v = begin; v < end; v++) {
    float sum[block] = {0};
    float *out = job->y + v * job->width + column;
    if (job->from != NULL) {
      for (size_t j = 0; j < count; j++) sum[j] = out[j];
    } else if (job->self) {
      const float *row = job->x + v * job->width + column;
      float scale = job->pre == NULL ? 1 : job->pre[v];
      for (size_t j = 0; j < count; j++) sum[j] = scale * row[j];
    }
    add_entries(sum, job, v, column, count);
    float post = job->post == NULL || job->to != NULL ? 1 : job->post[v];
    for (size_t j = 0; j < count; j++) out[j] = post * sum[j] + (job->add ? out[j] : 0);
  }
}

static void plain_rows(const sotto_i_spmm *job, size_t begin, size_t end) {
  for (size_t column = 0; column < job->width; column += block)
    block_rows(job, begin, end, column, job->width - column < block ? job->width - column : block);
}

sotto_i_spmm_fn sotto_i_spmm_kernel(sotto_i_isa_level level) {
#if defined(__x86_64__)
  if (level >= SOTTO_I_ISA_AVX512) return sotto_i_spmm_avx512;
  if (level >= SOTTO_I_ISA_AVX2) return sotto_i_spmm_avx2;
#endif
  (void)level;
  return plain_rows;
}

const char *sotto_kernels(void) {
  return sotto_i_isa_name(sotto_i_isa());
}
